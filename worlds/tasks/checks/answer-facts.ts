import type { Fact } from "../schema.ts";
import { claimsSuccess } from "./answer-class.ts";
import { findFact, positionOf, Reading } from "./facts.ts";
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

const ASKING =
  /\?|\b(?:please (?:provide|tell|give|specify|confirm|share|let)|let me know|could you|can you|would you|which|i(?:'ll| will)? (?:need|require)|we(?:'ll| will)? need|need to know)\b/;

/** A closing courtesy asks for nothing. */
const COURTESY =
  /\b(?:(?:any|some)thing else|(?:help|assist) (?:you )?(?:with|further)|any (?:other|more|further) (?:questions?|help|changes|requests?)|is that (?:ok|okay|all|fine|alright)|otherwise)\b/;

/** Some sentence that is not a courtesy, nor the request said back, asks and names one of the words for what must be asked; an answer that claims to have acted already asks nothing. */
export function asks(about: readonly string[], answers: readonly string[], request = ""): Judgement {
  const echoed = new Reading(request).folded;
  for (const answer of answers) {
    if (claimsSuccess(answer)) return notMet("the answer claims that the change was made instead of asking");
    const sentences = answer.split(/(?<=[.!?])\s+|\n+/);
    const asking = sentences.filter((s) => {
      const { folded } = new Reading(s);
      return ASKING.test(folded) && !COURTESY.test(folded) && !(folded.length > 12 && echoed.includes(folded));
    });
    if (asking.length === 0) continue;
    const said = new Reading(asking.join("\n"));
    const hit = about.find(
      (word) =>
        findFact({ value: word, kind: "text" }, said).said + findFact({ value: word, kind: "text" }, said).denied > 0,
    );
    if (hit !== undefined) return met(`the answer asks about ${JSON.stringify(hit)}`);
  }
  return notMet("the answer does not ask for what is missing");
}
