import { type CopyLimits, equalJson, getOwn, isObject, type Json, type JsonObject, setOwn } from "./json.ts";

/** The one name of the object that stands for an unknown value in JSON. No arguments or evidence may hold it. */
const FORM = "\u001funknown";

/**
 * What nobody knows: one frozen value, told by identity. Whatever is computed from it is unknown, and a call whose
 * answer, refusal, guard or key is or holds it is a gap. In JSON it is `{"\u001funknown": true}`.
 */
export const UNKNOWN: JsonObject = Object.freeze({ [FORM]: true });

/** Whether an object is the JSON form of an unknown value. */
export const isUnknownForm = (value: object): boolean => Object.hasOwn(value, FORM);

/** Bounds and reading of what was stored: the JSON form of an unknown value is the value again. */
export const STORED: CopyLimits = {
  depth: 200,
  nodes: Number.POSITIVE_INFINITY,
  object: (value) => (isUnknownForm(value) ? UNKNOWN : null),
};

/** Bounds of what comes from outside, in which that form is no JSON value: nobody can tell a world what it does not know. */
export function fromOutside(limits: { readonly depth: number; readonly nodes: number }): CopyLimits {
  return { ...limits, object: (value) => (isUnknownForm(value) ? undefined : null) };
}

const held = new WeakMap<object, boolean>();

/** Whether a value is unknown or holds an unknown one at any depth. Frozen values are looked through once. */
export function holdsUnknown(value: Json | undefined): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (value === UNKNOWN) return true;
  const known = held.get(value);
  if (known !== undefined) return known;
  const found = Array.isArray(value)
    ? value.some(holdsUnknown)
    : Object.keys(value).some((key) => holdsUnknown(value[key]));
  if (Object.isFrozen(value)) held.set(value, found);
  return found;
}

/** Equality of two values of which parts may be unknown: undefined where that decides. */
export function knownEqual(a: Json | undefined, b: Json | undefined): boolean | undefined {
  if (a === UNKNOWN || b === UNKNOWN) return undefined;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    return every(a.map((item, i) => knownEqual(item, b[i])));
  }
  if (Array.isArray(b)) return false;
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return every([...keys].map((key) => knownEqual(getOwn(a, key), getOwn(b, key))));
}

/** Whether all hold: false where one does not, undefined where one is unknown and none is false. */
function every(parts: readonly (boolean | undefined)[]): boolean | undefined {
  return parts.includes(false) ? false : parts.includes(undefined) ? undefined : true;
}

/**
 * A value with the parts in which `after` differs from it unknown: what is left of the evidence when a call may have
 * made one of the other. Parts are members of maps; a list that differs is unknown whole.
 */
export function blurred(before: Json | undefined, after: Json | undefined): Json | undefined {
  if (knownEqual(before, after) === true) return before;
  if (!isObject(before) || !isObject(after) || before === UNKNOWN || after === UNKNOWN) return UNKNOWN;
  const out: JsonObject = {};
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const value = blurred(getOwn(before, key), getOwn(after, key));
    if (value !== undefined) setOwn(out, key, value);
  }
  return out;
}

/** A row's change as checks and people see it; undefined where it is none but in what is known. */
export function shownChange<C extends { readonly before?: JsonObject; readonly after?: JsonObject }>(
  change: C,
): C | undefined {
  const { before: was, after: is, ...row } = change;
  if (!holdsUnknown(was) && !holdsUnknown(is)) return change;
  const before = shown(was, undefined) as JsonObject | undefined;
  const after = shown(is, before) as JsonObject | undefined;
  if (equalJson(before, after)) return undefined;
  return { ...row, ...(before ? { before } : {}), ...(after ? { after } : {}) } as C;
}

/**
 * A value as checks and people see it: an unknown part reads as in `before`, since becoming unknown is no change, and is
 * left out where `before` does not tell it. So is a list with an element that nobody knows: it has no gaps to tell of.
 */
export function shown(value: Json | undefined, before: Json | undefined): Json | undefined {
  if (!holdsUnknown(value)) return value;
  if (value === UNKNOWN) return before === undefined || !holdsUnknown(before) ? before : shown(before, undefined);
  if (Array.isArray(value)) {
    const was = Array.isArray(before) && before.length === value.length ? before : [];
    const items = value.map((item, i) => shown(item, was[i]));
    if (items.every((item) => item !== undefined)) return items;
    return holdsUnknown(before) ? shown(before, undefined) : before;
  }
  const out: JsonObject = {};
  for (const [key, item] of Object.entries(value as JsonObject)) {
    const told = shown(item, isObject(before) && before !== UNKNOWN ? getOwn(before, key) : undefined);
    if (told !== undefined) setOwn(out, key, told);
  }
  return out;
}
