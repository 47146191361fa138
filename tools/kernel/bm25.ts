/** The words of a text, each with how much it counts there. */
export type Words = ReadonlyMap<string, number>;

/** BM25's own two settings, as they are usually taken. */
const K = 1.2;
const B = 0.5;

/** Ranks texts by the words of a query: what few texts have weighs more, what a long text has weighs less. */
export class Bm25 {
  readonly #texts: readonly { readonly words: Words; readonly length: number }[];
  readonly #among = new Map<string, number>();
  readonly #length: number;

  constructor(texts: readonly Words[]) {
    this.#texts = texts.map((words) => ({ words, length: [...words.values()].reduce((a, b) => a + b, 0) }));
    for (const words of texts) for (const word of words.keys()) this.#among.set(word, (this.#among.get(word) ?? 0) + 1);
    this.#length = this.#texts.reduce((sum, { length }) => sum + length, 0) / Math.max(1, texts.length);
  }

  /** What a word weighs: one that no text has more than any that one has. */
  rarity(word: string): number {
    const n = this.#among.get(word) ?? 0;
    return Math.log(1 + (this.#texts.length - n + 0.5) / (n + 0.5));
  }

  /** How well the text at a place fits the words of a query. */
  score(at: number, query: Words): number {
    const { words, length } = this.#texts[at]!;
    const norm = K * (1 - B + (B * length) / this.#length);
    let score = 0;
    for (const [word, weight] of query) {
      const n = words.get(word) ?? 0;
      if (n > 0) score += (weight * this.rarity(word) * n * (K + 1)) / (n + norm);
    }
    return score;
  }

  /** How much of what the words of a query weigh the text at a place has, times the share that it has of them. */
  nearness(at: number, query: Words): number {
    const { words } = this.#texts[at]!;
    const weight = (among: readonly string[]) => among.reduce((sum, word) => sum + this.rarity(word), 0);
    const asked = [...query.keys()];
    return weight(asked.filter((word) => words.has(word))) ** 2 / weight(asked);
  }
}
