import { computed, type MathName } from "../../../behaviour/functions/mathematics.ts";
import { divide, fixed, multiply, round } from "../../../behaviour/functions/numbers.ts";
import { resolvePath } from "../../../behaviour/functions/paths.ts";
import { getOwn, isObject, type Json, type JsonObject, setOwn } from "../../../json.ts";
import { same } from "../../values.ts";
import { changedByEach, type ListChange } from "./lists.ts";

/** What is not known: anything computed from it is not known either. */
export const UNKNOWN: unique symbol = Symbol("unknown");
export type Value = Json | typeof UNKNOWN;
export type Row = Readonly<Record<string, Value>>;

/**
 * Rows of one table in the order in which they came to be; `complete` when a key that is not here has no row. `removed`
 * are keys that have none, whether or not the table is complete.
 */
export interface Rows {
  readonly rows: ReadonlyMap<string, Row>;
  readonly complete: boolean;
  readonly removed?: ReadonlySet<string>;
}

/** What is known of a system at one moment. A cell is a value that has no key. */
export interface Facts {
  readonly cells: ReadonlyMap<string, Value>;
  readonly tables: ReadonlyMap<string, Rows>;
}

/** What an expression is evaluated over. */
export interface Env {
  readonly args: JsonObject;
  readonly facts: Facts;
  readonly row?: Row;
  /** The entry of a list, or the row around the one at hand. */
  readonly item?: Json | Row;
}

export type Path = readonly string[];
/** The row of a table under a key, or the row that a list or an effect is at. */
export type RowRef = { readonly table: string; readonly key: readonly Expr[] } | "row";

/** One expression of a program: printed to the stored language by print.ts, and evaluated here alone. */
export type Expr =
  | { readonly op: "const"; readonly value: Json }
  | { readonly op: "unknown" }
  | { readonly op: "arg"; readonly path: Path }
  | { readonly op: "item"; readonly path: Path }
  | { readonly op: "cell"; readonly name: string }
  | { readonly op: "column"; readonly of: RowRef; readonly name: string }
  | { readonly op: "add" | "subtract" | "multiply"; readonly a: Expr; readonly b: Expr }
  | {
      readonly op: "eq" | "less" | "most" | "contains" | "within" | "among" | "holds" | "resolve";
      readonly a: Expr;
      readonly b: Expr;
    }
  | { readonly op: "not"; readonly a: Expr }
  | { readonly op: "and" | "or"; readonly a: Expr; readonly b: Expr }
  | { readonly op: "given"; readonly path: Path }
  | { readonly op: "exists"; readonly of: Exclude<RowRef, "row"> }
  /** A list that a value changed; where `each` is so, that each entry of a list changed. */
  | { readonly op: ListChange; readonly list: Expr; readonly value: Expr; readonly each?: true }
  /** An entry with fields of its own. */
  | { readonly op: "object"; readonly fields: readonly (readonly [name: string, value: Expr])[] }
  /** A map with a value under a key, or without the key where the value is null; what a map has under a key, null where nothing. */
  | { readonly op: "put"; readonly map: Expr; readonly key: Expr; readonly value: Expr }
  | { readonly op: "entry"; readonly map: Expr; readonly key: Expr }
  /** A list without its last entry; null where nothing is left, if it is `gone` then. */
  | { readonly op: "shorter"; readonly a: Expr; readonly gone: boolean }
  | { readonly op: "size" | "lower"; readonly a: Expr }
  /** The last part of a path. */
  | { readonly op: "leaf"; readonly a: Expr }
  /** Whether a text fits a pattern. */
  | { readonly op: "fits"; readonly a: Expr; readonly pattern: string }
  /** A text cut to a length, with an ellipsis where something is lost. */
  | { readonly op: "cut"; readonly a: Expr; readonly length: number }
  /** The key of the first row that meets a condition, in the order in which rows came to be. */
  | { readonly op: "first"; readonly table: string; readonly where: Expr }
  /** The key of the first row that is known to hold a value in a column; null where none is. */
  | { readonly op: "holder"; readonly table: string; readonly column: string; readonly value: Expr }
  | {
      readonly op: "lines";
      readonly table: string;
      readonly where: Expr;
      readonly line: Expr;
      readonly between: string;
    }
  | { readonly op: "count"; readonly table: string; readonly where: Expr }
  | { readonly op: "total"; readonly table: string; readonly column: string; readonly where: Expr }
  /** A share, times a number, rounded to decimals where they are given; 0 of nothing. */
  | {
      readonly op: "ratio";
      readonly a: Expr;
      readonly b: Expr;
      readonly times: number;
      readonly digits: number | undefined;
    }
  /** A function of numbers, of a list of them, or of an arithmetic text. */
  | { readonly op: "math"; readonly name: MathName; readonly of: readonly Expr[] }
  /** A number with so many decimals, as text. */
  | { readonly op: "fixed"; readonly a: Expr; readonly digits: number }
  | { readonly op: "text"; readonly parts: readonly (string | Expr)[] }
  | { readonly op: "if"; readonly test: Expr; readonly met: Expr; readonly otherwise: Expr }
  | { readonly op: "decide"; readonly on: Expr; readonly cases: readonly (readonly [Json, Expr])[] };

