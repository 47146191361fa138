import { type Asked, speaksOf, type Vocabulary, vocabularyOf } from "./asked.ts";
import { saidDates } from "./dates.ts";

const CLAUSE =
  /[.!?](?=\s|$|["')])|[;|]|[:,](?!\d)| - |\b(?:but|however|because|since|so|although|though|while|whereas)\b/g;
/** What ends the noun that an absence is said of: "no limit | on travel". */
const HEAD_END =
  /\b(?:on|of|for|with|by|in|at|from|to|that|which|who|under|between|above|below|is|are|was|were|has|have)\b/;
/** Verbs of being there and of finding. */
const EXIST =
  "exist\\w*|be|found|find|finding|see|seeing|locate|located|have|has|hold|holds|contain\\w*|match\\w*|identify|show\\w* (?:up|any)|com(?:e|es|ing) up|turn\\w* up|appear\\w*|list|listed|return\\w*|record\\w*|there|created|know";
const NOT = "(?:not|n't|never|cannot|unable to|without|failed to|fail to)";
const NO_VERB = new RegExp(`(?:\\b${NOT.replace("n't|", "")}|n't)\\b(?: [\\p{L}']+){0,4}? (?:${EXIST})\\b`, "gu");
const NO_THING = /\b(?:no|zero|0|not (?:a|any|one)(?: single)?)\b(?! (?:longer|doubt|problem|worries|matter))/g;
const NOTHING =
  /\b(?:none|nothing|nobody|nowhere)\b(?! (?:else|more|other|further|wrong|to |(?:has|have|had) (?!been)\p{L}+ed|(?:was|were|is|has been|have been) \p{L}+(?:ed|de|nt)\b))/gu;
const GONE = /\b(?:empty|missing|unknown|non-?existent|nonexistent)\b/g;
const ISNT =
  /\bthere(?:'s| is| are| was| were)(?: not|n't)|\b(?:is|are|was|were)(?: not|n't) (?:any|one|there|in|on|under)\b/g;
const OTHERS = /^ ?(?:other|others|else|further|more|additional|extra)\b/;

/** The clauses of a folded text. */
function clauses(folded: string): string[] {
  return folded
    .split(CLAUSE)
    .map((piece) => piece.trim())
    .filter((piece) => piece !== "");
}

function head(after: string): string {
  const end = after.search(HEAD_END);
  return end < 0 ? after : after.slice(0, end);
}

/** Whether a clause says that what was asked for is not there. */
function absentIn(clause: string, vocabulary: Vocabulary): boolean {
  const about = (piece: string) => speaksOf(piece, vocabulary);
  if (/^(?:no|nope|zero|0|none|nothing)(?: (?:sorry|available|there))?$/.test(clause))
    return !/^no(?:pe)?$/.test(clause);
  for (const match of clause.matchAll(NO_THING)) {
    const after = clause.slice(match.index + match[0].length);
    if (!OTHERS.test(after) && about(head(after))) return true;
  }
  for (const match of clause.matchAll(NOTHING)) {
    const after = clause.slice(match.index + match[0].length);
    if (!OTHERS.test(after) && !/^(?: of them)? (?:full|sold)/.test(after)) return true;
  }
  for (const pattern of [NO_VERB, ISNT]) for (const _ of clause.matchAll(pattern)) if (about(clause)) return true;
  return clause.search(GONE) >= 0 && (about(clause) || /\b(?:search|list|lookup|folder|nothing)\b/.test(clause));
}

/** Tokens that only data holds: ids, times, amounts. */
const FIGURE = /(?<![\p{L}\p{N}])(?:#?(?=[\p{L}\p{N}_-]*\d)[\p{L}\p{N}_-]{3,}|\d{1,2}:\d\d|[$\u20ac\u00a3]\s?\d+)/gu;

/** A figure that an answer holds and nothing asked or read does: made up, or taken from elsewhere. Days are told in many ways and are none. */
function madeUp(folded: string, { known }: Vocabulary): string | undefined {
  const days = saidDates(folded);
  for (const match of folded.matchAll(FIGURE)) {
    const plain = match[0].replace(/^#/, "");
    const day = /^(?:\d{1,2}(?:st|nd|rd|th)|(?:19|20)\d\d)$/.test(plain);
    if (known.includes(plain) || day || days.some(({ start, end }) => start <= match.index && match.index < end))
      continue;
    return match[0];
  }
  return undefined;
}

/** Whether a folded text says that what was asked for is not there, and tells nothing of it that nobody asked or read. */
export function saysAbsent(folded: string, asked: Asked): { absent: boolean; told?: string } {
  const vocabulary = vocabularyOf(asked);
  const absent = clauses(folded).some((clause) => absentIn(clause, vocabulary));
  const told = madeUp(folded, vocabulary);
  return { absent, ...(told === undefined ? {} : { told }) };
}
