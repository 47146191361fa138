import { getOwn, isObject, type Json, setOwn } from "../../../json.ts";
import { literal } from "../../conditions/term.ts";
import { canon, isScalar, same } from "../../values.ts";
import { arg, column, constant, type Env, type Expr, evaluate, UNKNOWN } from "../expressions/expr.ts";
import { type Printing, print } from "../expressions/print.ts";
import { maskedText } from "../state/kinds.ts";

/** What an answer is made of: expressions by field, or the one column that an argument names. */
export type Shape =
  | { readonly kind: "leaf"; readonly expr: Expr }
  | { readonly kind: "object"; readonly fields: readonly (readonly [name: string, of: Shape])[] }
  /** The value of the column that an argument names; `bare` without the column's name around it. */
  | { readonly kind: "named"; readonly arg: string; readonly columns: readonly string[]; readonly bare: boolean };

/** A value that a shape has to give, with what it may rest on. */
export interface Example {
  readonly value: Json;
  readonly env: Env;
}

/** The share of its examples that an expression has to give. */
const AGREED = 0.97;

export const NOTHING: Shape = { kind: "leaf", expr: { op: "unknown" } };

/** Whether a part of a shape is not known. */
export function isOpen(shape: Shape): boolean {
  if (shape.kind === "object") return shape.fields.some(([, of]) => isOpen(of));
  return shape.kind === "leaf" && shape.expr.op === "unknown";
}

/** The shape that gives all values: a leaf that nothing explains is unknown. */
export function fitShape(examples: readonly Example[], columns: readonly string[], name = "", key?: string): Shape {
  const [first] = examples;
  if (!first) return NOTHING;
  if (examples.every(({ value }) => isObject(value))) {
    const names = isObject(first.value) ? Object.keys(first.value) : [];
    const alike = examples.every(
      ({ value }) =>
        isObject(value) && Object.keys(value).length === names.length && names.every((n) => Object.hasOwn(value, n)),
    );
    if (alike && names.length > 0) {
      const fields = names.map((field): [string, Shape] => {
        const inner = examples.map(({ value, env }) => ({
          value: (value as Record<string, Json>)[field] as Json,
          env,
        }));
        return [field, fitShape(inner, columns, field, key)];
      });
      return { kind: "object", fields };
    }
  }
  return { kind: "leaf", expr: leafOf(examples, columns, name, key) ?? { op: "unknown" } };
}

function leafOf(
  examples: readonly Example[],
  columns: readonly string[],
  name: string,
  key: string | undefined,
): Expr | undefined {
  const values = new Set(examples.map(({ value }) => canon(value)));
  const [first] = examples as readonly [Example];
  const alike = values.size === 1 ? constant(first.value) : undefined;
  const given = [...new Set(examples.flatMap(({ env }) => Object.keys(env.args)))].sort();
  const named = [
    ...columns.filter((c) => c === name).map((c) => column("row", c)),
    ...given.filter((g) => g === name).map((g) => arg(g)),
  ];
  const others = [
    ...columns.filter((c) => c !== name).map((c) => column("row", c)),
    ...given.filter((g) => g !== name).map((g) => arg(g)),
  ];
  const tried = alike ? [...named, alike] : [...named, ...others];
  return tried.find((expr) => explains(expr, examples)) ?? textOf(examples, key);
}

function explains(expr: Expr, examples: readonly Example[]): boolean {
  let [right, wrong] = [0, 0];
  for (const { value, env } of examples) {
    const found = evaluate(expr, env);
    if (found === UNKNOWN) continue;
    if (same(found, value)) right++;
    else wrong++;
  }
  return right > 0 && right >= (right + wrong) * AGREED;
}

/** What stands for the key of the row at hand where texts are masked: no argument is called so. */
const KEY = "\u0001";

