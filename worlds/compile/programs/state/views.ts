import { getOwn, type Json, type JsonObject } from "../../../json.ts";
import { byText, canon, isScalar } from "../../values.ts";
import type { Learnt } from "../effects.ts";
import {
  arg,
  binary,
  column,
  constant,
  type Expr,
  evaluate,
  type Row,
  UNKNOWN,
  type Value,
} from "../expressions/expr.ts";
import { type Order, orderOf } from "../expressions/order.ts";
import { parentColumn, type Step } from "../simulate.ts";
import type { RowPath } from "./row-paths.ts";
import { type ListRequest, orderFor, type Sorting, sortingOf, type Window, windowOf } from "./windows.ts";

/** Rows of a table that a list shows: those that meet every condition, in an order. */
export interface View {
  readonly table: string;
  readonly where: readonly Expr[];
  /** The arguments whose conditions apply only where they are given, by condition. */
  readonly given: readonly (string | undefined)[];
  /** Undefined where nothing explains it. */
  readonly order: Order | undefined;
  /** Other orders, where an argument asks for them. */
  readonly sorting: Sorting | undefined;
  /** Undefined where all rows are shown. */
  readonly window: Window | undefined;
}

/** A list as a call showed it. */
export interface ListSeen {
  readonly step: Step;
  /** Keys of its rows. */
  readonly shown: readonly string[];
  /** The row that the list stands in. */
  readonly holder: { readonly table: string; readonly key: string } | undefined;
}

/** A list with the rows of its table that meet the conditions found so far. */
interface Judged {
  readonly args: JsonObject;
  readonly cells: ReadonlyMap<string, Value>;
  readonly seen: ListSeen;
  /** Rows that it shows, in the order in which they came to be, whatever conditions say. */
  readonly listed: readonly { readonly key: string; readonly row: Row }[];
  shown: readonly Row[];
  /** Rows that it does not show. */
  hidden: readonly Row[];
}

/** Lists that are looked at: more of them tell nothing new. */
const LISTS = 400;
/** Values of a column past which none of them is a condition. */
const VALUES = 12;
/** Lists that were shown before anything was written, from which orders and windows are learnt of these alone. */
const FIRST = 12;
/** Share of shown rows that a condition may miss. */
const LOST = 0.01;

type Comparing = "eq" | "contains" | "most" | "less";
/** How a column may be compared with an argument; `turned` where the argument comes first. */
const COMPARED: readonly (readonly [op: Comparing, turned: boolean])[] = [
  ["eq", false],
  ["contains", false],
  ["most", false],
  ["most", true],
  ["less", false],
  ["less", true],
];

/** Learns which rows a list shows and in which order; undefined where no conditions tell them apart. */
export function learnView(
  rowPath: RowPath,
  instances: readonly ListSeen[],
  columns: ReadonlySet<string>,
  args: readonly string[],
  learnt: Learnt,
): View | undefined {
  const { table } = rowPath;
  if (instances.length === 0) return undefined;
  const where: Expr[] = [];
  const given: (string | undefined)[] = [];
  const names = [...columns].sort(byText);
  const holder = instances.find((seen) => seen.holder)?.holder;
  const [keyColumn] = holder ? (learnt.layout.tables.get(holder.table) ?? []) : [];
  if (holder && keyColumn === undefined) return undefined;
  const parent = holder && keyColumn !== undefined ? { column: parentColumn(holder.table), key: keyColumn } : undefined;
  if (parent) {
    where.push({ op: "eq", a: column("row", parent.column), b: { op: "item", path: [parent.key] } });
    given.push(undefined);
  }
  const judged = instances.slice(0, LISTS).map((seen) => judgedOf(seen, table, parent));
  for (const name of args) {
    const over = judged.filter((list) => has(list.args, name));
    const best = bestComparison(over, names, name);
    if (!best || best.excluded === 0) continue;
    where.push(best.expr);
    given.push(name);
    keep(over, best.meets);
  }
  for (const name of cellNames(judged)) {
    const unexplained = judged.reduce((sum, { hidden }) => sum + hidden.length, 0);
    const best = bestCell(judged, names, name);
    if (!best || best.excluded < Math.max(2, unexplained * 0.3)) continue;
    where.push(best.expr);
    given.push(undefined);
    keep(judged, best.meets);
  }
  const values = new Map(names.map((name) => [name, domainOf(instances.slice(0, LISTS), table, name)]));
  for (let round = 0; round < 3; round++) {
    const unexplained = judged.reduce((sum, { hidden }) => sum + hidden.length, 0);
    const best = bestValue(judged, names, values);
    if (!best || best.excluded < Math.max(2, unexplained * 0.3)) break;
    where.push(best.expr);
    given.push(undefined);
    keep(judged, best.meets);
  }
  const first = unchanged(judged, learnt);
  const lists = [...(first.size < FIRST || holder ? judged : first)].map((list): ListRequest => {
    const { args, seen, listed } = list;
    return { args, shown: seen.shown, rows: listed, met: metBy(list, table, where, given) };
  });
  const [ties] = learnt.layout.tables.get(table) ?? [];
  const free = args.filter((name) => !given.includes(name));
  const common = orderOf(lists, names, ties);
  const sorts = common ? undefined : sortingOf(lists, names, ties, free);
  const sorting = sorts?.sorting;
  const order = common ?? sorts?.order;
  const numbers = free.filter((name) => judged.some((list) => typeof getOwn(list.args, name) === "number"));
  const view = { table, where, given, order, sorting };
  const window = holder ? undefined : windowOf(lists, numbers, (of) => orderFor(of, sorting, order));
  if (window) return { ...view, window };
  let wrong = 0;
  let longest = 0;
  for (const { hidden, seen } of judged) {
    longest = Math.max(longest, seen.shown.length);
    if (hidden.length > 0) wrong++;
  }
  const right = judged.length - wrong;
  if (wrong <= right * 0.05) return { ...view, window };
  const full = judged.filter(({ seen }) => seen.shown.length === longest);
  const spilled = judged.filter(({ hidden }) => hidden.length > 0);
  const cut =
    full.length >= 3 && spilled.filter(({ seen }) => seen.shown.length === longest).length >= spilled.length * 0.9;
  if (cut) return { ...view, window: { most: longest, size: undefined, from: undefined } };
  return wrong > right ? undefined : { ...view, window };
}

