import { getOwn } from "../../json.ts";
import type { Call, Session } from "../observations.ts";
import { byText } from "../values.ts";
import { changeExamples, creationExamples } from "./change-examples.ts";
import { findCreations } from "./creations.ts";
import { arg, argumentPaths, cell, column, constant, type Expr, evaluate } from "./expressions/expr.ts";
import { type Example, fitExpression, standing, unanimous } from "./expressions/fit.ts";
import type { Turns } from "./expressions/switches.ts";
import { exceptUnsettled } from "./expressions/unsettled-values.ts";
import { type Change, type Effects, follow, type Making, parentColumn, type Removal, type Step } from "./simulate.ts";
import { firstObservations } from "./state/first-observations.ts";
import { findMakings } from "./state/given-rows.ts";
import { type Kinds, toolOf } from "./state/kinds.ts";
import { withMadeObservations } from "./state/made-observations.ts";
import type { Layout } from "./state/observations.ts";
import { pointerOf } from "./state/pointed.ts";
import { findStarts, type Starts } from "./state/starts.ts";
import { EXISTS, findTouches, noArguments, rowId, type Timeline, type Touch, timelinesOf } from "./state/touches.ts";

/** What was learnt of what a service's tools do. */
export interface Learnt {
  readonly layout: Layout;
  readonly timelines: readonly Timeline[];
  readonly effects: ReadonlyMap<string, Effects>;
  readonly starts: Starts;
  readonly steps: readonly (readonly Step[])[];
  readonly completeLists: ReadonlySet<string>;
  /** Rounds of learning, and whether a further one would find the same. */
  readonly rounds: number;
  readonly settled: boolean;
}

/** Rounds of learning: better effects tell more of the state, which tells more of the effects. */
export const ROUNDS = 3;
/** Share of the rows that a list lacks and that are shown again later, past which it does not show all that there is. */
const REVIVED = 0.1;
/** The key of the row that a call makes. */
const MADE_KEY: Expr = { op: "item", path: [] };
/** Terms that an expression is searched over, at most. */
const TERMS = 90;

/**
 * Places whose lists show every row of their table when nothing is asked for: all rows that were just seen stand in them,
 * and a row that they lack is hardly ever shown later in the session.
 */
export function findCompleteLists(
  sessions: readonly Session[],
  layout: Layout,
  readers: ReadonlySet<string>,
): Set<string> {
  const counts = new Map<string, { all: number; shown: number; lacking: number; again: number }>();
  for (const timeline of timelinesOf(sessions, layout, new Set())) {
    let seen = new Map<string, Set<string>>();
    const ever = new Map<string, Set<string>>();
    const lacked = new Map<string, Set<{ again: number }>>();
    for (const [at, call] of timeline.session.calls.entries()) {
      if (!call.ok) continue;
      if (!readers.has(call.tool)) seen = new Map();
      const rows = timeline.observations[at]?.rows ?? [];
      for (const place of layout.paths.get(call.tool) ?? []) {
        if (!place.path.endsWith("[]") || !noArguments(call) || place.path.indexOf("[]") !== place.path.length - 2)
          continue;
        const here = new Set(rows.filter((row) => row.place === place).map(({ key }) => key));
        const id = `${call.tool} ${place.path}`;
        const count = counts.get(id) ?? { all: 0, shown: 0, lacking: 0, again: 0 };
        counts.set(id, count);
        for (const key of seen.get(place.table) ?? []) {
          count.all++;
          if (here.has(key)) count.shown++;
        }
        for (const key of ever.get(place.table) ?? []) {
          if (here.has(key)) continue;
          count.lacking++;
          const row = rowId(place.table, key);
          lacked.set(row, (lacked.get(row) ?? new Set()).add(count));
        }
      }
      for (const { place, key } of rows) {
        seen.set(place.table, (seen.get(place.table) ?? new Set()).add(key));
        ever.set(place.table, (ever.get(place.table) ?? new Set()).add(key));
        for (const count of lacked.get(rowId(place.table, key)) ?? []) count.again++;
        lacked.delete(rowId(place.table, key));
      }
    }
  }
  const complete = [...counts].filter(
    ([, { all, shown, lacking, again }]) => all >= 3 && shown >= all * 0.98 && again <= lacking * REVIVED,
  );
  return new Set(complete.map(([id]) => id));
}

/** What is known before any effect is: what answers show when, and which facts calls change, make and take away. */
interface Begun {
  readonly completeLists: ReadonlySet<string>;
  readonly timelines: readonly Timeline[];
  readonly effects: ReadonlyMap<string, Effects>;
}

