import { z } from "zod";
import { loadBundle } from "../../blobs.ts";
import type { Ctx } from "../../context.ts";
import { countOf } from "../../count-of.ts";
import { badField, conflict, unprocessable } from "../../errors.ts";
import { traceEvidence } from "../../evidence/attributes/attributes.ts";
import { eid } from "../../evidence/fields.ts";
import { filterable, MIN_TRACES } from "../../evidence/traces/match.ts";
import { words } from "../../fields.ts";
import { everyRow } from "../../page.ts";
import type { Doc } from "../../record.ts";
import { AttributeSelection } from "../../records/evidence/attribute.ts";
import { DEFAULT_SURFACE, type Evidence } from "../../records/evidence/evidence.ts";
import type { BundleRecord } from "../../records/sandboxes/sandboxes.ts";
import { Worldplan } from "../../records/sandboxes/worldplan.ts";
import { surfaceNamed } from "../surfaces/surfaces.ts";
import { augment, tasks } from "./fields.ts";
import { DEFAULT_TASKS, drawnPlan, headOf, MOST_MINED, planJob, servedBundle } from "./plan-from-surface.ts";
import { findWorldplan, writeWorldplan } from "./worldplans.ts";

/** What `worldplan_post` takes. */
export const EvidencePlanRequest = z.object({
  eid,
  selection: AttributeSelection.optional().describe("Values by field; every trace when absent."),
  label: words(200).optional(),
  augment,
  count: tasks(30),
});
type EvidencePlanRequest = z.output<typeof EvidencePlanRequest>;

/**
 * Mints a plan from the traces that a selection of attributes leaves: a world of the surface that was compiled with them,
 * tasks mined from them alone and of no other tools than theirs. The plan stands at once; its tasks come with the job. The
 * same request answers the same plan. Fewer than five traces are a 422, as is a field that half of the traces lack.
 */
export async function startEvidencePlan(ctx: Ctx, request: EvidencePlanRequest) {
  const doc = await traceEvidence(ctx, request.eid);
  const selection = Object.fromEntries(
    Object.entries(request.selection ?? {}).map(([field, values]) => [field, [...values]]),
  );
  const positions = await matchedPositions(ctx, doc.id, selection);
  if (positions.length < MIN_TRACES)
    throw unprocessable(
      `The selection leaves ${countOf(positions.length, "trace")}; a plan is minted from at least ${MIN_TRACES}. evidence_match says what each value leaves.`,
    );
  const bundle = await compiledWith(ctx, doc);
  const input = await drawnPlan(ctx, bundle, {
    label: request.label ?? labelOf(selection),
    seed: "plan",
    augment: request.augment ?? false,
    selection: { ...selection, evidence: [doc.id] },
    tasks: request.count ?? DEFAULT_TASKS,
  });
  const from = { evidence: doc.id, traces: positions.length, positions: evenly(positions, MOST_MINED) };
  const whole = { ...input, dimensions: selection, from };
  const handle = await ctx.jobs.start(planJob, whole);
  if (!(await ctx.store.records.get(Worldplan, input.plan)))
    await writeWorldplan(ctx, { ...headOf(whole), environment: input.environment }, []);
  const { status, ...started } = handle;
  return { ...(await findWorldplan(ctx, input.plan)), ...started, job_status: status };
}

/** The positions of the traces that a selection leaves; all for an empty one. */
async function matchedPositions(
  ctx: Ctx,
  evidence: string,
  selection: z.output<typeof AttributeSelection>,
): Promise<number[]> {
  const fields = Object.keys(selection);
  if (fields.length === 0) {
    const positions: number[] = [];
    for await (const head of everyRow((page) => ctx.store.traces.heads(evidence, page))) positions.push(head.position);
    return positions;
  }
  const { counts, unfilterable } = await filterable(ctx, evidence);
  const unknown = fields.find((field) => !counts.has(field));
  if (unknown !== undefined) throw badField(`selection.${unknown}`, "no trace of the record has this field");
  const apart = unfilterable.filter(({ field }) => fields.includes(field)).map(({ field }) => field);
  if (apart.length > 0)
    throw unprocessable("The selection names fields that half of the traces lack; leave them out.", {
      names: apart,
    });
  return ctx.store.attributes.positions(evidence, selection);
}

/** The version that the evidence's surface serves, where it was compiled with this evidence; else a conflict that says what to do. */
export async function compiledWith(ctx: Ctx, doc: Doc<typeof Evidence>): Promise<Doc<typeof BundleRecord>> {
  const name = doc.surface ?? DEFAULT_SURFACE;
  const surface = await surfaceNamed(ctx, name);
  if (!surface)
    throw conflict("The surface of this evidence has not been compiled; run its pipeline first.", {
      by: "pipeline_post",
    });
  const { record } = await loadBundle(ctx, await servedBundle(ctx, surface.id));
  if (!record.evidence.includes(doc.id))
    throw conflict("The surface was compiled without this evidence; run its pipeline first.", { by: "pipeline_post" });
  return record;
}

function labelOf(selection: z.output<typeof AttributeSelection>): string {
  const parts = Object.entries(selection).map(([field, values]) => `${field}: ${values.join(" or ")}`);
  return parts.length === 0 ? "plan of all traces" : parts.join(", ").slice(0, 200);
}

/** As many of the values as are wanted at most, evenly spread. */
export function evenly(values: ArrayLike<number>, most: number): number[] {
  const step = Math.max(1, values.length / most);
  return Array.from({ length: Math.min(values.length, most) }, (_, i) => values[Math.floor(i * step)]!);
}
