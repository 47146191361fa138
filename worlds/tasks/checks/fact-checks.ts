import type { Check, Fact } from "../schema.ts";

/** A check that asks for facts in the answer: reviews, corrections and pages read them from `facts` of each such kind. */
type FactCheck = Extract<Check, { kind: "answer_includes" }>;

/** Whether a check asks for facts in the answer. */
export function asksForFacts(check: Check): check is FactCheck {
  return check.kind === "answer_includes";
}

/** The facts that an answer must hold, in the order of the checks. */
export function requiredFacts(checks: readonly Check[]): Fact[] {
  return checks.flatMap((check) => (asksForFacts(check) ? check.facts : []));
}
