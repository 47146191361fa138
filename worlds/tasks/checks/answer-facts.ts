import type { Fact } from "../schema.ts";
import { findFact, positionOf, positionsOf, Reading } from "./facts.ts";
import { type Judgement, met, notDecided, notMet } from "./judgement.ts";

function show(fact: Fact): string {
  return `${fact.kind} ${JSON.stringify(fact.value)}`;
}

/** Words that join what is no other thing: "or not", "or later". */
const NO_OTHER = /^(?:so|not|more|less|later|earlier|higher|lower|above|below|over|under|else|whichever|something)\b/;

/** Whether a name is only offered beside another by "or", and that one is no fact of the answer's. */
function offered(fact: Fact, facts: readonly Fact[], said: Reading): boolean {
  const names = [...(fact.kind === "text" ? [String(fact.value)] : []), ...(fact.aliases ?? [])];
  const told = names.map((name) => new Reading(name).folded).filter((name) => said.folded.includes(name));
  const [name] = told;
  const at = name === undefined ? -1 : said.folded.indexOf(name);
  if (name === undefined || at < 0 || told.length > 1 || said.folded.includes(name, at + 1)) return false;
  if (fact.kind !== "text" && findFact({ value: fact.value, kind: fact.kind }, said).said > 0) return false;
  const after = /^,? or (?:in |the |an? )?(.+)$/.exec(said.folded.slice(at + name.length))?.[1];
  const before = /([^.;!?]+?),? or (?:in |the |an? )?$/.exec(said.folded.slice(0, at))?.[1];
  const isOther = (text: string | undefined, ends: boolean) =>
    text !== undefined &&
    !NO_OTHER.test(text) &&
    !facts.some(({ value }) => {
      const own = new Reading(String(value)).folded;
      return value !== fact.value && (ends ? text.endsWith(own) : text.startsWith(own));
    });
  return isOther(after, false) || isOther(before, true);
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
    if (found.open === found.said || offered(fact, facts, said))
      return notMet(`the answer leaves open whether it is ${show(fact)}`);
    if (ordered) {
      const at = positionOf(fact, said) ?? -1;
      if (at < after) return notMet(`the answer says ${show(fact)} too early`);
      after = at;
    }
  }
  return met(facts.length === 1 ? "the answer says the fact" : `the answer says all ${facts.length} facts`);
}

/** None of the facts is said in the answers; one that is denied or set apart is not said. */
export function answerExcludes(
  facts: readonly Fact[],
  said: Reading,
  isApart: (place: number) => boolean = () => false,
): Judgement {
  for (const fact of facts) {
    if (findFact(fact, said).said > 0 && !positionsOf(fact, said).every(isApart))
      return notMet(`the answer says ${show(fact)}, which does not belong`);
  }
  return met("the answer says nothing that does not belong");
}
