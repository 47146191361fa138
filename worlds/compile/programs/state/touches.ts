import { getOwn, isObject, type Json, setOwn } from "../../../json.ts";
import { namedWriter } from "../../effects.ts";
import type { Call, Session } from "../../observations.ts";
import { isScalar, same } from "../../values.ts";
import { arg, column, type Expr, evaluate } from "../expressions/expr.ts";
import { parentColumn } from "../simulate.ts";
import { type Kinds, toolOf } from "./kinds.ts";
import { type AnswerObservation, type Layout, observationOf } from "./observations.ts";
import { pointedFacts, pointerOf, pointing } from "./pointed.ts";

/** One thing that is known or not: a cell, a column of a row, or whether a row is there. */
export interface Fact {
  readonly table: string | undefined;
  readonly key: string;
  readonly name: string;
}

/** The column name of whether a row is there. */
export const EXISTS = "is there";

/** A fact as one answer showed it, right after its call. */
export interface FactObservation {
  readonly at: number;
  readonly value: Json;
}

/** How a call leads to a fact: the expressions of the row's key. Cells have none. */
export interface Relation {
  readonly id: string;
  readonly key: readonly Expr[];
  /** Whether a later value lacks the entry by which the call leads to the fact. */
  readonly gone?: (value: Json) => boolean;
}

/** A session with what its answers showed, by fact. */
export interface Timeline {
  readonly session: Session;
  readonly number: number;
  readonly observations: readonly AnswerObservation[];
  readonly facts: ReadonlyMap<string, { readonly fact: Fact; readonly seen: readonly FactObservation[] }>;
  /** Where each row was first shown or named, by table and key. */
  readonly first: ReadonlyMap<string, number>;
}

export const factId = ({ table, key, name }: Fact): string => `${table ?? ""}\u001e${key}\u001e${name}`;
export const rowId = (table: string, key: string): string => `${table}\u001e${key}`;

/** What the answers of each session show, in order. `wholeLists` names the places that show every row of their table. */
export function timelinesOf(sessions: readonly Session[], layout: Layout, wholeLists: ReadonlySet<string>): Timeline[] {
  return sessions.map((session, number) => {
    const facts = new Map<string, { fact: Fact; seen: FactObservation[] }>();
    const first = new Map<string, number>();
    const known = new Map<string, Set<string>>();
    const sights = session.calls.map((call) => observationOf(call, layout));
    const note = (fact: Fact, at: number, value: Json): void => {
      const id = factId(fact);
      const row = facts.get(id) ?? { fact, seen: [] };
      row.seen.push({ at, value });
      facts.set(id, row);
    };
    for (const [at, shown] of sights.entries()) {
      const call = session.calls[at] as Call;
      for (const [name, value] of Object.entries(shown.cells)) note({ table: undefined, key: "", name }, at, value);
      for (const { place, key, columns, within } of shown.rows) {
        const { table } = place;
        for (const [name, value] of Object.entries(columns)) note({ table, key, name }, at, value);
        if (within) note({ table, key, name: parentColumn(within.table) }, at, within.key);
        note({ table, key, name: EXISTS }, at, true);
        known.set(table, (known.get(table) ?? new Set()).add(key));
        const id = rowId(table, key);
        if (!first.has(id)) first.set(id, at);
      }
      for (const place of layout.paths.get(call.tool) ?? [])
        if (call.ok && wholeLists.has(`${call.tool} ${place.path}`) && noArguments(call)) {
          const here = new Set(shown.rows.filter((row) => row.place === place).map(({ key }) => key));
          for (const key of known.get(place.table) ?? [])
            if (!here.has(key)) note({ table: place.table, key, name: EXISTS }, at, false);
        }
      if (!call.ok && call.answerClass === "error:not_found")
        for (const [name, table] of layout.refs.get(call.tool) ?? []) {
          const value = getOwn(call.args, name);
          const key = isScalar(value) ? String(value) : undefined;
          if (key !== undefined && isAbout(call, name) && known.get(table)?.has(key))
            note({ table, key, name: EXISTS }, at, false);
        }
    }
    return { session, number, observations: sights, facts, first };
  });
}

