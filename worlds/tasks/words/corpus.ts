import type { ObservedTrace } from "../../observation.ts";
import { escapePattern } from "../../pattern.ts";
import { type Move, settingOf } from "../acts/settings.ts";
import { fold, singular, tokens } from "../checks/words.ts";
import type { Kit } from "../kit.ts";

/** A sentence that somebody wrote, with a place for what is asked: what stands before it and after it. */
export interface Frame {
  readonly head: string;
  readonly tail: string;
  readonly register: "plain" | "polite" | "terse" | "chatty";
}

/** What a frame's place takes: a noun phrase ("status of my order"), a question of its own ("which …"), or a deed ("cancel my order"). */
export type Speech = "ask" | "wonder" | "want";

/** A whole sentence about a call that somebody wrote, with places for the call's values: text, parameter, text, … */
export interface SentenceTemplate {
  readonly tool: string;
  readonly texts: readonly string[];
  readonly params: readonly string[];
}

/** How the people of the evidence speak to the agent. */
export interface Corpus {
  /** Distinct user turns. */
  readonly turns: number;
  /** Whether so many people spoke that a request of pure grammar has to be the exception. */
  readonly enough: boolean;
  /** Whether users said a word, by its singular. */
  says(word: string): boolean;
  /** Whether users said a word in a question, by its singular. */
  asks(word: string): boolean;
  /** A word as users write it with a hyphen, where they do: "onestop" as "one-stop". */
  hyphened(word: string): string | undefined;
  readonly frames: Readonly<Record<Speech, readonly Frame[]>>;
  readonly sentences: readonly SentenceTemplate[];
  /** How users say that a field gets a value where they do not name the field: "move … to" of a task's list and "In Review". */
  movesTo(field: string, value: string): Move | undefined;
  /** The share of a text's pairs of words that users said too; undefined for a text without any. */
  overlap(text: string): number | undefined;
  /** The share of its pairs that nineteen of twenty turns have in common with the other turns at least. */
  readonly usual: number;
  /** Words of the shortest sentences and of the longest turns, but for one in fifty at each end. */
  readonly lengths: { readonly least: number; readonly most: number };
}

/** Fewer distinct turns than these show no way of speaking. */
export const ENOUGH_TURNS = 20;
export const MOST_TURNS = 5_000;
const MOST_HEAD = 60;
/** Words of which not one pair in twenty was ever heard are nobody's, however little was heard. */
const LEAST_OVERLAP = 0.05;
/** Where all turns are of a few moulds, a request of other words is none the worse: one pair in five is what free speech shares. */
const MOST_OVERLAP = 0.2;

const GREETED = `(?:(?:hi|hello|hey|good (?:morning|afternoon|evening|day))(?: there)?[,!.]? )?`;
const YOU = `(?:can|could|would) you(?: please)?`;
const ME = `i(?:'d| would)(?: really| just)? like to|i(?: really| just)? (?:need|want) to`;
const WANT = new RegExp(
  String.raw`^(${GREETED}(?:${ME}|i(?:'m| am) (?:looking|trying|hoping) to|${YOU}(?: help me)?|please(?: go ahead and)?|i(?:'d| would) appreciate it if you could) )([a-z]\p{L}+ .+?)([.!?])$`,
  "iu",
);
const LEARN = `(?:${YOU}|please|${ME}) (?:tell me|let me know|know|check|see|find out|confirm|look up|give me|show me)`;
const ASK = new RegExp(`^(${GREETED}(?:${LEARN}|what(?:'s| is)) )(?:the|my|your) (.+?)([.!?])$`, "iu");
const WONDER = new RegExp(
  `^(${GREETED}(?:${LEARN}|i(?:'m| am| was) wondering) )((?:which|what|how|when|where|who) .+?)([.!?])$`,
  "iu",
);
const PATTERNS: Readonly<Record<Speech, RegExp>> = { ask: ASK, wonder: WONDER, want: WANT };
/** Whether a request can begin so: nothing that answers somebody or points back. */
const POINTS_BACK =
  /\b(?:also|then|instead|again|still|both|another|other|it|that|this|those|them|but|because|since|if|once|both)\b/i;
const ANSWERING =
  /^(?:(?:yes|yeah|sure|ok|okay|no|absolutely|great|perfect|alright|actually|oh|so|in that case)\b[,.!\u2014-]* *)+/i;

/** The sentences of a turn, quotes made plain. */
export function sentencesOf(turn: string): string[] {
  return turn
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/[\u201c\u201d]/g, '"')
    .split(/(?<=[.!?])\s+|\n+/)
    .map((sentence) => sentence.trim().replace(/\s+/g, " "))
    .filter((sentence) => sentence !== "" && sentence.length <= 400);
}

/** How a sentence's frame speaks. */
function registerOf(head: string, tail: string): Frame["register"] {
  if (/\bplease\b|\bthank|\bcould\b|\bwould\b|appreciate/i.test(`${head} ${tail}`)) return "polite";
  if (/^(?:hi|hello|hey)\b/i.test(head)) return "chatty";
  return "plain";
}

