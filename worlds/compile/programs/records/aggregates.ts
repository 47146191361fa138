import { getOwn, isObject, type Json } from "../../../json.ts";
import { byText, isScalar } from "../../values.ts";
import { arg, column, constant, type Expr, evaluate, type Row, UNKNOWN } from "../expressions/expr.ts";
import { given } from "./filters.ts";
import type { Act, Placed } from "./row-actions.ts";
import { type Example, fitShape, isOpen, type Shape } from "./shapes.ts";
import { columnValues, type ExportTable, isClosed, isClosedTable } from "./tables.ts";

/** Examples that counts and sums are fitted to, at most, those that there have to be, and different values that one of them has to have. */
const EXAMPLES = 60;
const FEWEST = 4;
const DIFFERENT = 3;
/** Values of a column of which each may be counted or not, at most. */
const MOST_VALUES = 6;
/** The share of an argument's values that a column has to hold, so that it may be compared with it. */
const HELD = 0.5;

/** What an aggregate's answers are made of, with the arguments that rows are compared with. */
export interface Aggregate {
  readonly act: Act;
  readonly compared: readonly { readonly table: string; readonly column: string; readonly arg: string }[];
}

/** Learns counts and sums over rows of a table, from successes before which all that happened is known. */
export function learnAggregate(
  tool: string,
  calls: readonly Placed[],
  tables: readonly ExportTable[],
): Aggregate | undefined {
  const kinds = [...Map.groupBy(calls, ({ kind }) => kind)].sort(
    (a, b) => b[1].length - a[1].length || byText(a[0], b[0]),
  );
  const [kind, all] =
    kinds.find(([, of]) => of.every(({ call }) => isObject(call.value) || typeof call.value === "number")) ?? [];
  if (kind === undefined || !all || all.length < FEWEST) return undefined;
  const step = Math.max(1, all.length / EXAMPLES);
  const examples = Array.from({ length: Math.min(all.length, EXAMPLES) }, (_, i): Example => {
    const { call, before } = all[Math.floor(i * step)] as Placed;
    return { value: call.value, env: { args: call.args, facts: before } };
  });
  for (const table of tables) {
    if (!isClosedTable(table)) continue;
    for (const compared of comparisons(examples, table)) {
      const fitter = new Fitter(examples, table, compared);
      const answer = fitter.shape(examples.map(({ value }) => value));
      if (!answer || fitter.different < DIFFERENT) continue;
      const act: Act = {
        tool,
        kinds: new Set([kind]),
        row: undefined,
        view: undefined,
        effect: { kind: "none" },
        answer,
        bounded: true,
      };
      return { act, compared: compared.map((one) => ({ table: table.name, ...one })) };
    }
  }
  return undefined;
}

interface Compared {
  readonly column: string;
  readonly arg: string;
}

/** The columns that arguments may be compared with: for each argument one or none, the most first. */
function comparisons(examples: readonly Example[], table: ExportTable): Compared[][] {
  const names = [...new Set(examples.flatMap(({ env }) => Object.keys(env.args)))].sort(byText);
  let out: Compared[][] = [[]];
  for (const name of names) {
    const values = examples.map(({ env }) => getOwn(env.args, name)).filter((value) => value !== undefined);
    const fitting = table.columns
      .filter((of) => {
        const held = columnValues(table, of);
        return values.filter((value) => isScalar(value) && held.has(value)).length >= values.length * HELD;
      })
      .sort((a, b) => Number(b === name) - Number(a === name) || byText(a, b))
      .slice(0, 2);
    out = [...fitting.flatMap((of) => out.map((one) => [...one, { column: of, arg: name }])), ...out].slice(0, 16);
  }
  return out;
}

/** Values of a column whose rows are counted, and those whose rows are left out. */
interface Chosen {
  readonly counted: readonly Json[];
  readonly left: readonly Json[];
}

/** Whether a row counts; unknown for a value that no example had. */
function among(by: string, { counted, left }: Chosen): Expr {
  const within = (values: readonly Json[]): Expr => ({ op: "within", a: column("row", by), b: constant([...values]) });
  const otherwise: Expr = { op: "if", test: within(left), met: constant(false), otherwise: { op: "unknown" } };
  return { op: "if", test: within(counted), met: constant(true), otherwise };
}

