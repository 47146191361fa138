import { getOwn, type Json, setOwn } from "../../json.ts";
import type { Call, Session } from "../observations.ts";
import { byText, canon, isScalar, same } from "../values.ts";
import {
  arg,
  cell,
  column,
  type Env,
  type Expr,
  evaluate,
  type Facts,
  keyOf,
  type Row,
  UNKNOWN,
  type Value,
} from "./expr.ts";
import { argumentPaths, type Example, fitExpression, unanimous } from "./fit.ts";
import { type Kinds, toolOf } from "./kinds.ts";
import { withMadeSights } from "./made-sights.ts";
import { type Layout, sightsOf } from "./sights.ts";
import {
  type Change,
  type Creation,
  type Effects,
  follow,
  itemOf,
  NO_EFFECTS,
  type Removal,
  type Step,
} from "./simulate.ts";
import { startOrder } from "./start-order.ts";
import {
  EXISTS,
  type FactSight,
  findTouches,
  noArguments,
  rowId,
  type Timeline,
  type Touch,
  timelinesOf,
} from "./touches.ts";

/** What every session starts with, and what the sessions of a group alone do. */
export interface Starts {
  readonly common: Facts;
  readonly groups: ReadonlyMap<string, Facts>;
}

/** What was learnt of what a service's tools do. */
export interface Learnt {
  readonly layout: Layout;
  readonly timelines: readonly Timeline[];
  readonly effects: ReadonlyMap<string, Effects>;
  readonly starts: Starts;
  readonly steps: readonly (readonly Step[])[];
  readonly wholeLists: ReadonlySet<string>;
  /** Rounds of learning, and whether a further one would find the same. */
  readonly rounds: number;
  readonly settled: boolean;
}

/** Rounds of learning: better effects tell more of the state, which tells more of the effects. */
export const ROUNDS = 3;
/** Terms that an expression is searched over, at most. */
const TERMS = 90;

/** Places whose lists show every row of their table when nothing is asked for: all rows that were just seen stand in them. */
export function findWholeLists(
  sessions: readonly Session[],
  layout: Layout,
  readers: ReadonlySet<string>,
): Set<string> {
  const counts = new Map<string, { all: number; shown: number }>();
  for (const timeline of timelinesOf(sessions, layout, new Set())) {
    let seen = new Map<string, Set<string>>();
    for (const [at, call] of timeline.session.calls.entries()) {
      if (!call.ok) continue;
      if (!readers.has(call.tool)) seen = new Map();
      const rows = timeline.sights[at]?.rows ?? [];
      for (const place of layout.places.get(call.tool) ?? []) {
        if (!place.path.endsWith("[]") || !noArguments(call) || place.path.indexOf("[]") !== place.path.length - 2)
          continue;
        const here = new Set(rows.filter((row) => row.place === place).map(({ key }) => key));
        const id = `${call.tool} ${place.path}`;
        const count = counts.get(id) ?? { all: 0, shown: 0 };
        for (const key of seen.get(place.table) ?? []) {
          count.all++;
          if (here.has(key)) count.shown++;
        }
        counts.set(id, count);
      }
      for (const { place, key } of rows) seen.set(place.table, (seen.get(place.table) ?? new Set()).add(key));
    }
  }
  return new Set([...counts].filter(([, { all, shown }]) => all >= 3 && shown >= all * 0.98).map(([id]) => id));
}

/** Tools whose answers show rows that nobody named or saw before. */
function findCreations(
  timelines: readonly Timeline[],
  readers: ReadonlySet<string>,
  kinds: Kinds,
): Map<string, Creation[]> {
  const counts = new Map<
    string,
    { calls: number; made: number; lists: Map<string, number>; table: string; path: string; act: string }
  >();
  for (const { session, sights, first } of timelines) {
    const named = new Set<string>();
    for (const [at, call] of session.calls.entries()) {
      const own = new Set(Object.values(call.args).filter(isScalar).map(String));
      if (call.ok && !readers.has(call.tool)) {
        const byPlace = new Map<string, { table: string; path: string; keys: string[] }>();
        for (const { place, key } of sights[at]?.rows ?? []) {
          const row = byPlace.get(place.path) ?? { table: place.table, path: place.path, keys: [] };
          row.keys.push(key);
          byPlace.set(place.path, row);
        }
        for (const { table, path, keys } of byPlace.values()) {
          const act = kinds.act(call);
          const id = `${act} ${path}`;
          const count = counts.get(id) ?? { calls: 0, made: 0, lists: new Map<string, number>(), table, path, act };
          counts.set(id, count);
          count.calls++;
          if (!keys.every((key) => first.get(rowId(table, key)) === at && !named.has(key) && !own.has(key))) continue;
          count.made++;
          for (const [name, value] of Object.entries(call.args))
            if (Array.isArray(value) && value.length === keys.length)
              count.lists.set(name, (count.lists.get(name) ?? 0) + 1);
        }
      }
      for (const value of own) named.add(value);
    }
  }
  const out = new Map<string, Creation[]>();
  for (const { calls, made, lists, table, path, act } of counts.values()) {
    if (made < 2 || made < calls * 0.9) continue;
    const list = path.endsWith("[]") ? [...lists].find(([, n]) => n === made)?.[0] : undefined;
    if (path.endsWith("[]") && list === undefined) continue;
    out.set(act, [...(out.get(act) ?? []), { table, path, list, columns: new Map() }]);
  }
  return out;
}

