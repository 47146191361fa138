import { isNegated } from "./negation.ts";
import { type AnswerContext, vocabularyOf } from "./request-words.ts";

/** Verbs of change, in the past: what an agent says when it has done something. */
const CHANGED =
  "cancell?ed|updated|changed|modified|exchanged|returned|booked|refunded|removed|added|deleted|created|placed|submitted|processed|completed|made|set|switched|moved|transferred|upgraded|approved|reserved|charged|accepted|sent|closed|applied|credited|raised";
const FIRST_PERSON =
  /(?<!\b(?:should|shall|can|may|could|would|do|did) )\b(?:i|we)(?:'ve| have)? (?:(?:now|just|already|also|successfully|gone|ahead|and|went) ){0,4}(\p{L}+)\b/gu;
const AND_THEN = /\b(?:i|we) \p{L}+(?:ed|t) [^.!?;]{0,60}? and (\p{L}+)\b/gu;
const PASSIVE = /\b(?:is|are|was|were|been)(?: now| already| all)? (\p{L}+)\b/gu;
const BARE = /(?:^|[.!?;:] |, )(\p{L}+)\b/gu;
const CHANGE = new RegExp(`^(?:${CHANGED})$`);
const STATE_NOW = /\b(?:is|are|you're) (?:now|all set)\b(?! (?:not|un|closed for))/;
const FINISHED = /(?:^|[.!] )(?:all )?(?:done|all set)(?=[.:!,]|$)/;

/**
 * Whether a folded text says that what was asked has been done: by a verb of the request in the past, by a verb of
 * change said of the speaker, or as a state that holds now. "It has already been delivered" is no such claim unless delivering was asked.
 */
export function claimsDone(folded: string, answerContext: AnswerContext): boolean {
  if (FINISHED.test(folded)) return true;
  const { participles } = vocabularyOf(answerContext);
  const wanted = (word: string) => participles.has(word);
  const free = (match: RegExpMatchArray) =>
    !/^ (?:nothing|no (?!longer)|none)\b/.test(folded.slice((match.index ?? 0) + match[0].length)) &&
    !isNegated(folded, (match.index ?? 0) + match[0].length - (match[1]?.length ?? 0)) &&
    !/\b(?:nothing|none|nobody)(?: \p{L}+)?$/u.test(folded.slice(0, match.index).trimEnd());
  const some = (pattern: RegExp, fits: (word: string) => boolean) =>
    [...folded.matchAll(pattern)].some((match) => fits(match[1] ?? "") && free(match));
  return (
    some(FIRST_PERSON, (word) => wanted(word) || CHANGE.test(word)) ||
    some(AND_THEN, (word) => wanted(word) || CHANGE.test(word)) ||
    some(PASSIVE, (word) => wanted(word) || /^(?:made|accepted|charged|completed|processed)$/.test(word)) ||
    some(BARE, wanted) ||
    STATE_NOW.test(folded)
  );
}
