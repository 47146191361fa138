import { getOwn, type Json, type JsonObject } from "../../../json.ts";
import { byText, canon, isScalar } from "../../values.ts";
import type { Learnt } from "../effects.ts";
import { arg, binary, cell, column, constant, type Expr, type Row, UNKNOWN, type Value } from "../expressions/expr.ts";
import { type Order, orderOf } from "../expressions/order.ts";
import { parentColumn, type Step } from "../simulate.ts";
import type { RowPath } from "./row-paths.ts";

/** Rows of a table that a list shows: those that meet every condition, in an order. */
export interface View {
  readonly table: string;
  readonly where: readonly Expr[];
  /** The arguments whose conditions apply only where they are given, by condition. */
  readonly given: readonly (string | undefined)[];
  /** Undefined where nothing explains it. */
  readonly order: Order | undefined;
  readonly limit: number | undefined;
  /** The argument that says how many rows to show, where one does: `limit` stands where it is not given. */
  readonly limitedBy: string | undefined;
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
  const values = new Map(names.map((name) => [name, domainOf(instances.slice(0, LISTS), table, name)]));
  for (let round = 0; round < 3; round++) {
    const unexplained = judged.reduce((sum, { hidden }) => sum + hidden.length, 0);
    const [best] = [bestValue(judged, names, values), bestCell(judged, names)]
      .filter((found) => found !== undefined)
      .sort((a, b) => b.excluded - a.excluded);
    if (!best || best.excluded < Math.max(2, unexplained * 0.3)) break;
    where.push(best.expr);
    given.push(undefined);
    keep(judged, best.meets);
  }
  const limitedBy = args.find((name) => !given.includes(name) && limits(judged, name));
  let wrong = 0;
  let longest = 0;
  for (const { hidden, seen, args: asked } of judged) {
    if (limitedBy !== undefined && has(asked, limitedBy)) continue;
    longest = Math.max(longest, seen.shown.length);
    if (hidden.length > 0) wrong++;
  }
  const right = judged.length - wrong;
  let limit: number | undefined;
  if (wrong > right * 0.05) {
    const full = judged.filter(({ seen }) => seen.shown.length === longest);
    const spilled = judged.filter(({ hidden }) => hidden.length > 0);
    const cut =
      full.length >= 3 && spilled.filter(({ seen }) => seen.shown.length === longest).length >= spilled.length * 0.9;
    if (cut) limit = longest;
    else if (wrong > right) return undefined;
  }
  const lists = judged.map(({ seen, listed }) => ({ shown: seen.shown, rows: listed }));
  return { table, where, given, order: orderOf(lists, names), limit, limitedBy };
}

/** Lists that an argument has to cut short, before it is taken for how many rows to show. */
const CUT = 2;

/** Whether an argument says how many rows are shown at most: never are more, and where rows are left out as many are. */
function limits(lists: readonly Judged[], name: string): boolean {
  let cut = 0;
  let others = 0;
  for (const { args, seen, hidden } of lists) {
    const most = getOwn(args, name) ?? null;
    if (most === null) continue;
    if (typeof most !== "number" || seen.shown.length > most) return false;
    if (hidden.length > 0 && seen.shown.length === most) cut++;
    else if (hidden.length > 0) others++;
  }
  return cut >= CUT && others <= cut * LOST * 10;
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
  return { args: call.args, seen, listed, shown: listed.map(({ row }) => row).filter(stands), hidden };
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
      if (excluded === undefined || (best && excluded <= best.excluded)) continue;
      const [a, b] = [column("row", of), arg(name)];
      best = { expr: turned ? { op, a: b, b: a } : { op, a, b }, excluded, meets };
    }
  return best;
}

/** How many rows that no list shows a condition leaves out; undefined where it leaves out some that are shown. */
function excludedBy(lists: readonly Judged[], meets: Condition["meets"]): number | undefined {
  let kept = 0;
  let lost = 0;
  const most = lists.reduce((sum, { shown }) => sum + shown.length, 0) * LOST;
  for (const list of lists)
    for (const row of list.shown) {
      const met = meets(row, list);
      if (met !== UNKNOWN) met ? kept++ : lost++;
      if (lost > most) return undefined;
    }
  if (lost > kept * LOST) return undefined;
  let excluded = 0;
  for (const list of lists) for (const row of list.hidden) if (meets(row, list) === false) excluded++;
  return excluded;
}

/** The column that is what a cell holds in all rows shown, such as whose they are: one that holds several values over sessions. */
function bestCell(lists: readonly Judged[], names: readonly string[]): Condition | undefined {
  const values = new Map<string, Set<Json>>();
  for (const { seen } of lists)
    for (const [name, value] of seen.step.after.cells)
      if (typeof value === "string") values.set(name, (values.get(name) ?? new Set()).add(value));
  let best: Condition | undefined;
  for (const [name, of] of [...values].sort(([a], [b]) => byText(a, b)))
    for (const own of of.size > 1 ? names : []) {
      const meets = (row: Row, { seen }: Judged): Value =>
        binary("eq", valueIn(row, own), seen.step.after.cells.get(name) ?? UNKNOWN);
      const excluded = excludedBy(lists, meets);
      if (excluded === undefined || (best && excluded <= best.excluded)) continue;
      best = { expr: { op: "eq", a: column("row", own), b: cell(name) }, excluded, meets };
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