/** What is known before any effect is: what answers show when, and which facts calls change, make and take away. */
interface Begun {
  readonly wholeLists: ReadonlySet<string>;
  readonly timelines: readonly Timeline[];
  readonly effects: ReadonlyMap<string, Effects>;
}

function begin(sessions: readonly Session[], layout: Layout, readers: ReadonlySet<string>, kinds: Kinds): Begun {
  const wholeLists = findWholeLists(sessions, layout, readers);
  const shown = timelinesOf(sessions, layout, wholeLists);
  const creations = findCreations(shown, readers, kinds);
  const timelines = withMadeSights(shown, layout, creations, kinds);
  const { touches } = findTouches(timelines, layout, readers, kinds);
  const byAct = new Map<string, Touch[]>();
  for (const touch of touches) byAct.set(touch.act, [...(byAct.get(touch.act) ?? []), touch]);
  const effects: Map<string, Effects> = new Map();
  const acts = [...new Set([...byAct.keys(), ...creations.keys()])].sort(byText);
  for (const act of acts)
    effects.set(act, {
      changes: (byAct.get(act) ?? [])
        .filter(({ name }) => name !== EXISTS)
        .map(({ table, name, relation }) => ({ table, key: relation.key, name, value: { op: "unknown" as const } })),
      creations: creations.get(act) ?? [],
      removals: removalsOf(byAct.get(act) ?? []),
    });
  return { wholeLists, timelines, effects };
}

/** Tools whose calls change, make or take away what answers show. */
export function findWriters(
  sessions: readonly Session[],
  layout: Layout,
  readers: ReadonlySet<string>,
  kinds: Kinds,
): Set<string> {
  return new Set([...begin(sessions, layout, readers, kinds).effects.keys()].map(toolOf));
}

/**
 * Learns what the tools of a service do: which facts they change and to what, the rows they make and take away, and what
 * sessions start with. Rounds of the same layout that were learnt before are not repeated.
 */
export function learnEffects(
  sessions: readonly Session[],
  layout: Layout,
  readers: ReadonlySet<string>,
  kinds: Kinds,
  rounds = ROUNDS,
  before?: Learnt,
): Learnt {
  const { wholeLists, timelines, effects: begun } = before ?? begin(sessions, layout, readers, kinds);
  let effects = begun;
  let starts = before?.starts ?? findStarts(timelines, layout, effects, kinds);
  let steps = before?.steps ?? followAll(timelines, layout, effects, starts, kinds);
  let settled = before?.settled ?? false;
  const columns = columnNames(timelines);
  const calls = callsOf(sessions, kinds);
  for (let round = before?.rounds ?? 0; round < rounds && !settled; round++) {
    const changes = changeExamples(timelines, steps, effects);
    const created = creationExamples(timelines, steps, effects);
    const next = new Map<string, Effects>();
    for (const [act, of] of effects) {
      const tool = toolOf(act);
      const given = argumentPaths(calls.get(act) ?? []);
      next.set(act, {
        removals: of.removals,
        changes: of.changes.map((change, i) => {
          const own = change.table === undefined ? cell(change.name) : column("row", change.name);
          const terms = termsOf(tool, given, layout, columns, change.table);
          return { ...change, value: changeValue(change, changes.get(`${act}\u001e${i}`) ?? [], terms, own) };
        }),
        creations: of.creations.map((creation, i) => ({
          ...creation,
          columns: new Map(
            [...(columns.get(creation.table) ?? [])].sort(byText).map((name): [string, Expr] => {
              const examples = created.get(`${act}\u001e${i}\u001e${name}`) ?? [];
              const items: Expr[] = creation.list === undefined ? [] : itemTerms(calls.get(act) ?? [], creation.list);
              const found = fitExpression(
                examples,
                [...items, ...termsOf(tool, given, layout, columns, undefined)],
                undefined,
                2,
                name,
              );
              return [name, found?.expr ?? unanimous(examples) ?? { op: "unknown" }];
            }),
          ),
        })),
      });
    }
    // The same effects tell the same of the state: another round would find them again.
    settled = saidOf(next) === saidOf(effects);
    effects = next;
    if (settled) break;
    starts = findStarts(timelines, layout, effects, kinds);
    steps = followAll(timelines, layout, effects, starts, kinds);
  }
  return { layout, timelines, effects, starts, steps, wholeLists, rounds, settled };
}

