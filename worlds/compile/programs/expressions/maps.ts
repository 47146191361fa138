import { getOwn, isObject, type Json } from "../../../json.ts";
import { same } from "../../values.ts";
import { changed, type Expr, UNKNOWN } from "./expr.ts";
import type { Vector } from "./vectors.ts";

/** An example in which a map differs from another one at most under one key. */
export interface EntryChange {
  readonly at: number;
  /** What it has there, null where nothing. */
  readonly value: Json;
  /** Whether the key had an entry before. */
  readonly there: boolean;
}

/** What became of the entry under a key; undefined where more often another one changed, or never this one. */
export function entryChanges(
  map: Vector,
  key: Vector,
  examples: Int32Array,
  target: (i: number) => Json,
): readonly EntryChange[] | undefined {
  const out: EntryChange[] = [];
  let others = 0;
  let moved = false;
  for (const at of examples) {
    const [held, name, after] = [map.value(at), key.value(at), target(at)];
    if (held === UNKNOWN || name === UNKNOWN) continue;
    const under = typeof name === "string" || typeof name === "number" ? String(name) : undefined;
    const value = under === undefined || !isObject(after) ? null : (getOwn(after, under) ?? null);
    if (under === undefined || !isObject(held) || !same(changed(held, under, value), after)) others++;
    else {
      out.push({ at, value, there: Object.hasOwn(held, under) });
      moved ||= !same(held, after);
    }
  }
  return moved && others < out.length ? out : undefined;
}

/** What a list under a key may be without its last entry. */
export const shortened = (own: Expr): Expr[] => [true, false].map((gone) => ({ op: "shorter", a: own, gone }));