/** Rows that calls were told not to be there before anything showed them, or may have made them. */
export function absentAtFirst({ session, first }: Timeline, layout: Layout): { table: string; key: string }[] {
  return session.calls.flatMap((call, at) =>
    call.ok || call.answerClass !== "error:not_found"
      ? []
      : [...(layout.refs.get(call.tool) ?? [])].flatMap(([name, table]) => {
          const value = getOwn(call.args, name);
          const key = isScalar(value) ? String(value) : undefined;
          if (key === undefined || !isAbout(call, name)) return [];
          return (first.get(rowId(table, key)) ?? at) < at ? [] : [{ table, key }];
        }),
  );
}

/** Whether a refusal speaks of what an argument names: it repeats its value or its name, or there is no other. */
function isAbout(call: Call, name: string): boolean {
  const text = JSON.stringify(call.value).toLowerCase();
  if (Object.values(call.args).filter(isScalar).length === 1) return true;
  const stem = name.replace(/(?:_?id|_?key|_?name)$/i, "").toLowerCase();
  return text.includes(String(getOwn(call.args, name)).toLowerCase()) || (stem.length > 2 && text.includes(stem));
}

export const noArguments = (call: Call): boolean =>
  Object.values(call.args).every((value) => value === null || value === undefined);

/** How a call leads to a fact by what it was given: by its arguments, or by a column of a row that they name. */
export function relationsOf(
  call: Call,
  fact: Fact,
  layout: Layout,
  columnsOf: (table: string, key: string) => Readonly<Record<string, Json>>,
): Relation[] {
  const { table } = fact;
  if (table === undefined) return [{ id: "cell", key: [] }];
  const parts = fact.key.split("\u001f");
  const pointer = pointerOf(layout.paths, table);
  if (pointer !== undefined)
    return pointing(call.args, pointer).filter(
      ({ key: [key] }) =>
        key && evaluate(key, { args: call.args, facts: pointedFacts(layout.pointed, call) }) === fact.key,
    );
  const scalars = Object.entries(call.args).filter(([, value]) => isScalar(value));
  const keyNames = layout.tables.get(table) ?? [];
  if (parts.length > 1) {
    const names = parts.map(
      (part, i) =>
        scalars.find(([name, value]) => name === keyNames[i] && String(value) === part)?.[0] ??
        scalars.find(([, value]) => String(value) === part)?.[0],
    );
    if (names.some((name) => name === undefined)) return [];
    return [{ id: `args ${names.join(" ")}`, key: names.map((name) => arg(name as string)) }];
  }
  const out: Relation[] = scalars
    .filter(([, value]) => String(value) === fact.key)
    .map(([name]) => ({ id: `args ${name}`, key: [arg(name)] }));
  if (out.length > 0) return out;
  for (const [name, value] of scalars) {
    const ref = layout.refs.get(call.tool)?.get(name);
    if (ref === undefined) continue;
    for (const [other, held] of Object.entries(columnsOf(ref, String(value))))
      if (isScalar(held) && String(held) === fact.key)
        out.push({ id: `via ${name} ${other}`, key: [column({ table: ref, key: [arg(name)] }, other)] });
  }
  return out;
}

/** The same where a call names no row, but an entry of a list that the row held: it leads to the first row that holds it. */
function holding(call: Call, { table, name }: Fact, held: Json, { tables }: Layout): Relation[] {
  if (table === undefined || tables.get(table)?.length !== 1 || !Array.isArray(held)) return [];
  return Object.entries(call.args)
    .filter(([, value]) => isScalar(value) && held.some((entry) => same(entry, value)))
    .map(([given, entry]) => ({
      id: `holds ${given} ${name}`,
      gone: (value) => Array.isArray(value) && !value.some((other) => same(other, entry)),
      key: [{ op: "first", table, where: { op: "contains", a: column("row", name), b: arg(given) } }],
    }));
}

/** A tool that may change a kind of fact that its calls lead to in one way. */
export interface Touch {
  readonly act: string;
  readonly table: string | undefined;
  readonly name: string;
  readonly relation: Relation;
}

interface Count {
  touch: Touch;
  sole: number;
  among: number;
  same: number;
}

const FAR: Relation = { id: "far", key: [] };

