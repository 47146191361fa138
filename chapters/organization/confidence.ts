import { z } from "zod";
import { auditAct } from "../audit.ts";
import { actor, type Ctx } from "../context.ts";
import { badField, badRequest } from "../errors.ts";
import { byField, orgRef } from "../fields.ts";
import type { ConfidenceBands } from "../statistics/bands.ts";
import { DEFAULT_BANDS } from "../statistics/bands.ts";
import { changePreferences, readPreferences } from "./preferences.ts";

/** The org's confidence bands, or the default. */
export async function confidenceBands(ctx: Ctx): Promise<ConfidenceBands> {
  return (await readPreferences(ctx)).confidence ?? DEFAULT_BANDS;
}

/** The thresholds, whose they are, and what they mean in words. */
export async function getConfidence(ctx: Ctx) {
  const { confidence } = await readPreferences(ctx);
  const { low, high } = confidence ?? DEFAULT_BANDS;
  return {
    org: ctx.org.tag,
    confidence: {
      low,
      high,
      source: confidence === undefined ? ("default" as const) : ("org" as const),
      ...(confidence === undefined ? {} : { by: confidence.by, at: confidence.at }),
      bands: [
        { from: 0, to: low, words: "no difference shown" },
        { from: low, to: high, words: "leaning" },
        { from: high, to: 100, words: "shown" },
      ],
      formula:
        "100 times (1 minus p), where p is the two-sided p-value of an exact paired permutation test over the differences per task",
    },
  };
}

const threshold = z.number().int().min(0).max(100).nullable();

/** What `confidence_put` takes. */
export const PutInput = z.object({
  ...orgRef,
  low: threshold.describe("Below it, of 100, no difference is shown; null: the default."),
  high: threshold.describe("From it on, of 100, a difference is shown; null: the default."),
  ...byField,
});
export type PutInput = z.output<typeof PutInput>;

/** Sets both thresholds, or returns them to the default when both are null. */
export async function putConfidence(ctx: Ctx, input: PutInput) {
  const { low, high } = input;
  if ((low === null) !== (high === null))
    throw badRequest("Set both thresholds, or null both to return to the default.");
  if (low !== null && high !== null && low >= high) throw badField("low", "must lie below high");
  await changePreferences(ctx, ({ confidence: _was, ...doc }) =>
    low === null || high === null
      ? doc
      : { ...doc, confidence: { low, high, by: actor(ctx, input.by), at: ctx.now() } },
  );
  await auditAct(ctx, "confidence_set", low === null || high === null ? {} : { low, high }, input.by);
  return { ...(await getConfidence(ctx)), cleared: low === null };
}