export const constant = (value: Json): Expr => ({ op: "const", value });
export const arg = (...path: string[]): Expr => ({ op: "arg", path });
export const cell = (name: string): Expr => ({ op: "cell", name });
export const column = (of: RowRef, name: string): Expr => ({ op: "column", of, name });

/** Paths of arguments with a value that is a scalar or a list in some call, two levels deep. */
export function argumentPaths(calls: readonly { readonly args: JsonObject }[]): Path[] {
  const out = new Map<string, Path>();
  for (const { args } of calls)
    for (const [name, value] of Object.entries(args)) {
      out.set(name, [name]);
      if (typeof value === "object" && value !== null && !Array.isArray(value))
        for (const inner of Object.keys(value)) out.set(`${name}.${inner}`, [name, inner]);
    }
  return [...out.keys()].sort().map((key) => out.get(key) as Path);
}

function along(value: Json | undefined, path: Path): Json {
  let here: Json | undefined = value;
  for (const name of path) here = isObject(here) && Object.hasOwn(here, name) ? here[name] : undefined;
  return here ?? null;
}

/** A key from its parts; undefined when one is null, unknown when one is. */
export function keyOf(parts: readonly Value[]): string | undefined | typeof UNKNOWN {
  const out: string[] = [];
  for (const part of parts) {
    if (part === UNKNOWN) return UNKNOWN;
    if (part === null || typeof part === "object") return undefined;
    out.push(String(part));
  }
  return out.join("\u001f");
}

/** A number without what computing leaves behind its ninth decimal. */
export const rounded = (value: number): number =>
  Number.isInteger(value) && Math.abs(value) < 1e21 ? value + 0 : Number(value.toFixed(9));

/** The row that a reference names: undefined where there is none. */
export function rowAt(of: RowRef, env: Env): Row | undefined | typeof UNKNOWN {
  if (of === "row") return env.row;
  const key = keyOf(of.key.map((part) => evaluate(part, env)));
  if (key === UNKNOWN) return UNKNOWN;
  const table = env.facts.tables.get(of.table);
  const row = key === undefined ? undefined : table?.rows.get(key);
  return row ?? (table?.complete || key === undefined || table?.removed?.has(key) ? undefined : UNKNOWN);
}

/** How a value reads inside a text. */
export const inText = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value));

