import { canonicalJson } from "../digest.ts";
import { isObject, type Json, type JsonObject, type Scalar } from "../json.ts";
import { KEY_SEPARATOR } from "../state/keys.ts";

/** Canonical text of a JSON value: equal data, equal text. */
export function canon(value: Json | undefined): string {
  return value === undefined ? "" : canonicalJson(value);
}

/** Equal as data; the order of an object's keys does not count. */
export function same(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (typeof a !== typeof b || a === null || b === null || a === undefined || b === undefined) return false;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => same(item, b[i]));
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && same(a[key], b[key]));
}

/** Whether a value is a text, a number or a truth value: neither null, absent nor made of parts. */
export function isScalar(value: Json | undefined): value is Scalar {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

/** The value at a path of own keys; undefined where it leads nowhere. */
export function at(value: Json | undefined, path: readonly string[]): Json | undefined {
  let here = value;
  for (const key of path) {
    if (!isObject(here) || !Object.hasOwn(here, key)) return undefined;
    here = here[key];
  }
  return here;
}

/** Every scalar in a value, whatever its depth. */
export function* scalarsOf(value: Json): Generator<Scalar> {
  if (isScalar(value)) yield value;
  else if (Array.isArray(value)) for (const item of value) yield* scalarsOf(item);
  else if (isObject(value)) for (const key of Object.keys(value)) yield* scalarsOf(value[key] as Json);
}

/** Paths to the scalars of an object, through nested objects but not through lists. */
export function* scalarPaths(
  value: JsonObject,
  prefix: readonly string[] = [],
): Generator<[path: string[], value: Scalar]> {
  for (const key of Object.keys(value)) {
    const item = value[key] as Json;
    const path = [...prefix, key];
    if (isScalar(item)) yield [path, item];
    else if (isObject(item) && path.length < 4) yield* scalarPaths(item, path);
  }
}

/** A row's key: the values of its key columns, joined. */
export function joinKey(values: readonly Json[]): string {
  return values.map((value) => (typeof value === "string" ? value : JSON.stringify(value))).join(KEY_SEPARATOR);
}

/** Sorted by code unit, as every list in a bundle is. */
export function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The value that is there most often, the first of several; undefined where there is none. */
export function mostCommon<T extends Json>(values: Iterable<T>): T | undefined {
  const [most] = [...Map.groupBy(values, canon).values()].sort((a, b) => b.length - a.length);
  return most?.[0];
}

/** The name itself, or with the least number from 2 behind it under which it is not taken. */
export function unusedName(name: string, taken: ReadonlySet<string>, separator = "_"): string {
  let out = name;
  for (let n = 2; taken.has(out); n++) out = `${name}${separator}${n}`;
  return out;
}

/** The largest of a tally, the smaller name on a tie. */
export function mode<T extends string>(counts: ReadonlyMap<T, number>): T | undefined {
  let best: T | undefined;
  for (const [name, n] of counts) {
    const top = best === undefined ? -1 : (counts.get(best) as number);
    if (n > top || (n === top && best !== undefined && name < best)) best = name;
  }
  return best;
}
