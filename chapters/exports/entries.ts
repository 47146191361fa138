import canonicalize from "canonicalize";
import { z } from "zod";
import { sha256 } from "../../worlds/digest.ts";
import { type AppError, conflict, unprocessable } from "../errors.ts";
import { count } from "../fields.ts";
import { KINDS } from "../kinds.ts";
import { everyRow, type Page, type PageInput } from "../page.ts";
import type { JobRow, OrgStore } from "../ports/store.ts";
import type { RecordKind } from "../record.ts";
import { CanonicalTrace, Evidence } from "../records/evidence/evidence.ts";
import { JobMember, MIRROR_JOB } from "../records/exports/exports.ts";
import { Run, TrialRow } from "../records/runs/runs.ts";
import { Tier } from "../tier.ts";

/** One stored thing of an org as a copy names it. `sha256` is of exactly the bytes that are sent. */
export const EntryHead = z.object({
  id: z.string(),
  sha256: z.string(),
  /** Bytes; absent where it is known only by reading them. */
  size: count.optional(),
});
export type EntryHead = z.infer<typeof EntryHead>;

/** What a copy leaves of a kind, and why. */
export const ExcludedKind = z.object({ kind: z.string(), count, reason: z.string() });
export type ExcludedKind = z.infer<typeof ExcludedKind>;

/** A kind of member: what there is, its bytes as stored, and how to take them in. */
export interface EntryKind {
  readonly name: string;
  heads(store: OrgStore): AsyncIterable<EntryHead>;
  /** Undefined for an id that is not there. */
  bytes(store: OrgStore, id: string): Promise<Uint8Array | undefined>;
  /** Stores the bytes in place of what is there. Throws `unprocessable` for bytes that are none of this kind or of another id. */
  put(store: OrgStore, id: string, bytes: Uint8Array): Promise<void>;
}

/** Kinds whose members are rows of tables of their own, not records. */
export const MEMBER_ROWS: readonly string[] = ["blob", "trace", "attributes", "trial", "job"];

/** Kinds that a copy takes, in the order it takes them: what others refer to first. */
export function entryKinds(): EntryKind[] {
  const taken = KINDS.filter((kind) => kind.copy === true);
  return [blobs, ...taken.map(recordMembers), traces, attributes, trials, jobs];
}

/** What a copy leaves: each kind with its count and the reason, secrets and logs first of all. */
export async function excludedKinds(store: OrgStore): Promise<ExcludedKind[]> {
  const counts = new Map((await store.records.kinds()).map(({ kind, count }) => [kind, count]));
  const held = KINDS.flatMap((kind) =>
    kind.copy === true ? [] : [{ kind: kind.kind, count: counts.get(kind.kind) ?? 0, reason: kind.copy.staysBehind }],
  );
  const live = await counted((page) => store.jobs.list({ ...page, live: true }));
  return [
    {
      kind: "token",
      count: await counted((page) => store.tokens.list("org", page)),
      reason: "a credential of this workspace",
    },
    { kind: "audit", count: await counted((page) => store.audit.list(page)), reason: "a log of this workspace" },
    { kind: "ledger", count: await counted((page) => store.ledger.list(0, page)), reason: "a log of this workspace" },
    {
      kind: "deliveries",
      count: await counted((page) => store.deliveries.list(page)),
      reason: "a log of this workspace",
    },
    { kind: "opens", count: await counted((page) => store.opens.list(page)), reason: "a log of this workspace" },
    { kind: "job", count: live, reason: "it has not ended" },
    ...held,
  ].filter((row) => row.count > 0);
}

async function counted(list: (page: PageInput) => Promise<Page<unknown>>): Promise<number> {
  let n = 0;
  for await (const _ of everyRow(list)) n += 1;
  return n;
}

