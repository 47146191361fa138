import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { countOf } from "../../count-of.ts";
import { unprocessable } from "../../errors.ts";
import { traceEvidence } from "../../evidence/attributes/attributes.ts";
import { columnsOf, groupingFields } from "../../evidence/clusters/columns.ts";
import { induceClusters } from "../../evidence/clusters/tasks.ts";
import { eid } from "../../evidence/fields.ts";
import { MIN_TRACES } from "../../evidence/traces/match.ts";
import { type JobCtx, job } from "../../job.ts";
import { augment, tasks } from "../plans/fields.ts";
import { compiledWith, evenly } from "../plans/plan-from-evidence.ts";
import { drawnPlan, MOST_MINED, planOrReason } from "../plans/plan-from-surface.ts";

const CoverInput = z.object({
  evidence: z.string(),
  k: z.number().int(),
  augment: z.boolean(),
  tasks: z.number().int(),
});
type CoverInput = z.infer<typeof CoverInput>;

/** Groups a record's traces by their attributes and mints a plan from each group; repeating it goes on where it was. */
export const coverJob = job({
  kind: "coverage_worldplans",
  input: CoverInput,
  key: ({ evidence, k, augment, tasks }) => `coverage:${evidence}:${k}:${augment}:${tasks}`,
  attempts: 3,
  ends: "cancel",
  concurrency: 1,
  run: cover,
});

/** The seed of every clustering: the same attributes are covered alike whenever they are. */
const SEED = "coverage";

async function cover(ctx: JobCtx, { evidence, k, augment, tasks }: CoverInput) {
  const doc = await traceEvidence(ctx, evidence);
  const bundle = await compiledWith(ctx, doc);
  ctx.progress(0, k + 1, "group the traces");
  const columns = await columnsOf(ctx, evidence, await groupingFields(ctx, evidence));
  const clusters = await ctx.compute.run(induceClusters, { columns, seed: SEED, k }, ctx.signal);
  const plans = [];
  const skipped = [];
  for (const [i, { label, size, cohesion, medoid, positions }] of clusters.entries()) {
    ctx.signal.throwIfAborted();
    ctx.progress(i + 1, clusters.length + 1, `plan ${i + 1} of ${clusters.length}`);
    if (size < MIN_TRACES) {
      skipped.push({ size, reason: `fewer than ${MIN_TRACES} traces` });
      continue;
    }
    const dimensions = Object.fromEntries(Object.entries(medoid).map(([field, value]) => [field, [value]]));
    const named = `coverage ${i + 1} of ${clusters.length}: ${label}`.slice(0, 200);
    const input = await drawnPlan(ctx, bundle, {
      label: named,
      seed: `${SEED}.${k}.${i + 1}`,
      augment,
      selection: { ...dimensions, evidence: [evidence] },
      tasks,
    });
    const from = { evidence, traces: size, positions: evenly(positions, MOST_MINED) };
    const made = await planOrReason(ctx, { ...input, dimensions, from });
    if ("none" in made) {
      skipped.push({ size, reason: made.none });
      continue;
    }
    const { worldplan, environment, certified, tasks: written, note } = made;
    const counts = { traces: size, cohesion, tasks: written, certified };
    plans.push({ worldplan, environment, label: named, ...counts, ...(note === undefined ? {} : { note }) });
    await ctx.job.audit("minted", { worldplan, traces: size, tasks: written });
  }
  if (plans.length === 0) throw unprocessable(skipped[0]?.reason ?? "There is no group of traces to mint a plan from.");
  const covered = plans.reduce((sum, { traces }) => sum + traces, 0);
  return {
    evidence,
    fields: columns.map(({ field }) => field),
    plans,
    skipped,
    covered,
    of: clusters.reduce((sum, { size }) => sum + size, 0),
    tier: "deterministic" as const,
  };
}

const DEFAULT_K = 5;
const DEFAULT_TASKS = 10;

/** What `worldplan_coverage` takes. */
export const CoverRequest = z.object({
  eid,
  k: z.number().int().min(1).max(20).optional().describe("How many groups; 5 when absent."),
  augment,
  count: tasks(10),
});
export type CoverRequest = z.output<typeof CoverRequest>;

/** Starts minting plans that cover a record's attributes, or answers the job that does. What can only fail is refused at once. */
export async function startCoverage(ctx: Ctx, request: CoverRequest) {
  const doc = await traceEvidence(ctx, request.eid);
  const traces = await ctx.store.traces.count(doc.id);
  if (traces < MIN_TRACES)
    throw unprocessable(`The record holds ${countOf(traces, "trace")}; a plan is minted from at least ${MIN_TRACES}.`);
  await groupingFields(ctx, doc.id);
  await compiledWith(ctx, doc);
  const input = {
    evidence: doc.id,
    k: request.k ?? DEFAULT_K,
    augment: request.augment ?? false,
    tasks: request.count ?? DEFAULT_TASKS,
  };
  const handle = await ctx.jobs.start(coverJob, input);
  return { ...handle, evidence_id: doc.id, k: input.k };
}
