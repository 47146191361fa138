import { z } from "zod";
import { digestOf } from "../../worlds/digest.ts";
import type { Ontology } from "../../worlds/ontology/schema.ts";
import type { Ctx } from "../context.ts";
import { loadGraph } from "../dimensions/graph.ts";
import { unprocessable } from "../errors.ts";
import { type JobCtx, job } from "../job.ts";
import { read, readerOf } from "../models/pass.ts";
import { everyRow } from "../page.ts";
import type { Doc } from "../record.ts";
import type { Evidence } from "../records/evidence/evidence.ts";
import { Exposure, OntologyPin, OntologyRevision } from "../records/ontology/ontology.ts";
import { BundleRecord, Surface } from "../records/sandboxes/sandboxes.ts";
import { compiledBefore } from "../sandboxes/surfaces/compile-bundle.ts";
import { evidenceOf, inputsDigest, surfaceEvidence } from "../sandboxes/surfaces/surface-evidence.ts";
import { liveSurface } from "../sandboxes/surfaces/surfaces.ts";
import { compileGraph } from "./compute-tasks.ts";
import { readGraphInputs } from "./graph-inputs.ts";
import { fullestInput, namesInput, namesPass, type RefusedName, withNames } from "./names-pass.ts";
import { addRevision, currentRevision, type RevisionDoc } from "./revisions.ts";
import { withDocuments } from "./stated.ts";
import { surfaceToCompile } from "./surfaces.ts";

type PinDoc = Doc<typeof OntologyPin>;

const CompileInput = z.object({
  surface: z.string(),
  /** The version whose evidence it is compiled from; all of the surface's when absent. */
  version: z.string().optional(),
  /** Compiles although the inputs are unchanged. */
  force: z.boolean(),
  /** Reads names anew, and lets what was read before go. */
  redraw: z.boolean(),
  exposure: Exposure.optional(),
  /** What reading names may cost at most, micro-dollars. */
  estimate: z.number().int().optional(),
});
type CompileInput = z.infer<typeof CompileInput>;

/** Changes when the graph of the same evidence may: part of every inputs digest. */
const COMPILER = "ontology-1";

/** What a compile answers when it lands. */
export interface CompileResult {
  readonly ontology: string;
  readonly revision: number;
  readonly reused: boolean;
  readonly landed: RevisionDoc["counts"];
  /** Traces that it was compiled from, of how many; absent on graphs of an earlier release. */
  readonly traces?: RevisionDoc["traces"];
  /** What a reader said and the graph did not take. */
  readonly refused: readonly RefusedName[];
  /** Ids of nodes that stood before and were not found again. */
  readonly removed: readonly string[];
  readonly schema_pin: string;
}

/** Compiles a surface's graph off the serving thread, names its nodes, and stores a revision if anything changed. */
export const ontologyJob = job<CompileInput, CompileResult>({
  kind: "ontology_compile",
  input: CompileInput,
  key: (input) => `ontology:${input.surface}`,
  attempts: 3,
  ends: "cancel",
  concurrency: 1,
  estimate: ({ estimate }) => estimate ?? 0,
  run: runCompile,
});

/** Digest of what a graph would be compiled from, without reading any trace. */
export function graphInputs(evidence: readonly Doc<typeof Evidence>[]): string {
  return digestOf([COMPILER, inputsDigest(evidence)]);
}

async function runCompile(ctx: JobCtx, input: CompileInput): Promise<CompileResult> {
  const result = await compileSurface(ctx, input, (stage, what) => ctx.progress(stage, 2, what));
  ctx.progress(2, 2, "names");
  return result;
}

/** Compiles a surface's graph as the job does; with `rule` no model is asked for names, and names that a model read stand. */
export async function compileSurface(
  ctx: Ctx,
  input: CompileInput & { readonly rule?: boolean },
  tell: (stage: number, what: string) => void,
): Promise<CompileResult> {
  const surface = await ctx.store.records.get(Surface, input.surface);
  if (!surface) throw unprocessable("The surface to compile is gone.");
  const bundle = input.version === undefined ? undefined : await ctx.store.records.get(BundleRecord, input.version);
  const evidence = bundle ? await evidenceOf(ctx, bundle.evidence) : await surfaceEvidence(ctx, surface.name);
  const digest = graphInputs(evidence);
  const version = bundle ?? (await compiledBefore(ctx, surface.id, inputsDigest(evidence)));
  const before = await currentRevision(ctx, surface.id);
  const known = input.redraw ? undefined : await currentPin(ctx, surface.id, digest, input.rule);
  if (before && known && !input.force && before.inputs === digest && before.pin === known.id)
    if (before.surface_version === version?.id) return resultOf(await exposed(ctx, before, input), [], [], true);
  tell(0, "compile");
  const { batches, tools, traces } = await readGraphInputs(ctx, evidence);
  if (traces.read === 0 && tools === undefined)
    throw unprocessable("The surface has no traces and no tool listing to compile from.", { by: "evidence_post" });
  const { name } = surface;
  const compiled = cited(await ctx.compute.run(compileGraph, { name, batches, tools }, ctx.signal), evidence);
  tell(1, "names");
  const pin = known ?? (await drawPin(ctx, surface.id, digest, compiled, input.rule));
  const named = withNames(compiled, pin.said, pin.tier === "llm-derived" ? "llm-derived" : "deterministic");
  const { refused } = named;
  const { graph, tier } = await withDocuments(ctx, surface.id, named.graph);
  if (before && before.surface_version === version?.id && before.pin === pin.id) {
    const stands = (await loadGraph(ctx, before.graph)).graph;
    if (digestOf(stands) === digestOf(graph)) return resultOf(await exposed(ctx, before, input), refused, [], false);
  }
  const { revision, removed } = await addRevision(ctx, graph, {
    surface: surface.id,
    ...(version === undefined ? {} : { surface_version: version.id }),
    act: "compile",
    inputs: digest,
    evidence: evidence.map((row) => row.id),
    traces,
    pin: pin.id,
    model: pin.model,
    prompt_version: pin.prompt_version,
    tier: tier === "llm-derived" ? tier : pin.tier,
    exposed_by: input.exposure === undefined ? [] : [input.exposure],
  });
  return resultOf(revision, refused, removed, false);
}

