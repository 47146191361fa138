import { isDataMap } from "../compile/tables/entities.ts";
import { isScalar } from "../compile/values.ts";
import { isObject, type Json, type JsonObject, type Scalar } from "../json.ts";

/** A value with what it was found in. */
export interface Placed<T, V = Json> {
  readonly value: V;
  readonly from: T;
}

/** One place in values of a kind: its scalars, its records, and whether it is a map whose keys are data. */
export interface Place<T> {
  /** Keys joined by `.`, `[]` for the elements of a list, `{}` for the entries of a map; empty at the root. */
  readonly path: string;
  readonly scalars: Placed<T, Scalar>[];
  readonly records: Placed<T, JsonObject>[];
  /** Entries of maps whose keys are data, by their key. */
  readonly entries: (Placed<T> & { readonly key: string })[];
}

/** Every place of values that are alike, parents before what they hold. */
export function placesOf<T>(values: readonly Placed<T>[], path = "", depth = 0): Place<T>[] {
  const place: Place<T> = { path, scalars: [], records: [], entries: [] };
  const items: Placed<T>[] = [];
  for (const { value, from } of values) {
    if (isScalar(value)) place.scalars.push({ value, from });
    else if (Array.isArray(value)) for (const item of value) items.push({ value: item, from });
    else if (isObject(value)) place.records.push({ value, from });
  }
  const below: Place<T>[] = [];
  if (depth < MOST_DEEP) {
    if (items.length > 0) below.push(...placesOf(items, `${path}[]`, depth + 1));
    const asMap = place.records.length > 0 && isDataMap(place.records.map(({ value }) => value));
    const columns = new Map<string, Placed<T>[]>();
    for (const { value, from } of place.records)
      for (const [key, inner] of Object.entries(value)) {
        if (asMap) place.entries.push({ key, value: inner, from });
        else {
          const held = columns.get(key);
          if (held) held.push({ value: inner, from });
          else columns.set(key, [{ value: inner, from }]);
        }
      }
    if (asMap) below.push(...placesOf(place.entries, `${path}{}`, depth + 1));
    for (const [key, inner] of columns) below.push(...placesOf(inner, path === "" ? key : `${path}.${key}`, depth + 1));
  }
  return [place, ...below];
}

const MOST_DEEP = 6;

/** The last name of a path: what the place is called. */
export function lastName(path: string): string {
  return (
    path
      .replace(/[[\]{}]/g, "")
      .split(".")
      .at(-1) ?? ""
  );
}
