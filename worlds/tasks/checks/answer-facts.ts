import type { Fact } from "../schema.ts";
import { findFact, positionOf, type Reading } from "./facts.ts";
import { type Judgement, met, notDecided, notMet } from "./judgement.ts";

function show(fact: Fact): string {
  return `${fact.kind} ${JSON.stringify(fact.value)}`;
}

/** Every fact is said in the answers, unnegated; in this order where asked. */
export function answerIncludes(facts: readonly Fact[], ordered: boolean, said: Reading): Judgement {
  if (said.folded === "") return notMet("there is no answer");
  let after = -1;
  for (const fact of facts) {
    const found = findFact(fact, said);
    if (typeof fact.value === "boolean" && found.said > 0 && found.denied > 0)
      return notDecided(`the answer says both yes and no to ${show(fact)}`);
    if (found.said === 0)
      return notMet(found.denied > 0 ? `the answer denies ${show(fact)}` : `the answer does not say ${show(fact)}`);
    if (found.open === found.said) return notMet(`the answer leaves open whether it is ${show(fact)}`);
    if (ordered) {
      const at = positionOf(fact, said) ?? -1;
      if (at < after) return notMet(`the answer says ${show(fact)} too early`);
      after = at;
    }
  }
  return met(facts.length === 1 ? "the answer says the fact" : `the answer says all ${facts.length} facts`);
}

/** None of the facts is said in the answers; a denied one is not said. */
export function answerExcludes(facts: readonly Fact[], said: Reading): Judgement {
  for (const fact of facts) {
    if (findFact(fact, said).said > 0) return notMet(`the answer says ${show(fact)}, which does not belong`);
  }
  return met("the answer says nothing that does not belong");
}
