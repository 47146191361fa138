import type { Fact } from "../schema.ts";
import { findFact, Reading } from "./facts.ts";

/** Ends of a clause; a word that sets two things against each other begins the next. */
const NEXT =
  /[.!?;](?=\s|$)|,? (?=(?:so|but|while|whereas|although|though|followed by|compared (?:with|to)|against|versus|vs)\b)|[,(] ?(?=(?:and )?(?:the )?(?:others?|next|remaining|rest)\b)/g;
/** What is told beside what was asked for. */
const BESIDE = /\b(?:others?|another|remaining|rest|second|next|followed by|compared (?:with|to)|against|versus|vs)\b/;
/** What is said of both alike. */
const ALSO = /\b(?:too|also|as well|both|likewise|same|even|so (?:does|do|did|is|are|was|were))\b/;
const AND = /^\s*(?:and|plus)\b/;
const MORE =
  /\b(?:more|above|over|higher|highest|most|greater|larger|largest|bigger|biggest|exceeds?|dearer|at least)\b/;
const LESS = /\b(?:less|below|under|lower|lowest|least|fewer|smaller|smallest|cheaper|cheapest|short of|at most)\b/;

/** "The mortar at $28.50 does not": a clause that ends in its denial. */
const DENIED = /\b(?:does|do|did|is|are|was|were|has|have)(?: not|n't)(?: \p{L}+)?$/u;
/** Of the highest or lowest there is one: what is only told with its figure beside it claims nothing. */
const ONE_ONLY =
  /\b(?:highest|lowest|most|least|largest|smallest|biggest|cheapest|longest|shortest|newest|oldest|latest|earliest)\b/;
const FIGURE = /\b(?:is|costs?|was|at|comes? to|has)\b[^.;]*\d/;

const ONLY = /\b(?:only|just|alone)\b/;
const ANSWER = /\bthe answer is\b/;
/** What claims of every row of a list that it is one. */
const EVERY = /\b(?:both|all|each one|every)\b/;
/** A table's row whose last cell says that it is none. */
const NO_ROW = /\|\s*(?:no|false|\u2717|\u274c)\s*\|\s*$/;

interface Clause {
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

function clausesOf(folded: string): Clause[] {
  const found: Clause[] = [];
  let from = 0;
  for (const { 0: mark, index } of [...folded.matchAll(NEXT), { 0: "", index: folded.length }]) {
    found.push({ text: folded.slice(from, index), from, to: index });
    from = index + mark.length;
  }
  return found;
}

/**
 * Tells of places in a text whether what stands there is set apart from what was asked for: in a clause of its own, where
 * no right fact stands, as the other one or on the other side of the comparison that the request makes; or in a list with
 * its figure, where other clauses say of the right facts alone that they are what was asked for.
 */
export function apartFrom(right: readonly Fact[], said: Reading, request: string): (place: number) => boolean {
  const asked = new Reading(request).folded;
  const [high, low] = [MORE.test(asked), LESS.test(asked)];
  const clauses = clausesOf(said.folded);
  const holds = (text: string) => right.some((fact) => findFact(fact, new Reading(text)).said > 0);
  const sides = (text: string) => [MORE.test(text), LESS.test(text)] as const;
  const isAlike = (text: string) => high !== low && sides(text)[high ? 0 : 1];
  const claims = (text: string) => ONLY.test(text) || ONE_ONLY.test(text) || ANSWER.test(text) || isAlike(text);
  const conclusion = clauses.filter(({ text }) => claims(text) && holds(text)).map(({ text }) => text);
  const told = new Reading(conclusion.join(" ; "));
  const concludes =
    right.length > 0 &&
    right.every((fact) => findFact(fact, told).said > 0) &&
    !clauses.some(({ text }) => EVERY.test(text) && isAlike(text));
  return (place) => {
    const around = clauses.find(({ from, to }) => from <= place && place < to);
    if (around === undefined) return false;
    // Without the word itself, which may be one of those that set apart.
    const at = place - around.from;
    const clause = around.text.slice(0, at) + around.text.slice(at).replace(/^[\p{L}\p{N}]+/u, "");
    if (ALSO.test(clause) || AND.test(around.text)) return false;
    const [more, less] = sides(clause);
    if (/\d/.test(clause) && !more && !less && !ONLY.test(clause) && concludes) return true;
    const opposite = high !== low && (high ? less && !more : more && !less);
    const alike = isAlike(clause);
    const beside =
      NO_ROW.test(clause) ||
      BESIDE.test(clause) ||
      DENIED.test(clause.trim()) ||
      (ONE_ONLY.test(asked) && FIGURE.test(clause));
    return (opposite || (!alike && beside)) && !holds(clause);
  };
}
