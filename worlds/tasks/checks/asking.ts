import { claimsSuccess } from "./answer-class.ts";
import { claimsDone } from "./claims.ts";
import { Reading } from "./facts.ts";
import { type Judgement, met, notDecided, notMet } from "./judgement.ts";
import { type AnswerContext, alike } from "./request-words.ts";
import { rowsNamed } from "./shown.ts";
import { singular } from "./words.ts";

/** A closing courtesy asks for nothing. */
export const COURTESY =
  /\b(?:(?:any|some)thing else|(?:help|assist) (?:you )?(?:with|further)|any (?:other|more|further) (?:questions?|help|changes|requests?)|is that (?:ok|okay|all|fine|alright)|otherwise)\b/;

/** What any thing is told from its like by. */
const REFERENCE = ["id", "number", "reference", "identifier", "name", "title", "code", "locator", "ref", "digit"];
/** What somebody is asked of themselves: it tells no row from its like. */
const OF_A_PERSON =
  /\b(?:your|first|last|full|middle|family|given) names?\b|\b(?:zip|postal|post|area|country|security) codes?\b|\b(?:phone|telephone|mobile|card|house) numbers?\b|\b(?:user|customer|member|client|account|login) (?:id|number|name|code)s?\b/g;
/** Verbs by which somebody is asked to say or choose something. */
const TELL =
  "reply|answer|provide|give|tell|share|send|specify|confirm|clarify|state|name|pick|choose|select|say|identify|indicate|point|supply|enter|verify";
export const TOLD = new RegExp(
  String.raw`(?:^|[,:;-] |\b(?:please|kindly|you|and|just|to|then|or) )(?:${TELL})\b|\blet (?:me|us) know\b|\bbe more specific\b|\b(?:may|can|could|might) (?:i|we) (?:have|get|ask)\b|\bdo you (?:have|know)\b`,
  "g",
);
export const NEED =
  /(?:^|\b(?:i|we)(?:'d|'ll| would| will)? (?:(?:just|also|first|still|do) ){0,2})(?:need|require|have to know|must know|want to know)\b/g;
/** An offer or a yes-or-no question about a deed is not a question for the row. */
const OFFER =
  /^(?:(?!which|what)\p{L}+[,!]? )?(?:do you want me to|would you like me to|should i|shall i|may i(?! (?:have|get|ask))|can i(?! (?:have|get|ask)))\b/u;
/** Words for the one that is meant. */
const CHOICE = /\b(?:it|this|that|these|those|ones?|mean|first|second|former|latter)\b|\d/;
/** "Which course should her brother take?": of somebody whom the request does not name. */
const OF_ANOTHER = /\b(?:should|would|will|does|do|did) (?:her|his|their|your) (\p{L}+) /u;

/** "I see several appointments": then which of anything tells one of them from the others. */
const SEVERAL =
  /\b(?:more than one|several|multiple|various|both|two|three|four|five|six|\d+|a few|a couple of) (?:[\p{L}-]+ ){0,3}?(\p{L}+)/gu;
/** "What is the plate of the van?" asks for what that one has. */
const OF_THAT_ONE =
  /^(?:is |are )?(?:the|its) (?!new\b)(?:[\p{L}-]+ ){1,3}of (?:the|your|that|this) (?:[\p{L}-]+ )?(\p{L}+)/u;

/** Words for what must be asked, as a reader of sentences compares them. */
function wordsFor(about: readonly string[]): ReadonlySet<string> {
  const heads = about.flatMap((name) => new Reading(name).words.map(({ text }) => singular(text)));
  return new Set(heads.flatMap(alike));
}

