import { z } from "zod";
import { count } from "../../fields.ts";
import type { Doc } from "../../record.ts";
import type { CalibrationSet } from "../../records/findings/findings.ts";
import { cohensKappa } from "../../statistics/kappa.ts";
import { differenceOf } from "../../statistics/newcombe.ts";
import { wilson } from "../../statistics/wilson.ts";
import type { Tier } from "../../tier.ts";

/** A calibration set as stored. */
export type CalibrationDoc = Doc<typeof CalibrationSet>;
type Items = CalibrationDoc["items"];

/** A share of a set's items with Wilson's interval at 95 %. */
export const AgreementShare = z.object({
  agreed: count,
  n: count,
  share: z.number(),
  low: z.number(),
  high: z.number(),
});
export type AgreementShare = z.infer<typeof AgreementShare>;

/** How often judge and person said the same of an item. */
export function agreementOf(items: Items): AgreementShare {
  return shareOf(items.filter((item) => item.judge === item.human).length, items.length);
}

function shareOf(agreed: number, n: number): AgreementShare {
  return { agreed, n, share: agreed / n, ...wilson(agreed, n) };
}

/** Agreement beyond chance, with its interval; null with the reason where chance alone would agree wholly. */
export function kappaOf(items: Items) {
  const count = (judge: string, human: string) =>
    items.filter((item) => item.judge === judge && item.human === human).length;
  const found = cohensKappa({
    true_pass: count("met", "met"),
    false_pass: count("met", "not_met"),
    true_fail: count("not_met", "not_met"),
    false_fail: count("not_met", "met"),
  });
  return found
    ? { ...found, n: items.length, reason: null }
    : {
        kappa: null,
        low: null,
        high: null,
        n: items.length,
        reason: "Both said the same of every item, so chance alone agrees wholly.",
      };
}

/** Items on which judge and person differ, by which way. */
export function disagreementsOf(items: Items) {
  const apart = items.filter((item) => item.judge !== item.human);
  const lenient = apart.filter(({ judge }) => judge === "met").length;
  return {
    n: apart.length,
    of: items.length,
    /** The judge met what the person did not. */
    judge_lenient: lenient,
    judge_strict: apart.length - lenient,
    items: apart.slice(0, TOLD).map(({ id, judge, human }) => ({ id, judge, human })),
  };
}

const TOLD = 100;

/** How often the judge said the same each time it was asked of an item again; null where it never was. */
export function repeatabilityOf(items: Items): AgreementShare | null {
  const again = items.filter((item) => item.again.length > 0);
  if (again.length === 0) return null;
  return shareOf(again.filter((item) => item.again.every((verdict) => verdict === item.judge)).length, again.length);
}

/**
 * How the judge's agreement moved since an earlier set of the same criterion and judge: the difference of the two shares
 * with Newcombe's interval at 95 %. Null without such a set.
 */
export function driftOf(items: Items, before: CalibrationDoc | undefined) {
  if (!before) return null;
  const [now, then] = [agreementOf(items), agreementOf(before.items)];
  const moved = differenceOf({ part: now.agreed, n: now.n }, { part: then.agreed, n: then.n });
  if (!moved) return null;
  const words =
    moved.high < 0 ? "agrees less than before" : moved.low > 0 ? "agrees more than before" : "no drift shown";
  return { since: before.id, before: then.share, now: now.share, ...moved, words };
}

/** The tier of what is counted of a set: a model's verdicts are in it, or only code's. */
export function tierOfSet({ judge }: Pick<CalibrationDoc, "judge">): Tier {
  return judge.model === null ? "deterministic" : "llm-derived";
}
