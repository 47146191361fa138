/** Of numbered examples those where something is so, a bit each. */
export type Bits = Int32Array;

/** Where a condition holds, and where it is not known to fail: one that nobody knows is in the second alone. */
export interface Holding {
  readonly yes: Bits;
  readonly maybe: Bits;
}

/** Room for so many examples, none of them set. */
export const noBits = (examples: number): Bits => new Int32Array((examples + 31) >>> 5);

/** Sets an example's bit. */
export function setBit(bits: Bits, at: number): void {
  bits[at >>> 5] = (bits[at >>> 5] as number) | (1 << (at & 31));
}

/** Whether an example's bit is set. */
export const hasBit = (bits: Bits, at: number): boolean => (((bits[at >>> 5] as number) >>> (at & 31)) & 1) === 1;

/** The examples that are in both. */
export const inBoth = (a: Bits, b: Bits): Bits => a.map((word, i) => word & (b[i] as number));

/** How often two conditions hold together among the wanted examples, among the others that count, and of how many of both nobody knows. */
export function together(a: Holding, b: Holding, wanted: Bits, others: Bits) {
  let [hits, misses, open] = [0, 0, 0];
  for (let i = 0; i < wanted.length; i++) {
    const yes = (a.yes[i] as number) & (b.yes[i] as number);
    const maybe = (a.maybe[i] as number) & (b.maybe[i] as number);
    const [want, other] = [wanted[i] as number, others[i] as number];
    hits += ones(yes & want);
    misses += ones(yes & other);
    open += ones(maybe & ~yes & (want | other));
  }
  return { hits, misses, open };
}

/** How many bits of a word are set. */
function ones(word: number): number {
  word -= (word >>> 1) & 0x55555555;
  word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
  return Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
