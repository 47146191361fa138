import { stem } from "../../chapters/text/stems.ts";

/** A word of fewer letters is taken as it stands: too many words are like it. */
const SHORTEST = 4;
/** From this length on one letter may be wrong, and from the second on two. */
const LONG = [6, 11] as const;

/** Words that are known, by which others are corrected that are likely theirs with a slip of the keys. */
export class Spelling {
  readonly #stems: ReadonlySet<string>;
  readonly #byFirst = new Map<string, string[]>();

  constructor(known: ReadonlySet<string>) {
    this.#stems = new Set([...known].map(stem));
    for (const word of known)
      if (word.length >= SHORTEST && /^[a-z]+$/.test(word)) {
        const first = word[0]!;
        this.#byFirst.set(first, [...(this.#byFirst.get(first) ?? []), word]);
      }
  }

  /** The known word that is meant, the word itself where none is near enough. */
  meant(word: string): string {
    if (word.length < SHORTEST || this.#stems.has(stem(word)) || !/^[a-z]+$/.test(word)) return word;
    const most = LONG.filter((length) => word.length >= length).length;
    let [best, slips] = [word, Math.max(1, most) + 1];
    for (const known of this.#byFirst.get(word[0]!) ?? []) {
      if (Math.abs(known.length - word.length) >= slips) continue;
      const n = slipsBetween(word, known);
      if (n < slips && (n <= most || isSwapOrGap(word, known))) [best, slips] = [known, n];
    }
    return best;
  }
}

/** Whether a short word is the known one with two letters swapped, or without one between the first and the last. */
function isSwapOrGap(word: string, known: string): boolean {
  if (word.at(-1) !== known.at(-1) && word.at(-2) !== known.at(-1)) return false;
  if (known.length === word.length) return [...word].sort().join() === [...known].sort().join();
  return known.length > word.length && (word.length === SHORTEST || known.replace(/(.)\1/g, "$1") === word);
}

/** How many letters are to be put in, left out, replaced or swapped with the next to make one word of another. */
function slipsBetween(a: string, b: string): number {
  let [before, last]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      row[j] = Math.min(row[j - 1]! + 1, last[j]! + 1, last[j - 1]! + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        row[j] = Math.min(row[j]!, before[j - 2]! + 1);
    }
    [before, last] = [last, row];
  }
  return last[b.length]!;
}
