import { getOwn, isObject, type Json, type JsonObject } from "../../../json.ts";
import type { Call, Session } from "../../observations.ts";
import { canon, isScalar, same } from "../../values.ts";
import { findDerived } from "../derived.ts";
import type { Expr } from "../expressions/expr.ts";
import { type Functions, type Layout, NO_FUNCTIONS, observationOf, WHOLE } from "./observations.ts";
import { NO_POINTERS, type Pointers } from "./pointed.ts";
import { findKeyedPaths, findValues, leavesOf, objectsIn, type RowPath, type Values, valuesOf } from "./row-paths.ts";
import { scopedPaths } from "./scoped-keys.ts";

/** Readers whose answers have no key of their own but differ by their arguments: the fewest arguments that tell them apart. */
function argumentPaths(
  sessions: readonly Session[],
  readers: ReadonlySet<string>,
  keyed: readonly RowPath[],
  values: Values,
): RowPath[] {
  const out: RowPath[] = [];
  const roots = new Set(keyed.filter(({ path }) => path === "$" || path === "$[]").map(({ tool }) => tool));
  const byTool = new Map<string, { session: number; call: Call; epoch: number }[]>();
  for (const [s, session] of sessions.entries()) {
    let epoch = 0;
    for (const call of session.calls) {
      if (!call.ok) continue;
      if (readers.has(call.tool) && !roots.has(call.tool))
        byTool.set(call.tool, [...(byTool.get(call.tool) ?? []), { session: s, call, epoch }]);
      if (!readers.has(call.tool)) epoch++;
    }
  }
  for (const [tool, calls] of byTool) {
    const names = [...new Set(calls.flatMap(({ call }) => Object.keys(call.args)))]
      .filter((name) => calls.some(({ call }) => isScalar(getOwn(call.args, name))))
      .sort();
    if (names.length === 0) continue;
    const subsets: string[][] = [[], ...names.map((name) => [name])];
    for (let i = 0; i < names.length; i++)
      for (let j = i + 1; j < names.length; j++) subsets.push([names[i] as string, names[j] as string]);
    if (names.length > 2) subsets.push(names);
    const held = new Set(keyed.flatMap((place) => (place.tool === tool ? [place.path] : [])));
    const agree = (subset: readonly string[], within: boolean): number =>
      agreement(calls, subset, within, valuesOf(values, tool), (path) => held.has(path));
    const [within, across] = [agree(names, true), agree(names, false)];
    const enough = subsets.find(
      (subset) => agree(subset, true) >= within * 0.95 && agree(subset, false) >= across * 0.95,
    );
    if (!enough || enough.length === 0) continue;
    out.push({ tool, path: "$", table: "", key: { from: "args", names: enough } });
  }
  return out;
}

/** Calls that may be given a key of another form, of all whose answers say it. */
const OTHERS = 0.05;

/**
 * Places of rows, without what writes say of themselves: a key that they were given, in tables of which no reading and
 * no other answer shows a row, and that no reading is asked for.
 */
function rowsOnly(
  sessions: readonly Session[],
  readers: ReadonlySet<string>,
  places: readonly RowPath[],
  values: Values,
): (rowPath: RowPath) => boolean {
  const told = new Map<RowPath, { all: number; given: number; asked: number }>();
  const byTool = new Map<string, RowPath[]>();
  for (const place of places) byTool.set(place.tool, [...(byTool.get(place.tool) ?? []), place]);
  for (const { calls } of sessions) {
    const asked = new Set(
      calls.flatMap(({ ok, tool, args }) => (ok && readers.has(tool) ? Object.values(args).filter(isScalar) : [])),
    );
    for (const call of calls) {
      const of = call.ok && !readers.has(call.tool) ? byTool.get(call.tool) : undefined;
      if (!of) continue;
      const given = new Set(Object.values(call.args).filter(isScalar).map(String));
      for (const { path, object } of objectsIn(call.value, valuesOf(values, call.tool)))
        for (const place of of) {
          if (place.path !== path || place.key.from !== "field") continue;
          const key = getOwn(object, place.key.name);
          const count = told.get(place) ?? { all: 0, given: 0, asked: 0 };
          told.set(place, count);
          count.all++;
          if (given.has(String(key))) count.given++;
          if (isScalar(key) && asked.has(key)) count.asked++;
        }
    }
  }
  const said = (place: RowPath): boolean => {
    const { all, given, asked } = told.get(place) ?? { all: 0, given: 0, asked: 0 };
    return place.path === "$" && all > 0 && asked < 2 && all - given <= all * OTHERS;
  };
  const tables = new Set(places.filter((place) => !said(place)).map(({ table }) => table));
  return ({ table }) => tables.has(table);
}

