import { getOwn, type Json, type JsonObject } from "../../json.ts";
import { byText, isScalar, same } from "../values.ts";
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
    { calls: number; made: Making[]; again: number; table: string; path: string; act: string }
  >();
  for (const { session, observations, first } of timelines) {
    const named = new Set<string>();
    const gone = new Set<string>();
    for (const [at, call] of session.calls.entries()) {
      const own = new Set(Object.values(call.args).filter(isScalar).map(String));
      if (call.ok && !readers.has(call.tool)) {
        const byPlace = new Map<string, { table: string; path: string; keys: string[]; rows: JsonObject[] }>();
        for (const { place, key, columns } of observations[at]?.rows ?? []) {
          const row = byPlace.get(place.path) ?? { table: place.table, path: place.path, keys: [], rows: [] };
          row.keys.push(key);
          row.rows.push(columns);
          byPlace.set(place.path, row);
        }
        for (const { table, path, keys, rows } of byPlace.values()) {
          const act = kinds.act(call);
          const id = `${act} ${path}`;
          const isNew = (key: string): boolean =>
            first.get(rowId(table, key)) === at && !named.has(key) && !own.has(key);
          const makes = keys.every(isNew);
          const count = counts.get(id) ?? { calls: 0, made: [], again: 0, table, path, act };
          counts.set(id, count);
          // A row that a write was given and nothing shows since may have come again under its key: that says little.
          if (!makes && keys.every((key) => isNew(key) || (gone.has(key) && !own.has(key)))) {
            count.again++;
            continue;
          }
          count.calls++;
          if (makes) count.made.push({ args: call.args, rows });
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
  for (const { calls, made, again, table, path, act } of counts.values()) {
    if (made.length < 2 || made.length < calls * 0.9 || made.length < again) continue;
    const list = path.endsWith("[]") ? listIn(made) : { list: undefined };
    if (list) out.set(act, [...(out.get(act) ?? []), { table, path, ...list, columns: new Map() }]);
  }
  return out;
}

/** One call that made rows, in their order. */
interface Making {
  readonly args: JsonObject;
  readonly rows: readonly JsonObject[];
}

/** The argument that holds an entry for each row; where not all calls are given it, the entries that the others make rows of. */
function listIn(made: readonly Making[]): Pick<Creation, "list" | "otherwise"> | undefined {
  for (const list of [...new Set(made.flatMap(({ args }) => Object.keys(args)))].sort(byText)) {
    const given = made.filter(({ args }) => Object.hasOwn(args, list));
    if (!given.every(({ args, rows }) => Array.isArray(args[list]) && args[list].length === rows.length)) continue;
    if (given.length === made.length) return { list };
    const [shown] = Object.keys(given[0]?.rows[0] ?? {}).filter((name) =>
      given.every(({ args, rows }) => rows.every((row, i) => same(getOwn(row, name), (args[list] as Json[])[i]))),
    );
    const others = made
      .filter((one) => !given.includes(one))
      .map(({ rows }) => rows.map((row) => row[shown ?? ""] ?? null));
    const [otherwise] = others;
    if (shown === undefined || given.length < 2 || others.length < 2 || !otherwise) continue;
    if (others.every((entries) => same(entries, otherwise))) return { list, otherwise };
  }
  return undefined;
}
