import { isDataMap } from "../compile/tables/entities.ts";
import { isScalar } from "../compile/values.ts";
import { isObject, type Json, type JsonObject, type Scalar } from "../json.ts";

/** A value with what it was found in. */
export interface Placed<T, V = Json> {
  readonly value: V;
  readonly from: T;
}

/** One place in values of a kind: its scalars, its records, and whether it is a map whose keys are data. */
export interface ValuePath<T> {
  /** Keys joined by `.`, `[]` for the elements of a list, `{}` for the entries of a map; empty at the root. */
  readonly path: string;
  readonly scalars: Placed<T, Scalar>[];
  readonly records: Placed<T, JsonObject>[];
  /** Entries of maps whose keys are data, by their key. */
  readonly entries: (Placed<T> & { readonly key: string })[];
}

/** Every place of values that are alike, parents before what they hold. */
export function valuePathsOf<T>(values: readonly Placed<T>[], path = "", depth = 0): ValuePath<T>[] {
  const valuePath: ValuePath<T> = { path, scalars: [], records: [], entries: [] };
  const items: Placed<T>[] = [];
  for (const { value, from } of values) {
    if (isScalar(value)) valuePath.scalars.push({ value, from });
    else if (Array.isArray(value)) for (const item of value) items.push({ value: item, from });
    else if (isObject(value)) valuePath.records.push({ value, from });
  }
  const below: ValuePath<T>[] = [];
  if (depth < MOST_DEEP) {
    if (items.length > 0) below.push(...valuePathsOf(items, `${path}[]`, depth + 1));
    const asMap = valuePath.records.length > 0 && isDataMap(valuePath.records.map(({ value }) => value));
    const columns = new Map<string, Placed<T>[]>();
    for (const { value, from } of valuePath.records)
      for (const [key, inner] of Object.entries(value)) {
        if (asMap) valuePath.entries.push({ key, value: inner, from });
        else {
          const held = columns.get(key);
          if (held) held.push({ value: inner, from });
          else columns.set(key, [{ value: inner, from }]);
        }
      }
    if (asMap) below.push(...valuePathsOf(valuePath.entries, `${path}{}`, depth + 1));
    for (const [key, inner] of columns)
      below.push(...valuePathsOf(inner, path === "" ? key : `${path}.${key}`, depth + 1));
  }
  return [valuePath, ...below];
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
