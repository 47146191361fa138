import { isObject, type Json, type JsonObject } from "../../json.ts";
import { same } from "../values.ts";

/** Rows of one table that traces showed, beside the rows that an export gave. */
export interface TraceRows {
  /** Rows as answers showed them, whole or in part. */
  readonly shown: readonly JsonObject[];
  /** The row that traces showed of a key, where they did. */
  observed(key: string): JsonObject | undefined;
}

/** Values of one place that its kind is taken from. */
const SAMPLES = 200;
/** Rows that show what a column that is left out stands for. */
const LEAST = 2;

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/** An export's value as answers show values of its place: numbers, truth values and JSON that it has as text are taken as what they say. */
export function asShown(value: Json, samples: readonly Json[]): Json {
  if (samples.length === 0) return value;
  const all = (test: (sample: Json) => boolean) => samples.every((sample) => sample === null || test(sample));
  if (samples.every((sample) => sample === null)) return value === "" ? null : value;
  if (typeof value === "string") return textAsShown(value, samples, all);
  if (typeof value === "number") return all((sample) => typeof sample === "string") ? String(value) : value;
  if (Array.isArray(value)) {
    const items = samples.flatMap((sample) => (Array.isArray(sample) ? sample : [])).slice(0, SAMPLES);
    return value.map((item) => asShown(item, items));
  }
  if (!isObject(value)) return value;
  const objects = samples.filter(isObject);
  const others = objects.flatMap((object) => Object.values(object)).slice(0, SAMPLES);
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const here = objects.flatMap((object) => (Object.hasOwn(object, key) ? [object[key] as Json] : []));
      return [key, asShown(item, here.length > 0 ? here : others)];
    }),
  );
}

function textAsShown(text: string, samples: readonly Json[], all: (test: (sample: Json) => boolean) => boolean): Json {
  if (text === "" && samples.includes(null) && !samples.includes("")) return null;
  if (all((sample) => typeof sample === "number")) return NUMBER.test(text.trim()) ? Number(text) : text;
  if (all((sample) => typeof sample === "boolean") && /^(true|false)$/i.test(text)) return /^t/i.test(text);
  if (!all((sample) => typeof sample === "object")) return text;
  try {
    return asShown(JSON.parse(text) as Json, samples);
  } catch {
    return text;
  }
}

/** The rows of an export, by key, as answers show rows of their table. */
export function rowsAsShown(
  rows: ReadonlyMap<string, JsonObject>,
  { shown, observed }: TraceRows,
): Map<string, JsonObject> {
  const samples = new Map<string, Json[]>();
  for (const row of shown.slice(0, SAMPLES))
    for (const [column, value] of Object.entries(row)) samples.set(column, [...(samples.get(column) ?? []), value]);
  const present = new Map([...samples].map(([column, values]) => [column, values.length]));
  const n = Math.min(shown.length, SAMPLES);
  // A column that answers leave out where others show it, and never show empty: an export's empty one is left out.
  const leftOut = (column: string) => {
    const count = present.get(column) ?? n;
    return count > 0 && count < n && !(samples.get(column) ?? []).includes(null);
  };
  const out = new Map<string, JsonObject>();
  for (const [key, row] of rows)
    out.set(
      key,
      Object.fromEntries(
        Object.entries(row).flatMap(([column, value]) => {
          const taken = asShown(value, samples.get(column) ?? []);
          return (taken === null || taken === "") && leftOut(column) ? [] : [[column, taken]];
        }),
      ),
    );
  return withDefaults(
    out,
    [...present].filter(([, count]) => count === n).map(([column]) => column),
    observed,
  );
}

/** Rows with the columns that every answer shows and the export leaves out where they hold one and the same value. */
function withDefaults(
  rows: Map<string, JsonObject>,
  always: readonly string[],
  observed: TraceRows["observed"],
): Map<string, JsonObject> {
  for (const column of always) {
    const held: Json[] = [];
    let said = 0;
    for (const [key, row] of rows) {
      const value = observed(key)?.[column];
      if (value === undefined) continue;
      if (!Object.hasOwn(row, column)) held.push(value);
      else if (same(row[column], held[0])) said++;
    }
    const [first] = held;
    if (first === undefined || held.length < LEAST || said > 0 || !held.every((value) => same(value, first))) continue;
    for (const [key, row] of rows) if (!Object.hasOwn(row, column)) rows.set(key, { ...row, [column]: first });
  }
  return rows;
}
