export type Vector = ReadonlyMap<string, number>;

/** How many letters stand in a run: enough for most of a word's stem. */
const RUN = 4;

/** How like known vectors a vector is: the cosine with each, found over what they have in common alone. */
export class Likeness {
  /** By feature, the places of those that have it and how much it weighs in each. */
  readonly #having: ReadonlyMap<string, { readonly at: readonly number[]; readonly weights: readonly number[] }>;
  readonly #size: number;

  /** The vectors have to be of length one. */
  constructor(known: readonly Vector[]) {
    this.#size = known.length;
    const having = new Map<string, { at: number[]; weights: number[] }>();
    for (const [at, vector] of known.entries())
      for (const [feature, weight] of vector) {
        const found = having.get(feature) ?? { at: [], weights: [] };
        having.set(feature, found);
        found.at.push(at);
        found.weights.push(weight);
      }
    this.#having = having;
  }

  /** How like a vector of length one each known one is, in their order. */
  with(vector: Vector): Float64Array {
    const like = new Float64Array(this.#size);
    for (const [feature, weighs] of vector) {
      const { at, weights } = this.#having.get(feature) ?? { at: [], weights: [] };
      for (let i = 0; i < at.length; i++) like[at[i]!]! += weighs * weights[i]!;
    }
    return like;
  }
}

/** Texts by their runs of letters, which endings, slips and words of one family share; rare runs count more. */
export class Letters {
  readonly #rarity = new Map<string, number>();
  readonly #rarest: number;
  readonly #likeness: Likeness;

  constructor(texts: readonly string[]) {
    const all = texts.map(runs);
    for (const of of all) for (const run of of) this.#rarity.set(run, (this.#rarity.get(run) ?? 0) + 1);
    this.#rarest = Math.log(1 + texts.length);
    for (const [run, n] of this.#rarity) this.#rarity.set(run, this.#rarest - Math.log(1 + n));
    this.#likeness = new Likeness(all.map((of) => this.#vector(of)));
  }

  /** How like a text each known one is, 0 to 1, in their order. */
  with(text: string): Float64Array {
    return this.#likeness.with(this.#vector(runs(text)));
  }

  #vector(of: readonly string[]): Vector {
    return unit(new Map(of.map((run) => [run, this.#rarity.get(run) ?? this.#rarest])));
  }
}

/** A vector of length one. */
export function unit(vector: Vector): Vector {
  const length = Math.hypot(...vector.values()) || 1;
  return new Map([...vector].map(([feature, weight]) => [feature, weight / length]));
}

function runs(text: string): string[] {
  const plain = ` ${
    text
      .toLowerCase()
      .match(/[a-z0-9]+/g)
      ?.join(" ") ?? ""
  } `;
  return [
    ...new Set(Array.from({ length: Math.max(0, plain.length - RUN + 1) }, (_, at) => plain.slice(at, at + RUN))),
  ];
}
