import { getOwn, isObject, type Json, setOwn } from "../../../json.ts";
import { canon, same } from "../../values.ts";
import { touching } from "../change-examples.ts";
import {
  cell,
  changed,
  column,
  type Env,
  type Expr,
  evaluate,
  type Facts,
  type Row,
  UNKNOWN,
  type Value,
} from "../expressions/expr.ts";
import { type Effects, follow, madeKey, NO_EFFECTS, type Step } from "../simulate.ts";
import { givenKey } from "./given-rows.ts";
import type { Kinds } from "./kinds.ts";
import { type Layout, observationOf } from "./observations.ts";
import { pointedFacts } from "./pointed.ts";
import { startOrder } from "./start-order.ts";
import { absentAtFirst, EXISTS, type FactObservation, rowId, type Timeline } from "./touches.ts";

/** What every session starts with, and what the sessions of a group alone do. */
export interface Starts {
  readonly common: Facts;
  readonly groups: ReadonlyMap<string, Facts>;
  /** Keys of rows that sessions of some groups start with and those of others do not, by table. */
  readonly differing: ReadonlyMap<string, ReadonlyMap<string, RowsByGroup>>;
}

/** Groups that show a row at the start, and groups that show that it is not there. */
export interface RowsByGroup {
  readonly there: ReadonlySet<string>;
  readonly lacking: ReadonlySet<string>;
}

