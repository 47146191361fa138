import type { Json } from "../../../json.ts";
import type { Expr } from "./expr.ts";

/** Bits that a right guess of a value is worth: how unlikely it is that another expression says it by chance. */
export function bits(value: Json): number {
  if (typeof value === "boolean" || value === null) return 1;
  if (typeof value === "number") return Number.isInteger(value) ? 2 + Math.log2(1 + Math.abs(value)) : 12;
  if (typeof value === "string") return Math.min(24, 2 + 2 * value.length);
  const parts = Array.isArray(value) ? value : Object.entries(value).flat();
  return 4 + parts.reduce((sum: number, part) => sum + bits(part), 0);
}

/** Bits that pick one of so many cases: a call shows the value of its argument itself. */
export const caseBits = (cases: number): number => 1 + Math.log2(cases);

/** A table of constants by an argument, such as of fees by plan. */
const isTable = ({ on, cases }: Extract<Expr, { op: "decide" }>): boolean =>
  on.op === "arg" && cases.every(([, then]) => then.op === "const");

/** Bits of an expression's own parts: what it costs to say it. */
export function length(expr: Expr, named: string | undefined): number {
  switch (expr.op) {
    case "const":
      return typeof expr.value === "object" && expr.value !== null
        ? bits(expr.value)
        : 2 + Math.min(8, bits(expr.value) / 2);
    case "arg":
    case "item":
      return expr.path.at(-1) === named ? 1 : 3;
    case "column":
      return expr.of === "row" ? (expr.name === named ? 1 : 4) : expr.name === named ? 4 : 6;
    case "cell":
      return expr.name === named ? 1 : 7;
    case "given":
      return 4;
    case "exists":
      return 6;
    case "text":
      return expr.parts.reduce((sum: number, part) => sum + (typeof part === "string" ? 4 : length(part, named)), 4);
    case "if":
      // An argument where it is given, and else something: the usual way to write an argument that may be absent.
      if (expr.test.op === "given" && expr.met.op === "arg" && expr.test.path.join() === expr.met.path.join())
        return 3 + length(expr.met, named) + length(expr.otherwise, named);
      return 3 + length(expr.test, named) + length(expr.met, named) + length(expr.otherwise, named);
    case "decide":
      return expr.cases.reduce(
        (sum, [value, then]) => sum + (isTable(expr) ? caseBits(expr.cases.length) : bits(value)) + length(then, named),
        5 + length(expr.on, named),
      );
    case "append":
    case "remove":
    case "insert":
    case "include":
    case "last":
      return 4 + length(expr.list, named) + length(expr.value, named);
    case "object":
      return expr.fields.reduce((sum, [name, value]) => sum + 1 + length(value, name), 4);
    case "put":
      return 4 + length(expr.map, named) + length(expr.key, named) + length(expr.value, named);
    case "entry":
      return 2 + length(expr.map, named) + length(expr.key, named);
    case "not":
    case "shorter":
    case "size":
    case "leaf":
    case "lower":
    case "fits":
      return 2 + length(expr.a, named);
    case "cut":
    case "fixed":
      return 4 + length(expr.a, named);
    case "first":
      return 6 + length(expr.where, named);
    case "holder":
      return 6 + length(expr.value, named);
    case "lines":
      return 12 + length(expr.where, named) + length(expr.line, named);
    case "count":
      return 4 + length(expr.where, named);
    case "total":
      return 6 + length(expr.where, named);
    case "math":
      return expr.of.reduce((sum, one) => sum + length(one, named), 5);
    case "ratio":
      return 8 + length(expr.a, named) + length(expr.b, named);
    case "unknown":
      return 0;
    default:
      return 5 + length(expr.a, named) + length(expr.b, named);
  }
}
