import { z } from "zod";
import { sha256 } from "../worlds/digest.ts";
import type { Scope } from "./caller.ts";

/**
 * A kind of record: a document with a schema, an id prefix, and the fields it is looked up by. Purge, rename,
 * archive, mirror and `records` are written once over this, for every kind.
 */
export interface RecordKind<S extends z.ZodObject = z.ZodObject> {
  /** The kind's name in the store and in `records`, snake_case singular. */
  readonly kind: string;
  /** Ids are `<prefix>_<time-sortable>`. */
  readonly prefix: string;
  readonly schema: S;
  /** Top-level fields that a list may be narrowed by; each holds a string, number, boolean or nothing. */
  readonly fields: readonly (keyof z.infer<S> & string)[];
  /** Whether a copy of the org takes records of this kind, else the reason why they stay behind. */
  readonly copy: true | { readonly staysBehind: string };
  /** The scope that reads it as it is stored: no lower than that of its own operations, `admin` where it holds secrets. */
  readonly scope: Scope;
  /** Records of the kind that are for the service's own people alone, whatever an org token's scope; absent where there are none. */
  readonly staffOnly?: (doc: z.infer<S>) => boolean;
}

export type Doc<K extends RecordKind> = z.infer<K["schema"]>;

/** What every record has. Times are unix seconds. */
export const recordBase = {
  id: z.string(),
  created_at: z.number(),
  by: z.string().describe("Who made it."),
};

/** Declares a record kind, by default one that is copied and that `read` reads. The schema must hold `recordBase`. */
export function recordKind<S extends z.ZodObject>(kind: {
  kind: string;
  prefix: string;
  schema: S;
  fields?: readonly (keyof z.infer<S> & string)[];
  copy?: RecordKind["copy"];
  scope?: Scope;
  staffOnly?: (doc: z.infer<S>) => boolean;
}): RecordKind<S> {
  return { fields: [], copy: true, scope: "read", ...kind };
}

/** The id of the one record of a kind that stands for a value: two writers who both insert it cannot both succeed. */
export function idOfValue(kind: RecordKind, ...value: readonly string[]): string {
  return `${kind.prefix}_${sha256(JSON.stringify(value))}`;
}