const holdsPlace = (tool: string, places: readonly RowPath[]): boolean =>
  places.some((rowPath) => rowPath.tool === tool);

/** The share of answers' leaves that are the same whenever these arguments are, between writes or before a session's first write. */
function agreement(
  calls: readonly { readonly session: number; readonly call: Call; readonly epoch: number }[],
  names: readonly string[],
  within: boolean,
  values: ReadonlySet<string>,
  isPlace: (path: string) => boolean,
): number {
  const seen = new Map<string, Json>();
  let right = 0;
  let all = 0;
  for (const { session, call, epoch } of calls) {
    if (!within && epoch > 0) continue;
    const leaves: [string, Json][] = isObject(call.value)
      ? leavesOf(call.value, isPlace, values)
      : [[WHOLE, call.value]];
    const id = `${within ? `${session} ${epoch}` : ""} ${canon(names.map((name) => getOwn(call.args, name) ?? null))}`;
    for (const [leaf, value] of leaves) {
      const before = seen.get(`${id} ${leaf}`);
      if (before !== undefined) {
        all++;
        if (same(before, value)) right++;
      } else seen.set(`${id} ${leaf}`, value);
    }
  }
  return all === 0 ? 1 : right / all;
}

/** Tables of argument places: the one whose keys the argument holds, else one of its own. */
function named(
  places: readonly RowPath[],
  sessions: readonly Session[],
  keyed: readonly RowPath[],
  taken: ReadonlySet<string>,
  values: Values,
): RowPath[] {
  const keys = new Map<string, Set<string>>();
  for (const [s, { calls }] of sessions.entries())
    for (const call of calls) {
      const of = keyed.filter(({ tool }) => tool === call.tool);
      if (!call.ok || of.length === 0) continue;
      for (const { path, object } of objectsIn(call.value, valuesOf(values, call.tool)))
        for (const rowPath of of)
          if (rowPath.path === path && rowPath.key.from === "field")
            keys.set(
              rowPath.table,
              (keys.get(rowPath.table) ?? new Set()).add(`${s} ${String(getOwn(object, rowPath.key.name))}`),
            );
    }
  return places.map((place) => {
    const [name, ...others] = place.key.from === "args" ? place.key.names : [];
    if (name !== undefined && others.length === 0) {
      const own = new Set<string>();
      for (const [s, { calls }] of sessions.entries())
        for (const call of calls)
          if (call.ok && call.tool === place.tool) own.add(`${s} ${String(getOwn(call.args, name))}`);
      for (const [table, of] of keys) {
        const both = [...own].filter((id) => of.has(id)).length;
        const called = keyed.some((one) => one.table === table && one.key.from === "field" && one.key.name === name);
        if (both >= 2 && (called || both >= Math.min(own.size, of.size) * 0.3)) return { ...place, table };
      }
    }
    const base = place.tool.replace(/[^A-Za-z0-9_]+/g, "_");
    return { ...place, table: taken.has(base) ? `${base}_answers` : base };
  });
}