/** The value of an expression; unknown where something that it needs is. */
export function evaluate(expr: Expr, env: Env): Value {
  switch (expr.op) {
    case "const":
      return expr.value;
    case "unknown":
      return UNKNOWN;
    case "arg":
      return along(env.args, expr.path);
    case "item":
      return expr.path.length === 0 ? ((env.item ?? null) as Json) : (along(env.item as Json, expr.path) as Value);
    case "cell":
      return env.facts.cells.get(expr.name) ?? (env.facts.cells.has(expr.name) ? null : UNKNOWN);
    case "column": {
      const row = rowAt(expr.of, env);
      if (row === UNKNOWN) return UNKNOWN;
      if (row === undefined) return null;
      const value = getOwn(row, expr.name);
      return value === undefined ? UNKNOWN : value;
    }
    case "given":
      return present(env.args, expr.path);
    case "exists": {
      const row = rowAt(expr.of, env);
      return row === UNKNOWN ? UNKNOWN : row !== undefined;
    }
    case "and":
    case "or": {
      const end = expr.op === "or";
      const a = evaluate(expr.a, env);
      if (a === end) return end;
      const b = evaluate(expr.b, env);
      if (b === end) return end;
      return a === UNKNOWN || b === UNKNOWN ? UNKNOWN : !end;
    }
    case "not": {
      const a = evaluate(expr.a, env);
      return typeof a === "boolean" ? !a : UNKNOWN;
    }
    case "if": {
      const test = evaluate(expr.test, env);
      if (test === UNKNOWN) return UNKNOWN;
      return evaluate(test === true ? expr.met : expr.otherwise, env);
    }
    case "decide": {
      const on = evaluate(expr.on, env);
      if (on === UNKNOWN) return UNKNOWN;
      const found = expr.cases.find(([value]) => same(value, on));
      return found ? evaluate(found[1], env) : UNKNOWN;
    }
    case "text": {
      let text = "";
      for (const part of expr.parts) {
        if (typeof part === "string") {
          text += part;
          continue;
        }
        const value = evaluate(part, env);
        if (value === UNKNOWN) return UNKNOWN;
        text += inText(value);
      }
      return text;
    }
    case "size": {
      const a = evaluate(expr.a, env);
      return Array.isArray(a) ? a.length : UNKNOWN;
    }
    case "object": {
      const fields = expr.fields.map(([name, of]) => [name, evaluate(of, env)] as const);
      return fields.some(([, value]) => value === UNKNOWN) ? UNKNOWN : (Object.fromEntries(fields) as JsonObject);
    }
    case "put": {
      const map = evaluate(expr.map, env);
      const key = nameOf(evaluate(expr.key, env));
      const value = evaluate(expr.value, env);
      return isObject(map) && key !== undefined && value !== UNKNOWN ? changed(map, key, value) : UNKNOWN;
    }
    case "entry": {
      const map = evaluate(expr.map, env);
      const key = nameOf(evaluate(expr.key, env));
      return isObject(map) && key !== undefined ? (getOwn(map, key) ?? null) : UNKNOWN;
    }
    case "shorter": {
      const a = evaluate(expr.a, env);
      if (!Array.isArray(a) || a.length === 0) return UNKNOWN;
      return a.length === 1 && expr.gone ? null : a.slice(0, -1);
    }
    case "leaf": {
      const a = evaluate(expr.a, env);
      return typeof a === "string" ? (a.split("/").at(-1) ?? "") : UNKNOWN;
    }
    case "lower": {
      const a = evaluate(expr.a, env);
      return typeof a === "string" ? a.toLowerCase() : UNKNOWN;
    }
    case "fits": {
      const a = evaluate(expr.a, env);
      return typeof a === "string" ? new RegExp(expr.pattern).test(a) : UNKNOWN;
    }
    case "fixed": {
      const a = evaluate(expr.a, env);
      return typeof a === "number" ? fixed(a, expr.digits) : UNKNOWN;
    }
    case "math": {
      const of = expr.of.map((one) => evaluate(one, env));
      return of.includes(UNKNOWN) ? UNKNOWN : (computed(expr.name, of) ?? UNKNOWN);
    }
    case "cut": {
      const a = evaluate(expr.a, env);
      if (typeof a !== "string") return UNKNOWN;
      return a.length > expr.length ? `${a.slice(0, expr.length)}...` : a;
    }
    case "first": {
      const table = env.facts.tables.get(expr.table);
      if (!table?.complete) return UNKNOWN;
      for (const [key, row] of table.rows) {
        const met = evaluate(expr.where, within(env, row));
        if (met === UNKNOWN) return UNKNOWN;
        if (met === true) return key;
      }
      return null;
    }
    case "holder": {
      const value = evaluate(expr.value, env);
      if (value === UNKNOWN || value === null) return value;
      const rows = env.facts.tables.get(expr.table)?.rows ?? [];
      for (const [key, row] of rows) {
        const held = getOwn(row, expr.column) ?? null;
        if (held !== UNKNOWN && same(held, value)) return key;
      }
      return null;
    }
    case "lines": {
      const table = env.facts.tables.get(expr.table);
      if (!table?.complete) return UNKNOWN;
      const lines: string[] = [];
      for (const row of table.rows.values()) {
        const met = evaluate(expr.where, within(env, row));
        if (met === false) continue;
        const line = met === true ? evaluate(expr.line, within(env, row)) : UNKNOWN;
        if (typeof line !== "string") return UNKNOWN;
        lines.push(line);
      }
      return lines.join(expr.between);
    }
    case "count":
    case "total": {
      const table = env.facts.tables.get(expr.table);
      if (!table?.complete) return UNKNOWN;
      let sum = 0;
      for (const row of table.rows.values()) {
        const met = evaluate(expr.where, within(env, row));
        if (met === UNKNOWN) return UNKNOWN;
        if (met !== true) continue;
        const value =
          expr.op === "count" ? 1 : (getOwn(row, expr.column) ?? (Object.hasOwn(row, expr.column) ? null : UNKNOWN));
        if (value === UNKNOWN) return UNKNOWN;
        if (typeof value === "number") sum += value;
      }
      return rounded(sum);
    }
    case "ratio":
      return share(evaluate(expr.a, env), evaluate(expr.b, env), expr.times, expr.digits);
    case "append":
    case "remove":
    case "insert":
    case "last":
    case "include": {
      const list = evaluate(expr.list, env);
      const value = evaluate(expr.value, env);
      if (!Array.isArray(list) || value === UNKNOWN || (expr.each && !Array.isArray(value))) return UNKNOWN;
      return changedByEach(expr.op, list, expr.each ? (value as Json[]) : [value]);
    }
    default:
      return binary(expr.op, evaluate(expr.a, env), evaluate(expr.b, env));
  }
}

