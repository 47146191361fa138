import { auditAct } from "../../audit.ts";
import type { Ctx, ServiceCtx } from "../../context.ts";
import { orNotFound } from "../../errors.ts";
import { earlierHolds, forgetEarlier } from "../../evidence/intake/revisions.ts";
import { forgetSpans } from "../../evidence/rolling/close.ts";
import { KINDS } from "../../kinds.ts";
import { everyRow } from "../../page.ts";
import type { AttributeRow } from "../../ports/store.ts";
import type { Doc } from "../../record.ts";
import { Evidence } from "../../records/evidence/evidence.ts";
import { Label, labelId } from "../../records/evidence/label.ts";
import { Run } from "../../records/runs/runs.ts";
import { Surface, WorldRecord } from "../../records/sandboxes/sandboxes.ts";
import { SourceLabel } from "../../records/sources/sources.ts";
import { inOrg } from "./in-org.ts";

/** Places that are named one by one; all are counted. */
const NAMED = 200;

/** Where something of a person still stands: a record, a stored body, a trial, a world's journal. */
export interface Remaining {
  readonly place: string;
  readonly id: string;
}

/**
 * Deletes one trace with its labels, also from the database's own files. What was compiled from it before keeps what it took: the
 * surfaces are named, so that they can be built again.
 */
export async function eraseTrace(service: ServiceCtx, input: { readonly orgtag: string; readonly trace: string }) {
  const ctx = await inOrg(service, input.orgtag);
  const row = orNotFound(await ctx.store.traces.get(input.trace), "trace");
  // Before it is gone: asked again after a kill between the two, the trace is still found.
  await noteErased(ctx, row.evidence, 1);
  await deleteTrace(ctx, row.id);
  await auditAct(ctx, "trace_erased", { trace: row.id, evidence: row.evidence });
  return {
    org: ctx.org.tag,
    erased: row.id,
    evidence: row.evidence,
    surfaces: await surfacesOf(ctx, new Set([row.evidence])),
    scrubbed: await ctx.lifecycle.vacuum(),
    note: NOTE,
  };
}

const NOTE =
  "Surfaces that were compiled from erased evidence keep what they took from it: build them again and delete their older environments.";

/**
 * Deletes every trace that holds one of the values with its label, every text and row of documents that does, and what was
 * read of either: attributes, pins, and what a record was before it was converted again; then reads everything else
 * the org has and names where one still stands, so that it can be deleted by what it is. The values themselves are
 * written down nowhere.
 */
export async function erasePerson(
  service: ServiceCtx,
  input: { readonly orgtag: string; readonly values: readonly string[] },
) {
  const ctx = await inOrg(service, input.orgtag);
  const holds = finder(input.values);
  // Before anything is deleted: what is cut short is written down too.
  await auditAct(ctx, "person_erasing", { values: input.values.length });
  const touched = new Set<string>();
  const emptied = new Set<string>();
  let traces = 0;
  let parts = 0;
  for await (const evidence of everyRow((page) => ctx.store.records.list(Evidence, page))) {
    ctx.signal.throwIfAborted();
    const ids = await tracesHolding(ctx, evidence.id, holds);
    const rest = await withoutValues(ctx, evidence, holds);
    const cut = rest?.cut ?? 0;
    if (ids.length + cut > 0) {
      touched.add(evidence.id);
      // Before any of it is gone, for the same reason.
      await noteErased(ctx, evidence.id, ids.length + cut);
      for (const id of ids) await deleteTrace(ctx, id);
      if (rest) emptied.add(await putParts(ctx, evidence.id, rest));
      traces += ids.length;
      parts += cut;
    } else if (await earlierHolds(ctx, evidence.id, holds)) {
      await forgetEarlier(ctx, evidence.id);
      parts += 1;
    }
    parts += await dropAttributes(ctx, evidence.id, holds);
  }
  // Only now: two records may have held the same content.
  for (const blob of emptied) await ctx.store.blobs.delete(blob);
  const found = await remaining(ctx, holds);
  await auditAct(ctx, "person_erased", { traces, parts, remaining: found.length });
  return {
    org: ctx.org.tag,
    traces,
    parts,
    surfaces: await surfacesOf(ctx, touched),
    remaining: found.slice(0, NAMED),
    remaining_total: found.length,
    scrubbed: await ctx.lifecycle.vacuum(),
    note: NOTE,
    tier: "deterministic" as const,
  };
}

async function tracesHolding(ctx: Ctx, evidence: string, holds: (text: string) => boolean): Promise<string[]> {
  const ids: string[] = [];
  for await (const row of ctx.store.traces.stream([evidence])) if (holds(JSON.stringify(row.trace))) ids.push(row.id);
  return ids;
}

/** Takes the values away that readers filed of other traces and that hold one; answers how many. */
async function dropAttributes(ctx: Ctx, evidence: string, holds: (text: string) => boolean): Promise<number> {
  const { attributes } = ctx.store;
  const held: AttributeRow[] = [];
  for await (const row of everyRow((page) => attributes.list(evidence, page)))
    if (holds(JSON.stringify([row.value, row.cite, row.reader]))) held.push(row);
  const positions = new Set(held.map(({ position }) => position));
  for (const position of positions) {
    const gone = new Set(held.flatMap((row) => (row.position === position ? [row.field] : [])));
    const { items } = await attributes.list(evidence, { from: position, before: position + 1, limit: 500 });
    await attributes.drop(evidence, [position]);
    await attributes.put(
      evidence,
      items.filter(({ field }) => !gone.has(field)),
    );
  }
  return held.length;
}