/** Which tools change what: from facts that were shown twice with calls in between. */
export function findTouches(
  timelines: readonly Timeline[],
  layout: Layout,
  readers: ReadonlySet<string>,
  kinds: Kinds,
): { touches: Touch[]; far: Touch[] } {
  const counts = new Map<string, Count>();
  const unsettled: Count[][] = [];
  const blamed = new Set<Count>();
  for (const timeline of timelines) {
    const { session, facts } = timeline;
    const rowsSoFar = rowColumns(timeline);
    for (const { fact, seen } of facts.values()) {
      for (let i = 1; i < seen.length; i++) {
        const [a, b] = [seen[i - 1] as FactObservation, seen[i] as FactObservation];
        const changed = !same(a.value, b.value);
        if (fact.name === EXISTS && a.value === false) continue;
        const culprits: Count[] = [];
        const takers = new Set<Count>();
        const names = changed ? changedNames(a.value, b.value) : NO_NAMES;
        for (let at = a.at + 1; at <= b.at; at++) {
          const call = session.calls[at] as Call;
          if (!call.ok || readers.has(call.tool)) continue;
          const named = relationsOf(call, fact, layout, rowsSoFar);
          const found = named.length > 0 ? named : holding(call, fact, a.value, layout);
          for (const relation of found.length > 0 ? found : [FAR]) {
            const id = `${kinds.act(call)}\u001e${fact.table ?? ""}\u001e${fact.name}\u001e${relation.id}`;
            const count = counts.get(id) ?? {
              touch: { act: kinds.act(call), table: fact.table, name: fact.name, relation },
              sole: 0,
              among: 0,
              same: 0,
            };
            counts.set(id, count);
            culprits.push(count);
            const given = names.size > 0 && Object.values(call.args).some((value) => names.has(String(value)));
            if (given || relation.gone?.(b.value)) takers.add(count);
          }
        }
        const distinct = [...new Set(culprits)];
        if (!changed) for (const count of distinct) count.same++;
        else if (distinct.length === 1) (distinct[0] as Count).sole++;
        // What is no more in a list, or changed in a map, was by the call that was given it.
        else if (takers.size === 1) for (const count of takers) count.sole++;
        else if (distinct.length > 1) {
          const likely = takers.size > 0 ? [...takers] : distinct;
          for (const count of likely) count.among++;
          unsettled.push(likely);
        }
      }
    }
  }
  // What several may have changed is laid to those that are known to, else to each that was not mostly seen to leave it.
  for (const group of unsettled) {
    if (group.some(({ sole, touch }) => sole > 0 && touch.relation !== FAR)) continue;
    const close = group.filter(({ touch }) => touch.relation.id !== "far");
    const near = close.length > 0 ? close : group;
    // A tool that is called by a verb of changing did it sooner than one whose name says nothing.
    const named = near.filter(({ touch }) => namedWriter(toolOf(touch.act)));
    const from = named.length > 0 ? named : near;
    const likely = from.filter(({ among, same: kept }) => kept <= among);
    const [best] = [...from].sort((x, y) => x.same / (x.same + x.among) - y.same / (y.same + y.among));
    for (const count of likely.length > 0 ? likely : best ? [best] : []) blamed.add(count);
  }
  const all = [...counts.values()].filter((count) => count.sole > 0 || blamed.has(count));
  const near = all.filter(({ touch }) => touch.relation.id !== "far");
  const far = all.filter(({ touch }) => touch.relation.id === "far");
  return { touches: near.map(({ touch }) => touch), far: far.map(({ touch }) => touch) };
}

const NO_NAMES: ReadonlySet<string> = new Set();

/** Names under which two maps differ. */
function changedNames(a: Json, b: Json): ReadonlySet<string> {
  if (!isObject(a) || !isObject(b)) return NO_NAMES;
  const names = [...Object.keys(a), ...Object.keys(b)];
  return new Set(names.filter((name) => !same(getOwn(a, name) ?? null, getOwn(b, name) ?? null)));
}

function rowColumns(timeline: Timeline): (table: string, key: string) => Readonly<Record<string, Json>> {
  const rows = new Map<string, Record<string, Json>>();
  for (const { fact, seen } of timeline.facts.values()) {
    if (fact.table === undefined || fact.name === EXISTS) continue;
    const id = rowId(fact.table, fact.key);
    const row = rows.get(id) ?? {};
    setOwn(row, fact.name, (seen[0] as FactObservation).value);
    rows.set(id, row);
  }
  return (table, key) => rows.get(rowId(table, key)) ?? {};
}
