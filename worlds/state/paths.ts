import { deepFreeze, type Json, type JsonObject, setOwn } from "../json.ts";
import { UNKNOWN } from "../unknown.ts";

/** The value at a path of own keys; digits step into a list. Undefined where there is none, unknown within an unknown. */
export function readPath(value: Json | undefined, path: readonly (string | number)[]): Json | undefined {
  let at: Json | undefined = value;
  for (const part of path) {
    if (at === UNKNOWN) return UNKNOWN;
    if (typeof at !== "object" || at === null) return undefined;
    if (Array.isArray(at)) {
      const index = Number(part);
      at = Number.isInteger(index) && index >= 0 ? at[index] : undefined;
    } else at = Object.hasOwn(at, part) ? at[part] : undefined;
  }
  return at;
}

/**
 * `row` with `value`, frozen, at `path`. Frozen objects and lists on the way are copied, those that are not are taken to
 * be the caller's own and changed in place: a first call on a frozen row gives a draft that further calls fill, until it
 * is frozen. What is off the path is shared; missing objects on the way are made. Undefined when the path runs through
 * something that is neither object nor list, or past a list's end; what is unknown stays so.
 */
export function withPath(row: JsonObject, path: readonly (string | number)[], value: Json): JsonObject | undefined {
  return place(row, path, 0, deepFreeze(value)) as JsonObject | undefined;
}

function place(at: Json | undefined, path: readonly (string | number)[], depth: number, value: Json): Json | undefined {
  if (depth === path.length) return value;
  if (at === UNKNOWN) return UNKNOWN;
  const part = path[depth] as string | number;
  if (Array.isArray(at)) {
    const index = Number(part);
    if (!Number.isInteger(index) || index < 0 || index >= at.length) return undefined;
    const inner = place(at[index], path, depth + 1, value);
    if (inner === undefined) return undefined;
    const draft = Object.isFrozen(at) ? [...at] : at;
    draft[index] = inner;
    return draft;
  }
  if (at !== undefined && at !== null && typeof at !== "object") return undefined;
  const name = String(part);
  const inner = place(at && Object.hasOwn(at, name) ? at[name] : undefined, path, depth + 1, value);
  if (inner === undefined) return undefined;
  const draft: JsonObject = at && !Object.isFrozen(at) ? at : { ...at };
  setOwn(draft, name, inner);
  return draft;
}
