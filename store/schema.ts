import type { Scope } from "../chapters/caller.ts";
import type { JobStatus } from "../chapters/job.ts";
import type { TokenRow } from "../chapters/ports/store.ts";
import type { Tier } from "../chapters/tier.ts";
import { customType, doublePrecision, integer, pgBigint, pgTable, text } from "./drizzle.ts";

/**
 * The tables of both engines, by one definition: drizzle's builder over it makes a dialect-neutral query that each
 * engine renders in its own dialect. Only types that both engines give back alike are used: text, whole numbers up to
 * 2^53, doubles, bytes. `org` leads every key; what crosses orgs (orgs, settings, the job queue, token hashes) is the
 * directory's. The migrations of each engine make the same tables; a test compares them with this file.
 */
const bytes = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => "bytea" });
const whole = (name: string) => pgBigint(name, { mode: "number" });

/** Workspaces. */
export const orgs = pgTable("orgs", {
  id: text("id").notNull(),
  tag: text("tag").notNull(),
  created_at: doublePrecision("created_at").notNull(),
  /** Set while the org is being removed: it is in no list and answers to no tag from then on. */
  removed_at: doublePrecision("removed_at"),
});

/** Values of the workspace itself. */
export const settings = pgTable("settings", {
  name: text("name").notNull(),
  value: text("value").notNull(),
});

/** Documents: canonical JSON text with its SHA-256. */
export const records = pgTable("records", {
  org: text("org").notNull(),
  kind: text("kind").notNull(),
  id: text("id").notNull(),
  digest: text("digest").notNull(),
  created_at: doublePrecision("created_at").notNull(),
  updated_at: doublePrecision("updated_at").notNull(),
  body: text("body").notNull(),
});

/** What documents are looked up by; `value` is `lookupText`. */
export const recordFields = pgTable("record_fields", {
  org: text("org").notNull(),
  kind: text("kind").notNull(),
  field: text("field").notNull(),
  value: text("value").notNull(),
  id: text("id").notNull(),
});

/** Bytes by SHA-256 of what they are uncompressed. */
export const blobs = pgTable("blobs", {
  org: text("org").notNull(),
  digest: text("digest").notNull(),
  encoding: text("encoding").notNull(),
  size: whole("size").notNull(),
  body: bytes("body").notNull(),
});

/** Traces: what lists need as columns, the rest compressed. */
export const traces = pgTable("traces", {
  org: text("org").notNull(),
  evidence: text("evidence").notNull(),
  position: whole("position").notNull(),
  id: text("id").notNull(),
  session: text("session").notNull(),
  started_at: doublePrecision("started_at"),
  calls: integer("calls").notNull(),
  digest: text("digest").notNull(),
  encoding: text("encoding").notNull(),
  body: bytes("body").notNull(),
});

/** What traces are searched by, made of them when a search first asks; rows go with their trace. `words` is as `SearchEntry` says. */
export const traceIndex = pgTable("trace_index", {
  id: whole("id").notNull(),
  org: text("org").notNull(),
  evidence: text("evidence").notNull(),
  position: whole("position").notNull(),
  started_at: doublePrecision("started_at"),
  ms: doublePrecision("ms"),
  cost_usd: doublePrecision("cost_usd"),
  words: text("words").notNull(),
});

/**
 * Between what values the entries of each chunk of a record lie, so that a search for a range passes over chunks that hold none of
 * it. Kept by triggers of trace_index; an entry that goes narrows nothing.
 */
export const traceSpans = pgTable("trace_spans", {
  org: text("org").notNull(),
  evidence: text("evidence").notNull(),
  chunk: whole("chunk").notNull(),
  started_min: doublePrecision("started_min"),
  started_max: doublePrecision("started_max"),
  ms_min: doublePrecision("ms_min"),
  ms_max: doublePrecision("ms_max"),
  cost_min: doublePrecision("cost_min"),
  cost_max: doublePrecision("cost_max"),
});

/** What readers say of traces, a field at a time; rows go with their trace. */
export const attributes = pgTable("attributes", {
  org: text("org").notNull(),
  evidence: text("evidence").notNull(),
  position: whole("position").notNull(),
  field: text("field").notNull(),
  value: text("value").notNull(),
  cite: text("cite"),
  tier: text("tier").$type<Tier>().notNull(),
  reader: text("reader").notNull(),
});

/** Attempts at trials. */
export const trials = pgTable("trials", {
  org: text("org").notNull(),
  run: text("run").notNull(),
  task: text("task").notNull(),
  n: integer("n").notNull(),
  attempt: integer("attempt").notNull(),
  end: text("end").notNull(),
  started_at: doublePrecision("started_at").notNull(),
  encoding: text("encoding").notNull(),
  body: bytes("body").notNull(),
});

