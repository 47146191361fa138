import { singular } from "../checks/words.ts";
import type { Corpus } from "./corpus.ts";
import { LEADS, REGISTERS, VOICES, type Voice, voiceOf } from "./phrases.ts";

/** Who asks, where somebody stated who does: what they say of themselves or of how they feel, and how they talk. */
export interface Persona {
  readonly name: string;
  readonly says: readonly string[];
  readonly register?: Voice["register"] | undefined;
}

/** Who asks in the words of the evidence, where nobody states who does. */
export const RECORDED = "recorded user";

/** What people say whom a word of their name describes. */
const MANNERS: readonly (readonly [word: RegExp, says: readonly string[]])[] = [
  [
    /\b(?:angry|upset|frustrated|annoyed|irate|furious|grumpy|unhappy|dissatisfied)\b/,
    ["This is really frustrating.", "I've had enough of this.", "I expected better."],
  ],
  [/\b(?:impatient|hurried|rushed|busy|urgent)\b/, ["I need this quickly.", "I'm in a bit of a hurry."]],
  [
    /\b(?:confused|lost|unsure|novice|beginner|inexperienced|first-time|new)\b/,
    ["I'm not sure how this works.", "I haven't done this before."],
  ],
  [/\b(?:anxious|worried|nervous|stressed)\b/, ["I'm a little worried about this.", "I want to be sure of this."]],
  [
    /\b(?:sceptical|skeptical|suspicious|distrustful)\b/,
    ["I'd like to be certain before I go on.", "I read the small print."],
  ],
  [
    /\b(?:returning|loyal|long-time|long-standing|regular|repeat)\b/,
    ["I've been with you for years.", "It's me again."],
  ],
];
/** A name that "I'm a …" can be said of: words without a name of a person, a figure or a mark. */
const NOUN = /^(?:[a-z]+(?:-[a-z]+)*|[A-Z]{2,5})(?: (?:[a-z]+(?:-[a-z]+)*|[A-Z]{2,5})){0,4}$/;
/** Letters that are said with a vowel first. */
const SAID_WITH_VOWEL = /^(?:[AEFHILMNORSX][A-Z]+$|[aeiou](?!ni[^n]|ser?\b|ne\b))/;

/** What a persona says of itself, by its name: words that are known for it, else what it is. None where the name is no plain noun. */
export function leadsOf(name: string): readonly string[] {
  const known = LEADS[name];
  if (known !== undefined) return known;
  const said = asNoun(name.trim().replace(/^(?:an?|the) /i, ""));
  const manner = MANNERS.find(([word]) => word.test(said.toLowerCase()));
  if (manner) return manner[1];
  if (!NOUN.test(said)) return [];
  return [`I'm ${SAID_WITH_VOWEL.test(said.split(" ")[0] ?? "") ? "an" : "a"} ${said}.`];
}

/** "Night owls" as "night owl"; a word alone with a capital may be somebody's name and stays. */
function asNoun(name: string): string {
  const words = name.split(/\s+/);
  const small =
    words.length > 1 && /^[A-Z][a-z]/.test(name) && words.slice(1).every((word) => !/^[A-Z][a-z]/.test(word));
  const plain = small ? [words[0]?.toLowerCase() ?? "", ...words.slice(1)] : words;
  const of = plain.findIndex((word) => /^(?:of|with|without|who|that|for|from|in|on|at)$/.test(word));
  const head = (of > 0 ? of : plain.length) - 1;
  return plain.map((word, i) => (i === head ? singular(word) : word)).join(" ");
}

/** The voices of those who were stated, each persona in each of its registers; the usual ones where nobody was. */
function pool(personas: readonly Persona[]): readonly Voice[] {
  if (personas.length === 0) return Array.from({ length: VOICES }, (_, n) => voiceOf(n));
  return personas.flatMap(({ name, says, register }) =>
    REGISTERS.filter((one) => register === undefined || one === register).flatMap((one) =>
      (says.length === 0 ? [undefined] : says).map((lead) => ({
        persona: name,
        register: one,
        ...(lead === undefined ? {} : { lead }),
      })),
    ),
  );
}

/** The voices that a selection leaves, in turn; all of them where it leaves none: no task of theirs is selected then. */
export function voicesOf(
  personas: readonly Persona[],
  selection: Readonly<Record<string, readonly string[]>>,
  from: number,
  corpus?: Corpus,
): () => Voice {
  const fits = (axis: "persona" | "register", voice: Voice) => selection[axis]?.includes(voice[axis]) ?? true;
  const fitting = (all: readonly Voice[]) => all.filter((voice) => fits("persona", voice) && fits("register", voice));
  const stated = fitting(pool(personas));
  const left = stated.length > 0 ? stated : fitting(pool([]));
  const voices = left.length > 0 ? left : pool(personas);
  let n = from;
  if (!corpus?.enough) return () => voices[n++ % voices.length] as Voice;
  const chosen = personas.length > 0 || selection.persona !== undefined || selection.register !== undefined;
  return () => {
    const voice = voices[n++ % voices.length] as Voice;
    // Where nobody says who asks, it is one of the evidence's own people.
    return { ...voice, ...(chosen ? {} : { persona: RECORDED }), corpus, chosen, told: {} };
  };
}
