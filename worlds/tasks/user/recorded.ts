import { Reading } from "../checks/facts.ts";
import { humanize } from "../checks/words.ts";
import { textStates } from "../determined.ts";
import type { Script, SimulatedUser, UserFact } from "../schema.ts";
import { refOf } from "../script.ts";
import { argumentLabel } from "../words/phrases.ts";

/** A user as a recorded conversation shows it, and what the reference asks it. */
export interface RecordedUser {
  readonly user: SimulatedUser;
  readonly questions: readonly string[];
}

/** What says no more than yes, thanks or goodbye. */
const COURTEOUS =
  /^(?:yes|yeah|yep|sure|ok|okay|correct|right|exactly|absolutely|certainly|definitely|great|perfect|wonderful|excellent|good|fine|alright|hello|hi|hey|thanks?|thank you|please (?:do|go ahead|proceed|confirm)|go ahead|proceed|confirmed|i (?:confirm|agree|understand|appreciate)|that(?:'s| is| would be| sounds| works)? (?:right|correct|all|it|great|perfect|good|fine|works?|everything)|sounds (?:good|great)|looks (?:good|right|correct)|here (?:it is|you go|they are)|of course|no (?:problem|worries)|no,? (?:that(?:'s| is| will be) (?:all|it|everything)|thanks?|thank you|nothing else)|(?:bye|goodbye)|have a (?:nice|good|great) \p{L}+)\b/u;
/** What asks for more than was asked, or for something else. */
const WISH =
  /\?|\b(?:also|another|instead|rather|can you|could you|would you|i'd like|would like|want|wish|need you to|change|cancel|what about|how about|actually|unless|only if|if not|otherwise|but|except|don't|do not)\b/;
/** What has something done that nobody was about to ask for: "Please execute an order for 5 shares." */
const ORDERS =
  /^(?:please|kindly|let's|go ahead and) (?!use\b|take\b|charge\b|refund\b|put\b|find\b|see\b|note\b|be\b)[a-z]+ (?:(?:an?|the|my)\b|\d)/;
/** A turn that agrees to what the agent has just told: its figures are the agent's, and the user did not have them before. */
const AGREES = /^\s*(?:(?:yes|yeah|yep|confirmed)\b|correct\b(?=\s*[,.!]))/i;
/** Tells what is the user's own. */
const TELLS_OWN = /\bmy\b[^.?!]*\b(?:is|are)\b/i;
/** Words of a courtesy at most: a longer sentence says more. */
const COURTESY_WORDS = 14;

/** So many facts a user may know. */
const MOST_FACTS = 100;

const sentencesOf = (turn: string) => turn.split(/(?<=[.!?])\s+|\n+/).filter((one) => /[\p{L}\d]/u.test(one));

/** The scalars that a script gives as arguments, by their value, with the names that they stand under. */
function given(calls: Script["calls"]): Map<string | number, Set<string>> {
  const found = new Map<string | number, Set<string>>();
  const put = (value: unknown, name: string): void => {
    if (Array.isArray(value)) for (const item of value) put(item, name);
    else if (typeof value === "object" && value !== null)
      for (const [key, item] of Object.entries(value)) put(item, key);
    else if ((typeof value === "string" && value !== "" && refOf(value) === undefined) || typeof value === "number")
      found.set(value, (found.get(value) ?? new Set()).add(name));
  };
  for (const { args } of calls) for (const [name, value] of Object.entries(args)) put(value, name);
  return found;
}

function namesOf(names: ReadonlySet<string>): string[] {
  const called = [...names].flatMap((name) => {
    const label = argumentLabel(name);
    return /ids?$/i.test(name) ? [label, humanize(name), `${label} number`] : [label, humanize(name)];
  });
  return [...new Set(called)].slice(0, 20);
}

/**
 * The user of a recorded conversation: asked for what its turns say of the script's arguments it says it, and agrees where
 * it is asked to. A turn that says anything more is said of itself, since nobody would ask for it, and what it agrees to
 * is known from then on alone.
 */
export function recordedUser(request: string, turns: readonly string[], calls: Script["calls"]): RecordedUser {
  const asked = new Reading(request);
  const values = [...given(calls)].filter(([value, names]) => !textStates(asked, value, [...names][0] ?? ""));
  const knows = new Map<string | number, UserFact>();
  const questions = new Map<string, string>();
  const adds: string[] = [];
  for (const turn of turns) {
    const facts: UserFact[] = [];
    let more = false;
    for (const sentence of sentencesOf(turn)) {
      const read = new Reading(sentence);
      const told = values.filter(([value, names]) => textStates(read, value, [...names][0] ?? ""));
      for (const [value, names] of told)
        if (!knows.has(value) && !facts.some((fact) => fact.value === value))
          facts.push({ names: namesOf(names), value, says: sentence.trim() });
      const courteous = COURTEOUS.test(read.folded) && read.words.length <= COURTESY_WORDS;
      more ||= WISH.test(read.folded) || (!courteous && ORDERS.test(read.folded)) || !(told.length > 0 || courteous);
    }
    if (more) adds.push(turn);
    if (more && AGREES.test(turn) && !TELLS_OWN.test(turn)) continue;
    for (const fact of facts) knows.set(fact.value as string | number, fact);
    if (!more) for (const { names, says } of facts) questions.set(says ?? "", `What is the ${names[0]}?`);
  }
  return {
    user: { knows: [...knows.values()].slice(0, MOST_FACTS), ...(adds.length > 0 ? { adds: adds.slice(0, 100) } : {}) },
    questions: [...questions.values(), ...adds.map(() => "Is there anything else?")].slice(0, 50),
  };
}
