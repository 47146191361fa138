import { getOwn, isObject, type Json } from "../../../json.ts";
import { byText, isScalar, same } from "../../values.ts";
import { arg, constant, type Env, type Expr, evaluate, type Facts, type Value } from "../expressions/expr.ts";
import type { Kind } from "../state/kinds.ts";
import { given } from "./filters.ts";
import {
  type Act,
  type Assignment,
  answered,
  answerRow,
  applied,
  type Effect,
  keyArguments,
  keyIn,
  type Named,
  type Placed,
  rowOf,
} from "./row-actions.ts";
import { fitShape, NOTHING, observationOf, type Shape } from "./shapes.ts";
import { type ExportTable, type KeyForm, keyForm, listIn, nextKey } from "./tables.ts";

/** What an answer showed of a row. */
interface RowObservation {
  readonly index: number;
  readonly table: string;
  readonly key: string;
  readonly columns: Readonly<Record<string, Json>>;
}

/** What the answers of one session show of rows, as far as readings are understood. */
function rowObservationsOf(
  calls: readonly Placed[],
  acts: ReadonlyMap<string, Act>,
  keys: ReadonlyMap<string, string>,
): RowObservation[] {
  const out: RowObservation[] = [];
  for (const { call, index, kind } of calls) {
    const act = acts.get(call.tool);
    if (!act?.kinds.has(kind) || act.effect.kind !== "none") continue;
    if (act.view) {
      const { table, item } = act.view;
      for (const entry of listIn(call.value)?.list ?? []) {
        const columns = observationOf(item, entry, call.args);
        const key = columns[keys.get(table) ?? ""];
        if (isScalar(key)) out.push({ index, table, key: String(key), columns });
      }
    } else if (act.row) {
      const key = keyIn(call.args, act.row.arg);
      if (key !== undefined)
        out.push({ index, table: act.row.table, key, columns: observationOf(act.answer, call.value, call.args) });
    }
  }
  return out;
}

/** What else is known when a write is learnt. */
export interface Known {
  readonly sessions: readonly (readonly Placed[])[];
  readonly actions: ReadonlyMap<string, Act>;
  readonly tables: readonly ExportTable[];
  readonly readers: ReadonlySet<string>;
}

/** Later readings that come out right that bound what a write does. */
const BOUNDED = 3;

/** Learns what a tool's calls of one kind do, from what later readings show. */
export function learnWrite(tool: string, kind: Kind, known: Known, listed: boolean, every: readonly Placed[]): Act {
  const { sessions, tables } = known;
  const calls = sessions.flatMap((of) => of.filter((one) => one.call.tool === tool && one.kind === kind));
  const candidates: { effect: Effect; row: Named | undefined; prior: number }[] = [];
  for (const table of listed ? tables : []) {
    const form = keyForm(table);
    const made = form ? madeKeys(calls, table, form) : new Map<Placed, string>();
    if (!form || made.size < calls.length * 0.5 || made.size === 0) continue;
    const sets = createdSets(calls, table, made, known);
    const effect: Effect = { kind: "create", table: table.name, form, columns: table.columns, sets };
    candidates.push({ effect, row: undefined, prior: 6 });
  }
  for (const row of listed ? keyArguments(calls, tables, 0.4).slice(0, 2) : []) {
    const sets = learnSets(calls, row, known, every);
    if (sets.length > 0) candidates.push({ effect: { kind: "set", row, sets }, row, prior: 4 });
    candidates.push({ effect: { kind: "remove", row }, row, prior: 0 });
    candidates.push({ effect: { kind: "none" }, row, prior: 0 });
    candidates.push({ effect: { kind: "unclear", row }, row, prior: 1 });
  }
  candidates.push({ effect: { kind: "none" }, row: undefined, prior: 0 });
  let best: { effect: Effect; row: Named | undefined; score: number; seen: number } | undefined;
  for (const { effect, row, prior } of candidates) {
    const base: Act = { tool, kinds: new Set([kind]), row, view: undefined, effect, answer: NOTHING, bounded: false };
    const seen = met(base, known);
    const score = prior / 4 + seen;
    if (!best || score > best.score) best = { effect, row, score, seen };
  }
  const { effect, row, seen } = best as NonNullable<typeof best>;
  const answer = writeAnswer(calls, { row, effect }, tables);
  return { tool, kinds: new Set([kind]), row, view: undefined, effect, answer, bounded: seen >= BOUNDED };
}

