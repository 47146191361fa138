import { WRONG_COSTS } from "../../../confidence.ts";
import type { Json } from "../../../json.ts";
import { bits, length } from "./bits.ts";
import type { Expr } from "./expr.ts";

/** Wrong answers at which an expression that is mostly wrong is looked at no further. */
export const HOPELESS = 3;

/** How an expression stands against one example. */
export const UNTOLD = 0;
export const RIGHT = 1;
export const WRONG = 2;
export type Verdict = typeof UNTOLD | typeof RIGHT | typeof WRONG;

/** An expression that was found, with its mark at each example that it was judged by. */
export interface Found {
  readonly expr: Expr;
  readonly at: Int32Array;
  readonly marks: Uint8Array;
  readonly right: number;
  readonly wrong: number;
  /** Bits that the right answers spare. */
  readonly spared: number;
}

/** Some of the examples of a search, and the best expression for them so far. */
export class Level {
  /** Positions of the examples. */
  readonly at: Int32Array;
  /** Bits that each of them would cost without a rule: what its value costs to say, less where it repeats often. */
  readonly spare: Float64Array;
  /** The sum of these. */
  readonly all: number;
  best: Found | undefined;
  /** What the best is worth in bits: what its right answers spare, less the price of its wrong ones and its own length. */
  most = 0;
  private readonly named: string | undefined;
  private readonly marks: Uint8Array;
  private readonly first: number;
  private right = 0;
  private wrong = 0;
  private spared = 0;

  /** `targets` holds a number for each value of an example, equal for equal values. */
  constructor(at: Int32Array, targets: Int32Array, target: (i: number) => Json, named: string | undefined) {
    this.at = at;
    this.named = named;
    this.marks = new Uint8Array(at.length);
    const counts = new Map<number, number>();
    for (const i of at) counts.set(targets[i] as number, (counts.get(targets[i] as number) ?? 0) + 1);
    let common = targets[at[0] as number] as number;
    for (const [id, n] of counts) if (n > (counts.get(common) as number)) common = id;
    this.first = at.find((i) => targets[i] === common) as number;
    const costs = new Map<number, number>();
    this.spare = Float64Array.from(at, (i) => {
      const id = targets[i] as number;
      let cost = costs.get(id);
      if (cost === undefined) {
        const n = counts.get(id) as number;
        cost = Math.max(Math.log2(at.length / n), (bits(target(i)) + 1) / n, 0.25);
        costs.set(id, cost);
      }
      return cost;
    });
    this.all = this.spare.reduce((sum, n) => sum + n, 0);
  }

  /** The first example of the most frequent value. */
  mostCommon(): number {
    return this.first;
  }

  /** Whether the best is right about every example. */
  whole(): boolean {
    return this.best !== undefined && this.best.wrong === 0 && this.best.right === this.at.length;
  }

  /** Whether an expression of so many bits may be worth more than the best: it spares no more than there is. */
  allows(bits: number): boolean {
    return this.all - bits > this.most;
  }

  /** Right and wrong answers; where wrong ones prevail, of the first examples alone. */
  tally(mark: (i: number) => Verdict): { readonly right: number; readonly wrong: number } {
    const { at, spare, marks } = this;
    let right = 0;
    let wrong = 0;
    let spared = 0;
    for (let k = 0; k < at.length; k++) {
      const is = mark(at[k] as number);
      marks[k] = is;
      if (is === RIGHT) {
        right++;
        spared += spare[k] as number;
      } else if (is === WRONG && ++wrong >= HOPELESS && wrong * WRONG_COSTS > right) break;
    }
    this.spared = spared;
    this.right = right;
    this.wrong = wrong;
    return { right, wrong };
  }

  /** Keeps an expression where it is worth more than the best before. */
  consider(make: () => Expr, mark: (i: number) => Verdict): void {
    this.tally(mark);
    const { right, wrong, spared } = this;
    const worth = spared - WRONG_COSTS * 4 * wrong;
    if (right === 0 || right < WRONG_COSTS * wrong || worth <= this.most) return;
    const expr = make();
    const left = worth - length(expr, this.named);
    if (left <= this.most) return;
    this.most = left;
    this.best = { expr, at: this.at, marks: this.marks.slice(), right, wrong, spared };
  }
}
