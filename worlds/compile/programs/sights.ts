import { getOwn, isObject, type Json, type JsonObject, setOwn } from "../../json.ts";
import type { Call, Session } from "../observations.ts";
import { canon, isScalar, same } from "../values.ts";
import type { Expr } from "./expr.ts";
import { findKeyedPlaces, findValues, leavesOf, objectsIn, type Place, type Values, valuesOf } from "./places.ts";

/** A row as an answer showed it. */
export interface RowSight {
  readonly place: Place;
  readonly key: string;
  readonly columns: JsonObject;
  /** The row that it stands in, by its place. */
  readonly within: { readonly table: string; readonly key: string } | undefined;
}

/** What one answer shows of the system right after its call. */
export interface Sights {
  readonly cells: JsonObject;
  readonly rows: readonly RowSight[];
}

/** What was found of how a service's answers show its state. */
export interface Layout {
  readonly places: ReadonlyMap<string, readonly Place[]>;
  readonly readers: ReadonlySet<string>;
  /** Objects in answers that are values and have no fields. */
  readonly values: Values;
  /** Key columns by table. */
  readonly tables: ReadonlyMap<string, readonly string[]>;
  /** The table whose keys an argument holds, by tool and argument. */
  readonly refs: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Leaves that show nothing stored: they are computed, fixed, or another thing of the same name. */
  readonly derived: ReadonlySet<string>;
  /** What leaves that are derived follow from, by table and column; cells under the empty table. */
  readonly computed: ReadonlyMap<string, ReadonlyMap<string, Expr>>;
  /** Cells of leaves whose name is that of another thing elsewhere. */
  readonly own: ReadonlyMap<string, string>;
  /** Leaves among them that are another value each time they are asked for. */
  readonly volatile: ReadonlySet<string>;
}

/** The name of a leaf of a place, as `derived` lists it. */
export const leafId = (tool: string, path: string, name: string): string => `${tool} ${path} ${name}`;

/** The column that a tool's whole answer is, where it is no object. */
export const WHOLE = "value";

function keyOfPlace(place: Place, object: JsonObject | undefined, args: JsonObject): string | undefined {
  if (place.key.from === "field") {
    const value = object && getOwn(object, place.key.name);
    return isScalar(value) ? String(value) : undefined;
  }
  const parts = place.key.names.map((name) => getOwn(args, name));
  return parts.every((part) => isScalar(part)) ? parts.map(String).join("\u001f") : undefined;
}

const known = new WeakMap<Layout, Map<Call, Sights>>();

/** Everything that an answer shows, by the layout: looked at once. */
export function sightsOf(call: Call, layout: Layout): Sights {
  const of = known.get(layout) ?? new Map<Call, Sights>();
  if (of.size === 0) known.set(layout, of);
  let sights = of.get(call);
  if (!sights) {
    sights = lookAt(call, layout);
    of.set(call, sights);
  }
  return sights;
}

function lookAt(call: Call, layout: Layout): Sights {
  const cells: JsonObject = {};
  const rows: RowSight[] = [];
  if (!call.ok) return { cells, rows };
  const places = layout.places.get(call.tool) ?? [];
  const at = new Map(places.map((place) => [place.path, place]));
  const isPlace = (path: string): boolean => at.has(path);
  const root = at.get("$");
  const values = valuesOf(layout.values, call.tool);
  if (!isObject(call.value)) {
    if (root && root.key.from === "args" && !(Array.isArray(call.value) && at.has("$[]"))) {
      const key = keyOfPlace(root, undefined, call.args);
      if (key !== undefined) rows.push({ place: root, key, columns: { [WHOLE]: call.value }, within: undefined });
    } else if (!root && !at.has("$[]") && layout.readers.has(call.tool)) setOwn(cells, call.tool, call.value);
  }
  for (const { path, object, around } of objectsIn(call.value, values)) {
    const place = at.get(path);
    if (place) {
      const key = keyOfPlace(place, object, call.args);
      if (key === undefined) continue;
      const columns = columnsOf(place, object, call, layout, isPlace);
      rows.push({ place, key, columns, within: holder(around, at, call.args) });
    } else if (path === "$")
      for (const [name, value] of leavesOf(object, isPlace, values)) {
        const leaf = leafId(call.tool, "$", name);
        if (!layout.derived.has(leaf)) setOwn(cells, layout.own.get(leaf) ?? name, value);
      }
  }
  return { cells, rows };
}

function holder(
  around: readonly { readonly path: string; readonly object: JsonObject }[],
  at: ReadonlyMap<string, Place>,
  args: JsonObject,
): RowSight["within"] {
  for (const { path, object } of [...around].reverse()) {
    const place = at.get(path);
    const key = place && keyOfPlace(place, object, args);
    if (place && key !== undefined) return { table: place.table, key };
  }
  return undefined;
}