/** The keys that calls were given of a table, each next after those there and those given before; none for calls that show none. */
function madeKeys(calls: readonly Placed[], table: ExportTable, form: KeyForm): Map<Placed, string> {
  const out = new Map<Placed, string>();
  let session = -1;
  let made: string[] = [];
  for (const one of calls) {
    if (one.session !== session) made = [];
    session = one.session;
    const next = nextKey([...(one.before.tables.get(table.name)?.rows.keys() ?? []), ...made], form);
    if (!showsKey(one.call.value, next)) continue;
    made.push(next);
    out.set(one, next);
  }
  return out;
}

function showsKey(value: Json, key: string): boolean {
  if (isScalar(value))
    return String(value) === key || (typeof value === "string" && value.split(/[^\w-]+/).includes(key));
  return (
    isObject(value) &&
    Object.values(value).some((part) => (isScalar(part) ? String(part) === key : isObject(part) && showsKey(part, key)))
  );
}

function writeAnswer(
  calls: readonly Placed[],
  act: Pick<Act, "row" | "effect">,
  tables: readonly ExportTable[],
): Shape {
  const name = act.effect.kind === "create" ? act.effect.table : act.row?.table;
  const table = tables.find((one) => one.name === name);
  const examples = calls.map(({ call, before }) => {
    const after = applied(act.effect, call.args, before, tables);
    const row = answerRow(act, call.args, before, after);
    return { value: call.value, env: { args: call.args, facts: after, ...(row ? { row } : {}) } };
  });
  return fitShape(examples, table?.columns ?? [], act.effect.kind === "create" ? (table?.key ?? "") : "", table?.key);
}

/** Later readings that come out as observed under an act, less those that do not. */
function met(act: Act, { sessions, actions, tables }: Known): number {
  const all = new Map([...actions, [act.tool, act]]);
  let worth = 0;
  for (const calls of sessions) {
    const first = calls.findIndex(({ call, kind }) => call.tool === act.tool && act.kinds.has(kind));
    if (first < 0) continue;
    let facts = calls[first]?.before as Facts;
    for (const { call, kind } of calls.slice(first)) {
      const does = all.get(call.tool);
      if (!does) continue;
      const before = facts;
      if (does.kinds.has(kind)) facts = applied(does.effect, call.args, before, tables);
      if (does.effect.kind !== "none" || does === act || (!does.view && !does.row)) continue;
      const told = answered(does, call.args, before, facts);
      if (told === undefined) {
        if (does.row && does.kinds.has(kind) && !rowOf(before, does.row, call.args)) worth--;
        continue;
      }
      const empty = does.view && (listIn(told)?.list.length ?? 1) === 0;
      const right = empty ? (listIn(call.value)?.list.length ?? 0) === 0 : same(told, call.value);
      worth += right ? 1 : -1;
    }
  }
  return worth;
}

/** The first later sight of a column of a row, before another write names the row. */
function laterValue(
  of: Placed,
  table: string,
  key: string,
  column: string,
  known: Known,
  sights: readonly RowObservation[],
): Json | undefined {
  const calls = known.sessions[of.session] ?? [];
  const end = calls.findIndex(
    ({ call, index }) =>
      index > of.index &&
      !known.readers.has(call.tool) &&
      Object.values(call.args).some((value) => isScalar(value) && String(value) === key),
  );
  const seen = sights.find(
    (one) =>
      one.index > of.index &&
      (end < 0 || one.index < end) &&
      one.table === table &&
      one.key === key &&
      Object.hasOwn(one.columns, column),
  );
  return seen && getOwn(seen.columns, column);
}

interface Later {
  readonly env: Env;
  readonly value: Json;
  readonly before: Value | undefined;
}

