import type { FinishedTrial } from "../schema.ts";
import { Reading } from "./facts.ts";
import { humanize, singular } from "./words.ts";

/** What an answer's words are read against: what was asked, and what the agent did before it spoke. */
export interface AnswerContext {
  readonly request: string;
  readonly calls: FinishedTrial["calls"];
}

/** An `AnswerContext` with its words, once per trial. */
export interface Vocabulary {
  /** Singular words of the request, of the tools that were called and of their arguments' names. */
  readonly words: ReadonlySet<string>;
  /** All that the request, the calls and their answers hold, folded. */
  readonly known: string;
  /** Past participles of the words: "cancelled" of "cancel". */
  readonly participles: ReadonlySet<string>;
}

const SMALL = new Set(
  "the and for you are any all from with that this what which who how why when where does did has have can could would please not but out its his her our your there their them they was were will may one say says about into than then also just more most".split(
    " ",
  ),
);

/**
 * Words for one kind of thing that people use for each other; the service's own names come from its tools. None that is
 * as often another thing of the same service: an account is no user, an item no task, an email address no message.
 */
const ALIKE: readonly (readonly string[])[] = [
  ["reservation", "booking", "trip", "itinerary"],
  ["order", "purchase"],
  ["ticket", "case"],
  ["note", "memo"],
  ["file", "document"],
  ["task", "to-do", "todo"],
  ["event", "appointment", "meeting"],
  ["user", "customer"],
  ["product", "article", "item"],
  ["message", "mail"],
  // An e-mail is read as two words.
  ["mail", "email"],
];

const ALIKE_BY_WORD = new Map(
  ALIKE.flat().map((word) => [word, [word, ...ALIKE.filter((group) => group.includes(word)).flat()]]),
);

/** A word and those that people say for it. */
export function alike(word: string): readonly string[] {
  return ALIKE_BY_WORD.get(word) ?? [word];
}

const IRREGULAR: Readonly<Record<string, readonly string[]>> = {
  make: ["made"],
  send: ["sent"],
  put: ["put"],
  set: ["set"],
  give: ["given", "gave"],
  take: ["taken", "took"],
  get: ["got", "gotten"],
  buy: ["bought"],
  pay: ["paid"],
  write: ["written", "wrote"],
  sell: ["sold"],
  pick: ["picked"],
  // What people say for it counts too.
  forward: ["forwarded", "sent"],
  remove: ["removed", "taken", "deleted"],
  delete: ["deleted", "removed"],
};

/** The past forms that a word has if it is a verb. */
export function participles(verb: string): readonly string[] {
  const own = IRREGULAR[verb];
  if (own !== undefined) return own;
  if (verb.endsWith("e")) return [`${verb}d`];
  if (/[^aeiou]y$/.test(verb)) return [`${verb.slice(0, -1)}ied`];
  return [`${verb}ed`, `${verb}${verb.at(-1)}ed`];
}

const vocabularies = new WeakMap<AnswerContext, Vocabulary>();

/** The words of what was asked and done. */
export function vocabularyOf(answerContext: AnswerContext): Vocabulary {
  let found = vocabularies.get(answerContext);
  if (found === undefined) {
    const tools = answerContext.calls.map(({ tool }) => humanize(tool)).join(" ");
    const raw = new Reading(`${answerContext.request}\n${tools}`).words.map(({ text }) => text);
    const shown = answerContext.calls.flatMap(({ answer }) =>
      typeof answer === "object" && answer !== null && !Array.isArray(answer) ? Object.keys(answer) : [],
    );
    const plain = [...raw, ...new Reading(shown.map(humanize).join(" ")).words.map(({ text }) => text)].filter(
      (word) => word.length > 2 && !SMALL.has(word),
    );
    const held = JSON.stringify(answerContext.calls.map(({ args, answer }) => [args, answer])).slice(0, 200_000);
    const asked = answerContext.calls
      .flatMap(({ args }) => Object.keys(args))
      .map(humanize)
      .join(" ");
    const named = new Reading(asked).words
      .map(({ text }) => text)
      .filter((word) => word.length > 2 && !SMALL.has(word));
    found = {
      words: new Set([...plain, ...named].map(singular).flatMap(alike)),
      known: new Reading(`${answerContext.request} ${held}`).folded,
      participles: new Set(plain.flatMap(participles)),
    };
    vocabularies.set(answerContext, found);
  }
  return found;
}

/** Whether a folded piece of text holds a word of the vocabulary, or names it by a pronoun or a general noun. */
export function speaksOf(piece: string, vocabulary: Vocabulary): boolean {
  return new Reading(piece).words.some(
    ({ text }) => GENERAL.has(text) || vocabulary.words.has(singular(text.replace(/'s$/, ""))),
  );
}

const GENERAL = new Set(
  "it one ones any anything that this those these such them result results record records match matches hit hits vacancy vacancies availability data information entry entries".split(
    " ",
  ),
);