/** Fits parts of answers to the rows that a comparison keeps. */
class Fitter {
  /** The most different values of a count or a sum that was fitted. */
  different = 0;
  private readonly examples: readonly Example[];
  private readonly table: ExportTable;
  private readonly where: Expr;
  private readonly kept: readonly (readonly Row[] | undefined)[];

  constructor(examples: readonly Example[], table: ExportTable, compared: readonly Compared[]) {
    this.examples = examples;
    this.table = table;
    const tests = compared.map(
      ({ column: of, arg: name }): Expr => ({
        op: "or",
        a: { op: "not", a: given(name) },
        b: { op: "eq", a: column("row", of), b: arg(name) },
      }),
    );
    this.where = tests.reduce<Expr>((a, b) => ({ op: "and", a, b }), constant(true));
    this.kept = examples.map(({ env }) => {
      const rows = [...(env.facts.tables.get(table.name)?.rows.values() ?? [])];
      const met = rows.map((row) => evaluate(this.where, { ...env, row }));
      return met.includes(UNKNOWN) ? undefined : rows.filter((_, i) => met[i] === true);
    });
  }

  shape(values: readonly Json[]): Shape | undefined {
    const [first] = values;
    if (isObject(first)) {
      const fields: [string, Shape][] = [];
      for (const name of Object.keys(first)) {
        const inner = values.map((value) => (isObject(value) ? getOwn(value, name) : undefined));
        if (inner.includes(undefined)) return undefined;
        const of = this.shape(inner as Json[]);
        if (!of) return undefined;
        fields.push([name, of]);
      }
      return { kind: "object", fields };
    }
    const plain = fitShape(
      values.map((value, i) => ({ value, env: (this.examples[i] as Example).env })),
      [],
    );
    const different = new Set(values).size;
    const numbers = different > 1 && values.every((value) => typeof value === "number");
    const expr = numbers ? this.sum(values as number[]) : undefined;
    if (expr) this.different = Math.max(this.different, different);
    if (expr) return { kind: "leaf", expr };
    return isOpen(plain) ? undefined : plain;
  }

  /** A count, or the sum of a column, of all rows that are kept, or of those of them with some values of another column. */
  private sum(values: readonly number[]): Expr | undefined {
    const numeric = this.table.columns.filter((name) =>
      [...this.table.rows.values()].every((row) => typeof getOwn(row, name) === "number"),
    );
    const closed = this.table.columns.filter((name) => isClosed(this.table, name));
    for (const of of [undefined, ...numeric])
      for (const by of [undefined, ...closed]) {
        const held = by === undefined ? [] : [...columnValues(this.table, by)];
        if (held.length > MOST_VALUES) continue;
        const found = this.subset(values, of, by, held);
        if (!found) continue;
        const where: Expr = by === undefined ? this.where : { op: "and", a: this.where, b: among(by, found) };
        const table = this.table.name;
        return of === undefined ? { op: "count", table, where } : { op: "total", table, column: of, where };
      }
    return undefined;
  }

  /** The values of a column whose rows together give every number, and those whose rows do not count. */
  private subset(
    values: readonly number[],
    of: string | undefined,
    by: string | undefined,
    held: readonly Json[],
  ): Chosen | undefined {
    const parts = this.kept.map((rows) => {
      if (!rows) return undefined;
      const sums = new Map<unknown, number>();
      for (const row of rows) {
        const value = of === undefined ? 1 : getOwn(row, of);
        const under = by === undefined ? null : getOwn(row, by);
        if (typeof value !== "number" || under === UNKNOWN) return undefined;
        sums.set(under, (sums.get(under) ?? 0) + value);
      }
      return sums;
    });
    const known = parts.filter((one) => one !== undefined).length;
    if (known < FEWEST) return undefined;
    const shown = (group: unknown): boolean => parts.some((sums) => sums?.has(group));
    const groups: readonly unknown[] = by === undefined ? [null] : held.filter(shown);
    for (let mask = (1 << groups.length) - 1; mask > 0; mask--) {
      const among = groups.filter((_, i) => (mask >> i) & 1);
      const right = parts.every((sums, i) => {
        if (!sums) return true;
        const total = among.reduce<number>((sum, group) => sum + (sums.get(group) ?? 0), 0);
        return Math.abs(total - (values[i] as number)) < 1e-6;
      });
      if (right) return { counted: among as Json[], left: groups.filter((group) => !among.includes(group)) as Json[] };
    }
    return undefined;
  }
}