function share(a: Value, b: Value, times: number, digits: number | undefined): Value {
  if (typeof a !== "number" || typeof b !== "number") return UNKNOWN;
  if (b === 0) return 0;
  const value = divide(multiply(times, a), b);
  return digits === undefined ? value : round(value, digits);
}

/** A name of a map's entry. */
const nameOf = (value: Value): string | undefined =>
  typeof value === "string" || typeof value === "number" ? String(value) : undefined;

/** A map with another value under a key, without the key for null. */
export function changed(map: JsonObject, key: string, value: Json): JsonObject {
  const { [key]: _, ...out } = map;
  if (value !== null) setOwn(out, key, value);
  return out;
}

/** Where a condition on rows of a table is evaluated: the row at hand is the one around. */
const within = (env: Env, row: Row): Env => (env.row ? { ...env, row, item: env.row } : { ...env, row });

type Pair = Extract<Expr, { readonly a: Expr; readonly b: Expr }>["op"];
type Binary = Exclude<Pair, "and" | "or" | "ratio">;

/** A comparison, or a sum, of two values; unknown where one is, or where they cannot be compared. */
export function binary(op: Binary, a: Value, b: Value): Value {
  if (a === UNKNOWN || b === UNKNOWN) return UNKNOWN;
  if (op === "eq") return same(a, b);
  // Where one path leads from another.
  if (op === "resolve") return typeof a === "string" && typeof b === "string" ? resolvePath(a, b) : UNKNOWN;
  // Every entry of one list is in another.
  if (op === "among")
    return Array.isArray(a) && Array.isArray(b) ? a.every((one) => b.some((entry) => same(entry, one))) : UNKNOWN;
  if (op === "holds") {
    if (a === null) return false;
    return typeof a === "string" && typeof b === "string" ? a.toLowerCase().includes(b.toLowerCase()) : UNKNOWN;
  }
  if (op === "contains" || op === "within") {
    const whole = op === "contains" ? a : b;
    const part = op === "contains" ? b : a;
    if (Array.isArray(whole)) return whole.some((entry) => same(entry, part));
    if (isObject(whole)) return typeof part === "string" ? Object.hasOwn(whole, part) : UNKNOWN;
    if (typeof whole !== "string" || typeof part !== "string") return UNKNOWN;
    return whole.toLowerCase().includes(part.toLowerCase());
  }
  if ((op === "less" || op === "most") && typeof a === "string" && typeof b === "string")
    return op === "less" ? a < b : a <= b;
  if (typeof a !== "number" || typeof b !== "number") return UNKNOWN;
  switch (op) {
    case "add":
      return rounded(a + b);
    case "subtract":
      return rounded(a - b);
    case "multiply":
      return rounded(a * b);
    case "less":
      return a < b;
    default:
      return a <= b;
  }
}

/** Whether an argument was given. */
export const present = (args: JsonObject, path: Path): boolean => along(args, path) !== null;
