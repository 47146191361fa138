import { getOwn, type Json, type JsonObject } from "../../../json.ts";
import { canon, isScalar, same } from "../../values.ts";
import { column, constant, type Expr, evaluate, UNKNOWN } from "../expressions/expr.ts";

/** Columns that others of their row tell. */
export type Derived = ReadonlyMap<string, Expr>;

/** Values of a column that tell another one, at most, and rows that have to show each of them. */
const MOST = 12;
const SHOWN = 2;
/** Different numbers that two columns have to give, so that they are taken for computed. */
const COMPUTED = 5;

/** The columns of which every row that was shown says what two numbers, or one of few values, make them. */
export function derivedColumns(rows: readonly JsonObject[], key: string): Derived {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((name) => name !== key);
  const out = new Map<string, Expr>();
  const others = (name: string): string[] => names.filter((of) => of !== name);
  // Of two that tell each other, the number follows from the text.
  const numeric = (name: string): number => (rows.some((row) => typeof getOwn(row, name) === "number") ? 0 : 1);
  for (const name of [...names].sort((a, b) => numeric(a) - numeric(b))) {
    const held = rows.filter((row) => Object.hasOwn(row, name));
    const expr =
      computedOf(held, name, others(name)) ??
      mappedFrom(
        held,
        name,
        others(name).filter((of) => !out.has(of)),
      );
    if (expr) out.set(name, expr);
  }
  return out;
}

/** A number that two other columns give, exactly, in every row. */
export function computedOf(rows: readonly JsonObject[], name: string, names: readonly string[]): Expr | undefined {
  if (!rows.every((row) => typeof getOwn(row, name) === "number")) return undefined;
  const numbers = names.filter((of) => rows.every((row) => typeof getOwn(row, of) === "number"));
  for (const [i, x] of numbers.entries())
    for (const y of numbers.slice(i + 1)) {
      const [a, b] = [column("row", x), column("row", y)];
      const product: Expr = { op: "multiply", a, b };
      const tried: Expr[] = [
        product,
        { op: "ratio", a: product, b: constant(100), times: 1, digits: undefined },
        { op: "add", a, b },
        { op: "subtract", a, b },
        { op: "subtract", a: b, b: a },
      ];
      const found = tried.find((expr) => gives(expr, rows, name));
      if (found && new Set(rows.map((row) => getOwn(row, name))).size >= COMPUTED) return found;
    }
  return undefined;
}

const gives = (expr: Expr, rows: readonly JsonObject[], name: string): boolean =>
  rows.every((row) => {
    const value = evaluate(expr, { args: {}, facts: { cells: new Map(), tables: new Map() }, row });
    return value !== UNKNOWN && same(value, getOwn(row, name) as Json);
  });

/** A value that one of few values of another column always stands beside. */
function mappedFrom(rows: readonly JsonObject[], name: string, names: readonly string[]): Expr | undefined {
  for (const of of names) {
    const cases = new Map<string, { readonly when: Json; readonly value: Json; n: number }>();
    const told = rows.every((row) => {
      const [when, value] = [getOwn(row, of), getOwn(row, name)];
      if (!isScalar(when) || !isScalar(value)) return false;
      const held = cases.get(canon(when)) ?? { when, value, n: 0 };
      cases.set(canon(when), held);
      held.n++;
      return cases.size <= MOST && same(held.value, value);
    });
    const found = [...cases.values()];
    if (!told || found.length < 3 || found.some(({ n }) => n < SHOWN)) continue;
    if (new Set(found.map(({ value }) => canon(value))).size < 2) continue;
    return { op: "decide", on: column("row", of), cases: found.map(({ when, value }) => [when, constant(value)]) };
  }
  return undefined;
}

/** The columns that an expression rests on. */
export function inputsOf(expr: Expr): string[] {
  switch (expr.op) {
    case "column":
      return [expr.name];
    case "decide":
      return inputsOf(expr.on);
    case "multiply":
    case "add":
    case "subtract":
    case "ratio":
      return [...inputsOf(expr.a), ...inputsOf(expr.b)];
    default:
      return [];
  }
}

/** An expression over columns of a row, over what these are set to. */
export function withColumns(expr: Expr, setTo: (column: string) => Expr): Expr {
  switch (expr.op) {
    case "column":
      return setTo(expr.name);
    case "decide":
      return { ...expr, on: withColumns(expr.on, setTo) };
    case "multiply":
    case "add":
    case "subtract":
      return { ...expr, a: withColumns(expr.a, setTo), b: withColumns(expr.b, setTo) };
    case "ratio":
      return { ...expr, a: withColumns(expr.a, setTo), b: withColumns(expr.b, setTo) };
    default:
      return expr;
  }
}