/** The labels go first: their words tell of the trace, and after a kill between the two the trace is still found. */
async function deleteTrace(ctx: Ctx, id: string): Promise<boolean> {
  await ctx.store.records.delete(Label, labelId(id));
  for await (const label of everyRow((page) => ctx.store.records.list(SourceLabel, { ...page, where: { trace: id } })))
    await ctx.store.records.delete(SourceLabel, label.id);
  await forgetSpans(ctx, id);
  return ctx.store.traces.delete(id);
}

/** A document's content without the texts and rows that hold a value; undefined where none does. */
async function withoutValues(
  ctx: Ctx,
  { blob }: Doc<typeof Evidence>,
  holds: (text: string) => boolean,
): Promise<{ readonly blob: string; readonly cut: number; readonly left: Content } | undefined> {
  const bytes = blob === undefined ? undefined : await ctx.store.blobs.get(blob);
  if (blob === undefined || !bytes) return undefined;
  const text = Buffer.from(bytes).toString("utf8");
  if (!holds(text)) return undefined;
  const { texts = [], tables = [], ...rest } = JSON.parse(text) as Content;
  let cut = 0;
  const keep = (part: unknown) => {
    const stays = !holds(JSON.stringify(part));
    if (!stays) cut += 1;
    return stays;
  };
  const left = {
    ...rest,
    texts: texts.filter(keep),
    tables: tables.map((table) => ({ ...table, rows: table.rows.filter(keep) })),
  };
  return cut === 0 ? undefined : { blob, cut, left };
}

/** Puts what is left in the place of a document's content; answers the digest of what it was. */
async function putParts(
  ctx: Ctx,
  evidence: string,
  { blob, left }: { readonly blob: string; readonly left: Content },
): Promise<string> {
  const made = await ctx.store.blobs.put(Buffer.from(JSON.stringify(left)));
  await ctx.store.records.update(Evidence, evidence, (doc) => ({ ...doc, blob: made }));
  return blob;
}

/** What the content of a document is, as far as people stand in it. */
interface Content {
  readonly texts?: readonly unknown[];
  readonly tables?: readonly { readonly rows: readonly unknown[] }[];
}

/** Notes that parts of an evidence record are gone: later compiles differ, and what the record was before is forgotten. */
export async function noteErased(ctx: Ctx, evidence: string, n: number): Promise<void> {
  await forgetEarlier(ctx, evidence);
  await ctx.store.records.update(Evidence, evidence, (doc) => ({ ...doc, erased: (doc.erased ?? 0) + n }));
}

/** Reads every record, stored body, trial and journal of the org. */
async function remaining(ctx: Ctx, holds: (text: string) => boolean): Promise<Remaining[]> {
  const found: Remaining[] = [];
  const look = (place: string, id: string, text: string) => {
    ctx.signal.throwIfAborted();
    if (holds(text)) found.push({ place, id });
  };
  for (const kind of KINDS)
    for await (const doc of everyRow((page) => ctx.store.records.list(kind, page)))
      look(kind.kind, String(doc.id), JSON.stringify(doc));
  for await (const { id } of everyRow((page) => ctx.store.records.heads(Evidence.kind, page)))
    for await (const row of everyRow((page) => ctx.store.attributes.list(id, page)))
      look("attribute", `${id}/${row.position}/${row.field}`, JSON.stringify(row));
  for await (const { id } of everyRow((page) => ctx.store.blobs.heads(page)))
    look("stored body", id, Buffer.from((await ctx.store.blobs.get(id)) ?? []).toString("utf8"));
  for await (const run of everyRow((page) => ctx.store.records.list(Run, page)))
    for await (const trial of everyRow((page) => ctx.store.trials.list(run.id, page)))
      look("trial", `${run.id}/${trial.task}/${trial.n}`, JSON.stringify(trial));
  for await (const world of everyRow((page) => ctx.store.records.list(WorldRecord, page)))
    look("world journal", world.id, JSON.stringify(await ctx.store.journals.read(world.id)));
  for await (const job of everyRow((page) => ctx.store.jobs.list(page))) {
    look("job", job.id, JSON.stringify(job));
    for (const event of await ctx.store.jobs.events(job.id))
      look("job event", `${job.id}/${event.seq}`, JSON.stringify(event));
  }
  for await (const row of everyRow((page) => ctx.store.deliveries.list(page)))
    look("delivery", row.id, JSON.stringify(row));
  for await (const row of everyRow((page) => ctx.store.ledger.list(0, page)))
    look("ledger", row.id, JSON.stringify(row));
  for await (const line of everyRow((page) => ctx.store.audit.list(page)))
    look("audit line", String(line.seq), JSON.stringify(line));
  return found;
}

async function surfacesOf(ctx: Ctx, evidence: ReadonlySet<string>): Promise<string[]> {
  const names: string[] = [];
  for await (const surface of everyRow((page) => ctx.store.records.list(Surface, page)))
    if (surface.evidence.some((id) => evidence.has(id))) names.push(surface.name);
  return names;
}

/** Finds any of the values in JSON text, in either case, also where JSON writes its characters as escapes. */
function finder(values: readonly string[]): (text: string) => boolean {
  const needles = values.flatMap((value) => {
    const written = JSON.stringify(value).slice(1, -1);
    return [value.toLowerCase(), written.toLowerCase(), JSON.stringify(written).slice(1, -1).toLowerCase()];
  });
  const wanted = [...new Set(needles)];
  return (text) => {
    const lower = text.toLowerCase();
    return wanted.some((needle) => lower.includes(needle));
  };
}
