import { deepFreeze, type Json, type JsonObject, setOwn } from "../json.ts";

/** The value at a path of own keys; a number, or a key of digits, steps into a list. Undefined where nothing stands. */
export function readPath(value: Json | undefined, path: readonly (string | number)[]): Json | undefined {
  let at: Json | undefined = value;
  for (const part of path) {
    if (typeof at !== "object" || at === null) return undefined;
    if (Array.isArray(at)) {
      const index = Number(part);
      at = Number.isInteger(index) && index >= 0 ? at[index] : undefined;
    } else at = Object.hasOwn(at, part) ? at[part] : undefined;
  }
  return at;
}

/**
 * A frozen copy of `row` with `value`, frozen too, at `path`; everything off the path is shared with the original, and
 * missing objects on the way are made. Undefined when the path runs through something that is neither object nor list, or past a list's end.
 */
export function withPath(row: JsonObject, path: readonly (string | number)[], value: Json): JsonObject | undefined {
  const copied = place(row, path, 0, deepFreeze(value));
  return copied === undefined ? undefined : (copied as JsonObject);
}

function place(at: Json | undefined, path: readonly (string | number)[], depth: number, value: Json): Json | undefined {
  if (depth === path.length) return value;
  const part = path[depth] as string | number;
  if (Array.isArray(at)) {
    const index = Number(part);
    if (!Number.isInteger(index) || index < 0 || index >= at.length) return undefined;
    const inner = place(at[index], path, depth + 1, value);
    return inner === undefined ? undefined : (Object.freeze(at.with(index, inner)) as Json[]);
  }
  if (at !== undefined && at !== null && typeof at !== "object") return undefined;
  const name = String(part);
  const inner = place(at && Object.hasOwn(at, name) ? at[name] : undefined, path, depth + 1, value);
  if (inner === undefined) return undefined;
  const copy: JsonObject = { ...at };
  setOwn(copy, name, inner);
  return Object.freeze(copy);
}