function columnsOf(
  place: Place,
  object: JsonObject,
  call: Call,
  layout: Layout,
  isPlace: (path: string) => boolean,
): JsonObject {
  const out: JsonObject = {};
  const [keyColumn] = layout.tables.get(place.table) ?? [];
  for (const [name, value] of leavesOf(object, isPlace, valuesOf(layout.values, call.tool), place.path)) {
    if (place.key.from === "field" && name === place.key.name) {
      if (keyColumn !== undefined) setOwn(out, keyColumn, value);
    } else if (!layout.derived.has(leafId(call.tool, place.path, name))) setOwn(out, name, value);
  }
  return out;
}

/** Readers whose answers have no key of their own but differ by their arguments: the fewest arguments that tell them apart. */
function argumentPlaces(
  sessions: readonly Session[],
  readers: ReadonlySet<string>,
  keyed: readonly Place[],
  values: Values,
): Place[] {
  const out: Place[] = [];
  const roots = new Set(keyed.filter(({ path }) => path === "$" || path === "$[]").map(({ tool }) => tool));
  const byTool = new Map<string, { session: number; call: Call; epoch: number }[]>();
  for (const [s, session] of sessions.entries()) {
    let epoch = 0;
    for (const call of session.calls) {
      if (!call.ok) continue;
      if (readers.has(call.tool) && !roots.has(call.tool) && !holdsPlace(call.tool, keyed))
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
    const within = agreement(calls, names, true, valuesOf(values, tool));
    const across = agreement(calls, names, false, valuesOf(values, tool));
    const enough = subsets.find(
      (subset) =>
        agreement(calls, subset, true, valuesOf(values, tool)) >= within * 0.95 &&
        agreement(calls, subset, false, valuesOf(values, tool)) >= across * 0.95,
    );
    if (!enough || enough.length === 0) continue;
    out.push({ tool, path: "$", table: "", key: { from: "args", names: enough } });
  }
  return out;
}

const holdsPlace = (tool: string, places: readonly Place[]): boolean => places.some((place) => place.tool === tool);

/** The share of answers' leaves that are the same whenever these arguments are, in one stretch without writes; or before the first write of any session. */
function agreement(
  calls: readonly { readonly session: number; readonly call: Call; readonly epoch: number }[],
  names: readonly string[],
  within: boolean,
  values: ReadonlySet<string>,
): number {
  const seen = new Map<string, Json>();
  let right = 0;
  let all = 0;
  for (const { session, call, epoch } of calls) {
    if (!within && epoch > 0) continue;
    const leaves: [string, Json][] = isObject(call.value)
      ? leavesOf(call.value, () => false, values)
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
  places: readonly Place[],
  sessions: readonly Session[],
  keyed: readonly Place[],
  taken: ReadonlySet<string>,
  values: Values,
): Place[] {
  const keys = new Map<string, Set<string>>();
  for (const [s, { calls }] of sessions.entries())
    for (const call of calls) {
      const of = keyed.filter(({ tool }) => tool === call.tool);
      if (!call.ok || of.length === 0) continue;
      for (const { path, object } of objectsIn(call.value, valuesOf(values, call.tool)))
        for (const place of of)
          if (place.path === path && place.key.from === "field")
            keys.set(
              place.table,
              (keys.get(place.table) ?? new Set()).add(`${s} ${String(getOwn(object, place.key.name))}`),
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
        if (both >= 2 && both >= Math.min(own.size, of.size) * 0.3) return { ...place, table };
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
      for (const { place, key } of sightsOf(call, whole).rows)
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

/** Leaves that disagree with others of their name where nothing was written in between: they show something else. */
function findDerived(
  sessions: readonly Session[],
  readers: ReadonlySet<string>,
  layout: Omit<Layout, "refs">,
  sure: boolean,
): { derived: Set<string>; volatile: Set<string>; own: Map<string, string> } {
  const whole: Layout = { ...layout, refs: new Map() };
  const against = new Map<string, Map<string, { same: number; other: number }>>();
  const kinds = new Map<string, Set<string>>();
  const drift = new Map<string, { same: number; other: number }>();
  const note = (a: string, b: string, equal: boolean): void => {
    for (const [x, y] of [
      [a, b],
      [b, a],
    ] as const) {
      const row = against.get(x) ?? new Map<string, { same: number; other: number }>();
      const count = row.get(y) ?? { same: 0, other: 0 };
      if (equal) count.same++;
      else count.other++;
      against.set(x, row.set(y, count));
    }
  };
  for (const session of sessions) {
    let last = new Map<string, { leaf: string; value: Json }[]>();
    for (const call of session.calls) {
      if (!call.ok) continue;
      if (!readers.has(call.tool)) last = new Map();
      const { cells, rows } = sightsOf(call, whole);
      const facts: [string, string, Json][] = Object.entries(cells).map(([name, value]) => [
        `cell ${name}`,
        leafId(call.tool, "$", name),
        value,
      ]);
      for (const { place, key, columns } of rows)
        for (const [name, value] of Object.entries(columns))
          facts.push([`${place.table} ${key} ${name}`, leafId(call.tool, place.path, name), value]);
      for (const [fact, leaf, value] of facts) {
        kinds.set(leaf, (kinds.get(leaf) ?? new Set()).add(canon(value)));
        const seen = last.get(fact) ?? [];
        for (const other of seen)
          if (other.leaf !== leaf) note(leaf, other.leaf, same(other.value, value));
          else {
            const count = drift.get(leaf) ?? { same: 0, other: 0 };
            if (same(other.value, value)) count.same++;
            else count.other++;
            drift.set(leaf, count);
          }
        last.set(fact, [...seen.filter((other) => other.leaf !== leaf), { leaf, value }]);
      }
    }
  }
  const volatile = new Set(
    [...drift].filter(([, { same: still, other }]) => other >= 2 && other > still * 0.2).map(([leaf]) => leaf),
  );
  const out = new Set<string>(volatile);
  for (;;) {
    let worst: { leaf: string; bad: number } | undefined;
    for (const [leaf, row] of against) {
      if (out.has(leaf)) continue;
      let bad = 0;
      for (const [other, { same: equal, other: unequal }] of row)
        if (!out.has(other) && unequal > 0 && unequal > equal * 0.1) bad += unequal;
      // Of two that disagree, the one that never varies says the least.
      if (bad > 0 && kinds.get(leaf)?.size === 1) bad *= 2;
      if (bad > 0 && (!worst || bad > worst.bad)) worst = { leaf, bad };
    }
    if (!worst) break;
    out.add(worst.leaf);
  }
  const own = new Map<string, string>();
  for (const leaf of out) {
    const [tool, path, ...name] = leaf.split(" ") as [string, string, ...string[]];
    if (
      path !== "$" ||
      volatile.has(leaf) ||
      !readers.has(tool) ||
      layout.places.get(tool)?.some((place) => place.path === "$")
    )
      continue;
    own.set(leaf, `${tool}.${name.join(" ")}`);
    out.delete(leaf);
  }
  if (sure) for (const leaf of unread(sessions, readers, { ...layout, derived: out, own })) out.add(leaf);
  return { derived: out, volatile, own };
}

/** Leaves of writes that no reading shows: what a write says of itself. */
function unread(sessions: readonly Session[], readers: ReadonlySet<string>, layout: Omit<Layout, "refs">): string[] {
  const whole: Layout = { ...layout, refs: new Map() };
  const read = new Set<string>();
  const tables = new Set<string>();
  const written = new Map<string, string>();
  for (const { calls } of sessions)
    for (const call of calls) {
      const { cells, rows } = sightsOf(call, whole);
      const leaves: [string, string][] = Object.keys(cells).map((name) => [
        `cell ${name}`,
        leafId(call.tool, "$", name.startsWith(`${call.tool}.`) ? name.slice(call.tool.length + 1) : name),
      ]);
      for (const { place, columns } of rows) {
        if (readers.has(call.tool)) tables.add(place.table);
        for (const name of Object.keys(columns))
          leaves.push([`${place.table} ${name}`, leafId(call.tool, place.path, name)]);
      }
      for (const [fact, leaf] of leaves)
        if (readers.has(call.tool)) read.add(fact);
        else written.set(leaf, fact);
    }
  return [...written]
    .filter(([, fact]) => !read.has(fact) && (fact.startsWith("cell ") || tables.has(fact.split(" ")[0] as string)))
    .map(([leaf]) => leaf);
}

/** Rows by a field of their own, and objects that are values: they rest on answers alone. */
export interface Keyed {
  readonly places: readonly Place[];
  readonly values: Values;
}

export function findKeyed(sessions: readonly Session[]): Keyed {
  const values = findValues(sessions);
  return { places: findKeyedPlaces(sessions, values), values };
}

/** Finds where a service's answers show rows and cells, and which arguments name rows. `sure` where the readers are all that there are. */
export function findLayout(
  sessions: readonly Session[],
  readers: ReadonlySet<string>,
  { places: keyed, values }: Keyed,
  sure: boolean,
): Layout {
  const tables = new Map<string, readonly string[]>();
  for (const table of new Set(keyed.map((place) => place.table))) {
    const names = keyed.flatMap((place) => (place.table === table && place.key.from === "field" ? place.key.name : []));
    const [key] = [...new Set(names)].sort(
      (a, b) => names.filter((name) => name === b).length - names.filter((name) => name === a).length,
    );
    tables.set(table, [key ?? "id"]);
  }
  const asked = named(
    argumentPlaces(sessions, readers, keyed, values),
    sessions,
    keyed,
    new Set(tables.keys()),
    values,
  );
  for (const place of asked)
    if (place.key.from === "args" && !tables.has(place.table)) tables.set(place.table, place.key.names);
  const places = new Map<string, Place[]>();
  for (const place of [...keyed, ...asked]) places.set(place.tool, [...(places.get(place.tool) ?? []), place]);
  const none = new Set<string>();
  const computed = new Map<string, ReadonlyMap<string, Expr>>();
  const nothing = { derived: none, volatile: none, own: new Map<string, string>(), computed };
  const layout = {
    places,
    readers,
    values,
    tables,
    computed,
    ...findDerived(sessions, readers, { places, readers, values, tables, ...nothing }, sure),
  };
  return { ...layout, refs: referencesOf(sessions, layout) };
}
