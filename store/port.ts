import type { Scope } from "../chapters/caller.ts";
import type { CanonicalTrace } from "../chapters/evidence/schema.ts";
import type { JobStatus } from "../chapters/job.ts";
import type { Page, PageInput } from "../chapters/page.ts";
import type { Doc, RecordKind } from "../chapters/record.ts";
import type { TrialRow } from "../chapters/runs/schema.ts";
import type { JournalEntry } from "../chapters/sandboxes/journal.ts";

/**
 * What chapters may ask of a store. Every method is atomic and async; an OrgStore is bound to one org and cannot
 * name another. What is answered as done is on disk. Both implementations pass one contract suite.
 */
export interface OrgStore {
  readonly org: string;
  readonly records: Records;
  readonly blobs: Blobs;
  readonly traces: Traces;
  readonly trials: Trials;
  readonly jobs: OrgJobs;
  readonly ledger: Ledger;
  readonly audit: AuditLog;
  readonly journals: Journals;
  readonly tokens: Tokens;
  readonly deliveries: Deliveries;
  readonly opens: Opens;
  readonly claims: Claims;
}

/** The fields a list is narrowed by: all must be equal; a list of values means any of them. */
export type Where = Readonly<Record<string, FieldValue | readonly FieldValue[]>>;
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
  /** All steps or none. A conflict (id taken, digest not as expected) throws AppError `conflict`. */
  apply(changes: readonly RecordChange[]): Promise<void>;
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

/** Bytes by their SHA-256 hex digest, compressed at rest. */
export interface Blobs {
  put(bytes: Uint8Array): Promise<string>;
  get(digest: string): Promise<Uint8Array | undefined>;
  /** By digest, which is the id. */
  heads(page?: PageInput): Promise<Page<ContentHead>>;
  delete(digest: string): Promise<boolean>;
}

/** A stored trace: its place in its evidence record and the columns lists are narrowed by; the body is compressed. */
export interface TraceRow {
  readonly id: string;
  readonly evidence: string;
  /** Place in the evidence record, from 0. */
  readonly position: number;
  readonly trace: CanonicalTrace;
}

/** A trace as it is kept: what lists are narrowed by, and its JSON text, compressed. */
export interface PackedTrace {
  readonly session: string;
  readonly startedAt: number | undefined;
  readonly calls: number;
  /** SHA-256 of the JSON text. */
  readonly digest: string;
  readonly encoding: string;
  readonly body: Uint8Array;
}

/** A trace to be stored: as it is, or packed on another thread. */
export type NewTrace = TraceRow | (Omit<TraceRow, "trace"> & { readonly packed: PackedTrace });

export interface TraceHead {
  readonly id: string;
  readonly evidence: string;
  readonly position: number;
  readonly session: string;
  readonly startedAt: number | undefined;
  readonly calls: number;
  readonly digest: string;
}

export interface Traces {
  /** Appends in one transaction; a position that stands already is written over. */
  append(rows: readonly NewTrace[]): Promise<void>;
  heads(evidence: string, page?: PageInput): Promise<Page<TraceHead>>;
  count(evidence: string): Promise<number>;
  get(id: string): Promise<TraceRow | undefined>;
  /** Whole traces of these records in order of record and position, read in batches. */
  stream(evidence: readonly string[]): AsyncIterable<TraceRow>;
  deleteEvidence(evidence: string): Promise<number>;
  /** Deletes one trace; false when it is not there. */
  delete(id: string): Promise<boolean>;
  /** Deletes the traces of a record that started before `at`; with `undated`, those that have no start too. */
  deleteBefore(evidence: string, at: number, undated: boolean): Promise<number>;
}

/** Trials of runs; every attempt is kept. */
export interface Trials {
  /** False when this (run, task, try, attempt) is already written: a trial is counted once. */
  insert(row: TrialRow): Promise<boolean>;
  list(run: string, page?: PageInput): Promise<Page<TrialRow>>;
  get(run: string, task: string, n: number): Promise<TrialRow[]>;
  /** Trials per state over the newest attempt of each. */
  tally(run: string): Promise<Readonly<Record<string, number>>>;
}

/** A job as stored. Times are unix seconds. `input`, `state` and `result` are JSON values. */
export interface JobRow {
  readonly id: string;
  readonly org: string;
  readonly kind: string;
  /** Unique among this org's jobs that have not ended. */
  readonly key: string;
  readonly status: JobStatus;
  /** Why it is held, failed or stopped, in words. */
  readonly note: string | null;
  readonly parent: string | null;
  readonly by: string;
  readonly input: unknown;
  readonly state: unknown;
  readonly result: unknown;
  readonly attempt: number;
  readonly done: number;
  readonly total: number | null;
  readonly message: string | null;
  readonly stop_by: string | null;
  readonly created_at: number;
  readonly started_at: number | null;
  readonly ended_at: number | null;
}