function begin(sessions: readonly Session[], layout: Layout, readers: ReadonlySet<string>, kinds: Kinds): Begun {
  const completeLists = findCompleteLists(sessions, layout, readers);
  const shown = timelinesOf(sessions, layout, completeLists);
  const creations = findCreations(shown, readers, kinds);
  const makings = findMakings(shown, layout, readers, kinds);
  const timelines = withMadeObservations(shown, layout, creations, makings, kinds);
  const { touches } = findTouches(timelines, layout, readers, kinds);
  touches.push(...echoed(timelines, layout, kinds, touches), ...filled(timelines, makings, touches));
  touches.push(...lengthened(timelines, layout, kinds, new Set(touches.map(touchId))));
  const told = new Set(touches.map(touchId));
  touches.push(...firstObservations(timelines, readers, kinds).filter((touch) => !told.has(touchId(touch))));
  const byAct = new Map<string, Touch[]>();
  // Out of the list that holds an entry before it is put into another: that may be the same.
  touches.sort((a, b) => Number(b.relation.id.startsWith("holds")) - Number(a.relation.id.startsWith("holds")));
  for (const touch of touches) byAct.set(touch.act, [...(byAct.get(touch.act) ?? []), touch]);
  const effects: Map<string, Effects> = new Map();
  const acts = [...new Set([...byAct.keys(), ...creations.keys(), ...makings.keys()])].sort(byText);
  for (const act of acts)
    effects.set(act, {
      changes: (byAct.get(act) ?? [])
        .filter(({ name }) => name !== EXISTS)
        .map(({ table, name, relation }) => ({ table, key: relation.key, name, value: { op: "unknown" as const } })),
      makings: makings.get(act) ?? [],
      creations: creations.get(act) ?? [],
      removals: removalsOf(byAct.get(act) ?? []),
    });
  return { completeLists, timelines, effects };
}

/** Columns of rows that acts make under keys that they are given. */
function filled(
  timelines: readonly Timeline[],
  makings: ReadonlyMap<string, readonly Making[]>,
  touches: readonly Touch[],
): Touch[] {
  const columns = columnNames(timelines);
  const known = new Set(touches.map(({ act, table, name, relation }) => `${act} ${table} ${name} ${relation.id}`));
  return [...makings].flatMap(([act, of]) =>
    of.flatMap(({ table, key, name: given }) => {
      const relation = { id: `args ${given}`, key };
      return [...(columns.get(table) ?? [])]
        .sort(byText)
        .filter((name) => !known.has(`${act} ${table} ${name} ${relation.id}`))
        .map((name): Touch => ({ act, table, name, relation }));
    }),
  );
}

/** Lists of the row that a write names whose length its own answer tells. */
function lengthened(
  timelines: readonly Timeline[],
  { sizes, refs, readers }: Layout,
  kinds: Kinds,
  known: ReadonlySet<string>,
): Touch[] {
  const out = new Map<string, Touch>();
  for (const { session, observations } of timelines)
    for (const [at, call] of session.calls.entries())
      for (const { place } of readers.has(call.tool) ? [] : (observations[at]?.rows ?? []))
        for (const name of sizes.get(`${call.tool} ${place.path}`) ?? [])
          for (const [given, table] of refs.get(call.tool) ?? []) {
            const touch: Touch = {
              act: kinds.act(call),
              table,
              name,
              relation: { id: `args ${given}`, key: [arg(given)] },
            };
            if (table === place.table && !known.has(touchId(touch))) out.set(touchId(touch), touch);
          }
  return [...out.values()];
}

const touchId = ({ act, table, name }: Touch): string => `${act}\u001e${table ?? ""}\u001e${name}`;

