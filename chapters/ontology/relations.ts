import { z } from "zod";
import type { Ctx } from "../context.ts";
import { loadGraph } from "../dimensions/graph.ts";
import { orNotFound, unprocessable } from "../errors.ts";
import { readTexts } from "../evidence/documents/contents.ts";
import { type JobCtx, job } from "../job.ts";
import { read, readerOf } from "../models/pass.ts";
import { type Doc, idOfValue } from "../record.ts";
import { Evidence } from "../records/evidence/evidence.ts";
import { RelationReading } from "../records/ontology/reading.ts";
import { findSurface, liveSurface } from "../sandboxes/surfaces/surfaces.ts";
import { weakestTier } from "../tier.ts";
import { standing } from "./read.ts";
import { relationsInput, relationsPass } from "./relations-pass.ts";
import { addRevision } from "./revisions.ts";
import { withStatedRelations } from "./stated.ts";

const RelationsInput = z.object({
  surface: z.string(),
  source: z.string(),
  /** What it may cost at most, micro-dollars. */
  estimate: z.number().int().optional(),
});
type RelationsInput = z.infer<typeof RelationsInput>;

/** Characters of a document that are read. */
const MOST_CHARS = 60_000;

/** Reads what a document states of a surface's systems and puts it into the graph. */
export const relationsJob = job({
  kind: "ontology_relations",
  input: RelationsInput,
  key: (input) => `ontology:${input.surface}:${input.source}`,
  attempts: 3,
  ends: "cancel",
  concurrency: 1,
  estimate: ({ estimate }) => estimate ?? 0,
  run: runRelations,
});

const BY_RULE =
  "A rule read this: it takes sentences that name two objects of the graph with has, contains, holds, includes, consists of, belongs to or refers to between them. Other sentences it cannot read; a model can (SVC_MODELS).";
const NONE_BY_RULE = `It found none. ${BY_RULE}`;

async function runRelations(ctx: JobCtx, input: RelationsInput) {
  const source = await ctx.store.records.get(Evidence, input.source);
  if (!source) throw unprocessable("The document to read is gone.");
  const before = await standing(ctx, input.surface);
  const { graph } = await loadGraph(ctx, before.graph);
  const { records, partial } = await recordsOf(ctx, source);
  if (records.length === 0) throw unprocessable("The document has no text to read.");
  const said = await read(ctx, relationsPass, relationsInput(graph, records));
  const cited = new Set(records.map(({ id }) => id));
  const reading: Doc<typeof RelationReading> = {
    id: idOfValue(RelationReading, input.surface, source.id),
    created_at: ctx.now(),
    by: ctx.caller.name,
    surface: input.surface,
    source: source.id,
    edges: said.value.edges.filter(({ record }) => cited.has(record)),
    model: said.model,
    prompt_version: said.prompt_version,
    calls: [...said.calls],
    usd: said.usd,
    tier: said.tier,
  };
  await ctx.store.records.put(RelationReading, reading);
  const { graph: told, added, confirmed, refused } = withStatedRelations(graph, [reading]);
  const unread = said.value.edges.length - reading.edges.length;
  const note = said.model === null ? { note: added.length + confirmed.length === 0 ? NONE_BY_RULE : BY_RULE } : {};
  const counts = { added, confirmed, refused: refused.length + unread, partial, ...note };
  if (added.length + confirmed.length === 0)
    return { ...counts, ontology: before.id, revision: before.revision, tier: said.tier };
  const { surface_version, inputs, evidence, traces, pin, model, prompt_version, exposed_by } = before;
  const { revision } = await addRevision(ctx, told, {
    surface: input.surface,
    ...(surface_version === undefined ? {} : { surface_version }),
    act: "document",
    inputs,
    evidence: [...new Set([...evidence, source.id])],
    ...(traces === undefined ? {} : { traces }),
    ...(pin === undefined ? {} : { pin }),
    model: model ?? said.model,
    prompt_version: prompt_version ?? said.prompt_version,
    tier: weakestTier([before.tier, ...(added.length > 0 ? [said.tier] : [])]) ?? before.tier,
    exposed_by,
  });
  return { ...counts, ontology: revision.id, revision: revision.revision, tier: said.tier };
}

/** The texts of a document, as far as they are read. */
async function recordsOf(ctx: Ctx, source: Doc<typeof Evidence>) {
  let left = MOST_CHARS;
  let partial = false;
  const texts = (await readTexts(ctx, source)).map(({ id, text }, i) => {
    const part = text.slice(0, left);
    left -= part.length;
    if (part.length < text.length) partial = true;
    return { id: id ?? String(i + 1), text: part };
  });
  return { records: texts.filter(({ text }) => text.trim() !== ""), partial };
}

/** Starts reading what a document states of a surface's systems, or answers the reading that runs. */
export async function startRelations(ctx: Ctx, input: { readonly surface: string; readonly source: string }) {
  const surface = liveSurface(await findSurface(ctx, input.surface));
  const source = orNotFound(await ctx.store.records.get(Evidence, input.source), "evidence");
  if (source.kind !== "document")
    throw unprocessable("Only a document can be read for relations.", { by: "evidence_list" });
  const { graph } = await loadGraph(ctx, (await standing(ctx, surface.id)).graph);
  const shown = relationsInput(graph, (await recordsOf(ctx, source)).records);
  const { estimate_usd } = readerOf(ctx, relationsPass, shown);
  const estimate = Math.ceil(estimate_usd * 1_000_000);
  const handle = await ctx.jobs.start(relationsJob, { surface: surface.id, source: source.id, estimate });
  return {
    ...handle,
    org: ctx.org.tag,
    surface: surface.name,
    evidence: source.id,
    stages: ["read the document", "add what it states"],
    note: "The job's result says which relations are new, which were known and how many were refused.",
  };
}
