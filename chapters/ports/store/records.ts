import type { Page, PageInput } from "../../page.ts";
import type { Doc, RecordKind } from "../../record.ts";
import type { NewTrace } from "./bodies.ts";

/** The fields a list is narrowed by: all must be equal; a list of values means any of them. */
export type Where = Readonly<Record<string, FieldValue | readonly FieldValue[]>>;
/** What a record can be looked up by. */
export type FieldValue = string | number | boolean;

/** A page of a list that has an order in time. */
export interface OrderedPage extends PageInput {
  /** Newest first when absent. */
  readonly order?: "newest" | "oldest";
}

/** Records go by id, which is by time of making. */
export interface ListOptions extends OrderedPage {
  readonly where?: Where;
}

/** Any kind's document. */
export type StoredDoc = { readonly id: string } & Readonly<Record<string, unknown>>;

/** One step of `Records.apply`. `expect` is the digest the stored document must have, or the write is a conflict. */
export type RecordChange =
  | { readonly op: "insert"; readonly kind: RecordKind; readonly doc: StoredDoc }
  | { readonly op: "put"; readonly kind: RecordKind; readonly doc: StoredDoc; readonly expect?: string }
  | { readonly op: "delete"; readonly kind: RecordKind; readonly id: string };

/**
 * Documents by (org, kind, id). The body is canonical JSON text, so its digest is the same on every engine.
 * A document is checked against its kind's schema on the way in.
 */
export interface Records {
  get<K extends RecordKind>(kind: K, id: string): Promise<Doc<K> | undefined>;
  /** Several at once; ids that are not there are left out. */
  getMany<K extends RecordKind>(kind: K, ids: readonly string[]): Promise<Doc<K>[]>;
  /** False when the id is taken; nothing is written then. */
  insert<K extends RecordKind>(kind: K, doc: Doc<K>): Promise<boolean>;
  /** Writes the whole document, new or not. */
  put<K extends RecordKind>(kind: K, doc: Doc<K>): Promise<void>;
  /** Reads, changes and writes as one step; `change` may run again when another writer was first. Undefined: no such id. */
  update<K extends RecordKind>(kind: K, id: string, change: (doc: Doc<K>) => Doc<K>): Promise<Doc<K> | undefined>;
  delete(kind: RecordKind, id: string): Promise<boolean>;
  list<K extends RecordKind>(kind: K, options?: ListOptions): Promise<Page<Doc<K>>>;
  count(kind: RecordKind, where?: Where): Promise<number>;
  /** All steps, and traces as `append` takes them, or none. A conflict (id taken, digest not as expected) throws AppError `conflict`. */
  apply(changes: readonly RecordChange[], traces?: readonly NewTrace[]): Promise<void>;
  /** The stored text and its SHA-256 digest, exactly as kept. */
  raw(kind: string, id: string): Promise<{ readonly text: string; readonly digest: string } | undefined>;
  /** Ids, digests and sizes of the stored texts of a kind, by id; no text is read. */
  heads(kind: string, page?: PageInput): Promise<Page<ContentHead>>;
  /** How many documents of each kind there are. */
  kinds(): Promise<{ readonly kind: string; readonly count: number }[]>;
}

/** What is known of a stored content without reading it: its key, its SHA-256 and its length in bytes. */
export interface ContentHead {
  readonly id: string;
  readonly digest: string;
  readonly size: number;
}