const saidOf = (effects: ReadonlyMap<string, Effects>): string =>
  JSON.stringify([...effects], (_, value) => (value instanceof Map ? [...value] : value));

/** What a change makes of a value: told apart by whether the row was there, where calls make it too. */
function changeValue(change: Change, examples: readonly Example[], terms: readonly Expr[], own: Expr): Expr {
  const UNKNOWN_VALUE: Expr = { op: "unknown" };
  const of = (some: readonly Example[], before: Expr | undefined): Expr =>
    fitExpression(some, terms, before, 2, change.name)?.expr ?? unanimous(some) ?? UNKNOWN_VALUE;
  if (change.table === undefined) return of(examples, own);
  const row = { table: change.table, key: change.key };
  const test: Expr = { op: "exists", of: row };
  const absent = examples.filter(({ env }) => evaluate(test, env) === false);
  if (absent.length < 2) return of(examples, own);
  const there = examples.filter(({ env }) => evaluate(test, env) === true);
  const otherwise = of(absent, undefined);
  if (there.length === 0) return otherwise;
  return { op: "if", test, met: of(there, own), otherwise };
}

/** The value before a change that left `value`; undefined where the change does not tell. */
function undone(expr: Expr, own: Expr, env: Env, value: Json): Json | undefined {
  const isOwn = (part: Expr): boolean => canon(part as never) === canon(own as never);
  if (isOwn(expr)) return value;
  if (expr.op === "append" && isOwn(expr.list) && Array.isArray(value)) {
    const added = evaluate(expr.value, env);
    return added !== UNKNOWN && same(value.at(-1), added as Json) ? value.slice(0, -1) : undefined;
  }
  if ((expr.op !== "add" && expr.op !== "subtract") || typeof value !== "number") return undefined;
  const [mine, other] = isOwn(expr.a) ? [expr.a, expr.b] : [expr.b, expr.a];
  if (!isOwn(mine) || (expr.op === "subtract" && mine !== expr.a)) return undefined;
  const by = evaluate(other, env);
  if (typeof by !== "number") return undefined;
  return Number((expr.op === "add" ? value - by : value + by).toFixed(9));
}

function removalsOf(touches: readonly Touch[]): Removal[] {
  return touches
    .filter(({ name, relation }) => name === EXISTS && relation.id.startsWith("args"))
    .map(({ table, relation }) => ({ table: table as string, key: relation.key }));
}

function itemTerms(calls: readonly Call[], list: string): Expr[] {
  const names = new Set<string>();
  let whole = false;
  for (const { args } of calls) {
    const items = getOwn(args, list);
    for (const item of Array.isArray(items) ? items : [])
      if (typeof item === "object" && item !== null && !Array.isArray(item))
        for (const name of Object.keys(item)) names.add(name);
      else whole = true;
  }
  return [
    ...(whole ? [{ op: "item" as const, path: [] }] : []),
    ...[...names].sort(byText).map((name) => ({ op: "item" as const, path: [name] })),
  ];
}

/** What an expression may be made of, for one tool: its arguments, columns of the row at hand and of rows that arguments name, and cells. */
export function termsOf(
  tool: string,
  given: readonly (readonly string[])[],
  layout: Layout,
  columns: ReadonlyMap<string, ReadonlySet<string>>,
  own: string | undefined,
): Expr[] {
  const out: Expr[] = given.map((path) => arg(...path));
  if (own !== undefined) for (const name of [...(columns.get(own) ?? [])].sort(byText)) out.push(column("row", name));
  for (const [name, table] of [...(layout.refs.get(tool) ?? [])].sort(([a], [b]) => byText(a, b)))
    for (const other of [...(columns.get(table) ?? [])].sort(byText))
      out.push(column({ table, key: [arg(name)] }, other));
  for (const name of [...(columns.get("") ?? [])].sort(byText)) out.push(cell(name));
  return out.slice(0, TERMS);
}