export interface JobEvent {
  readonly seq: number;
  readonly at: number;
  readonly kind: string;
  readonly fields: Readonly<Record<string, string | number | boolean>>;
}

export interface OrgJobs {
  /** Inserts, or answers the row that holds the key now. */
  start(row: JobRow): Promise<{ readonly row: JobRow; readonly deduplicated: boolean }>;
  get(id: string): Promise<JobRow | undefined>;
  list(
    options?: OrderedPage & { readonly live?: boolean; readonly kind?: string; readonly parent?: string },
  ): Promise<Page<JobRow>>;
  /**
   * Changes some fields of a job that has not ended; undefined when it has or is unknown. A status other than
   * `running` gives its lease up. With `owner`, only while that owner holds the lease.
   */
  update(
    id: string,
    change: Partial<Omit<JobRow, "id" | "org" | "kind" | "key">>,
    owner?: string,
  ): Promise<JobRow | undefined>;
  /** Appends to the audit trail. */
  event(id: string, at: number, kind: string, fields: JobEvent["fields"]): Promise<void>;
  events(id: string): Promise<JobEvent[]>;
}

/** What was spent. Append-only. */
export interface LedgerRow {
  readonly id: string;
  readonly at: number;
  readonly job: string | null;
  readonly kind: string;
  readonly who: string;
  /** Reserved before, settled after. Micro-dollars, whole. */
  readonly micro_usd: number;
  readonly note: string;
}

export interface Ledger {
  append(row: LedgerRow): Promise<void>;
  /** Appends unless the sum since `since` would pass `ceiling` micro-dollars; false then. Two at once cannot both pass it. */
  reserve(row: LedgerRow, since: number, ceiling: number): Promise<boolean>;
  /** Micro-dollars since `at`. */
  since(at: number): Promise<number>;
  list(since: number, page?: OrderedPage): Promise<Page<LedgerRow>>;
}

/** Who did what, in a chain: each line's hash covers the line before. Ids, kinds and counts only. */
export interface AuditLine {
  readonly seq: number;
  readonly at: number;
  readonly by: string;
  readonly act: string;
  readonly fields: Readonly<Record<string, string | number | boolean>>;
  readonly hash: string;
}

export interface AuditLog {
  append(at: number, by: string, act: string, fields: AuditLine["fields"]): Promise<AuditLine>;
  list(page?: OrderedPage): Promise<Page<AuditLine>>;
  /** Reads the whole chain; `broken` is the number of the first line that does not follow from the ones before it. */
  verify(): Promise<{ readonly lines: number; readonly broken?: number }>;
  /** Appends lines of this org that an archive kept, as they were. A line that does not follow the one before is a conflict. */
  restore(lines: readonly AuditLine[]): Promise<void>;
}

/** World journals: base plus journal gives the state again. */
export interface Journals {
  /** Appends entries after what is there; a sequence number that stands already is a conflict. */
  append(world: string, entries: readonly JournalEntry[]): Promise<void>;
  read(world: string): Promise<JournalEntry[]>;
  /** Forgets the journal (reset, or the world is gone). */
  clear(world: string): Promise<void>;
}

/** A credential as stored: never the token. `world` tokens open one world's MCP endpoint. */
export interface TokenRow {
  readonly id: string;
  readonly kind: "org" | "world";
  /** SHA-256 of the token, hex. */
  readonly hash: string;
  readonly prefix: string;
  readonly name: string;
  readonly scope: Scope;
  readonly world: string | null;
  readonly created_by: string;
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly last_used_at: number | null;
  readonly revoked_at: number | null;
}

export interface Tokens {
  insert(row: TokenRow): Promise<void>;
  get(id: string): Promise<TokenRow | undefined>;
  list(kind: TokenRow["kind"], page?: PageInput): Promise<Page<TokenRow>>;
  /** Keeps the first mark. Undefined: no such id. */
  revoke(id: string, at: number): Promise<TokenRow | undefined>;
  touch(id: string, at: number): Promise<void>;
}

/** A line of the delivery log: what went where. `reference` is what the receiver calls it. */
export interface DeliveryRow {
  readonly id: string;
  readonly at: number;
  readonly by: string;
  readonly channel: string;
  readonly group: string;
  readonly target: string | null;
  readonly reference: Readonly<Record<string, string>>;
}