/** What acts say of themselves that they set, where no answers before and after show it. */
function echoed(
  timelines: readonly Timeline[],
  { echoes }: Layout,
  kinds: Kinds,
  touches: readonly Touch[],
): readonly Touch[] {
  const known = new Set(touches.map(touchId));
  const out: Touch[] = [];
  if (echoes.size === 0) return out;
  for (const { session, observations } of timelines)
    for (const [at, call] of session.calls.entries())
      for (const name of Object.keys(observations[at]?.cells ?? {})) {
        const act = kinds.act(call);
        const id = `${act}\u001e\u001e${name}`;
        if (!echoes.has(`${call.tool} ${name}`) || known.has(id)) continue;
        known.add(id);
        out.push({ act, table: undefined, name, relation: { id: "cell", key: [] } });
      }
  return out;
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
  const { completeLists, timelines, effects: begun } = before ?? begin(sessions, layout, readers, kinds);
  let effects = begun;
  let starts = before?.starts ?? findStarts(timelines, layout, effects, kinds);
  let steps = before?.steps ?? followAll(timelines, layout, effects, starts, kinds);
  let settled = before?.settled ?? false;
  const columns = columnNames(timelines);
  const calls = callsOf(sessions, kinds);
  for (let round = before?.rounds ?? 0; round < rounds && !settled; round++) {
    const changes = changeExamples(timelines, steps, effects, layout);
    const created = creationExamples(timelines, steps, effects);
    const next = new Map<string, Effects>();
    const makers = [...effects].flatMap(([act, of]) =>
      of.creations.map(({ table }, i) => ({ table, id: `${act}\u001e${i}` })),
    );
    // Rows begin alike whoever makes them: where too few answers show one so early, what all begin with is taken.
    const begun = (table: string, name: string): Expr => {
      const all = makers.flatMap((maker) =>
        maker.table === table ? (created.get(`${maker.id}\u001e${name}`) ?? []) : [],
      );
      return unanimous(all) ?? { op: "unknown" };
    };
    for (const [act, of] of effects) {
      const tool = toolOf(act);
      const given = argumentPaths(calls.get(act) ?? []);
      next.set(act, {
        removals: of.removals,
        makings: of.makings,
        changes: of.changes.map((change, i) => {
          const own = change.table === undefined ? cell(change.name) : column("row", change.name);
          const made: Expr[] = of.creations.length === 1 && of.creations[0]?.list === undefined ? [MADE_KEY] : [];
          const turns = change.table === undefined ? layout.echoes.get(`${tool} ${change.name}`) : undefined;
          if (turns) return { ...change, value: switched(own, turns) };
          const terms = [...termsOf(tool, given, layout, columns, change.table), ...made];
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
              return [name, found?.expr ?? unanimous(examples) ?? begun(creation.table, name)];
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
  return { layout, timelines, effects, starts, steps, completeLists, rounds, settled };
}

const saidOf = (effects: ReadonlyMap<string, Effects>): string =>
  JSON.stringify([...effects], (_, value) => (value instanceof Map ? [...value] : value));

/** The other one of two values. */
const switched = (own: Expr, [a, b]: Turns): Expr => ({
  op: "decide",
  on: own,
  cases: [
    [a, constant(b)],
    [b, constant(a)],
  ],
});

/** What a change makes of a value: told apart by whether the row was there, where calls make it too. */
function changeValue(change: Change, examples: readonly Example[], terms: readonly Expr[], own: Expr): Expr {
  const UNKNOWN_VALUE: Expr = { op: "unknown" };
  const of = (some: readonly Example[], before: Expr | undefined): Expr => {
    const found = fitExpression(some, terms, before, 2, change.name);
    return found ? exceptUnsettled(found.expr, some, change.key) : (unanimous(some) ?? UNKNOWN_VALUE);
  };
  if (change.table === undefined) return of(examples, own);
  const [holder] = change.key;
  if (holder?.op === "first" && holder.where.op === "contains") {
    // The call leads to the row by an entry of this list: that it takes it out needs no more than not to be wrong.
    const taken: Expr = { op: "remove", list: own, value: holder.where.b };
    const { right, wrong } = standing(taken, examples);
    if (right > 0 && wrong === 0) return taken;
  }
  const row = { table: change.table, key: change.key };
  const test: Expr = { op: "exists", of: row };
  const absent = examples.filter(({ env }) => evaluate(test, env) === false);
  if (absent.length < 2) return of(examples, own);
  const there = examples.filter(({ env }) => evaluate(test, env) === true);
  const otherwise = of(absent, undefined);
  if (there.length === 0) return otherwise;
  return { op: "if", test, met: of(there, own), otherwise };
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

/** What an expression may be made of, for one tool: arguments, columns of the row at hand and of rows that arguments name, and cells. */
export function termsOf(
  tool: string,
  given: readonly (readonly string[])[],
  layout: Layout,
  columns: ReadonlyMap<string, ReadonlySet<string>>,
  own: string | undefined,
): Expr[] {
  const out: Expr[] = given.map((path) => arg(...path));
  if (own !== undefined) for (const name of [...(columns.get(own) ?? [])].sort(byText)) out.push(column("row", name));
  const refs = [...(layout.refs.get(tool) ?? [])].sort(([a], [b]) => byText(a, b));
  for (const [name, table] of refs)
    for (const other of [...(columns.get(table) ?? [])].sort(byText))
      out.push(column({ table, key: [arg(name)] }, other));
  for (const [name, table] of refs)
    for (const parent of layout.tables.keys())
      if (columns.get(table)?.has(parentColumn(parent)))
        for (const other of [...(columns.get(parent) ?? [])].sort(byText))
          out.push(column({ table: parent, key: [column({ table, key: [arg(name)] }, parentColumn(parent))] }, other));
  for (const name of [...(columns.get("") ?? [])].sort(byText)) out.push(cell(name));
  for (const [table, [name]] of layout.tables)
    if (name !== undefined && pointerOf(layout.paths, table) === name)
      for (const other of [...(columns.get(table) ?? [])].sort(byText))
        out.push(column({ table, key: [cell(name)] }, other));
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
