/** Words that say nothing about what is wanted. */
const EMPTY = new Set(
  "a about an and any anything are as at be been but by can could did currently do does ever exist far for from get give had has have here how i if in into is it its know let lately like long many may me mine moment month much might must my need of often on one or our please shall should show so some something tell than that the their them then there these they this those to today us want was we were what whats when where which who whom will with would you your".split(
    " ",
  ),
);

/** The words of a text that may tell what it is about, each as its stem, in order. */
export function stems(text: string): string[] {
  return contentWords(text).map(stem);
}

/** Those words as they stand there, in lower case. */
export function contentWords(text: string): string[] {
  return (text.toLowerCase().match(/[a-z0-9]+/g) ?? []).filter((word) => !EMPTY.has(word) && !/^[b-z]$/.test(word));
}

/** A word without its English ending, so that `comparing`, `compares` and `compared` are one. */
export function stem(word: string): string {
  // As in Porter's list of exceptions: news are not several new.
  if (word.length < 4 || /\d/.test(word) || word === "news") return word;
  const singular = word.endsWith("ies")
    ? `${word.slice(0, -3)}y`
    : word.replace(/(ss|sh|ch|x|z)es$/, "$1").replace(/([^su])s$/, "$1");
  const bare = singular.replace(/(?<=[aeiouy].*)(ations?|ating|ated?|ings?|ed|ions?|ments?|ly|ness|ity|ful)$/, "");
  const shorter = bare.length >= 3 ? bare : singular;
  return shorter.replace(/([b-df-hj-kmnp-rtv-z])\1$/, "$1").replace(/(?<=..)[ey]$/, "");
}