/** The rows that meet all conditions of a list, those among them that it shows though that is not known of them. */
function metBy(
  { args, cells, seen: { step }, shown, hidden }: Judged,
  table: string,
  where: readonly Expr[],
  given: readonly (string | undefined)[],
): ListRequest["met"] {
  const env = { args, facts: { cells, tables: step.after.tables } };
  const applied = where.filter((_, i) => given[i] === undefined || has(args, given[i] as string));
  const meets = (row: Row): boolean => applied.every((expr) => evaluate(expr, { ...env, row }) === true);
  const there = new Set([...shown, ...hidden.filter(meets)]);
  return [...(step.after.tables.get(table)?.rows ?? [])].flatMap(([key, row]) =>
    there.has(row) ? [{ key, row }] : [],
  );
}

/** Lists of sessions in which nothing that may write was called before: of others not all is known that was changed. */
function unchanged(lists: readonly Judged[], { steps, layout }: Learnt): ReadonlySet<Judged> {
  const written = new Map<number, number>();
  for (const [number, session] of steps.entries()) {
    const first = session.findIndex(({ call }) => call.ok && !layout.readers.has(call.tool));
    if (first >= 0) written.set(session[0]?.session ?? number, first);
  }
  return new Set(
    lists.filter(({ seen: { step } }) => step.index <= (written.get(step.session) ?? Number.POSITIVE_INFINITY)),
  );
}

const has = (args: JsonObject, name: string): boolean => (getOwn(args, name) ?? null) !== null;

const valueIn = (row: Row, name: string): Value => {
  const value = getOwn(row, name);
  return value === undefined ? UNKNOWN : value;
};

/** A list beside the rows of its table; of those that it does not show the ones that may stand in the same row. */
function judgedOf(
  seen: ListSeen,
  table: string,
  parent: { readonly column: string; readonly key: string } | undefined,
): Judged {
  const { after, call } = seen.step;
  const holder = seen.holder && after.tables.get(seen.holder.table)?.rows.get(seen.holder.key);
  const within: Value = (parent && holder ? holder[parent.key] : null) ?? null;
  const stands = (row: Row): boolean => !parent || binary("eq", valueIn(row, parent.column), within) !== false;
  const names = new Set(seen.shown);
  const listed: { key: string; row: Row }[] = [];
  const hidden: Row[] = [];
  for (const [key, row] of after.tables.get(table)?.rows ?? [])
    if (names.has(key)) listed.push({ key, row });
    else if (stands(row)) hidden.push(row);
  return {
    args: call.args,
    cells: after.cells,
    seen,
    listed,
    shown: listed.map(({ row }) => row).filter(stands),
    hidden,
  };
}

/** Leaves the rows that may meet one more condition. */
function keep(lists: readonly Judged[], meets: Condition["meets"]): void {
  for (const list of lists) {
    const stays = (row: Row): boolean => meets(row, list) !== false;
    list.shown = list.shown.filter(stays);
    list.hidden = list.hidden.filter(stays);
  }
}

interface Condition {
  readonly expr: Expr;
  /** Rows that no list shows and that it leaves out. */
  readonly excluded: number;
  readonly meets: (row: Row, list: Judged) => Value;
}

/** The comparison of a column with an argument that leaves out most rows that are not shown, and none that is. */
function bestComparison(lists: readonly Judged[], names: readonly string[], name: string): Condition | undefined {
  let best: Condition | undefined;
  for (const of of names)
    for (const [op, turned] of COMPARED) {
      const meets = (row: Row, { args }: Judged): Value => {
        const a = valueIn(row, of);
        const b = getOwn(args, name) as Json;
        return turned ? binary(op, b, a) : binary(op, a, b);
      };
      const excluded = excludedBy(lists, meets);
      if (excluded === undefined) continue;
      if (best && excluded <= best.excluded) continue;
      const [a, b] = [column("row", of), arg(name)];
      best = { expr: turned ? { op, a: b, b: a } : { op, a, b }, excluded, meets };
    }
  return best;
}

