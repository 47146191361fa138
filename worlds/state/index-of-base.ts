import { canonicalJson } from "../digest.ts";
import type { Json, JsonObject } from "../json.ts";
import { holdsUnknown, UNKNOWN } from "../unknown.ts";
import { compareKeys } from "./keys.ts";
import { readPath } from "./paths.ts";

const NONE: readonly string[] = Object.freeze([]);

/** Keys of base rows by the value at one path, in row order. An absent value is indexed as null, which is how expressions read it. */
export class SecondaryIndex {
  private readonly keysOf = new Map<string, string[]>();

  constructor(rows: ReadonlyMap<string, JsonObject>, path: readonly string[]) {
    for (const [key, row] of rows) {
      const value = readPath(row, path) ?? null;
      const name = SecondaryIndex.nameOf(holdsUnknown(value) ? UNKNOWN : value);
      const keys = this.keysOf.get(name);
      if (keys) keys.push(key);
      else this.keysOf.set(name, [key]);
    }
  }

  /** The name a value has in an index: equal values, and only those, share it. */
  static nameOf(value: Json): string {
    return typeof value === "string" ? `"${value}` : canonicalJson(value);
  }

  /** Keys of the base rows with that value, and of those that may have it, in row order. */
  keys(value: Json): readonly string[] {
    const known = this.keysOf.get(SecondaryIndex.nameOf(value)) ?? NONE;
    const maybe = this.keysOf.get(SecondaryIndex.nameOf(UNKNOWN));
    return maybe === undefined ? known : [...known, ...maybe].sort(compareKeys);
  }
}
