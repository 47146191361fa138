import { COURTESY, NEED, TOLD } from "../checks/asking.ts";
import { Reading } from "../checks/facts.ts";
import { alike } from "../checks/request-words.ts";
import { singular } from "../checks/words.ts";

/** A thing that an answer asks for: its words, and those that stand last before "of", which say what is wanted. */
export interface Wanted {
  readonly words: readonly string[];
  readonly head: string;
}

/** What an answer asks of the user. */
export interface Questions {
  /** Things asked for by name. */
  readonly wanted: readonly Wanted[];
  /** Whether it asks which one, or for more, without saying of what. */
  readonly open: boolean;
  /** Sentences that ask to choose, or whether to go on. */
  readonly choices: readonly string[];
  readonly confirmations: readonly string[];
  /** Words of each sentence that yes or no answers. */
  readonly whether: readonly (readonly string[])[];
  /** Whether it asks what the user wants at all. */
  readonly greets: boolean;
  /** Whether it asks anything, a closing courtesy aside. */
  readonly any: boolean;
}

const GREETS =
  /\b(?:how (?:can|may|could) i (?:help|assist|be of)|what (?:can|may|could) i (?:do|help)|what (?:would you like|do you want)(?: me)? to do)\b/;
const ELSE = /\b(?:how|what|who|where) else\b/;
const CONFIRM =
  /\b(?:do you (?:want|wish|confirm|agree|approve)|would you like(?: me)? to|(?:shall|should|may|can) i (?!have|get|ask)|is (?:that|this|it|everything) (?:ok|okay|correct|right|fine|alright|accurate)|(?:right|correct|yes)(?= ?\?$)|confirm|proceed|go ahead|are you sure|yes ?(?:\/|or) ?no|sounds? (?:good|right)|looks? (?:right|correct|good))\b/;
/** Other words for telling than those by which a grader knows a question. */
const TOLD_TOO =
  /(?:^|[,:-] |\b(?:please|kindly|you|just|to|as) )(?:furnish|drop|hand|pass|list|describe|explain|let (?:me|us) have)(?: (?:me|us|over|along))*(?: with)?\b/g;
/** Asks for more without naming it. */
const SAY_MORE =
  /\b(?:be more specific|(?:tell|say) (?:me |us )?more|more (?:details?|information|info))\b|(?:^|[,:-] |\b(?:please|kindly|you) )(?:clarify|specify|elaborate|explain)(?: (?:that|this|it|please|for me|further))* ?[.?!]?$/;
const WHAT_MEANT = /^(?:(?:and|so|sorry|ok|okay)[,!]? )?what (?:exactly |precisely )?do you mean ?(?:\?|by\b)/;
/** A few words that ask by themselves: "Order number?", "Your zip code, please." */
const SHORT = /^(?:(?:and|ok|okay|sure|hi|hello|thanks)[,!]? )?((?:\S+ ){0,4}\S+?)(?: ?\?|,? please ?[.?!]*)$/;
const WHETHER = /^(?:(?:and|so|also|ok|okay)[,!]? )?(?:is|are|was|were|do|does|did|should|would|will|can|has|have)\b/;
/** What begins a whole question or sentence, and no name of a thing. */
const BEGINS =
  /^(?:which|what|whose|who|when|where|why|how|is|are|was|were|do|does|did|can|could|may|shall|should|will|would|have|has|i|we|you|it|that|this|please|yes|no|ok|okay|sure|done|right|anything|more|really)\b/;
/** Asks for a yes, whatever it names: "Do you confirm the cancellation?" */
const GO_ON = /\bdo you (?:confirm|agree|approve)\b/;
/** What is asked beside the request, or in its place. */
const BESIDE = /\b(?:also|as well|additional(?:ly)?|instead|another|in addition|too)\b/;
/** Words that ask for what they do not name, and what people mean by them. */
const BY_WORD: readonly (readonly [RegExp, readonly string[]])[] = [
  [/\bwhen\b/, ["date", "time", "day"]],
  [/\bwhere\b/, ["address", "place", "location", "city"]],
  [/(?:^|[,:;] )who\b|\bwho (?:is|are|should)\b/, ["name", "person"]],
  [/\bwhy\b/, ["reason"]],
  [/\bhow much\b/, ["amount", "price"]],
  [/\bhow many(?= ?(?:\?|$|(?:would|do|did|should|shall|are|is)\b))/, ["quantity", "amount", "count"]],
  [/\bhow (?:would|do|should|shall) (?:you|i|we) (?:like to |want to )?pay\b/, ["payment method"]],
];

