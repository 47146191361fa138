import { isScalar } from "../values.ts";
import type { Creation } from "./simulate.ts";
import type { Kinds } from "./state/kinds.ts";
import { rowId, type Timeline } from "./state/touches.ts";

/** Tools whose answers show rows that nobody named or saw before. */
export function findCreations(
  timelines: readonly Timeline[],
  readers: ReadonlySet<string>,
  kinds: Kinds,
): Map<string, Creation[]> {
  const counts = new Map<
    string,
    { calls: number; made: number; again: number; lists: Map<string, number>; table: string; path: string; act: string }
  >();
  for (const { session, observations, first } of timelines) {
    const named = new Set<string>();
    const gone = new Set<string>();
    for (const [at, call] of session.calls.entries()) {
      const own = new Set(Object.values(call.args).filter(isScalar).map(String));
      if (call.ok && !readers.has(call.tool)) {
        const byPlace = new Map<string, { table: string; path: string; keys: string[] }>();
        for (const { place, key } of observations[at]?.rows ?? []) {
          const row = byPlace.get(place.path) ?? { table: place.table, path: place.path, keys: [] };
          row.keys.push(key);
          byPlace.set(place.path, row);
        }
        for (const { table, path, keys } of byPlace.values()) {
          const act = kinds.act(call);
          const id = `${act} ${path}`;
          const isNew = (key: string): boolean =>
            first.get(rowId(table, key)) === at && !named.has(key) && !own.has(key);
          const makes = keys.every(isNew);
          const count = counts.get(id) ?? {
            calls: 0,
            made: 0,
            again: 0,
            lists: new Map<string, number>(),
            table,
            path,
            act,
          };
          counts.set(id, count);
          // A row that a write was given and nothing shows since may have come again under its key: that says little.
          if (!makes && keys.every((key) => isNew(key) || (gone.has(key) && !own.has(key)))) {
            count.again++;
            continue;
          }
          count.calls++;
          if (!makes) continue;
          count.made++;
          for (const [name, value] of Object.entries(call.args))
            if (Array.isArray(value) && value.length === keys.length)
              count.lists.set(name, (count.lists.get(name) ?? 0) + 1);
        }
      }
      // What a refused call named was not there: a row that is shown later under that key was made since.
      for (const value of call.ok ? own : []) {
        named.add(value);
        if (!readers.has(call.tool)) gone.add(value);
      }
      for (const { key } of observations[at]?.rows ?? []) gone.delete(key);
    }
  }
  const out = new Map<string, Creation[]>();
  for (const { calls, made, again, lists, table, path, act } of counts.values()) {
    if (made < 2 || made < calls * 0.9 || made < again) continue;
    const list = path.endsWith("[]") ? [...lists].find(([, n]) => n === made)?.[0] : undefined;
    if (path.endsWith("[]") && list === undefined) continue;
    out.set(act, [...(out.get(act) ?? []), { table, path, list, columns: new Map() }]);
  }
  return out;
}
