import { getOwn, type JsonObject } from "../../../json.ts";
import type { Session } from "../../observations.ts";
import { canon, isScalar } from "../../values.ts";
import { objectsIn, type RowPath, type Values, valuesOf } from "./row-paths.ts";

/** Pairs of rows with one key that have to be seen, and the share of their fields that agree in things that are one. */
const PAIRS = 3;
const ONE = 0.5;
/** Share of pairs within one value of the argument that have to be alike. */
const STEADY = 0.8;
/** Sights of a row looked at. */
const ENOUGH = 8;

interface Observation {
  readonly session: number;
  readonly object: JsonObject;
  /** The field of its key. */
  readonly key: string;
}

interface Count {
  n: number;
  alike: number;
}

const isOne = ({ n, alike }: Count): boolean => n >= PAIRS && alike >= n * STEADY;

function compare(count: Count, a: Observation, b: Observation): void {
  const names = Object.keys(a.object).filter((name) => name !== a.key && Object.hasOwn(b.object, name));
  const same = names.filter((name) => canon(getOwn(a.object, name)) === canon(getOwn(b.object, name)));
  count.n++;
  if (same.length >= names.length * ONE) count.alike++;
}

/**
 * Places whose key tells rows apart within the values of another argument alone, as numbers that begin anew in every
 * project do: readings show rows with one key that differ where the argument does, and are alike where it does not. They
 * are no rows of one table: taken for such, the row of one project is said of another.
 */
export function scopedPaths(
  sessions: readonly Session[],
  readers: ReadonlySet<string>,
  places: readonly RowPath[],
  values: Values,
): ReadonlySet<RowPath> {
  const byTool = new Map<string, RowPath[]>();
  for (const rowPath of places) byTool.set(rowPath.tool, [...(byTool.get(rowPath.tool) ?? []), rowPath]);
  const sights = new Map<string, Map<string, Observation[]>>();
  const given = new Map<RowPath, Set<string>>();
  for (const [s, { calls }] of sessions.entries())
    for (const { ok, tool, args, value } of calls)
      for (const place of ok ? (byTool.get(tool) ?? []) : []) {
        given.set(place, new Set([...(given.get(place) ?? []), ...Object.keys(args)]));
        if (!readers.has(tool) || place.key.from !== "field") continue;
        for (const { path, object } of objectsIn(value, valuesOf(values, tool))) {
          const { name } = place.key;
          const key = getOwn(object, name);
          if (path !== place.path || key === undefined) continue;
          for (const [arg, scope] of Object.entries(args)) {
            if (!isScalar(scope) || canon(scope) === canon(key)) continue;
            const id = `${place.table}\n${arg}\n${canon(key)}`;
            const scopes = sights.get(id) ?? new Map<string, Observation[]>();
            sights.set(id, scopes);
            const of = scopes.get(canon(scope)) ?? [];
            scopes.set(canon(scope), of);
            if (of.length < ENOUGH && of.at(-1)?.session !== s) of.push({ session: s, object, key: name });
          }
        }
      }
  const counts = new Map<string, { within: Count; across: Count }>();
  for (const [id, scopes] of sights) {
    const [table, arg] = id.split("\n") as [string, string];
    const count = counts.get(`${table}\n${arg}`) ?? { within: { n: 0, alike: 0 }, across: { n: 0, alike: 0 } };
    counts.set(`${table}\n${arg}`, count);
    const lists = [...scopes.values()];
    lists.forEach((list, i) => {
      for (const [k, other] of list.entries()) if (k > 0) compare(count.within, list[0] as Observation, other);
      for (const others of lists.slice(0, i)) compare(count.across, list[0] as Observation, others[0] as Observation);
    });
  }
  const scoped = [...counts]
    .filter(([, { within, across }]) => isOne(within) && across.n >= PAIRS && across.alike < across.n * ONE)
    .map(([id]) => id);
  return new Set(places.filter((place) => scoped.some((id) => inScope(place, id, given.get(place)))));
}

/** Whether a place is of a table that is scoped by an argument which its calls are given. */
const inScope = ({ table }: RowPath, id: string, args: ReadonlySet<string> | undefined): boolean =>
  id.startsWith(`${table}\n`) && args?.has(id.slice(table.length + 1)) === true;