function recordMembers(kind: RecordKind): EntryKind {
  return {
    name: kind.kind,
    heads: async function* (store) {
      for await (const { id, digest, size } of everyRow((page) => store.records.heads(kind.kind, page)))
        if (!(await isStaffs(kind, store, id))) yield { id, sha256: digest, size };
    },
    bytes: async (store, id) =>
      (await isStaffs(kind, store, id)) ? undefined : textBytes((await store.records.raw(kind.kind, id))?.text),
    put: async (store, id, bytes) => {
      const doc = kind.schema.safeParse(parsed(bytes));
      // Its text as it would be stored must be the very bytes, or the digests of the two copies part.
      if (!doc.success || doc.data.id !== id || canonicalize(doc.data) !== textOf(bytes)) throw misfit(kind.kind);
      await store.records.put(kind, doc.data as never);
    },
  };
}

/** Whether a record is for the service's own operators: an admin of the org takes copies, so it goes into none. */
async function isStaffs(kind: RecordKind, store: OrgStore, id: string): Promise<boolean> {
  if (!kind.staffOnly) return false;
  const doc = await store.records.get(kind, id);
  return doc !== undefined && kind.staffOnly(doc as never);
}

const blobs: EntryKind = {
  name: "blob",
  heads: async function* (store) {
    for await (const { id, digest, size } of everyRow((page) => store.blobs.heads(page)))
      yield { id, sha256: digest, size };
  },
  bytes: (store, id) => store.blobs.get(id),
  put: async (store, id, bytes) => {
    if (sha256(bytes) !== id) throw misfit("blob");
    await store.blobs.put(bytes);
  },
};

/** A trace's id names its place too: evidence, position and id of its own. */
const traces: EntryKind = {
  name: "trace",
  heads: async function* (store) {
    for await (const evidence of everyRow((page) => store.records.heads(Evidence.kind, page)))
      for await (const head of everyRow((page) => store.traces.heads(evidence.id, page)))
        yield { id: joined(head.evidence, head.position, head.id), sha256: head.digest };
  },
  bytes: async (store, id) => {
    const [evidence, position, trace = ""] = id.split("/");
    const row = await store.traces.get(trace);
    if (!row || row.evidence !== evidence || row.position !== Number(position)) return undefined;
    return textBytes(JSON.stringify(row.trace));
  },
  put: async (store, id, bytes) => {
    const [evidence, position, trace] = id.split("/");
    const value = parsed(bytes);
    if (!evidence || !trace || !CanonicalTrace.safeParse(value).success || JSON.stringify(value) !== textOf(bytes))
      throw misfit("trace");
    await store.traces.append([{ id: trace, evidence, position: whole(position), trace: value as CanonicalTrace }]);
  },
};

/** How many places of an evidence record one member of attributes is of. */
export const ATTRIBUTE_PLACES = 500;
const PLACES = ATTRIBUTE_PLACES;
const AttributeRows = z.array(
  z.strictObject({
    position: z.number().int(),
    field: z.string(),
    value: z.string(),
    cite: z.string().nullable(),
    tier: Tier,
    reader: z.string(),
  }),
);

/** Attributes of some traces of an evidence record, by the number of its five hundreds of places. */
const attributes: EntryKind = {
  name: "attributes",
  heads: async function* (store) {
    for await (const { id } of everyRow((page) => store.records.heads(Evidence.kind, page))) {
      const places = new Set<number>();
      for await (const head of everyRow((page) => store.traces.heads(id, page)))
        places.add(Math.floor(head.position / PLACES));
      for (const place of places) {
        const bytes = await attributes.bytes(store, joined(id, place));
        if (bytes) yield headOf(joined(id, place), bytes);
      }
    }
  },
  bytes: async (store, id) => {
    const [evidence = "", place] = id.split("/");
    const from = whole(place) * PLACES;
    if (from < 0) return undefined;
    const rows = [];
    const range = { from, before: from + PLACES };
    for await (const row of everyRow((page) => store.attributes.list(evidence, { ...page, ...range }))) rows.push(row);
    return rows.length === 0 ? undefined : textBytes(JSON.stringify(rows));
  },
  put: async (store, id, bytes) => {
    const [evidence, place] = id.split("/");
    const rows = AttributeRows.safeParse(parsed(bytes));
    const from = whole(place) * PLACES;
    if (!evidence || from < 0 || !rows.success) throw misfit("attributes");
    if (rows.data.some(({ position }) => position < from || position >= from + PLACES)) throw misfit("attributes");
    // What stands there and is not among these was taken away where the copy is from.
    await store.attributes.drop(
      evidence,
      [...Array(PLACES).keys()].map((n) => from + n),
    );
    await store.attributes.put(evidence, rows.data);
  },
};