/** Rows that are not shown and that a condition leaves out; undefined where it leaves out rows that are. */
function excludedBy(lists: readonly Judged[], meets: Condition["meets"]): number | undefined {
  let [kept, lost, excluded] = [0, 0, 0];
  for (const list of lists)
    for (const row of list.shown) {
      const met = meets(row, list);
      if (met !== UNKNOWN) met ? kept++ : lost++;
    }
  if (lost > kept * LOST) return undefined;
  for (const list of lists) for (const row of list.hidden) if (meets(row, list) === false) excluded++;
  return excluded;
}

/** Cells that held several values when lists were shown: what they hold may be what a list is of. */
function cellNames(lists: readonly Judged[]): string[] {
  const held = new Map<string, Set<Json>>();
  for (const { cells } of lists)
    for (const [name, value] of cells)
      if (typeof value === "string" || typeof value === "number")
        held.set(name, (held.get(name) ?? new Set<Json>()).add(value));
  return [...held].flatMap(([name, values]) => (values.size > 1 ? [name] : [])).sort(byText);
}

/** The column that has to be equal to a cell which leaves out most rows that are not shown, and none that is. */
function bestCell(lists: readonly Judged[], names: readonly string[], name: string): Condition | undefined {
  let best: Condition | undefined;
  for (const of of names) {
    const meets = (row: Row, { cells }: Judged): Value => binary("eq", valueIn(row, of), cells.get(name) ?? UNKNOWN);
    const excluded = excludedBy(lists, meets);
    if (excluded === undefined || excluded <= (best?.excluded ?? 0)) continue;
    best = { expr: { op: "eq", a: column("row", of), b: { op: "cell", name } }, excluded, meets };
  }
  return best;
}

/** Rows by the value that one of their columns has, and those in which it is known. */
class Tally {
  readonly by = new Map<Json, number>();
  known = 0;

  add(value: Value | undefined, n: number): void {
    if (value === undefined || value === UNKNOWN) return;
    this.known += n;
    if (value === null || isScalar(value)) this.by.set(value, (this.by.get(value) ?? 0) + n);
  }

  of(value: Json): number {
    return this.by.get(value) ?? 0;
  }
}

/** The value that a column has, or has not, which leaves out most rows that are not shown, and none that is. */
function bestValue(
  lists: readonly Judged[],
  names: readonly string[],
  values: ReadonlyMap<string, readonly Json[]>,
): Condition | undefined {
  let best: Condition | undefined;
  // Lists of one session are beside the same rows for the most part: each is looked at once.
  const hidden = new Map<Row, number>();
  for (const list of lists) for (const row of list.hidden) hidden.set(row, (hidden.get(row) ?? 0) + 1);
  for (const of of names) {
    const domain = values.get(of) ?? [];
    if (domain.length === 0) continue;
    const shown = new Tally();
    for (const list of lists) for (const row of list.shown) shown.add(getOwn(row, of), 1);
    const left = new Tally();
    for (const [row, n] of hidden) left.add(getOwn(row, of), n);
    for (const value of domain)
      for (const negated of [false, true]) {
        const equal = shown.of(value);
        const kept = negated ? shown.known - equal : equal;
        if (shown.known - kept > kept * LOST) continue;
        const excluded = negated ? left.of(value) : left.known - left.of(value);
        if (best && excluded <= best.excluded) continue;
        const test: Expr = { op: "eq", a: column("row", of), b: constant(value) };
        const meets = (row: Row): Value => {
          const met = binary("eq", valueIn(row, of), value);
          return met === UNKNOWN ? UNKNOWN : met !== negated;
        };
        best = { expr: negated ? { op: "not", a: test } : test, excluded, meets };
      }
  }
  return best;
}

/** The values of a column, where they are few. */
function domainOf(instances: readonly ListSeen[], table: string, name: string): Json[] {
  const out = new Map<string, Json>();
  const seen = new Set<ReadonlyMap<string, Row>>();
  for (const { step } of instances) {
    const rows = step.after.tables.get(table)?.rows;
    if (!rows || seen.has(rows)) continue;
    seen.add(rows);
    for (const row of rows.values()) {
      const value = getOwn(row, name);
      if (value !== undefined && value !== UNKNOWN && (value === null || isScalar(value))) out.set(canon(value), value);
      if (out.size > VALUES) return [];
    }
  }
  return [...out.values()];
}

/** The number of rows that meet the conditions of a view. */
export function countOf(view: View): Expr {
  const parts = view.where.map((expr, i): Expr => {
    const name = view.given[i];
    return name === undefined ? expr : { op: "or", a: { op: "not", a: { op: "given", path: [name] } }, b: expr };
  });
  const where = parts.reduce<Expr | undefined>((sum, part) => (sum ? { op: "and", a: sum, b: part } : part), undefined);
  return { op: "count", table: view.table, where: where ?? constant(true) };
}
