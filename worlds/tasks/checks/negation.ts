const BREAK =
  /[.;:!?|]|,|\b(?:but|however|instead it|rather it|although|though)\b|\b(?:it|that|this) (?:is|was)\b(?! (?:not|no longer))/g;
const NEGATION =
  /\b(?:not(?! only)|no longer|never|neither|nor|without|isn't|wasn't|aren't|weren't|hasn't|haven't|hadn't|doesn't|don't|didn't|won't|can't|cannot|couldn't|shouldn't|wouldn't|rather than|instead of|no(?! (?:doubt|problem|worries|question)))\b/g;
const REACH = 6;

/**
 * Whether what starts at `start` in a folded text is denied there: a negation stands before it in the same clause,
 * at most six words away.
 */
export function isNegated(folded: string, start: number): boolean {
  const head = folded.slice(Math.max(0, start - 90), start);
  let from = 0;
  for (const match of head.matchAll(BREAK)) {
    const end = match.index + match[0].length;
    const decimal = match[0] === "." || match[0] === "," || match[0] === ":";
    if (decimal && /\d/.test(head[match.index - 1] ?? "") && /\d/.test(head[end] ?? "")) continue;
    from = end;
  }
  const clause = head.slice(from);
  let last = -1;
  for (const match of clause.matchAll(NEGATION)) last = match.index + match[0].length;
  if (last < 0) return false;
  return clause.slice(last).trim().split(/\s+/).filter(Boolean).length <= REACH;
}