const trials: EntryKind = {
  name: "trial",
  heads: async function* (store) {
    for await (const run of everyRow((page) => store.records.heads(Run.kind, page)))
      for await (const row of everyRow((page) => store.trials.list(run.id, page)))
        yield headOf(joined(run.id, row.task, row.n, row.attempt), textBytes(JSON.stringify(row)));
  },
  bytes: async (store, id) => textBytes(JSON.stringify(await trialAt(store, id))),
  put: async (store, id, bytes) => {
    const value = parsed(bytes);
    const row = TrialRow.safeParse(value);
    if (!row.success || joined(row.data.run, row.data.task, row.data.n, row.data.attempt) !== id) throw misfit("trial");
    if (!(await store.trials.insert(value as TrialRow)) && JSON.stringify(await trialAt(store, id)) !== textOf(bytes))
      throw conflict("Another attempt has this number already; an attempt never changes.");
  },
};

async function trialAt(store: OrgStore, id: string): Promise<TrialRow | undefined> {
  const [run = "", task = "", n, attempt] = id.split("/");
  return (await store.trials.get(run, task, whole(n))).find((row) => row.attempt === whole(attempt));
}

/** Jobs that have ended: groups and runs tell from them how they went. */
const jobs: EntryKind = {
  name: "job",
  heads: async function* (store) {
    for await (const row of everyRow((page) => store.jobs.list({ ...page, order: "oldest" })))
      if (isCopied(row)) yield headOf(row.id, textBytes(jobText(row)));
  },
  bytes: async (store, id) => {
    const row = await store.jobs.get(id);
    return row && isCopied(row) ? textBytes(jobText(row)) : undefined;
  },
  put: async (store, id, bytes) => {
    const row = JobMember.safeParse(parsed(bytes));
    if (!row.success || row.data.id !== id) throw misfit("job");
    const known = await store.jobs.get(id);
    if (known && jobText(known) !== textOf(bytes))
      throw conflict("A job that has ended never changes.", { by: "job_status" });
    if (!known) await store.jobs.start({ ...row.data, org: store.org });
  },
};

/** Jobs that have ended, but for those of copying itself. */
export function isCopied({ ended_at, kind }: JobRow): boolean {
  return ended_at !== null && kind !== MIRROR_JOB;
}

function jobText({ org: _org, ...row }: JobRow): string {
  return canonicalize(row) ?? "";
}

function headOf(id: string, bytes: Uint8Array = new Uint8Array()): EntryHead {
  return { id, sha256: sha256(bytes), size: bytes.byteLength };
}

/** The id of a member that stands under others. */
export function joined(...parts: readonly (string | number)[]): string {
  return parts.join("/");
}

function whole(text: string | undefined): number {
  return /^\d{1,15}$/.test(text ?? "") ? Number(text) : -1;
}

function textBytes(text: string): Uint8Array;
function textBytes(text: string | undefined): Uint8Array | undefined;
function textBytes(text: string | undefined): Uint8Array | undefined {
  return text === undefined ? undefined : Buffer.from(text);
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("utf8");
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(textOf(bytes));
  } catch {
    return undefined;
  }
}

function misfit(kind: string): AppError {
  return unprocessable(`These bytes are not the ${kind} of this id as it is stored.`);
}