/** Names of columns by table; cells under the empty name. */
export function columnNames(timelines: readonly Timeline[]): Map<string, Set<string>> {
  const out = new Map<string, Set<string>>();
  for (const { facts } of timelines)
    for (const { fact } of facts.values())
      if (fact.name !== EXISTS) out.set(fact.table ?? "", (out.get(fact.table ?? "") ?? new Set()).add(fact.name));
  return out;
}

function callsOf(sessions: readonly Session[], kinds: Kinds): Map<string, Call[]> {
  const out = new Map<string, Call[]>();
  for (const session of sessions)
    for (const call of session.calls) {
      const act = kinds.act(call);
      const list = out.get(act);
      if (list) list.push(call);
      else out.set(act, [call]);
    }
  return out;
}

function followAll(
  timelines: readonly Timeline[],
  layout: Layout,
  effects: ReadonlyMap<string, Effects>,
  starts: Starts,
  kinds: Kinds,
): Step[][] {
  return timelines.map(({ session, number }) =>
    follow(session, number, layout, effects, starts.groups.get(session.group) ?? starts.common, kinds),
  );
}

/** The effects of a call that lead to a fact, by their position. */
function touching(
  step: Step,
  effects: Effects | undefined,
  table: string | undefined,
  key: string,
  name: string,
): number | undefined {
  if (!step.call.ok || !effects) return undefined;
  const env: Env = { args: step.call.args, facts: step.before };
  for (const [i, change] of effects.changes.entries()) {
    if (change.table !== table || change.name !== name) continue;
    if (table === undefined) return i;
    if (keyOf(change.key.map((part) => evaluate(part, env))) === key) return i;
  }
  return undefined;
}

/** For each change of each tool what a fact was shown to be at the next sight after the last call that touches it. */
function changeExamples(
  timelines: readonly Timeline[],
  steps: readonly (readonly Step[])[],
  effects: ReadonlyMap<string, Effects>,
): Map<string, Example[]> {
  const out = new Map<string, Example[]>();
  for (const [t, { facts }] of timelines.entries()) {
    const session = steps[t] ?? [];
    for (const { fact, seen } of facts.values()) {
      if (fact.name === EXISTS) continue;
      let from = -1;
      for (const { at, value } of seen) {
        for (let i = at; i > from; i--) {
          const step = session[i] as Step;
          const which = touching(step, effects.get(step.act), fact.table, fact.key, fact.name);
          if (which === undefined) continue;
          const row = fact.table === undefined ? undefined : step.before.tables.get(fact.table)?.rows.get(fact.key);
          const env: Env = { args: step.call.args, facts: step.before, row: row ?? {} };
          const id = `${step.act}\u001e${which}`;
          const list = out.get(id) ?? [];
          list.push({ env, target: value, session: t });
          out.set(id, list);
          break;
        }
        from = at;
      }
    }
  }
  return out;
}

/** For each column of each row that a call made what it was first shown to be, where nothing touched it since. */
function creationExamples(
  timelines: readonly Timeline[],
  steps: readonly (readonly Step[])[],
  effects: ReadonlyMap<string, Effects>,
): Map<string, Example[]> {
  const out = new Map<string, Example[]>();
  for (const [t, { facts, sights }] of timelines.entries()) {
    const session = steps[t] ?? [];
    const made = new Map<string, { id: string; at: number; env: Env }>();
    for (const [at, step] of session.entries()) {
      if (!step.call.ok) continue;
      for (const [i, creation] of (effects.get(step.act) ?? NO_EFFECTS).creations.entries()) {
        const rows = (sights[at]?.rows ?? []).filter(
          ({ place }) => place.table === creation.table && place.path === creation.path,
        );
        for (const [index, { key }] of rows.entries()) {
          const item = itemOf(step.call, creation, index);
          const env: Env = {
            args: step.call.args,
            facts: step.before,
            row: {},
            ...(item === undefined ? {} : { item }),
          };
          made.set(rowId(creation.table, key), { id: `${step.act}\u001e${i}`, at, env });
        }
      }
    }
    for (const { fact, seen } of facts.values()) {
      if (fact.table === undefined || fact.name === EXISTS) continue;
      const from = made.get(rowId(fact.table, fact.key));
      const [first] = seen as FactSight[];
      if (!from || !first || first.at < from.at) continue;
      let touched = false;
      for (let i = from.at + 1; i <= first.at && !touched; i++) {
        const step = session[i] as Step;
        touched = touching(step, effects.get(step.act), fact.table, fact.key, fact.name) !== undefined;
      }
      if (touched) continue;
      const id = `${from.id}\u001e${fact.name}`;
      const list = out.get(id) ?? [];
      list.push({ env: from.env, target: first.value, session: t });
      out.set(id, list);
    }
  }
  return out;
}