/** What sessions start with: facts that were shown before any call that touches them, and rows that no call made. */
export function findStarts(
  timelines: readonly Timeline[],
  layout: Layout,
  effects: ReadonlyMap<string, Effects>,
  kinds: Kinds,
): Starts {
  const seenBy = new Map<
    string,
    {
      table: string | undefined;
      key: string;
      name: string;
      groups: Map<string, Value>;
      /** Values before something was put into a list in which it may have been already. */
      guesses: Map<string, Value>;
    }
  >();
  const nativeRows = new Map<string, Map<string, string[]>>();
  // Rows that sessions of some groups made themselves, or were told that they are not there: others start with them alone.
  const lacking = new Set<string>();
  // Sessions of no task start alike.
  const tasks = new Set(timelines.flatMap(({ session }) => (session.group === session.id ? [] : [session.group])));
  const shownBy = new Map<string, Map<string, { there: Set<string>; lacking: Set<string> }>>();
  const shown = (table: string, key: string, group: string, is: "there" | "lacking"): void => {
    if (!tasks.has(group)) return;
    const of = shownBy.get(table) ?? new Map<string, { there: Set<string>; lacking: Set<string> }>();
    const row = of.get(key) ?? { there: new Set<string>(), lacking: new Set<string>() };
    row[is].add(group);
    shownBy.set(table, of.set(key, row));
  };
  const moved = new Set<string>();
  for (const { changes } of effects.values())
    for (const { table, name } of changes) moved.add(`${table ?? ""}\u001e${name}`);
  for (const timeline of timelines) {
    const { session, facts } = timeline;
    let steps: readonly Step[] | undefined;
    const followed = (): readonly Step[] => {
      const [first] = session.calls;
      const bare = first ? pointedFacts(layout.pointed, first) : NOTHING;
      steps ??= follow(session, timeline.number, layout, effects, bare, kinds);
      return steps;
    };
    for (const { table, key } of absentAtFirst(timeline, layout)) shown(table, key, session.group, "lacking");
    const made = new Set<string>();
    for (const call of session.calls)
      for (const creation of (call.ok ? effects.get(kinds.act(call)) : undefined)?.creations ?? [])
        for (const { place, key } of observationOf(call, layout).rows)
          if (place.table === creation.table && place.path === creation.path) made.add(rowId(creation.table, key));
    for (const [at, call] of session.calls.entries())
      for (const making of (call.ok ? effects.get(kinds.act(call)) : undefined)?.makings ?? []) {
        const row = rowId(making.table, givenKey(call, making, layout) ?? "");
        if ((timeline.first.get(row) ?? at) >= at) made.add(row);
      }
    for (const row of made) {
      lacking.add(row);
      const [table, key] = row.split("\u001e") as [string, string];
      shown(table, key, session.group, "lacking");
    }
    for (const [id, { fact, seen }] of facts) {
      const { table, key, name } = fact;
      if (table !== undefined && made.has(rowId(table, key))) continue;
      const [first] = seen as FactObservation[];
      if (!first) continue;
      if (name === EXISTS) {
        if (table !== undefined && first.value === false) {
          lacking.add(rowId(table, key));
          shown(table, key, session.group, "lacking");
        }
        if (table !== undefined && first.value === true) {
          shown(table, key, session.group, "there");
          const rows = nativeRows.get(table) ?? new Map<string, string[]>();
          nativeRows.set(table, rows.set(key, [...(rows.get(key) ?? []), session.group]));
        }
        continue;
      }
      let start: Json | undefined = first.value;
      let guessed = false;
      const own = table === undefined ? cell(name) : column("row", name);
      const moves = moved.has(`${table ?? ""}\u001e${name}`);
      for (let i = first.at; moves && i >= 0 && start !== undefined; i--) {
        const step = followed()[i] as Step;
        const which = touching(step, effects.get(step.act), table, key, name);
        const change = which === undefined ? undefined : effects.get(step.act)?.changes[which];
        if (!change) continue;
        const item = madeKey(step.observations.rows, effects.get(step.act) ?? NO_EFFECTS, layout);
        const made = item === undefined ? {} : { item };
        guessed ||= guesses(change.value);
        start = undone(change.value, own, { args: step.call.args, facts: step.before, ...made }, start);
      }
      if (start === undefined) continue;
      const row = seenBy.get(id) ?? { table, key, name, groups: new Map<string, Value>(), guesses: new Map() };
      seenBy.set(id, row);
      const into = guessed ? row.guesses : row.groups;
      const before = into.get(session.group);
      into.set(session.group, before === undefined || same(before as Json, start) ? start : UNKNOWN);
    }
  }
  const common: { cells: Map<string, Value>; tables: Map<string, Map<string, Record<string, Value>>> } = {
    cells: new Map(),
    tables: new Map(),
  };
  const own = new Map<string, typeof common>();
  const place = (into: typeof common, table: string | undefined, key: string, name: string, value: Value): void => {
    if (table === undefined) {
      into.cells.set(name, value);
      return;
    }
    const rows = into.tables.get(table) ?? new Map<string, Record<string, Value>>();
    const row = rows.get(key) ?? {};
    setOwn(row, name, value);
    into.tables.set(table, rows.set(key, row));
  };
  // What was seen is preferred to what was guessed, in a group and where all groups agree.
  for (const { groups, guesses } of seenBy.values()) {
    const agreed =
      groups.size >= SHARED && new Set([...groups.values()].map((value) => canon(value as Json))).size === 1;
    for (const [group, value] of guesses) if (!agreed && !groups.has(group)) groups.set(group, value);
  }
  const varies = variesByGroup(seenBy.values());
  for (const { table, key, name, groups } of seenBy.values()) {
    const known = [...groups].filter((entry): entry is [string, Json] => entry[1] !== UNKNOWN);
    const kinds = new Set(known.map(([, value]) => canon(value)));
    const kind = `${table ?? ""}\u001e${name}`;
    const everywhere = table === undefined || !lacking.has(rowId(table, key));
    const shared = everywhere && kinds.size === 1 && groups.size === known.length;
    if (shared && (!varies.has(kind) || groups.size >= SHARED)) place(common, table, key, name, known[0]?.[1] as Json);
    else
      for (const [group, value] of groups) {
        const into = own.get(group) ?? { cells: new Map(), tables: new Map() };
        own.set(group, into);
        place(into, table, key, name, value);
      }
  }
  const tables = new Set([...layout.tables.keys()]);
  const orders = startOrder(timelines, nativeRows);
  // Groups share what all start with, row by row.
  const finish = (of: typeof common, base?: Facts): Facts => ({
    cells: new Map([...(base?.cells ?? []), ...of.cells]),
    tables: new Map(
      [...tables].map((table) => {
        const shared = base?.tables.get(table);
        const differing = of.tables.get(table);
        if (shared && !differing) return [table, shared];
        const rows = new Map<string, Row>(shared?.rows);
        if (!shared) for (const key of orders.get(table) ?? []) if (differing?.has(key)) rows.set(key, {});
        for (const [key, row] of differing ?? []) rows.set(key, { ...rows.get(key), ...row });
        return [table, { rows, complete: isComplete(nativeRows.get(table)) }];
      }),
    ),
  });
  const all = finish(common);
  const differing = new Map(
    [...shownBy].map(([table, of]) => [
      table,
      new Map([...of].filter(([, { there, lacking }]) => there.size > 1 && lacking.size > 1)),
    ]),
  );
  return { common: all, groups: new Map([...own].map(([group, of]) => [group, finish(of, all)])), differing };
}

/** Whether taking a change back leaves more than one value that may have been there. */
const guesses = (expr: Expr): boolean =>
  expr.op === "if" ? guesses(expr.met) || guesses(expr.otherwise) : expr.op === "include" || expr.op === "insert";

const NOTHING: Facts = { cells: new Map(), tables: new Map() };