const SKIPPED = new Set(
  "the your my our his her its their a an this these those that of me us with which what is are was were 's please exact full specific complete correct following one's for kindly also both all either any some just only be".split(
    " ",
  ),
);
const CUT = new Set(
  "would do does did should shall can could will may might so because before after to you i we for if when on in from with at by is are was were has have had associated linked shown listed below above it they them that needs need goes belongs".split(
    " ",
  ),
);
const UNNAMED = new Set(
  "one ones it them thing detail information info clarification more specific mean option choice reference item".split(
    " ",
  ),
);

/** Words for things to choose among: what they are is in the rest of the answer, and not the row that is meant. */
const CHOSEN = new Set(["option", "choice"]);
const chooses = ({ words }: Wanted) => words.every((word) => CHOSEN.has(word));

/** Words for what is told of a thing: its details are asked for where it is. */
const TOLD_OF = new Set(["detail", "information", "info", "particular", "specific"]);

/** A text with one spelling for things that people name in several. */
const plain = (text: string) =>
  text.replace(/\be[- ]?mail(?: (?:address|id))?\b/gi, "email").replace(/\bpost(?:al)?[- ]?code\b/gi, "zip code");

/** The words of a piece of a sentence up to where another clause begins. */
function phrase(piece: string): string[] {
  const words = new Reading(piece).words.map(({ text }) => text.replace(/'(?:s|d|ll|re|ve|m)$/, ""));
  const from = words.findIndex((word) => !SKIPPED.has(word));
  if (from < 0) return [];
  const rest = words.slice(from);
  const end = rest.findIndex((word) => CUT.has(word));
  return (end < 0 ? rest : rest.slice(0, end)).slice(0, 8);
}

/** The things that a piece of a sentence names, parted where it lists several. */
function things(piece: string): Wanted[] {
  const parts = piece.split(/[,;?!]| and | or |\/|\bas well as\b|\balong with\b|\bplus\b/);
  return parts.flatMap((part) => {
    const words = phrase(part).map(singular);
    const of = words.indexOf("of");
    // "one of your orders" wants an order.
    const counts = of > 0 && words.slice(0, of).every((word) => word === "one");
    const before = counts ? words.slice(of + 1) : of > 0 ? words.slice(0, of) : words;
    const named = before.filter((word) => !SKIPPED.has(word));
    const telling = named.at(-1) ?? "";
    const rest = words.filter((word) => !SKIPPED.has(word) && word !== "of" && word !== telling);
    // "the details of the order" wants the order.
    if (TOLD_OF.has(telling) && rest.length > 0) return [{ words: rest, head: rest.at(-1) ?? "" }];
    const head = named.at(-1);
    return head === undefined ? [] : [{ words: words.filter((word) => !SKIPPED.has(word)), head }];
  });
}

function named(words: string): Wanted {
  const all = words.split(" ");
  return { words: all, head: all.at(-1) ?? "" };
}

/** The sentences of an answer, the items of a list that a question begins each as a question of its own. */
function sentences(answer: string): { readonly text: string; readonly item: boolean }[] {
  const out: { text: string; item: boolean }[] = [];
  let asking = false;
  for (const line of answer.split("\n")) {
    const item = /^\s*(?:[-*\u2022]|\d+[.)])\s+(.*)$/.exec(line)?.[1];
    if (item !== undefined && asking) {
      out.push({ text: item, item: true });
      continue;
    }
    if (line.trim() !== "") asking = false;
    for (const text of line.split(/(?<=[.!?])\s+/).filter((part) => part.trim() !== "")) {
      out.push({ text, item: false });
      const { folded } = new Reading(text);
      asking = text.trimEnd().endsWith(":") && (has(TOLD, folded) || has(NEED, folded));
    }
  }
  return out;
}

function has(pattern: RegExp, text: string): boolean {
  return text.search(new RegExp(pattern.source, pattern.flags.replace("g", ""))) >= 0;
}

/** More places than a person asks at in one sentence, and more characters than follow one: all of them would cost their product. */
const PLACES = 40;
const FOLLOWS = 1_000;

/** What stands after each place of a pattern that asks, as far as it names things. */
function after(folded: string, pattern: RegExp): string[] {
  return [...folded.matchAll(pattern)]
    .slice(0, PLACES)
    .map((match) => folded.slice(match.index + match[0].length).slice(0, FOLLOWS))
    .filter((rest) => !/^ (?:that|if|whether|you want|you would)\b/.test(rest));
}

/** What an answer asks of the user. By its words alone, so that the same answer always asks the same. */
export function questionsOf(answer: string): Questions {
  const wanted: Wanted[] = [];
  const choices: string[] = [];
  const confirmations: string[] = [];
  const whether: (readonly string[])[] = [];
  let open = false;
  let greets = false;
  let any = false;
  for (const { text, item } of sentences(answer)) {
    const folded = new Reading(plain(text.replace(/\([^()]*\)/g, " "))).folded;
    const question = item || folded.includes("?");
    const told = GO_ON.test(folded) ? [] : [TOLD, NEED, TOLD_TOO].flatMap((pattern) => after(folded, pattern));
    const more = SAY_MORE.test(folded);
    const confirms = CONFIRM.test(folded) && (question || /\bconfirm\b|\byes\b/.test(folded));
    if (
      ELSE.test(folded) ||
      (COURTESY.test(folded) && !/\bis (?:that|this|it) (?:ok|okay|fine|alright)\b/.test(folded))
    )
      continue;
    const short = confirms ? undefined : SHORT.exec(folded)?.[1];
    if (!question && told.length === 0 && !confirms && !more && short === undefined) continue;
    any = true;
    if (GREETS.test(folded)) {
      greets = true;
      continue;
    }
    if (question && WHETHER.test(folded)) whether.push(nameWords(folded));
    if (WHAT_MEANT.test(folded)) {
      open = true;
      continue;
    }
    const pieces = [...told, ...(item ? [folded] : [])];
    if (short !== undefined && pieces.length === 0 && !BEGINS.test(short)) pieces.push(short);
    if (question) pieces.push(...after(folded, /\b(?:which|what(?:'s)?|whose|do you (?:have|know))\b/g));
    const found = [
      ...pieces.flatMap(things),
      ...after(folded, /\bhow many\b/g).flatMap((rest) =>
        things(rest).flatMap((one) => [one, { words: ["number", ...one.words], head: "number" }]),
      ),
      ...(question ? BY_WORD.flatMap(([word, names]) => (word.test(folded) ? names.map(named) : [])) : []),
    ];
    wanted.push(...found.filter(({ words }) => words.includes("item") || !words.every((word) => UNNAMED.has(word))));
    open ||=
      (more && found.length === 0) ||
      (question && /\bwhich(?: (?:one|ones|of))?\b(?! \p{L}+ing\b)/u.test(folded) && found.length === 0) ||
      found.some((one) => one.words.every((word) => UNNAMED.has(word)) && !chooses(one));
    if (
      question &&
      (found.some(chooses) || / or /.test(folded) || /\b(?:is|was) it\b|\b(?:did?|do) you mean\b/.test(folded))
    )
      choices.push(text);
    if (confirms && found.length === 0 && !BESIDE.test(folded)) confirmations.push(text);
  }
  return { wanted, open, choices, confirmations, whether, greets, any };
}

/** Words that name a row together with a word for it: the "order" is asked for by its number. */
const NAMING = new Set(["number", "id", "identifier", "reference", "code"]);

/** Whether several facts may be meant where only such a word is asked for: then it is the first of them. */
export function isBare({ words }: Wanted): boolean {
  return words.every((word) => NAMING.has(word));
}

/** The words of a fact's name, singular. */
export function nameWords(name: string): readonly string[] {
  return new Reading(plain(name)).words.map(({ text }) => singular(text));
}

/**
 * How well a fact of a name of these words fits what is asked for: how many of its words are asked for where all are, less than 1 where
 * it is asked for by a part of its name, as by "number"; 0 where it is another thing.
 */
export function fitOf(own: readonly string[], { words, head }: Wanted): number {
  const like = (word: string, others: readonly string[]) => alike(word).some((one) => others.includes(one));
  const last = own.at(-1);
  if (last === undefined) return 0;
  const before = NAMING.has(head) ? words[words.indexOf(head) - 1] : undefined;
  // "the identifier of the purchase" is the order's id: any of these words names it.
  const names = NAMING.has(head) && NAMING.has(last);
  if (!names && !like(last, before === undefined ? [head] : [head, before])) return 0;
  const shared = own.filter((word) => (names && word === last) || like(word, words)).length;
  if (shared === own.length) return shared;
  // "number" may be the order's; "phone number" is not.
  return words.every((word) => like(word, own)) ? shared / own.length : 0;
}