function resultOf(
  row: RevisionDoc,
  refused: readonly RefusedName[],
  removed: readonly string[],
  reused: boolean,
): CompileResult {
  const { id: ontology, revision, counts: landed, traces } = row;
  const from = traces === undefined ? {} : { traces };
  return { ontology, revision, reused, landed, ...from, refused, removed, schema_pin: row.pin ?? "" };
}

/** Notes that an agent's version exposes the revision's surface version. */
export async function exposed(
  ctx: Ctx,
  row: RevisionDoc,
  { exposure }: Pick<CompileInput, "exposure">,
): Promise<RevisionDoc> {
  const has = (one: RevisionDoc) =>
    one.exposed_by.some(({ agent, version }) => agent === exposure?.agent && version === exposure.version);
  if (exposure === undefined || has(row)) return row;
  const noted = await ctx.store.records.update(OntologyRevision, row.id, (now) =>
    has(now) ? now : { ...now, exposed_by: [...now.exposed_by, exposure] },
  );
  return noted ?? row;
}

/** Examples by evidence record and place in it (`ev_…/3#2`), where the compiler knows traces by the bytes they came from. */
function cited(graph: Ontology, evidence: readonly Doc<typeof Evidence>[]): Ontology {
  const ids = new Map(evidence.map((row) => [row.digest.slice(0, 16), row.id]));
  const cite = (example: string) => {
    const dot = example.indexOf(".");
    const id = ids.get(example.slice(0, dot));
    return id === undefined ? example : `${id}/${example.slice(dot + 1)}`;
  };
  const whole = <T extends { evidence: Ontology["nodes"][number]["evidence"] }>(row: T): T => ({
    ...row,
    evidence: { ...row.evidence, examples: row.evidence.examples.map(cite) },
  });
  return { ...graph, nodes: graph.nodes.map(whole), edges: graph.edges.map(whole) };
}

/** What was read for these inputs and stands, under the reader and prompt of now. */
async function currentPin(ctx: Ctx, surface: string, inputs: string, any = false): Promise<PinDoc | undefined> {
  const { items } = await ctx.store.records.list(OntologyPin, {
    where: { surface, inputs, state: "current" },
    limit: 1,
  });
  if (any) return items[0];
  const model = ctx.models.offered[0]?.model ?? null;
  return items.find((pin) => pin.prompt_version === namesPass.version && pin.model === model);
}

/** What a compile of these inputs may cost at most, micro-dollars: nothing where names that were read for them stand. */
export async function compileEstimate(ctx: Ctx, surface: string, inputs: string, redraw: boolean): Promise<number> {
  if (!redraw && (await currentPin(ctx, surface, inputs))) return 0;
  return Math.ceil(readerOf(ctx, namesPass, fullestInput()).estimate_usd * 1_000_000);
}

async function drawPin(ctx: Ctx, surface: string, inputs: string, graph: Ontology, rule = false): Promise<PinDoc> {
  const input = namesInput(graph);
  const { value, model, calls, usd, tier } = await read(ctx, namesPass, input, rule ? { reader: "rule" } : {});
  const pin: PinDoc = {
    id: ctx.id(OntologyPin.prefix),
    created_at: ctx.now(),
    by: ctx.caller.name,
    surface,
    inputs,
    model,
    prompt_version: namesPass.version,
    state: "current",
    said: value,
    calls: [...calls],
    usd,
    tier,
  };
  const where = { surface, state: "current" };
  for await (const old of everyRow((page) => ctx.store.records.list(OntologyPin, { ...page, where })))
    await ctx.store.records.update(OntologyPin, old.id, (row) => ({
      ...row,
      state: "superseded" as const,
      superseded_by: pin.id,
    }));
  await ctx.store.records.insert(OntologyPin, pin);
  return pin;
}

/** Starts the compile of a surface's graph, or answers the one that runs. */
export async function startCompile(
  ctx: Ctx,
  input: {
    readonly surface?: string | undefined;
    readonly force?: boolean | undefined;
    readonly redraw?: boolean | undefined;
  },
) {
  const surface = liveSurface(await surfaceToCompile(ctx, input.surface));
  const evidence = await surfaceEvidence(ctx, surface.name);
  if (evidence.length === 0)
    throw unprocessable("The surface has no evidence to compile from.", { by: "evidence_post" });
  const redraw = input.redraw ?? false;
  const handle = await ctx.jobs.start(ontologyJob, {
    surface: surface.id,
    force: input.force ?? false,
    redraw,
    estimate: await compileEstimate(ctx, surface.id, graphInputs(evidence), redraw),
  });
  return {
    ...handle,
    surface: surface.name,
    note: handle.deduplicated
      ? "A compile of this surface runs already; this is that one."
      : "Compiles from all evidence of the surface; unchanged inputs answer the revision that stands.",
  };
}