/** Groups that agree in a start from which it is taken for that of all, where others of its kind differ. */
const SHARED = 3;
/** Chance of a row that nobody saw at which a table still counts as known whole. */
const UNSEEN = 0.01;

/**
 * Whether every row that is found is known, by how few were seen once alone (Good and Turing). Sessions of one task find
 * the same rows: where tasks share most of them, each task counts once.
 */
function isComplete(rows: ReadonlyMap<string, readonly string[]> | undefined): boolean {
  if (!rows) return true;
  const tasks = [...rows.values()].map((groups) => new Set(groups).size);
  const shared = tasks.filter((n) => n > 1).length * 2 > tasks.length;
  const counts = shared ? tasks : [...rows.values()].map(({ length }) => length);
  return counts.filter((n) => n === 1).length <= counts.reduce((sum, n) => sum + n, 0) * UNSEEN;
}

/** Columns and cells whose start differs from group to group in more than a few of those seen by several. */
function variesByGroup(
  all: Iterable<{ table: string | undefined; name: string; groups: ReadonlyMap<string, Value> }>,
): Set<string> {
  const counts = new Map<string, { several: number; differ: number }>();
  for (const { table, name, groups } of all) {
    if (groups.size < 2) continue;
    const kind = `${table ?? ""}\u001e${name}`;
    const count = counts.get(kind) ?? { several: 0, differ: 0 };
    count.several++;
    const known = [...groups.values()].filter((value): value is Json => value !== UNKNOWN);
    if (new Set(known.map(canon)).size > 1) count.differ++;
    counts.set(kind, count);
  }
  return new Set([...counts].filter(([, { several, differ }]) => differ > several * 0.1).map(([kind]) => kind));
}

/** The value before a change that left `value`; undefined where the change does not tell. */
function undone(expr: Expr, own: Expr, env: Env, value: Json): Json | undefined {
  const isOwn = (part: Expr): boolean => canon(part as never) === canon(own as never);
  if (isOwn(expr)) return value;
  if (expr.op === "if") {
    const met = evaluate(expr.test, env);
    return typeof met === "boolean" ? undone(met ? expr.met : expr.otherwise, own, env, value) : undefined;
  }
  if (expr.op === "decide" && isOwn(expr.on)) {
    const before = expr.cases.filter(([from, to]) => {
      const left = isOwn(to) ? from : evaluate(to, env);
      return left === UNKNOWN || same(left as Json, value);
    });
    const [only] = before;
    return before.length === 1 && only ? only[0] : undefined;
  }
  if ("each" in expr && expr.each) return undefined;
  if ((expr.op === "append" || expr.op === "include") && isOwn(expr.list) && Array.isArray(value)) {
    const added = evaluate(expr.value, env);
    return added !== UNKNOWN && same(value.at(-1), added as Json) ? value.slice(0, -1) : undefined;
  }
  if (expr.op === "insert" && isOwn(expr.list) && Array.isArray(value)) {
    const added = evaluate(expr.value, env);
    return added === UNKNOWN ? undefined : value.filter((entry) => !same(entry, added as Json));
  }
  if (expr.op === "put" && isOwn(expr.map) && isObject(value)) {
    const key = evaluate(expr.key, env);
    const before = typeof key === "string" ? entryBefore(expr, env, getOwn(value, key) ?? null) : undefined;
    return before === undefined ? undefined : changed(value, key as string, before);
  }
  if ((expr.op !== "add" && expr.op !== "subtract") || typeof value !== "number") return undefined;
  const [mine, other] = isOwn(expr.a) ? [expr.a, expr.b] : [expr.b, expr.a];
  if (!isOwn(mine) || (expr.op === "subtract" && mine !== expr.a)) return undefined;
  const by = evaluate(other, env);
  if (typeof by !== "number") return undefined;
  return Number((expr.op === "add" ? value - by : value + by).toFixed(9));
}

/** What a map had under a key before a change left `value` there: null for nothing, undefined where that cannot be told. */
function entryBefore(
  { map, key, value: change }: Extract<Expr, { op: "put" }>,
  env: Env,
  value: Json,
): Json | undefined {
  const own: Expr = { op: "entry", map, key };
  const test: Expr = { op: "contains", a: map, b: key };
  if (change.op !== "if" || canon(change.test as never) !== canon(test as never))
    return undone(change, own, env, value);
  const before = undone(change.met, own, env, value);
  const made = evaluate(change.otherwise, env);
  if (made === UNKNOWN || !same(made, value)) return before;
  // A call may have made the entry. One that was there before tells itself apart, but for an empty list, which is taken for none.
  if (before !== undefined) return canon(before) === "[]" ? null : undefined;
  const left = evaluate(change.met, env);
  return left === UNKNOWN || same(left, value) ? undefined : null;
}
