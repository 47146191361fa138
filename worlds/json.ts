/** A JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
/** A JSON object: what `isObject` takes. */
export type JsonObject = { [key: string]: Json };

/** A JSON value without parts; null is none. */
export type Scalar = string | number | boolean;

/** Whether a value is a JSON object: no array, no null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An own property; undefined for what every object has by birth (`constructor`, `toString`). */
export function getOwn<T>(object: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Sets an own property whatever its name: `__proto__` becomes a plain field and never a prototype. */
export function setOwn<T>(target: Record<string, T>, key: string, value: T): void {
  if (key === "__proto__")
    Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
  else target[key] = value;
}

/** Equality as data: numbers by value, objects whatever their key order. */
export function equalJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null || a === undefined || b === undefined)
    return false;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (!equalJson(a[i], b[i])) return false;
    return true;
  }
  if (Array.isArray(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  for (const key of keys) if (!Object.hasOwn(b, key) || !equalJson(a[key], b[key])) return false;
  return true;
}

/** Bounds of a value taken from outside, so that no later walk over it can run out of stack or time. */
export interface CopyLimits {
  readonly depth: number;
  readonly nodes: number;
  /** What stands for an object in the copy, null for a copy of it; undefined where it may not stand there at all. */
  readonly object?: (value: object) => JsonObject | null | undefined;
}

/**
 * A deeply frozen copy that shares nothing with its source; own data of the source only, `undefined` members left out.
 * Returns undefined when a bound is passed or a member is no JSON value (a function, NaN, a bigint).
 */
export function frozenCopy(
  value: unknown,
  limits: CopyLimits = { depth: 200, nodes: Number.POSITIVE_INFINITY },
): Json | undefined {
  let left = limits.nodes;
  const copy = (item: unknown, depth: number): Json | undefined => {
    if (--left < 0 || depth < 0) return undefined;
    if (item === null || typeof item === "string" || typeof item === "boolean") return item;
    if (typeof item === "number") return Number.isFinite(item) ? item : undefined;
    if (typeof item !== "object") return undefined;
    if (Array.isArray(item)) {
      const list: Json[] = [];
      for (const member of item) {
        const copied = copy(member, depth - 1);
        if (copied === undefined) return undefined;
        list.push(copied);
      }
      return Object.freeze(list) as Json[];
    }
    const other = limits.object ? limits.object(item) : null;
    if (other !== null) return other;
    const out: JsonObject = {};
    for (const key of Object.keys(item)) {
      const member = (item as Record<string, unknown>)[key];
      if (member === undefined) continue;
      const copied = copy(member, depth - 1);
      if (copied === undefined) return undefined;
      setOwn(out, key, copied);
    }
    return Object.freeze(out);
  };
  return copy(value, limits.depth);
}

/** Freezes what is not frozen yet. Frozen parts are taken to be frozen all the way down, as all rows and arguments in a world are. */
export function deepFreeze<T extends Json>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  if (Array.isArray(value)) for (const member of value) deepFreeze(member);
  else for (const key of Object.keys(value)) deepFreeze((value as JsonObject)[key] as Json);
  return value;
}
