/** A seeded sequence of numbers: the same seed gives the same sequence on every machine. */
export class Random {
  #state = 2166136261;

  constructor(seed: string) {
    for (const char of seed) this.#state = Math.imul(this.#state ^ (char.codePointAt(0) ?? 0), 16777619);
  }

  /** A number in [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  /** One of the list; throws a RangeError where it is empty. */
  pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new RangeError("Nothing to pick from: give a list with at least one entry.");
    return list[Math.floor(this.next() * list.length)] as T;
  }

  /** `n` different entries of the list, in a random order; all of them where it is shorter. */
  some<T>(list: readonly T[], n: number): T[] {
    const rest = [...list];
    const out: T[] = [];
    while (out.length < n && rest.length > 0) out.push(...rest.splice(Math.floor(this.next() * rest.length), 1));
    return out;
  }

  /** Lower-case hexadecimal digits. */
  hex(length: number): string {
    return Array.from({ length }, () => this.between(0, 15).toString(16)).join("");
  }
}
