import { auditAct } from "../../audit.ts";
import type { Ctx, ServiceCtx } from "../../context.ts";
import { notFound } from "../../errors.ts";
import { Evidence } from "../../evidence/schema.ts";
import { KINDS } from "../../kinds.ts";
import { everyRow } from "../../page.ts";
import { Run } from "../../runs/schema.ts";
import { Surface, WorldRecord } from "../../sandboxes/schema.ts";
import { inOrg } from "./in-org.ts";

/** Places that are named one by one; all are counted. */
const NAMED = 200;

/** Where something of a person still stands: a record, a stored body, a trial, a world's journal. */
export interface Remaining {
  readonly place: string;
  readonly id: string;
}

/**
 * Deletes one trace, also from the database's own files. What was compiled from it before keeps what it took: the
 * surfaces are named, so that they can be built again.
 */
export async function eraseTrace(service: ServiceCtx, input: { readonly orgtag: string; readonly trace: string }) {
  const ctx = await inOrg(service, input.orgtag);
  const row = await ctx.store.traces.get(input.trace);
  if (!row || !(await ctx.store.traces.delete(row.id))) throw notFound("trace");
  await auditAct(ctx, "trace_erased", { trace: row.id, evidence: row.evidence });
  return {
    org: ctx.org.tag,
    erased: row.id,
    evidence: row.evidence,
    surfaces: await surfacesOf(ctx, new Set([row.evidence])),
    scrubbed: await ctx.life.scrub(),
    note: NOTE,
  };
}

const NOTE =
  "Surfaces that were compiled from erased evidence keep what they took from it: build them again and delete their older environments.";

/**
 * Deletes every trace that holds one of the values, and every evidence record of documents that does; then reads
 * everything else the org has and names where one still stands, so that it can be deleted by what it is. The values
 * themselves are written down nowhere.
 */
export async function erasePerson(
  service: ServiceCtx,
  input: { readonly orgtag: string; readonly values: readonly string[] },
) {
  const ctx = await inOrg(service, input.orgtag);
  const holds = finder(input.values);
  const touched = new Set<string>();
  let traces = 0;
  let documents = 0;
  for await (const evidence of everyRow((page) => ctx.store.records.list(Evidence, page))) {
    ctx.signal.throwIfAborted();
    const gone = await eraseTraces(ctx, evidence.id, holds);
    traces += gone;
    if (gone > 0) touched.add(evidence.id);
    const { blob } = evidence;
    const bytes = blob === undefined ? undefined : await ctx.store.blobs.get(blob);
    if (blob !== undefined && bytes && holds(Buffer.from(bytes).toString("utf8"))) {
      await ctx.store.blobs.delete(blob);
      await ctx.store.records.update(Evidence, evidence.id, ({ blob: _gone, ...doc }) => doc);
      touched.add(evidence.id);
      documents += 1;
    }
  }
  const found = await remaining(ctx, holds);
  await auditAct(ctx, "person_erased", { traces, documents, remaining: found.length });
  return {
    org: ctx.org.tag,
    traces,
    documents,
    surfaces: await surfacesOf(ctx, touched),
    remaining: found.slice(0, NAMED),
    remaining_total: found.length,
    scrubbed: await ctx.life.scrub(),
    note: NOTE,
    tier: "deterministic" as const,
  };
}

async function eraseTraces(ctx: Ctx, evidence: string, holds: (text: string) => boolean): Promise<number> {
  const ids: string[] = [];
  for await (const row of ctx.store.traces.stream([evidence])) if (holds(JSON.stringify(row.trace))) ids.push(row.id);
  let gone = 0;
  for (const id of ids) if (await ctx.store.traces.delete(id)) gone += 1;
  return gone;
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
  for await (const { id } of everyRow((page) => ctx.store.blobs.heads(page)))
    look("stored body", id, Buffer.from((await ctx.store.blobs.get(id)) ?? []).toString("utf8"));
  for await (const run of everyRow((page) => ctx.store.records.list(Run, page)))
    for await (const trial of everyRow((page) => ctx.store.trials.list(run.id, page)))
      look("trial", `${run.id}/${trial.task}/${trial.n}`, JSON.stringify(trial));
  for await (const world of everyRow((page) => ctx.store.records.list(WorldRecord, page)))
    look("world journal", world.id, JSON.stringify(await ctx.store.journals.read(world.id)));
  for await (const job of everyRow((page) => ctx.store.jobs.list(page))) look("job", job.id, JSON.stringify(job));
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