/** What a sentence asks for, taken out of the frame around it; undefined where it is of no such kind. */
export function unframed(sentence: string): { speech: Speech; head: string; core: string; tail: string } | undefined {
  for (const speech of ["ask", "wonder", "want"] as const) {
    const match = PATTERNS[speech].exec(sentence);
    const [, head = "", core = "", tail = ""] = match ?? [];
    if (match) return { speech, head, core, tail };
  }
  return undefined;
}

function capital(text: string): string {
  return text === "" ? text : (text[0] as string).toUpperCase() + text.slice(1);
}

function framesOf(sentences: readonly string[]): Corpus["frames"] {
  const frames: Record<Speech, Frame[]> = { ask: [], wonder: [], want: [] };
  for (const sentence of sentences) {
    const plain = capital(sentence.replace(ANSWERING, ""));
    for (const speech of ["ask", "wonder", "want"] as const) {
      const match = PATTERNS[speech].exec(plain);
      const [, head = "", core = "", tail = ""] = match ?? [];
      if (!match || head.length > MOST_HEAD || POINTS_BACK.test(head)) continue;
      if (speech === "want" && /^(?:know|see|tell|let|make sure)\b/i.test(core)) continue;
      const end = /^(?:(?:hi|hello|hey)[^a-z]* )?(?:can|could|would|what)\b/i.test(head)
        ? "?"
        : tail === "?"
          ? "."
          : tail;
      frames[speech].push({ head, tail: end, register: registerOf(head, end) });
    }
  }
  return frames;
}

/** Something of one session: a figure, a name, a day. It may stand in no sentence that others say. */
function ofOneSession(text: string): boolean {
  return (
    /\d/.test(text) ||
    /(?<!^)(?<![.!?] )\b(?!I\b|I'|ID\b)[A-Z]\p{L}+/u.test(text) ||
    /\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:today|tomorrow|yesterday)\b/i.test(text)
  );
}

function sentenceTemplatesOf(sentences: readonly string[], trace: ObservedTrace): SentenceTemplate[] {
  const found: SentenceTemplate[] = [];
  for (const call of trace.calls) {
    if (call.isError) continue;
    const values = Object.entries(call.args).filter(
      (entry): entry is [string, string] => typeof entry[1] === "string" && entry[1].length >= 4 && /\d/.test(entry[1]),
    );
    if (values.length === 0 || values.length > 3) continue;
    for (const sentence of sentences) {
      const template = templateOf(sentence, values);
      if (template) found.push({ tool: call.tool, ...template });
    }
  }
  return found;
}