export interface Deliveries {
  append(row: DeliveryRow): Promise<void>;
  /** Newest first. */
  list(page?: PageInput): Promise<Page<DeliveryRow>>;
  /** The newest line of a channel. */
  last(channel: string): Promise<DeliveryRow | undefined>;
}

/** Someone opened what was sent of a group over a channel on a day (days since 1970, UTC). `member` is a hash; absent for nobody known. */
export interface OpenRow {
  readonly group: string;
  readonly via: string;
  readonly day: number;
  readonly member: string | undefined;
}

export interface OpensTally {
  readonly byVia: readonly { readonly via: string; readonly opens: number }[];
  /** Different members. */
  readonly members: number;
  /** Opens by nobody known. */
  readonly anonymous: number;
}

export interface Opens {
  /** False when this member, or nobody known, was counted for that day and channel already; nothing is written then. */
  count(row: OpenRow): Promise<boolean>;
  tally(group: string): Promise<OpensTally>;
  /** By group, channel, day and member. */
  list(page?: PageInput): Promise<Page<OpenRow>>;
}

/** What one org alone may hold in the workspace, by name. */
export interface Claims {
  /** Undefined when the org holds it now; else the tag of the org that does. */
  take(name: string, at: number): Promise<{ readonly heldBy: string } | undefined>;
  release(name: string): Promise<boolean>;
}

export interface OrgRow {
  /** Never changes. */
  readonly id: string;
  readonly tag: string;
  readonly created_at: number;
}

/** Rows by table. */
export type RowCounts = Readonly<Record<string, number>>;

/** The end of an org. From `begin` on it is in no list, answers to no tag and no token, and `finish` can be run again until it ends. */
export interface Removal {
  /** The org's rows in every table that has some of it, its own row among them. */
  count(id: string): Promise<RowCounts>;
  /** False when the org is not there, or on its way out already. Who asked is written to the workspace's audit with it. */
  begin(id: string, at: number, by: string): Promise<boolean>;
  /** Deletes the org's rows in small steps, its own last; answers how many went by table. */
  finish(id: string, at: number): Promise<RowCounts>;
  /** Orgs that were begun and not finished. */
  begun(): Promise<string[]>;
  /** Makes what was deleted unreadable in the database's own files, as far as the engine can. */
  scrub(): Promise<void>;
  /** Whether something was deleted since the last scrub. */
  scrubDue(): Promise<boolean>;
  /** Notes that something was deleted that has to be scrubbed. */
  markScrub(): Promise<void>;
}

/** What crosses orgs: the directory, credentials, the job queue. Only the host and the operator's operations have it. */
export interface ServiceStore {
  createOrg(row: OrgRow): Promise<boolean>;
  orgByTag(tag: string): Promise<OrgRow | undefined>;
  orgById(id: string): Promise<OrgRow | undefined>;
  orgs(page?: PageInput): Promise<Page<OrgRow>>;
  forOrg(id: string): OrgStore;
  /** Which org holds this record, for the operator's calls on routes that name no org. */
  orgOfRecord(kind: string, id: string): Promise<string | undefined>;
  orgOfJob(id: string): Promise<string | undefined>;
  orgOfToken(id: string): Promise<string | undefined>;
  /** The org that holds a claim. */
  orgOfClaim(name: string): Promise<OrgRow | undefined>;
  tokenByHash(hash: string): Promise<{ readonly org: OrgRow; readonly token: TokenRow } | undefined>;
  /** Takes up to `limit` queued jobs for `owner`, oldest first, leased until `leaseUntil`; an expired lease is taken too, its attempt counted. */
  claimJobs(
    owner: string,
    limit: number,
    now: number,
    leaseUntil: number,
    kinds?: readonly string[],
  ): Promise<JobRow[]>;
  /** Extends the leases of `owner`; answers the ids among them that were asked to stop. */
  renewJobs(owner: string, ids: readonly string[], leaseUntil: number): Promise<string[]>;
  jobsAcrossOrgs(options?: PageInput & { readonly live?: boolean }): Promise<Page<JobRow>>;
  /** A value of the workspace itself, by name. */
  setting(name: string): Promise<string | undefined>;
  putSetting(name: string, value: string): Promise<void>;
  /** Acts on the workspace itself, in a chain of their own. */
  readonly audit: AuditLog;
  readonly removal: Removal;
  /** Gives the org another tag and writes the audit line, both or neither. False when the tag is taken or the org is gone. */
  renameOrg(id: string, tag: string, line: Omit<AuditLine, "seq" | "hash">): Promise<boolean>;
  close(): Promise<void>;
}
