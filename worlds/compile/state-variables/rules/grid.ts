import type { Case } from "../cases.ts";

/** Cases as columns of small numbers: what is compared a million times is not text. */
export class Grid {
  readonly cases: readonly Case[];
  private readonly columns = new Map<string, Column>();
  /** How many groups of sessions there are, those that these cases are of among them. */
  readonly among: number;
  private chance: number | undefined;
  readonly values: Int32Array;
  readonly groups: Int32Array;

  constructor(cases: readonly Case[], among = Number.POSITIVE_INFINITY) {
    this.cases = cases;
    this.among = among;
    const codes = new Map<string, number>();
    this.values = Int32Array.from(cases, ({ value }) => {
      if (!codes.has(value)) codes.set(value, codes.size);
      return codes.get(value) as number;
    });
    this.groups = Int32Array.from(cases, ({ session }) => session);
  }

  /** How likely the values of two groups of sessions are the same by chance. */
  get alike(): number {
    if (this.chance === undefined) {
      const pairs = new Set<string>();
      for (let i = 0; i < this.values.length; i++) pairs.add(`${this.groups[i]} ${this.values[i]}`);
      const counts = new Map<string, number>();
      for (const pair of pairs) {
        const value = pair.split(" ")[1] as string;
        counts.set(value, (counts.get(value) ?? 0) + 1);
      }
      this.chance = [...counts.values()].reduce((sum, n) => sum + (n / pairs.size) ** 2, 0);
    }
    return this.chance;
  }

  column(name: string): Column {
    const known = this.columns.get(name);
    if (known) return known;
    const seen = new Map<string, number>();
    const codes = Int32Array.from(this.cases, ({ features }) => {
      const value = features.get(name);
      if (value === undefined) return -1;
      if (!seen.has(value)) seen.set(value, seen.size);
      return seen.get(value) as number;
    });
    const column = { codes, size: seen.size, texts: [...seen.keys()] };
    this.columns.set(name, column);
    return column;
  }

  /** The key of each case over some features; -1 where one is unknown. */
  keys(names: readonly string[]): Float64Array {
    const keys = new Float64Array(this.cases.length);
    for (const name of names) {
      const { codes, size } = this.column(name);
      for (let i = 0; i < keys.length; i++) {
        const code = codes[i] as number;
        keys[i] = (keys[i] as number) < 0 || code < 0 ? -1 : (keys[i] as number) * size + code;
      }
    }
    return keys;
  }
}

/** One feature over all cases: a small number per value, -1 where it is unknown, and the values' texts by number. */
export interface Column {
  readonly codes: Int32Array;
  readonly size: number;
  readonly texts: readonly string[];
}