/** A sentence with places for values that all stand in it; undefined where it says more that is of one session. */
export function templateOf(
  sentence: string,
  values: readonly (readonly [string, string])[],
): Omit<SentenceTemplate, "tool"> | undefined {
  const places = values
    .map(([param, value]) => ({ param, at: sentence.indexOf(value), end: sentence.indexOf(value) + value.length }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at);
  if (places.length !== values.length || places.some(({ at }, i) => at < (places[i - 1]?.end ?? 0))) return undefined;
  const texts = places.map(({ at }, i) => sentence.slice(places[i - 1]?.end ?? 0, at));
  texts.push(sentence.slice(places.at(-1)?.end ?? 0));
  texts[0] = capital((texts[0] ?? "").replace(ANSWERING, ""));
  const rest = texts.join(" x ");
  return ofOneSession(rest) || POINTS_BACK.test(rest) || rest.length > 160
    ? undefined
    : { texts, params: places.map(({ param }) => param) };
}

/** Verbs that say no more than that something is changed. */
const CHANGES = /^(?:change|set|update|modify|edit|make|put|add|rename|have|want|need)$/;
/** So many distinct sentences show a way of saying a change. */
const ENOUGH_SAID = 2;

/** Field → value → how it is moved there, as JSON → the sentences. */
type Moves = Map<string, Map<string, Map<string, Set<string>>>>;

/** A deed that ends in what something is moved to: its verb, and what stands before the value. Lower case. */
function moveIn(sentence: string, value: string): Move | undefined {
  const plain = sentence.toLowerCase().replace(/[.?!]+$/, "");
  const core = unframed(`${plain}.`)?.core ?? plain;
  const [, verb = "", link = ""] =
    new RegExp(`^([a-z]+) .+ ((?:back )?(?:to|into)(?: the)?) ${escapePattern(value.toLowerCase())}$`).exec(core) ?? [];
  return verb === "" || CHANGES.test(verb) ? undefined : { verb, link };
}

/** Counts the ways in which a session's user says what its calls set by a field's name and a value. */
function countMoves(sentences: readonly string[], trace: ObservedTrace, into: Moves): void {
  for (const { args, isError } of trace.calls) {
    const setting = isError ? undefined : settingOf(args);
    if (typeof setting?.to !== "string") continue;
    for (const sentence of sentences) {
      const move = moveIn(sentence, setting.to);
      if (move === undefined) continue;
      const values = kept(into, setting.what, () => new Map<string, Map<string, Set<string>>>());
      const ways = kept(values, setting.to, () => new Map<string, Set<string>>());
      kept(ways, JSON.stringify(move), () => new Set<string>()).add(sentence);
    }
  }
}

function kept<V>(map: Map<string, V>, key: string, make: () => V): V {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}

/** The way of most sentences for a value; for one that nobody moved a thing to, the verb that is said of two others. */
function usualMove(moves: Moves, field: string, value: string): Move | undefined {
  const ways = [...(moves.get(field)?.get(value) ?? [])].sort(([, a], [, b]) => b.size - a.size);
  const [way, said] = ways[0] ?? [];
  if (way !== undefined && (said?.size ?? 0) >= ENOUGH_SAID) return JSON.parse(way);
  const verbs = [...(moves.get(field)?.values() ?? [])].flatMap((of) => [
    ...new Set([...of.keys()].map((one): string => JSON.parse(one).verb)),
  ]);
  const verb = verbs.find((one) => verbs.filter((other) => other === one).length >= ENOUGH_SAID);
  return verb === undefined ? undefined : { verb, link: "to" };
}

/** The pairs of neighbouring words of a text. */
function pairsOf(words: readonly string[]): ReadonlySet<string> {
  return new Set(words.slice(1).map((word, i) => `${words[i]} ${word}`));
}

/** The share of pairs that are in use by so many turns. */
function shared(pairs: ReadonlySet<string>, used: ReadonlyMap<string, number>, least: number): number | undefined {
  if (pairs.size === 0) return undefined;
  return [...pairs].filter((pair) => (used.get(pair) ?? 0) >= least).length / pairs.size;
}

/** A text's words, every value with a figure alike. */
export function wordsOf(text: string): string[] {
  return tokens(fold(text)).map(({ text: word }) => (/\d/.test(word) ? "0" : word));
}

/** Reads how people speak off the turns of recorded sessions. The same traces give the same corpus. */
export function corpusOf(traces: readonly ObservedTrace[]): Corpus {
  const seen = new Set<string>();
  const sentences: string[] = [];
  const said = new Set<string>();
  const questioned = new Set<string>();
  const hyphened = new Map<string, string>();
  const used = new Map<string, number>();
  const turns: ReadonlySet<string>[] = [];
  const lengths: number[] = [];
  const spoken = new Map<string, SentenceTemplate>();
  const moves: Moves = new Map();
  for (const trace of traces) {
    for (const turn of [trace.request, ...(trace.turns ?? [])]) {
      if (!turn || seen.has(turn) || seen.size >= MOST_TURNS || turn.length > 4_000) continue;
      seen.add(turn);
      const own = sentencesOf(turn);
      sentences.push(...own);
      for (const [word] of fold(turn).matchAll(/\b[a-z]+-[a-z]+\b/g)) hyphened.set(word.replace("-", ""), word);
      const words = wordsOf(turn);
      lengths.push(words.length);
      const pairs = pairsOf(words);
      turns.push(pairs);
      for (const pair of pairs) used.set(pair, (used.get(pair) ?? 0) + 1);
      for (const sentence of own) {
        const asking = sentence.endsWith("?") || unframed(sentence.replace(ANSWERING, ""))?.speech === "ask";
        for (const word of wordsOf(sentence)) {
          said.add(singular(word));
          if (asking) questioned.add(singular(word));
        }
      }
      for (const one of sentenceTemplatesOf(own, trace)) spoken.set(JSON.stringify(one), one);
      countMoves(own, trace, moves);
    }
  }
  lengths.sort((a, b) => a - b);
  const shortest = sentences.map((sentence) => wordsOf(sentence).length).sort((a, b) => a - b);
  // A turn's own pairs are no evidence of how others speak: it counts those that two turns hold.
  const overlaps = turns.flatMap((pairs) => shared(pairs, used, 2) ?? []).sort((a, b) => a - b);
  const at = (share: number) => lengths[Math.floor(share * (lengths.length - 1))] ?? 0;
  return {
    turns: seen.size,
    enough: seen.size >= ENOUGH_TURNS,
    says: (word) => said.has(singular(word.toLowerCase())),
    asks: (word) => questioned.has(singular(word.toLowerCase())),
    hyphened: (word) => hyphened.get(word),
    frames: framesOf(sentences),
    sentences: [...spoken.values()],
    movesTo: (field, value) => usualMove(moves, field, value),
    overlap: (text) => shared(pairsOf(wordsOf(text)), used, 1),
    usual: Math.min(MOST_OVERLAP, Math.max(LEAST_OVERLAP, overlaps[Math.floor(overlaps.length / 20)] ?? 0)),
    lengths: { least: shortest[Math.floor(shortest.length / 50)] ?? 0, most: at(0.98) },
  };
}

const corpora = new WeakMap<Kit, Corpus>();

/** Keeps how a surface's people speak, for all that puts its deeds into words. */
export function keepCorpus(kit: Kit, corpus: Corpus): void {
  corpora.set(kit, corpus);
}

/** How a surface's people speak; undefined where nobody kept it. */
export function corpusFor(kit: Kit): Corpus | undefined {
  return corpora.get(kit);
}