/** A text with arguments in it, or the key of the row at hand: equal for all examples. */
function textOf(examples: readonly Example[], key: string | undefined): Expr | undefined {
  const texts = new Set(
    examples.map(({ value, env }) => {
      const of = key === undefined ? undefined : getOwn(env.row ?? {}, key);
      const held = typeof of === "string" || typeof of === "number" ? { [KEY]: of } : {};
      return typeof value === "string" ? maskedText(value, { ...env.args, ...held }) : "#";
    }),
  );
  const [text] = texts;
  if (texts.size !== 1 || text === undefined || text.includes("#") || !/\{[^{}]+\}/.test(text)) return undefined;
  const hole = (name: string): Expr => (name === KEY && key !== undefined ? column("row", key) : arg(name));
  const parts = text.split(/\{([^{}]+)\}/).map((part, i) => (i % 2 === 1 ? hole(part) : part));
  const expr: Expr = { op: "text", parts };
  return explains(expr, examples) ? expr : undefined;
}

/** The argument that names the column which the answers show, and the columns that it named. */
export function fitNamed(examples: readonly Example[], columns: readonly string[]): Shape | undefined {
  const given = [...new Set(examples.flatMap(({ env }) => Object.keys(env.args)))].sort();
  for (const name of given) {
    const asked = new Set(examples.map(({ env }) => getOwn(env.args, name)));
    if (![...asked].every((value) => typeof value === "string" && columns.includes(value))) continue;
    for (const bare of [false, true]) {
      let [right, wrong] = [0, 0];
      const shown = new Set<string>();
      for (const { value, env } of examples) {
        const field = getOwn(env.args, name) as string;
        const found = evaluate(column("row", field), env);
        if (found === UNKNOWN) continue;
        if (same(value, bare ? found : { [field]: found })) {
          right++;
          shown.add(field);
        } else wrong++;
      }
      if (right > 0 && right >= (right + wrong) * AGREED && (!bare || shown.size > 1))
        return { kind: "named", arg: name, columns: [...shown].sort(), bare };
    }
  }
  return undefined;
}

/** The value of a shape; unknown where a part of it is. */
export function shaped(shape: Shape, env: Env): Json | typeof UNKNOWN {
  switch (shape.kind) {
    case "leaf":
      return evaluate(shape.expr, env);
    case "named": {
      const field = getOwn(env.args, shape.arg);
      if (typeof field !== "string" || !shape.columns.includes(field)) return UNKNOWN;
      const value = evaluate(column("row", field), env);
      return value === UNKNOWN || shape.bare ? value : { [field]: value };
    }
    case "object": {
      const out: Record<string, Json> = {};
      for (const [name, of] of shape.fields) {
        const value = shaped(of, env);
        if (value === UNKNOWN) return UNKNOWN;
        setOwn(out, name, value);
      }
      return out;
    }
  }
}

/** A shape in the stored language. */
export function printShape(shape: Shape, at: Printing): string {
  switch (shape.kind) {
    case "leaf":
      return print(shape.expr, at);
    case "object":
      return `{${shape.fields.map(([name, of]) => `${literal(name)}: ${printShape(of, at)}`).join(", ")}}`;
    case "named": {
      const asked = print(arg(shape.arg), at);
      const cases = shape.columns.map((name) => {
        const value = print(column("row", name), at);
        return `${asked} == ${literal(name)} ? ${shape.bare ? value : `{${literal(name)}: ${value}}`} : `;
      });
      return `(${cases.join("")}unknown())`;
    }
  }
}

/** Columns of the row at hand that a shape shows. */
export function shownColumns(shape: Shape): string[] {
  if (shape.kind === "named") return [...shape.columns];
  if (shape.kind === "object") return shape.fields.flatMap(([, of]) => shownColumns(of));
  return shape.expr.op === "column" && shape.expr.of === "row" ? [shape.expr.name] : [];
}

/** What an answer of a shape shows of the row at hand, by column. */
export function observationOf(shape: Shape, value: Json, args: Env["args"]): Record<string, Json> {
  if (shape.kind === "object") {
    if (!isObject(value)) return {};
    return Object.fromEntries(
      shape.fields.flatMap(([name, of]) =>
        Object.hasOwn(value, name) ? Object.entries(observationOf(of, value[name] as Json, args)) : [],
      ),
    );
  }
  if (shape.kind === "leaf") {
    const { expr } = shape;
    return expr.op === "column" && expr.of === "row" ? { [expr.name]: value } : {};
  }
  const field = getOwn(args, shape.arg);
  if (typeof field !== "string") return {};
  if (shape.bare) return isScalar(value) ? { [field]: value } : {};
  return isObject(value) && Object.hasOwn(value, field) ? { [field]: value[field] as Json } : {};
}