/** What sessions start with: facts that were shown before any call that touches them, and rows that no call made. */
function findStarts(
  timelines: readonly Timeline[],
  layout: Layout,
  effects: ReadonlyMap<string, Effects>,
  kinds: Kinds,
): Starts {
  const seenBy = new Map<
    string,
    { table: string | undefined; key: string; name: string; groups: Map<string, Value> }
  >();
  const nativeRows = new Map<string, Map<string, number>>();
  const bare: Facts = { cells: new Map(), tables: new Map() };
  const moved = new Set<string>();
  for (const { changes } of effects.values())
    for (const { table, name } of changes) moved.add(`${table ?? ""}\u001e${name}`);
  for (const timeline of timelines) {
    const { session, facts } = timeline;
    let steps: readonly Step[] | undefined;
    const followed = (): readonly Step[] => {
      steps ??= follow(session, timeline.number, layout, effects, bare, kinds);
      return steps;
    };
    const made = new Set<string>();
    for (const call of session.calls)
      for (const creation of (call.ok ? effects.get(kinds.act(call)) : undefined)?.creations ?? [])
        for (const { place, key } of sightsOf(call, layout).rows)
          if (place.table === creation.table && place.path === creation.path) made.add(rowId(creation.table, key));
    for (const [id, { fact, seen }] of facts) {
      const { table, key, name } = fact;
      if (table !== undefined && made.has(rowId(table, key))) continue;
      const [first] = seen as FactSight[];
      if (!first) continue;
      if (name === EXISTS) {
        if (table !== undefined && first.value === true) {
          const rows = nativeRows.get(table) ?? new Map<string, number>();
          nativeRows.set(table, rows.set(key, (rows.get(key) ?? 0) + 1));
        }
        continue;
      }
      let start: Json | undefined = first.value;
      const own = table === undefined ? cell(name) : column("row", name);
      const moves = moved.has(`${table ?? ""}\u001e${name}`);
      for (let i = first.at; moves && i >= 0 && start !== undefined; i--) {
        const step = followed()[i] as Step;
        const which = touching(step, effects.get(step.act), table, key, name);
        const change = which === undefined ? undefined : effects.get(step.act)?.changes[which];
        if (change) start = undone(change.value, own, { args: step.call.args, facts: step.before }, start);
      }
      if (start === undefined) continue;
      const row = seenBy.get(id) ?? { table, key, name, groups: new Map<string, Value>() };
      const before = row.groups.get(session.group);
      row.groups.set(session.group, before === undefined || same(before as Json, start) ? start : UNKNOWN);
      seenBy.set(id, row);
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
  const varies = variesByGroup(seenBy.values());
  for (const { table, key, name, groups } of seenBy.values()) {
    const known = [...groups].filter((entry): entry is [string, Json] => entry[1] !== UNKNOWN);
    const kinds = new Set(known.map(([, value]) => canon(value)));
    const kind = `${table ?? ""}\u001e${name}`;
    const shared = kinds.size === 1 && groups.size === known.length;
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
  return { common: all, groups: new Map([...own].map(([group, of]) => [group, finish(of, all)])) };
}

/** Groups that agree in a start from which it is taken for that of all, where others of its kind differ. */
const SHARED = 3;
/** Chance of a row that nobody saw at which a table still counts as known whole. */
const UNSEEN = 0.01;

/** Whether every row that sessions find is known, by how few were seen in one session alone (Good and Turing). */
function isComplete(rows: ReadonlyMap<string, number> | undefined): boolean {
  if (!rows) return true;
  let once = 0;
  let all = 0;
  for (const n of rows.values()) {
    all += n;
    if (n === 1) once++;
  }
  return once <= all * UNSEEN;
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