/** Jobs: the truth and the queue. `input`, `state` and `result` are JSON text. */
export const jobs = pgTable("jobs", {
  org: text("org").notNull(),
  id: text("id").notNull(),
  kind: text("kind").notNull(),
  key: text("key").notNull(),
  status: text("status").$type<JobStatus>().notNull(),
  note: text("note"),
  parent: text("parent"),
  by: text("by").notNull(),
  input: text("input").notNull(),
  state: text("state").notNull(),
  result: text("result").notNull(),
  attempt: integer("attempt").notNull(),
  done: whole("done").notNull(),
  total: whole("total"),
  message: text("message"),
  stop_by: text("stop_by"),
  created_at: doublePrecision("created_at").notNull(),
  started_at: doublePrecision("started_at"),
  ended_at: doublePrecision("ended_at"),
  lease_owner: text("lease_owner"),
  lease_until: doublePrecision("lease_until"),
});

/** The audit trail of each job. */
export const jobEvents = pgTable("job_events", {
  org: text("org").notNull(),
  job: text("job").notNull(),
  seq: whole("seq").notNull(),
  at: doublePrecision("at").notNull(),
  kind: text("kind").notNull(),
  fields: text("fields").notNull(),
});

/** What was spent. */
export const ledger = pgTable("ledger", {
  org: text("org").notNull(),
  id: text("id").notNull(),
  at: doublePrecision("at").notNull(),
  job: text("job"),
  kind: text("kind").notNull(),
  who: text("who").notNull(),
  micro_usd: whole("micro_usd").notNull(),
  note: text("note").notNull(),
});

/** Who did what, chained by hash. */
export const audit = pgTable("audit", {
  org: text("org").notNull(),
  seq: whole("seq").notNull(),
  at: doublePrecision("at").notNull(),
  by: text("by").notNull(),
  act: text("act").notNull(),
  fields: text("fields").notNull(),
  hash: text("hash").notNull(),
});

/** Calls that worlds answered. */
export const journals = pgTable("journals", {
  org: text("org").notNull(),
  world: text("world").notNull(),
  seq: whole("seq").notNull(),
  encoding: text("encoding").notNull(),
  body: bytes("body").notNull(),
  /** SHA-256 over the chain before and this entry; empty on entries of before there were chains. */
  chain: text("chain").notNull(),
});

/** Credentials, by what is left of them. */
export const tokens = pgTable("tokens", {
  org: text("org").notNull(),
  id: text("id").notNull(),
  kind: text("kind").$type<TokenRow["kind"]>().notNull(),
  hash: text("hash").notNull(),
  prefix: text("prefix").notNull(),
  name: text("name").notNull(),
  scope: text("scope").$type<Scope>().notNull(),
  world: text("world"),
  created_by: text("created_by").notNull(),
  created_at: doublePrecision("created_at").notNull(),
  expires_at: doublePrecision("expires_at"),
  last_used_at: doublePrecision("last_used_at"),
  revoked_at: doublePrecision("revoked_at"),
});

/** What was sent where: append-only. `reference` is JSON text. */
export const deliveries = pgTable("deliveries", {
  org: text("org").notNull(),
  id: text("id").notNull(),
  at: doublePrecision("at").notNull(),
  by: text("by").notNull(),
  channel: text("channel").notNull(),
  run_group: text("run_group").notNull(),
  target: text("target"),
  reference: text("reference").notNull(),
});

/** Who opened what was sent, once per day and channel; `member` is a keyed hash, empty for nobody known. */
export const opens = pgTable("opens", {
  org: text("org").notNull(),
  run_group: text("run_group").notNull(),
  via: text("via").notNull(),
  day: whole("day").notNull(),
  member: text("member").notNull(),
});

/** What one org alone may hold in the whole workspace, by name. */
export const claims = pgTable("claims", {
  name: text("name").notNull(),
  org: text("org").notNull(),
  at: doublePrecision("at").notNull(),
});

/** Whose turn something is among the servers of a workspace. */
export const turns = pgTable("turns", {
  name: text("name").notNull(),
  owner: text("owner").notNull(),
  until: doublePrecision("until").notNull(),
});

/** What was used, by name, in the window that ends at `until`. */
export const meters = pgTable("meters", {
  name: text("name").notNull(),
  used: doublePrecision("used").notNull(),
  until: doublePrecision("until").notNull(),
});

/** Acts on the workspace itself, chained by hash. */
export const workspaceAudit = pgTable("workspace_audit", {
  seq: whole("seq").notNull(),
  at: doublePrecision("at").notNull(),
  by: text("by").notNull(),
  act: text("act").notNull(),
  fields: text("fields").notNull(),
  hash: text("hash").notNull(),
});