/** What a sentence asks: for the row, for something that these words do not settle, or for nothing. */
function asksFor(
  sentence: string,
  words: ReadonlySet<string>,
  several: boolean,
  request: string,
): "row" | "unclear" | undefined {
  const plain = (text: string) => singular(text.replace(/'s$/, ""));
  const speaks = (piece: string) =>
    new Reading(piece).words.some(({ text }) => words.has(plain(text))) ||
    new Reading(piece.replace(OF_A_PERSON, " ")).words.some(({ text }) => REFERENCE.includes(plain(text)));
  if (OFFER.test(sentence)) return undefined;
  let unclear = false;
  for (const match of sentence.matchAll(/\b(which|what(?:'s)?|whose|who(?:'s| is| are))\b/g)) {
    const after = sentence.slice(match.index + match[0].length).replace(/^[ ]/, "");
    const near = after.split(" ").slice(0, 5).join(" ");
    const another = OF_ANOTHER.exec(`${near} `)?.[1];
    if (another !== undefined && !words.has(another) && !request.includes(another)) continue;
    if (/\b(?:other|else|next)\b/.test(near) || /^is an? /.test(after)) continue;
    if (
      match[1] === "which" &&
      /^(?:[?.!,]|$|(?:one|ones|of|do|did|would|should|shall|can|could|needs|goes|is|are|was|to|and|so)\b)/.test(after)
    )
      return "row";
    if (speaks(near)) return "row";
    const owner = match[1]?.startsWith("what") ? OF_THAT_ONE.exec(after)?.[1] : undefined;
    if (owner !== undefined && words.has(plain(owner))) return "row";
    if (match[1] === "which" && several && sentence.includes("?")) return "row";
    if (match[1] === "which" && sentence.trimEnd().endsWith("?")) unclear = true;
  }
  for (const pattern of [TOLD, NEED])
    for (const match of sentence.matchAll(pattern)) {
      const after = sentence.slice(match.index + match[0].length);
      if (/^ (?:that|if|whether|you want)\b/.test(after)) continue;
      if (/\b(?:able|unable|allowed|permitted) ?$/.test(sentence.slice(0, match.index))) continue;
      if (/\bbe more specific$/.test(match[0]) || speaks(after) || /^ (?:one|which)\b/.test(after)) return "row";
    }
  if (/ (?:is|are) ?\?$/.test(sentence) && speaks(sentence)) return "row";
  if (sentence.trimEnd().endsWith("?") && / or (?!not\b)/.test(sentence) && (!unclear || / mean\b/.test(sentence))) {
    if (several || speaks(sentence) || CHOICE.test(sentence)) return "row";
    unclear = true;
  }
  return unclear ? "unclear" : undefined;
}

/** A question, or a word to say something, that no other interrogative turns to something else. */
function asksToChoose(sentence: string): boolean {
  if (/\b(?:why|how|when|where|who|what)\b|\breason\b/.test(sentence)) return false;
  if (OFFER.test(sentence) && !/\bor\b/.test(sentence)) return false;
  if (sentence.trimEnd().endsWith("?")) return true;
  return [TOLD, NEED].some((pattern) =>
    [...sentence.matchAll(pattern)].some(
      (match) => !/^ (?:that|if|whether)\b(?!.* or )/.test(sentence.slice(match.index + match[0].length)),
    ),
  );
}

/**
 * Some sentence that is no courtesy, no offer and not the request said back asks which row is meant: by a word for the
 * row, by what tells it from others, or by naming the choices. An answer that claims to have acted asks nothing.
 */
export function asks(
  about: readonly string[],
  answers: readonly string[],
  asked: Partial<AnswerContext> = {},
): Judgement {
  const request = asked.request ?? "";
  const echoed = new Reading(request).folded;
  const words = wordsFor(about);
  let unclear = false;
  for (const answer of answers) {
    const whole = new Reading(answer).folded;
    if (claimsSuccess(answer) || claimsDone(whole, { request, calls: asked.calls ?? [] }))
      return notMet("the answer claims that the change was made instead of asking");
    const several = [...whole.matchAll(SEVERAL)].some(([, noun = ""]) => words.has(singular(noun)));
    const candidates = rowsNamed(new Reading(answer), asked.calls ?? []);
    for (const part of answer.split(/(?<=[.!?])\s+|\n+/)) {
      const { folded } = new Reading(part);
      if (COURTESY.test(folded) || (folded.length > 12 && echoed.includes(folded))) continue;
      const found = asksFor(folded, words, several || candidates > 1, echoed);
      if (found === "row") return met("the answer asks which one is meant");
      if (candidates > 1 && asksToChoose(folded))
        return met("the answer names several that it read and asks to choose");
      unclear ||= found === "unclear";
    }
  }
  return unclear
    ? notDecided("the answer asks which, of something that the request does not leave open by name")
    : notMet("the answer does not ask for what is missing");
}
