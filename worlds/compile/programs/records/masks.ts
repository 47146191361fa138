import { getOwn } from "../../../json.ts";
import type { Call } from "../../observations.ts";
import { canon } from "../../values.ts";
import { type Expr, evaluate, type Facts, type Row, UNKNOWN, type Value } from "../expressions/expr.ts";

/** Rows as bits, in the order of the table. */
export type Mask = Int32Array;

/** A call with the rows that there were, and the keys of those that it listed. */
interface Listed {
  readonly call: Call;
  readonly before: Facts;
  readonly rows: readonly (readonly [key: string, row: Row])[];
  readonly shown: readonly string[];
}

/** Of which rows a test holds, and of which that is not known. */
interface Tested {
  readonly yes: Mask;
  readonly unsure: Mask;
  /** It is known of every row. */
  readonly sure: boolean;
}

const WORD = 32;

export const bits = (n: number): Mask => new Int32Array(Math.ceil(n / WORD));

/** How many bits are set. */
export function count(mask: Mask): number {
  let n = 0;
  for (let i = 0; i < mask.length; i++) {
    let word = mask[i] as number;
    word -= (word >>> 1) & 0x55555555;
    word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
    n += Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return n;
}

/** Tests of the rows of examples by one argument each, put once for all examples that have the same rows and give the same value. */
export class Masks {
  private readonly known = new Map<Expr, Map<string, Tested>>();
  private readonly states = new Map<unknown, number>();
  private readonly ids: readonly number[];
  private readonly examples: readonly Listed[];
  /** By argument, the value of each example, as text. */
  private readonly values = new Map<string, string[]>();
  /** Values of tests by the argument's value and the row: a row stays the same object until it changes. */
  private readonly rows = new Map<Expr, Map<string, Map<Row, Value>>>();

  constructor(examples: readonly Listed[], table: string) {
    this.examples = examples;
    this.ids = examples.map(({ before }) => {
      const rows = before.tables.get(table)?.rows;
      const id = this.states.get(rows) ?? this.states.size;
      this.states.set(rows, id);
      return id;
    });
  }

  /** The rows of an example that meet a test by an argument; undefined where that of one is not known. */
  passing(expr: Expr, name: string, i: number): Mask | undefined {
    const { yes, sure } = this.tested(expr, name, i);
    return sure ? yes : undefined;
  }

  /** The rows that an example shows, and how many it shows that are none of its rows. */
  shown(i: number): { readonly mask: Mask; readonly size: number } {
    const { rows, shown } = this.examples[i] as Listed;
    const keys = new Set(shown);
    const mask = bits(rows.length);
    for (const [j, [key]] of rows.entries()) if (keys.has(key)) set(mask, j);
    return { mask, size: keys.size };
  }

  /** What a test by an argument says of a row of an example. */
  of(expr: Expr, name: string, i: number): (row: Row) => Value {
    const { call, before } = this.examples[i] as Listed;
    const known = this.valuesOf(expr, name, i);
    return (row) => {
      let value = known.get(row);
      if (value === undefined) {
        value = evaluate(expr, { args: call.args, facts: before, row });
        known.set(row, value);
      }
      return value;
    };
  }

  private valuesOf(expr: Expr, name: string, i: number): Map<Row, Value> {
    const of = this.rows.get(expr) ?? new Map<string, Map<Row, Value>>();
    this.rows.set(expr, of);
    const given = this.givenTo(name, i);
    const known = of.get(given) ?? new Map<Row, Value>();
    of.set(given, known);
    return known;
  }

  private givenTo(name: string, i: number): string {
    let values = this.values.get(name);
    if (!values) {
      values = this.examples.map(({ call }) => canon(getOwn(call.args, name) ?? null));
      this.values.set(name, values);
    }
    return values[i] as string;
  }

  private tested(expr: Expr, name: string, i: number): Tested {
    const { rows } = this.examples[i] as Listed;
    const of = this.known.get(expr) ?? new Map<string, Tested>();
    this.known.set(expr, of);
    const id = `${this.ids[i]} ${this.givenTo(name, i)}`;
    const held = of.get(id);
    if (held) return held;
    const yes = bits(rows.length);
    const unsure = bits(rows.length);
    if (expr.op === "or") {
      const [a, b] = [this.tested(expr.a, name, i), this.tested(expr.b, name, i)];
      for (let w = 0; w < yes.length; w++) {
        yes[w] = (a.yes[w] as number) | (b.yes[w] as number);
        unsure[w] = ((a.unsure[w] as number) | (b.unsure[w] as number)) & ~(yes[w] as number);
      }
    } else {
      const test = this.of(expr, name, i);
      for (const [j, [, row]] of rows.entries()) {
        const value = test(row);
        if (value === true) set(yes, j);
        else if (value === UNKNOWN) set(unsure, j);
      }
    }
    const tested = { yes, unsure, sure: unsure.every((word) => word === 0) };
    of.set(id, tested);
    return tested;
  }
}

function set(mask: Mask, at: number): void {
  mask[at >> 5] = (mask[at >> 5] as number) | (1 << (at & 31));
}
