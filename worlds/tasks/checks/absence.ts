import { type DateInText, datesInText, saysDay } from "./dates.ts";
import { Reading } from "./facts.ts";
import {
  type AnswerContext,
  participles as participlesOf,
  speaksOf,
  type Vocabulary,
  vocabularyOf,
} from "./request-words.ts";
import { singular } from "./words.ts";

const CLAUSE =
  /[.!?](?=\s|$|["')])|[;|]|[:,](?!\d)| - |\b(?:but|however|because|since|so|although|though|while|whereas)\b/g;
/** What ends the noun that an absence is said of: "no limit | on travel". */
const HEAD_END =
  /\b(?:on|of|for|with|by|in|at|from|to|that|which|who|under|between|above|below|is|are|was|were|has|have)\b/;
/** Verbs of being there and of finding. */
const EXIST =
  "exist\\w*|valid|known|be|found|find|finding|see|seeing|locate|located|have|has|hold|holds|contain\\w*|match\\w*|identify|show\\w* (?:up|any)|com(?:e|es|ing) up|turn\\w* up|appear\\w*|list|listed|return\\w*|record\\w*|there|created|know";
const NOT = "(?:not|n't|never|cannot|unable to|without|failed to|fail to)";
/** Who cannot list or see has not looked, unless it is "any": that is a refusal. */
const UNABLE =
  /\b(?:can ?not|can't|could not|couldn't|unable to|not able to|not allowed to|may not)\b(?: [\p{L}']+){0,2}? (?:see|list|listed|show|return|have|hold|be|record|know)$/u;
/** Rights are no data. */
const RIGHTS = /^ (?:any |the )?(?:access|permissions?|rights?|authori[sz]ation)\b/;
const NO_VERB = new RegExp(`(?:\\b${NOT.replace("n't|", "")}|n't)\\b(?: [\\p{L}']+){0,4}? (?:${EXIST})\\b`, "gu");
const NO_THING = /\b(?:no|zero|0|not (?:a|any|one)(?: single)?)\b(?! (?:longer|doubt|problem|worries|matter))/g;
const NOTHING =
  /\b(?:none|nothing|nobody|nowhere)\b(?! (?:else|more|other|further|wrong|to |(?:has|have|had) (?!been)\p{L}+ed|(?:was|were|is|has been|have been) \p{L}+(?:ed|de|nt)\b))/gu;
const GONE = /\b(?:empty|blank|missing|unknown|non-?existent|nonexistent)\b/g;
/** "Nothing is planned": how things stand, not what somebody did with them. */
const NOTHING_STANDS =
  /\bnothing(?:'s| is| was| has been) (?:currently |yet )?(?:scheduled|planned|listed|recorded|registered|logged|entered|stored|saved|noted|due)\b|\b(?:nothing|nobody|no one|none) (?:has|have) (?:yet )?(?:arrived|come|turned up|shown up|appeared)\b/;
/** Of several, another: "no later one" says that there is one. */
const COMPARED =
  /^ (?:later|earlier|sooner|cheaper|better|faster|newer|older|larger|smaller|bigger|longer|shorter|lower|higher)\b/;
const ISNT =
  /\bthere(?:'s| is| are| was| were)(?: not|n't)|\bthere (?:has|have|had)(?: not|n't) been\b|\b(?:is|are|was|were)(?: not|n't) (?:any|one|there|in|on|under)\b/g;
/** A negation, and the verb that it denies: "hasn't been booked", "nobody has commented", "didn't write". */
const DENIED =
  /(?:n't|\b(?:not|never|nobody|no one|nothing|none(?: of (?:them|these|those))?))(?: (?:has|have|had|is|are|was|were|been|ever|yet))* (\p{L}+)\b/gu;
const DID_NOT = /\b(?:does|do|did)(?: not|n't) (\p{L}+)\b/gu;
/** "free of meetings", "without comments", "any comments" after a negation. */
const LACKING = /(?:\b(?:free of|without)(?: any)?|(?:\b(?:not|never)|(?<!ca)n't)\b[^.]{0,24} any) (\p{L}+)/gu;
/** What a search gives. */
const FINDS = /^(?:results?|hits?|matches)$/;
const ANYTHING = /(?:\b(?:not|never)|(?<!ca)n't)\b(?: \p{L}+){0,3} anything\b/u;
/** "No order was placed" tells of a deed. */
const NO_DEED = /\b(?:no|not any) (?:\p{L}+ ){1,2}(?:was|were|has been|have been) (\p{L}+)\b/gu;
const CHANGE_VERB = /^(?:placed|made|changed|booked|sent|created|cancell?ed|updated|issued)$/;
const ZERO = /\b(?:is|are|was|were|at|comes to|of) (?:zero|0|none)$/;
const OTHERS = /^ ?(?:but|except|besides|other|others|else|further|more|additional|extra)\b/;

/** The clauses of a folded text. */
function clauses(folded: string): string[] {
  return folded
    .replace(/\b(?:nothing|none|nobody|no one) (?:but|except|besides) /g, "only ")
    .split(CLAUSE)
    .map((piece) => piece.trim())
    .filter((piece) => piece !== "");
}

function head(after: string): string {
  const end = after.search(HEAD_END);
  return end < 0 ? after : after.slice(0, end);
}

/** Whether a denied verb is the one that was asked about, in whatever form. */
function deniesRequest(verb: string, { words, participles }: Vocabulary): boolean {
  if (participles.has(verb)) return true;
  if (!/(?:ed|en|ing)$/.test(verb)) return false;
  const bare = (word: string) => word.length > 2 && verb.startsWith(word.replace(/e$/, "")) && verb.endsWith("ing");
  return words.has(verb) || [...words].some((word) => participlesOf(word).includes(verb) || bare(word));
}

/** Whether a text holds a word of what was asked and done, pronouns aside. */
export function namesRequest(text: string, { words }: Vocabulary): boolean {
  return new Reading(text).words.some((word) => words.has(singular(word.text)));
}

/** Whether a clause denies what was asked about, or any of its things. */
function deniesAny(clause: string, vocabulary: Vocabulary): boolean {
  if (ANYTHING.test(clause)) return true;
  for (const [, verb = ""] of clause.matchAll(DENIED)) if (deniesRequest(verb, vocabulary)) return true;
  for (const [, verb = ""] of clause.matchAll(DID_NOT)) if (vocabulary.words.has(verb)) return true;
  for (const [, thing = ""] of clause.matchAll(LACKING))
    if (vocabulary.words.has(singular(thing)) || FINDS.test(thing)) return true;
  return false;
}

/** Whether a clause says that what was asked for is not there; where `deeds` were asked for, that one was not done says nothing of it. */
function absentIn(clause: string, vocabulary: Vocabulary, deeds: boolean): boolean {
  const about = (piece: string) => speaksOf(piece, vocabulary);
  if (/^(?:no|nope|zero|0|none|nothing)(?: (?:sorry|available|there))?$/.test(clause))
    return !/^no(?:pe)?$/.test(clause);
  if (/^not (?:one|any)(?: single one)?(?: of (?:them|these|those))?$/.test(clause)) return true;
  if (/^there(?:'s| is| are| was| were)(?: not|n't)(?: any| one)?$/.test(clause)) return true;
  if (ZERO.test(clause) && about(clause)) return true;
  if (!deeds && (deniesAny(clause, vocabulary) || NOTHING_STANDS.test(clause))) return true;
  for (const match of clause.matchAll(NO_THING)) {
    const after = clause.slice(match.index + match[0].length);
    // "Sunday is not a delivery day" says why something is not done.
    if (deeds && match[0].startsWith("not a")) continue;
    const compared = COMPARED.exec(after)?.[0].trim();
    if (compared !== undefined && !vocabulary.words.has(compared)) continue;
    if (!OTHERS.test(after) && about(head(after))) return true;
  }
  for (const match of clause.matchAll(NOTHING)) {
    const after = clause.slice(match.index + match[0].length);
    const they = /^ of (?:them|these|those)\b(.*)$/.exec(after)?.[1];
    if (they !== undefined && !namesRequest(they, vocabulary)) continue;
    if (/^ (?:that )?(?:i|we) (?:may|can|could|will|am|are)\b/.test(after)) continue;
    if (!OTHERS.test(after) && !/^(?: of them)? (?:(?:is|are) )?(?:full|sold|taken|booked|occupied)/.test(after))
      return true;
  }
  for (const match of clause.matchAll(NO_VERB)) {
    const after = clause.slice(match.index + match[0].length);
    if (
      RIGHTS.test(after) ||
      (UNABLE.test(clause.slice(0, match.index + match[0].length)) &&
        !/^(?: (?:found|located|identified)\b|(?: \p{L}+)? any\b)/u.test(after))
    )
      continue;
    if (about(clause)) return true;
  }
  for (const _ of clause.matchAll(ISNT)) if (about(clause)) return true;
  return clause.search(GONE) >= 0 && (about(clause) || /\b(?:search|list|lookup|folder|nothing)\b/.test(clause));
}

/** Tokens that only data holds: ids, times, amounts. */
const FIGURE = /(?<![\p{L}\p{N}])(?:#?(?=[\p{L}\p{N}_-]*\d)[\p{L}\p{N}_-]{3,}|\d{1,2}:\d\d|[$\u20ac\u00a3]\s?\d+)/gu;

/** A figure of an answer that neither the request nor a result holds. Days are not figures. */
function madeUp(folded: string, { known }: Vocabulary): string | undefined {
  const days = datesInText(folded);
  for (const match of folded.matchAll(FIGURE)) {
    const plain = match[0].replace(/^#/, "");
    const day = /^(?:\d{1,2}(?:st|nd|rd|th)|(?:19|20)\d\d)$/.test(plain);
    if (known.includes(plain) || day || days.some(({ start, end }) => start <= match.index && match.index < end))
      continue;
    return match[0];
  }
  return unknownDay(folded, known, days);
}

/** A day that a sentence tells which denies nothing and looks for nothing: neither the request nor a result holds it. */
function unknownDay(folded: string, known: string, days: readonly DateInText[]): string | undefined {
  const held = datesInText(known);
  const sentences = folded.split(/(?<=[.!?]) /);
  let from = 0;
  for (const sentence of sentences) {
    const to = from + sentence.length;
    const plain = !DENIES.test(sentence) && !LOOKS.test(sentence);
    for (const day of days)
      if (plain && day.start >= from && day.end <= to && !held.some((one) => saysDay(day, one)))
        return folded.slice(day.start, day.end);
    from = to + 1;
  }
  return undefined;
}
const DENIES = /\b(?:not?|none|nothing|nobody|never|without|neither|zero|0|empty|unable|cannot|fail(?:ed|s)?)\b|n't\b/;
const LOOKS = /\b(?:search|check|look|as of|today|until|result|quer|filter|between)/;

/** Whether a folded text says that what was asked (a deed where `deeds`) is not there, and tells nothing of it beyond what was read. */
export function saysAbsent(
  folded: string,
  answerContext: AnswerContext,
  deeds = false,
): { absent: boolean; told?: string } {
  const vocabulary = vocabularyOf(answerContext);
  const told = madeUp(folded, vocabulary);
  const undone = (all: string, verb: string) =>
    CHANGE_VERB.test(verb) || vocabulary.participles.has(verb) ? " " : all;
  const read = deeds ? folded.replace(NO_DEED, undone) : folded;
  const absent = clauses(read).some((clause) => absentIn(clause, vocabulary, deeds));
  return { absent, ...(told === undefined ? {} : { told }) };
}