function referencesOf(sessions: readonly Session[], layout: Omit<Layout, "refs">): Map<string, Map<string, string>> {
  const whole: Layout = { ...layout, refs: new Map() };
  const tallies = new Map<string, { n: number; hits: Map<string, number> }>();
  for (const session of sessions) {
    const keys = new Map<string, Set<string>>();
    for (const call of session.calls)
      for (const { place, key } of observationOf(call, whole).rows)
        keys.set(place.table, (keys.get(place.table) ?? new Set()).add(key));
    for (const call of session.calls)
      for (const [name, value] of Object.entries(call.args)) {
        if (!isScalar(value) || typeof value === "boolean") continue;
        const id = `${call.tool}\u001f${name}`;
        const tally = tallies.get(id) ?? { n: 0, hits: new Map<string, number>() };
        if (call.ok) tally.n++;
        for (const [table, of] of keys)
          if (call.ok && (layout.tables.get(table)?.length ?? 1) === 1 && of.has(String(value)))
            tally.hits.set(table, (tally.hits.get(table) ?? 0) + 1);
        tallies.set(id, tally);
      }
  }
  const out = new Map<string, Map<string, string>>();
  for (const [id, { n, hits }] of tallies) {
    const [tool, name] = id.split("\u001f") as [string, string];
    const [best] = [...hits].sort((a, b) => b[1] - a[1]);
    if (!best || n === 0 || best[1] < n * 0.6) continue;
    out.set(tool, (out.get(tool) ?? new Map()).set(name, best[0]));
  }
  return out;
}

/** Rows by a field of their own, objects that are values, and tools that only compute: they rest on answers alone. */
export interface Keyed {
  readonly paths: readonly RowPath[];
  readonly values: Values;
  readonly functions: Functions;
}

export function findKeyed(sessions: readonly Session[]): Keyed {
  const values = findValues(sessions);
  return { paths: findKeyedPaths(sessions, values), values, functions: NO_FUNCTIONS };
}

/** Finds where a service's answers show rows and cells, and which arguments name rows. `sure` where the readers are all that there are. */
export function findLayout(
  sessions: readonly Session[],
  readers: ReadonlySet<string>,
  { paths, values, functions }: Keyed,
  sure: boolean,
  { paths: pointing, pointed }: Pointers = NO_POINTERS,
): Layout {
  const found = paths.filter(({ tool }) => !functions.tools.has(tool));
  const storing = new Set([...readers].filter((tool) => !functions.tools.has(tool)));
  const scoped = scopedPaths(sessions, readers, found, values);
  const keyed = found.filter(rowsOnly(sessions, readers, found, values)).filter((rowPath) => !scoped.has(rowPath));
  const tables = new Map<string, readonly string[]>();
  for (const table of new Set(keyed.map((place) => place.table))) {
    const names = keyed.flatMap((place) => (place.table === table && place.key.from === "field" ? place.key.name : []));
    const [key] = [...new Set(names)].sort(
      (a, b) => names.filter((name) => name === b).length - names.filter((name) => name === a).length,
    );
    tables.set(table, [key ?? "id"]);
  }
  const given = named(argumentPaths(sessions, storing, keyed, values), sessions, keyed, new Set(tables.keys()), values);
  // What holds rows is one only where its argument is the key of another one: else it is the answer to a question.
  const asked = given.filter(({ tool, table }) => tables.has(table) || !holdsPlace(tool, keyed));
  for (const place of asked)
    if (place.key.from === "args" && !tables.has(place.table)) tables.set(place.table, place.key.names);
  for (const place of pointing) if (place.key.from === "cell") tables.set(place.table, [place.key.name]);
  const places = new Map<string, RowPath[]>();
  for (const place of [...keyed, ...asked, ...pointing])
    places.set(place.tool, [...(places.get(place.tool) ?? []), place]);
  const none = new Set<string>();
  const computed = new Map<string, ReadonlyMap<string, Expr>>();
  const nothing = {
    derived: none,
    echoes: new Map(),
    sizes: new Map(),
    tells: new Map<Call, JsonObject>(),
    reasons: new Set<string>(),
    listed: new Map<Call, ReadonlyMap<string, JsonObject>>(),
    pointed,
    volatile: none,
    functions,
    own: new Map<string, string>(),
    computed,
  };
  const layout = {
    paths: places,
    readers,
    values,
    tables,
    computed,
    tells: nothing.tells,
    reasons: nothing.reasons,
    listed: nothing.listed,
    pointed,
    functions,
    ...findDerived(sessions, readers, { paths: places, readers, values, tables, ...nothing }, sure),
  };
  return { ...layout, refs: referencesOf(sessions, layout) };
}
