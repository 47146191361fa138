/** A seeded generator: the same seed gives the same draws on every machine. Not for secrets. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A number in [0, 1) with 32 bits of resolution. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  /** An integer from `low` to `high`, both included. */
  int(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  /** One of the items; throws on an empty list. */
  pick<T>(items: readonly T[]): T {
    const item = items[this.int(0, items.length - 1)];
    if (item === undefined) throw new Error("nothing to pick from");
    return item;
  }

  /** The items in a drawn order; the list given is left as it is. */
  shuffle<T>(items: readonly T[]): T[] {
    const kept = [...items];
    for (let i = kept.length - 1; i > 0; i--) {
      const j = this.int(0, i);
      const swap = kept[i] as T;
      kept[i] = kept[j] as T;
      kept[j] = swap;
    }
    return kept;
  }
}
