import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { countOf } from "../../count-of.ts";
import { orNotFound } from "../../errors.ts";
import { type ObservedTool, observedTools } from "../../evidence/toolspec.ts";
import { BundleRecord } from "../../records/sandboxes/sandboxes.ts";
import { pairwise } from "../tasks/pairwise.ts";

/** A parameter is an axis from this many observations, and with this many values. */
const LEAST_SEEN = 20;
const VALUES = { least: 2, most: 50 };
/** Sample vectors are made of this many axes, the most seen first, and of the most frequent values of each. */
const SAMPLED = { axes: 8, values: 10 };

export const Candidate = z.object({
  axis: z.string(),
  tool: z.string(),
  param: z.string(),
  n: z.number().int(),
  distinct: z.number().int(),
  values: z.array(z.object({ value: z.string(), n: z.number().int() })),
});
export type Candidate = z.infer<typeof Candidate>;

/** Parameters that the evidence varies, their values, and sample vectors that cover every pair of values of two axes. */
export async function bundleAxes(ctx: Ctx, input: { readonly bundle_id: string }) {
  const bundle = orNotFound(await ctx.store.records.get(BundleRecord, input.bundle_id), "bundle");
  const candidates = candidatesOf(await observedTools(ctx, bundle.evidence));
  const rejected = candidates.flatMap((row) => {
    const reason = whyNot(row);
    return reason === undefined ? [] : [{ axis: row.axis, n: row.n, distinct: row.distinct, reason }];
  });
  const axes = candidates.filter((row) => whyNot(row) === undefined).sort((a, b) => b.n - a.n);
  const sampled = axes.slice(0, SAMPLED.axes);
  const levels = sampled.map((row) => row.values.slice(0, SAMPLED.values).map(({ value }) => value));
  return {
    bundle_id: bundle.id,
    available: axes.length > 0,
    awaiting_customer_data: candidates.length === 0,
    reason: reasonFor(candidates.length, axes.length),
    axes: axes.map((row) => ({ ...row, values: [...row.values] })),
    rejected,
    sample_axes: sampled.map((row) => row.axis),
    sample_vectors: pairwise(levels).map((vector) =>
      Object.fromEntries(vector.map((value, i) => [sampled[i]!.axis, value])),
    ),
    tier: "deterministic" as const,
  };
}

function candidatesOf(tools: ReadonlyMap<string, ObservedTool>): Candidate[] {
  return [...tools]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([tool, { params }]) =>
      [...params].map(([param, { n, values }]) => ({
        axis: `${tool}.${param}`,
        tool,
        param,
        n,
        distinct: values.size,
        values: [...values]
          .map(([value, seen]) => ({ value, n: seen }))
          .sort((a, b) => b.n - a.n || (a.value < b.value ? -1 : 1))
          .slice(0, VALUES.most),
      })),
    );
}

function whyNot({ n, distinct }: Candidate): "too_few_observations" | "one_value" | "too_many_values" | undefined {
  if (n < LEAST_SEEN) return "too_few_observations";
  if (distinct < VALUES.least) return "one_value";
  return distinct > VALUES.most ? "too_many_values" : undefined;
}

function reasonFor(candidates: number, axes: number): string {
  if (candidates === 0) return "No call of these tools has been observed: send traces, and compile again.";
  if (axes === 0)
    return `No parameter was seen ${LEAST_SEEN} times with ${VALUES.least} to ${VALUES.most} values; see rejected.`;
  return `${countOf(axes, "parameter was", "parameters were")} seen at least ${LEAST_SEEN} times with ${VALUES.least} to ${VALUES.most} values.`;
}