function latersOf(
  calls: readonly Placed[],
  table: ExportTable,
  keyOf: (one: Placed) => string | undefined,
  known: Known,
): (column: string) => Later[] {
  const keys = new Map(known.tables.map(({ name, key }) => [name, key]));
  const sights = new Map<number, RowObservation[]>();
  return (column) =>
    calls.flatMap((one): Later[] => {
      const key = keyOf(one);
      if (key === undefined) return [];
      const shown =
        sights.get(one.session) ?? rowObservationsOf(known.sessions[one.session] ?? [], known.actions, keys);
      sights.set(one.session, shown);
      const value = laterValue(one, table.name, key, column, known, shown);
      const before = getOwn(one.before.tables.get(table.name)?.rows.get(key) ?? {}, column);
      return value === undefined ? [] : [{ env: { args: one.call.args, facts: one.before }, value, before }];
    });
}

/** An argument as it stands, in lower case, or as text: what later sights show of it, the plain one where none do. */
function stored(name: string, later: readonly Later[]): { expr: Expr; right: number } {
  const plain = arg(name);
  const forms: Expr[] = [plain, { op: "lower", a: plain }, { op: "text", parts: [plain] }];
  let best = { expr: plain, right: -1 };
  for (const expr of forms) {
    const right = later.filter(({ env, value }) => same(evaluate(expr, env) as Json, value)).length;
    if (right > best.right) best = { expr, right };
  }
  return best;
}

const ALWAYS: Expr = constant(true);

/** The columns of the named row that calls set. */
function learnSets(calls: readonly Placed[], row: Named, known: Known, every: readonly Placed[]): Assignment[] {
  const table = known.tables.find(({ name }) => name === row.table) as ExportTable;
  const names = [...new Set(calls.flatMap(({ call }) => Object.keys(call.args)))]
    .filter((name) => name !== row.arg)
    .sort(byText);
  const laters = latersOf(calls, table, ({ call }) => keyIn(call.args, row.arg), known);
  for (const field of names) {
    const asked = calls.filter(({ call }) => table.columns.includes(String(getOwn(call.args, field))));
    const [value, more] = names.filter((name) => name !== field);
    if (asked.length < calls.length * 0.8 || value === undefined || more !== undefined) continue;
    const named = [...asked, ...every].map(({ call }) => String(getOwn(call.args, field)));
    const columns = table.columns.filter((column) => column !== table.key && named.includes(column));
    return columns.map((column) => {
      const later = laters(column).filter(({ env }) => getOwn(env.args, field) === column);
      return { column, when: { op: "eq", a: arg(field), b: constant(column) }, value: stored(value, later).expr };
    });
  }
  return table.columns
    .filter((column) => column !== table.key)
    .flatMap((column): Assignment[] => {
      const later = laters(column);
      const own = names.includes(column) ? [column] : [];
      const found = termFor(later, own, names, false);
      return found ? [{ column, ...found }] : [];
    });
}

/** What a column is set to: an argument of its name, another that later sights show, or one value that they all show. */
function termFor(
  later: readonly Later[],
  own: readonly string[],
  names: readonly string[],
  made: boolean,
): { when: Expr; value: Expr } | undefined {
  for (const name of [...own, ...names]) {
    const asked = later.filter(({ env }) => (getOwn(env.args, name) ?? null) !== null);
    const { expr, right } = stored(name, asked);
    const moved = asked.filter(({ value, before }) => made || !same(value, before as Json)).length;
    const fits = right >= asked.length * 0.9;
    if (own.includes(name) ? fits : fits && moved > 1) return { when: made ? ALWAYS : given(name), value: expr };
  }
  const [first] = later;
  const alike = first !== undefined && later.every(({ value }) => same(value, first.value));
  const moved = later.filter(({ value, before }) => made || !same(value, before as Json)).length;
  return alike && moved > 1 ? { when: ALWAYS, value: constant(first.value) } : undefined;
}

/** The columns of rows that calls make. */
function createdSets(
  calls: readonly Placed[],
  table: ExportTable,
  made: ReadonlyMap<Placed, string>,
  known: Known,
): Assignment[] {
  const names = [...new Set(calls.flatMap(({ call }) => Object.keys(call.args)))].sort(byText);
  const laters = latersOf(calls, table, (one) => made.get(one), known);
  return table.columns
    .filter((column) => column !== table.key)
    .flatMap((column): Assignment[] => {
      const found = termFor(laters(column), names.includes(column) ? [column] : [], names, true);
      return found ? [{ column, ...found }] : [];
    });
}
