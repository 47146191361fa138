import { canonicalJson } from "../../digest.ts";
import { equalJson, isObject, type Json } from "../../json.ts";
import { holdsUnknown, knownEqual, UNKNOWN } from "../../unknown.ts";
import { compareValues, type Frame, typeError, type Value } from "../frame.ts";
import type { Truth } from "../three-valued.ts";

/** Number of characters of a text (code points), elements of a list or entries of a map; 0 for null. */
export function sizeOf(frame: Frame, value: Value): number {
  if (value === null || value === undefined) return 0;
  if (typeof value === "string") {
    frame.charge(value.length >> 6);
    let size = value.length;
    for (let i = 0; i < value.length - 1; i++)
      if ((value.charCodeAt(i) & 0xfc00) === 0xd800 && (value.charCodeAt(i + 1) & 0xfc00) === 0xdc00) size--;
    return size;
  }
  if (Array.isArray(value)) return value.length;
  if (isObject(value)) return Object.keys(value).length;
  throw typeError("size", value);
}

/** Equality as data, charged; null equals an absent field. Unknown where an unknown part decides. */
export function equals(frame: Frame, a: Value, b: Value): Truth {
  if (a === UNKNOWN || b === UNKNOWN) return UNKNOWN;
  if (a === b) return frame.doubtful && holdsUnknown(a) ? UNKNOWN : true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null)
    return (a ?? null) === null && (b ?? null) === null;
  const [one, two] = [frame.walked(a), frame.bounded(b)];
  return frame.doubtful ? (knownEqual(one, two) ?? UNKNOWN) : equalJson(one, two);
}

/** The greatest (1) or least (-1) of values of one kind, nulls left out; null of none. Throws `type` on mixed kinds. */
export function extreme(values: readonly Json[], sign: 1 | -1): Value {
  let best: Value;
  for (const value of values) {
    if (value === null) continue;
    const order = best === undefined ? 1 : compareValues(value, best);
    if (best === undefined || (order !== undefined && order * sign > 0)) best = value;
  }
  return best ?? null;
}

/** A list with the lists in it, down to a depth, written out in their place. */
export function flatten(frame: Frame, values: readonly Json[], depth: number): Json[] {
  const out: Json[] = [];
  for (const value of values) {
    frame.charge(1);
    if (Array.isArray(value) && depth > 0) {
      for (const inner of flatten(frame, value, depth - 1)) {
        frame.charge(1);
        out.push(inner);
      }
    } else out.push(value);
  }
  return out;
}

/** The first of each equal value, in order. */
export function distinct(frame: Frame, values: readonly Json[]): Json[] {
  const seen = new Set<string>();
  return values.filter((value) => {
    const name = canonicalJson(frame.walked(value));
    return !seen.has(name) && Boolean(seen.add(name));
  });
}

/** Where a value first stands in a list; -1 when it does not. */
export function indexIn(frame: Frame, values: readonly Json[], wanted: Value): number {
  frame.charge(values.length);
  return values.findIndex((value) => equals(frame, value, wanted) === true);
}
