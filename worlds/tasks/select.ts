import { wordsOf } from "../floor/leaves.ts";
import { isObject, type Json, type Scalar } from "../json.ts";

/**
 * A step of a path into an answer: a member, an element, every element, the elements that fit a condition, or the words
 * of a text that look like ids or times and follow a word.
 */
export type PathStep =
  | { readonly op: "key"; readonly key: string }
  | { readonly op: "after"; readonly word: string }
  | { readonly op: "at"; readonly index: number }
  | { readonly op: "each" }
  | {
      readonly op: "where";
      readonly field: string;
      readonly compare: Compare;
      readonly value: string | number | boolean | null;
    };
/** How a selector compares. */
export type Compare = "=" | "!=" | "<" | ">" | "<=" | ">=";

/** A path into rows, and the figure over what it reads where there is one. */
export interface JudgedPath {
  readonly path: string;
  readonly of?: Figure | undefined;
}
/** What is taken over a list. */
export type Figure = "count" | "sum" | "min" | "max";

const STEP =
  /~("(?:[^"\\]|\\.)*")|\[\*\]|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|\[([^\]"=<>!]+)(!=|<=|>=|=|<|>)("(?:[^"\\]|\\.)*"|-?[\d.]+(?:e-?\d+)?|true|false|null)\]|([^.[\]]+)/gy;
const parsed = new Map<string, readonly PathStep[]>();

/** The path of the words of the text at a path that follow a word. */
export const after = (path: string, word: string): string => `${path}~${JSON.stringify(word)}`;

/**
 * A path's steps. `a.b`, `[0]`, `["odd.name"]`, `[*]`, `[field="value"]`, `[price>10]`, `~"word"`. Throws a SyntaxError
 * on anything else.
 */
export function parsePath(path: string): readonly PathStep[] {
  let steps = parsed.get(path);
  if (!steps) {
    const out: PathStep[] = [];
    let from = path.startsWith(".") ? 1 : 0;
    while (from < path.length) {
      STEP.lastIndex = from;
      const match = STEP.exec(path);
      if (!match) throw new SyntaxError(`path is wrong at character ${from + 1}`);
      const [, word, index, quoted, field, compare, value, key] = match;
      if (word !== undefined) out.push({ op: "after", word: JSON.parse(word) as string });
      else if (index !== undefined) out.push({ op: "at", index: Number(index) });
      else if (quoted !== undefined) out.push({ op: "key", key: JSON.parse(quoted) as string });
      else if (field !== undefined) {
        out.push({
          op: "where",
          field,
          compare: compare as Compare,
          value: JSON.parse(value ?? "null") as string | number | boolean | null,
        });
      } else if (key !== undefined) out.push({ op: "key", key });
      else out.push({ op: "each" });
      from += match[0].length;
      if (path[from] === ".") from += 1;
    }
    steps = out;
    if (parsed.size > 50_000) parsed.clear();
    parsed.set(path, steps);
  }
  return steps;
}

function fits(item: Json, step: Extract<PathStep, { op: "where" }>): boolean {
  let value: Json | undefined = item;
  if (step.field !== "@") for (const part of step.field.split(".")) value = isObject(value) ? value[part] : undefined;
  if (value === undefined) return false;
  const wanted = step.value;
  if (step.compare === "=") return value === wanted;
  if (step.compare === "!=") return value !== wanted;
  if (
    (typeof value !== "number" || typeof wanted !== "number") &&
    (typeof value !== "string" || typeof wanted !== "string")
  )
    return false;
  if (step.compare === "<") return value < wanted;
  if (step.compare === ">") return value > wanted;
  return step.compare === "<=" ? value <= wanted : value >= wanted;
}

/** Elements of a list or, for an object used as a map, its values. */
export function elements(value: Json): Json[] {
  if (Array.isArray(value)) return value;
  return isObject(value) ? Object.values(value) : [];
}

/** Every value that a path reads, in order. `each` and `where` walk lists and maps; `@key` is a map entry's own key. */
export function readPath(value: Json, path: string): Json[] {
  let here: { value: Json; key?: string }[] = [{ value }];
  for (const step of parsePath(path)) {
    const next: { value: Json; key?: string }[] = [];
    for (const item of here) {
      const v = item.value;
      if (step.op === "key") {
        if (step.key === "@key") {
          if (item.key !== undefined) next.push({ value: item.key });
        } else if (isObject(v) && Object.hasOwn(v, step.key)) next.push({ value: v[step.key] as Json });
      } else if (step.op === "after") {
        if (typeof v === "string")
          for (const { before, value } of wordsOf(v).words) if (before === step.word) next.push({ value });
      } else if (step.op === "at") {
        if (Array.isArray(v) && step.index < v.length) next.push({ value: v[step.index] as Json });
      } else if (Array.isArray(v)) {
        for (const e of v) if (step.op === "each" || fits(e, step)) next.push({ value: e });
      } else if (isObject(v)) {
        for (const [key, e] of Object.entries(v)) if (step.op === "each" || fits(e, step)) next.push({ value: e, key });
      }
    }
    here = next;
  }
  return here.map((item) => item.value);
}

/** A figure over values: how many, their sum (to a hundred-thousandth), the smallest, the largest. */
export function figure(of: Figure, values: readonly Json[]): Json {
  if (of === "count") return values.length;
  const numbers = values.filter((v): v is number => typeof v === "number");
  if (of === "sum") return Math.round(numbers.reduce((a, b) => a + b, 0) * 1e5) / 1e5;
  if (numbers.length === values.length && numbers.length > 0)
    return of === "min" ? Math.min(...numbers) : Math.max(...numbers);
  const texts = values.filter((v): v is string => typeof v === "string").sort();
  return (of === "min" ? texts[0] : texts.at(-1)) ?? null;
}

/** What a judged path reads of one row: its values, or the one figure over them (none over no values but a count). */
export function readAll(row: unknown, judged: JudgedPath): Json[] {
  const values = readPath(row as Json, judged.path);
  if (judged.of === undefined) return values;
  return values.length === 0 && judged.of !== "count" ? [] : [figure(judged.of, values)];
}

/** A selector step for an element with this value in a field. */
export function selector(field: string, value: Scalar, compare: "=" | "<" | ">" = "="): string {
  return `[${field}${compare}${JSON.stringify(value)}]`;
}

/** A path with the selector put for its first `[*]`. */
export function select(generic: string, step: string): string {
  return generic.replace("[*]", step);
}
