/** One word or number of a text, with where it stood. */
export interface Token {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const MARKS = /\p{M}+/gu;
const ASCII = /^[\t-\r -~]*$/;

const SHORT = 64;
const MOST_KEPT = 20_000;

/** A function of a text that keeps what it gave for short ones: values and names are asked for again and again, whole answers hardly. */
export function keeping<T extends {}>(make: (text: string) => T): (text: string) => T {
  const kept = new Map<string, T>();
  return (text) => {
    if (text.length > SHORT) return make(text);
    let found = kept.get(text);
    if (found === undefined) {
      found = make(text);
      if (kept.size > MOST_KEPT) kept.clear();
      kept.set(text, found);
    }
    return found;
  };
}

/** Case, width, accents, quotes and blanks made equal; length may change. */
export const fold = keeping((text) => {
  // Most texts: all else that follows leaves them as they are.
  if (ASCII.test(text)) return text.toLowerCase().replaceAll("`", "'").replace(/\s+/g, " ").trim();
  return text
    .normalize("NFKC")
    .normalize("NFD")
    .replace(MARKS, "")
    .toLowerCase()
    .replace(/[\u2018\u2019\u02bc\u201b`\u00b4]/g, "'")
    .replace(/[\u201c\u201d\u201e]/g, '"')
    .replace(/\u2212\s?(?=[\d$\u20ac\u00a3\u00a5])/g, "-")
    .replace(/[\u2014\u2015]/g, " - ")
    .replace(/[\u2010-\u2013\u2212]/g, "-")
    .replace(/\s+/g, " ")
    .trim();
});

/** Runs of letters and digits, an apostrophe within a word kept; signs and punctuation only separate. */
export function tokens(folded: string): Token[] {
  const found: Token[] = [];
  for (const match of folded.matchAll(/[\p{L}\p{N}]+(?:'[\p{L}]+)*/gu)) {
    found.push({ text: match[0], start: match.index, end: match.index + match[0].length });
  }
  return found;
}

/** Where the words of `needle` stand one after another in `words`: indices of the first word. */
export function occurrences(words: readonly Token[], needle: readonly string[]): number[] {
  const at: number[] = [];
  if (needle.length === 0) return at;
  for (let i = 0; i + needle.length <= words.length; i += 1) {
    let same = true;
    for (let j = 0; j < needle.length; j += 1) {
      if (words[i + j]?.text !== needle[j]) {
        same = false;
        break;
      }
    }
    if (same) at.push(i);
  }
  return at;
}

/** `order_id`, `orderId` and `order-id` as the words a person would read. */
export const humanize = keeping((name) =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z]{2})/g, "$1 $2")
    .replace(/[_\-.]+/g, " ")
    .replace(/\s+/g, " ")
    .trim()
    .toLowerCase(),
);

/** English singular of one word by its ending; words that only look plural stay. */
export function singular(word: string): string {
  if (word.length < 4 || /(ss|us|is|news)$/.test(word)) return word;
  if (/ies$/.test(word)) return `${word.slice(0, -3)}y`;
  if (/(ch|sh|x|ss|z)es$/.test(word)) return word.slice(0, -2);
  return word.endsWith("s") ? word.slice(0, -1) : word;
}

/** English plural of one word by its ending. */
export function plural(word: string): string {
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  if (/(ch|sh|x|ss|z)$/.test(word)) return `${word}es`;
  return word.endsWith("s") ? word : `${word}s`;
}

/** The singular words of a name: what two names are compared by. */
export const stems = keeping((name): readonly string[] => humanize(name).split(" ").filter(Boolean).map(singular));
