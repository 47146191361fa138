import { getOwn, isObject, type Json } from "../../../json.ts";
import type { Call } from "../../observations.ts";
import { isScalar } from "../../values.ts";
import { type Env, evaluate, type Facts, type Row, UNKNOWN } from "../expressions/expr.ts";
import { type CompleteLists, completeListsOf, covered, disordered, isUnlisted, type Shown } from "./complete-lists.ts";
import { domainsOf } from "./domains.ts";
import { type Arguments, type Filter, isGiven, type Seen } from "./filters.ts";
import { arrange, type FittedLists, fitLists, isShown, keptBy, type ListSeen, totalIn } from "./fit-lists.ts";
import { countsOf, fitOtherFields, type OtherField, otherFieldsIn, withOtherFields } from "./other-fields.ts";
import { fitShape, isOpen, type Shape, shaped } from "./shapes.ts";
import { type ExportTable, isClosedTable, listIn, type Order, UNLISTED } from "./tables.ts";
import { type Cut, cutsOf, type Sorting, windowOf } from "./windows.ts";

/** Rows of a table that calls list. */
export interface ListView {
  readonly table: string;
  /** The field of the answer that holds the list; the answer itself where there is none. */
  readonly field: string | undefined;
  readonly filters: readonly Filter[];
  /** Arguments of which nobody knows what they keep. */
  readonly blind: readonly string[];
  readonly order: Order | undefined;
  readonly limit: number | undefined;
  /** How arguments cut the list. */
  readonly cut: Cut;
  /** The argument that asks for another order. */
  readonly sorting: Sorting | undefined;
  /** What stands beside the list in its answer. */
  readonly otherFields: readonly OtherField[];
  readonly item: Shape;
  /** Whether a call that gives none of its arguments was observed to list rows. */
  readonly unfiltered: boolean;
  /** Whether it is known how a list without an entry is written. */
  readonly empties: boolean;
  /** What lists showed to be whole, where not every row of the table is known. */
  readonly whole?: CompleteLists;
  /** The place of every row that sessions start with, where it is needed. */
  readonly positions?: ReadonlyMap<string, number>;
  readonly right: number;
  readonly wrong: number;
}

/** Examples that a view is learnt from, at most. */
const EXAMPLES = 240;
/** Rows that all of them hold together, at most, but for a few examples. */
const MOST_ROWS = 300_000;
const FEWEST = 16;
/** Lists that were all empty from which a table is taken for theirs. */
const NEVER = 5;
/** The share of its examples that a view has to list as observed. */
const RIGHT = 0.9;
/**
 * Learns what a tool lists: `calls` are those that end in a list, or in what it answers where there are none (`empty`).
 * `followed` are the calls before which all that happened is known.
 */
export function learnView(
  calls: readonly Seen[],
  tables: readonly ExportTable[],
  names: Arguments,
  followed: ReadonlySet<Call> = new Set(),
): ListView | undefined {
  let best: ListView | undefined;
  for (const table of tables) {
    const view = viewOf(calls, table, names, followed);
    if (view && (!best || view.right - view.wrong > best.right - best.wrong)) best = view;
  }
  return best;
}

function viewOf(
  calls: readonly Seen[],
  table: ExportTable,
  { names, extra }: Arguments,
  followed: ReadonlySet<Call>,
): ListView | undefined {
  const known = isClosedTable(table);
  // Of rows that are all known, what lists show is learnt where all that happened before is known too.
  const clear = table.shown && known ? calls.filter(({ call }) => followed.has(call)) : calls;
  const lists = clear.map((seen) => ({ ...seen, found: listIn(seen.call.value) }));
  const items = lists.flatMap(({ before, found }) => (found?.list ?? []).map((item) => ({ item, before })));
  const keyOf = items.length === 0 ? neverListed(lists, table, names) : keyFinder(items, table);
  if (!keyOf) return undefined;
  const found: ListSeen[] = [];
  let lost = 0;
  for (const { call, before, found: list } of distinct(lists, table.rows.size)) {
    const held = before.tables.get(table.name)?.rows ?? new Map<string, Row>();
    const shown = (list?.list ?? []).map((item) => keyOf(item, held));
    if (shown.some((key) => key === undefined)) lost++;
    else
      found.push({
        call,
        before,
        rows: listable(held),
        shown: shown as string[],
        otherFields: otherFieldsIn(call.value),
      });
  }
  const full = found.filter(({ shown }) => shown.length > 0);
  if ((full.length === 0 && items.length > 0) || lost > found.length) return undefined;
  const total = known ? totalIn(found) : undefined;
  const cuts = known
    ? cutsOf(
        calls.map(({ call }) => call),
        [...names, ...extra],
      )
    : [{}];
  let fitted: FittedLists | undefined;
  for (const cut of cuts) {
    const one = fitLists(found, table, names, cut, total);
    if (!fitted || one.right > fitted.right) fitted = one;
    if (fitted.right === found.length) break;
  }
  const { cut, chosen, blind, judged, limit, order, sorting, longest } = fitted as FittedLists;
  let right = 0;
  const odd = new Set<string>();
  for (const one of judged)
    if (one.right) right++;
    else for (const name of extra) if (isGiven(one.one.call.args, name)) odd.add(name);
  // A list that shows a row which nobody knows says nothing against the view.
  const wrong = found.length + (table.shown ? 0 : lost) - right;
  if (right < RIGHT * (right + wrong)) return undefined;
  const shapes = lists.flatMap(({ call, before, found }) =>
    (found?.list ?? []).flatMap((value) => {
      const held = before.tables.get(table.name)?.rows;
      const row = held?.get(keyOf(value, held) ?? "");
      return row ? [{ value, env: { args: call.args, facts: before, row } }] : [];
    }),
  );
  const item = fitShape(shapes.slice(0, 1000), table.columns);
  const wrappers = new Set(lists.flatMap(({ found }) => (found ? [found.name ?? ""] : [])));
  const otherFields = fitOtherFields(fitted as FittedLists);
  if (wrappers.size !== 1 || !otherFields || (items.length > 0 && isOpen(item))) return undefined;
  const [field] = wrappers;
  const unfiltered = full.some(({ call }) => names.every((name) => !isGiven(call.args, name)));
  blind.push(...odd);
  const explains = (one: Omit<ListSeen, "otherFields">): boolean => {
    if ([...blind, ...extra].some((name) => isGiven(one.call.args, name))) return false;
    return isShown({ one: { ...one, otherFields: {} }, kept: keptBy(one, chosen) }, fitted as FittedLists);
  };
  let whole: CompleteLists | undefined;
  if (!known) {
    const of = lists.filter(({ call }) => followed.has(call));
    const domains = domainsOf(keysIn(of, keyOf, table.name), chosen, table);
    whole = completeListsOf(shownIn(of, keyOf, table.name, explains), chosen, table, order, longest, domains);
  }
  return {
    table: table.name,
    field: field || undefined,
    filters: chosen,
    blind,
    order,
    limit,
    cut,
    sorting,
    otherFields,
    item,
    unfiltered,
    empties: !table.shown || lists.some(({ found }) => found?.list.length === 0),
    ...(whole ? { whole, positions: new Map([...table.rows.keys()].map((key, i) => [key, i])) } : {}),
    right,
    wrong,
  };
}

/** Rows that a list may show: of one that no list showed the place is not known, or it may not be there at all. */
const listable = (rows: ReadonlyMap<string, Row>): [string, Row][] => [...rows].filter(([, row]) => !isUnlisted(row));

/** Lists with the keys of the known rows that they show. */
const keysIn = (
  lists: readonly (Seen & { readonly found: ReturnType<typeof listIn> })[],
  keyOf: KeyFinder,
  table: string,
): { call: Call; keys: string[] }[] =>
  lists.map(({ call, before, found }) => {
    const held = before.tables.get(table)?.rows ?? new Map<string, Row>();
    return { call, keys: (found?.list ?? []).flatMap((item) => keyOf(item, held) ?? []) };
  });

/** Lists that known rows explain, each question once. */
function shownIn(
  lists: readonly (Seen & { readonly found: ReturnType<typeof listIn> })[],
  keyOf: KeyFinder,
  table: string,
  explains: (one: Omit<ListSeen, "otherFields">) => boolean,
): Shown[] {
  const out = new Map<string, Shown>();
  for (const { call, before, found } of lists) {
    const id = JSON.stringify(call.args);
    if (out.has(id)) continue;
    const held = before.tables.get(table)?.rows ?? new Map<string, Row>();
    const shown = (found?.list ?? []).map((item) => keyOf(item, held));
    if (shown.some((key) => key === undefined)) continue;
    const keys = shown as string[];
    if (explains({ call, before, rows: listable(held), shown: keys })) out.set(id, { args: call.args, keys });
  }
  return [...out.values()];
}

/** Calls with different questions or a different table, spread evenly where there are many. */
function distinct<T extends Seen>(calls: readonly T[], size: number): T[] {
  const seen = new Map<string, T>();
  const states = new Map<Facts["tables"], number>();
  for (const one of calls) {
    if (!states.has(one.before.tables)) states.set(one.before.tables, states.size);
    const id = `${states.get(one.before.tables)} ${JSON.stringify(one.call.args)}`;
    if (!seen.has(id)) seen.set(id, one);
  }
  const all = [...seen.values()];
  const most = Math.min(EXAMPLES, Math.max(FEWEST, Math.floor(MOST_ROWS / Math.max(1, size))));
  const step = Math.max(1, all.length / most);
  return Array.from({ length: Math.min(all.length, most) }, (_, i) => all[Math.floor(i * step)] as T);
}

/** Lists that were always empty are of a table whose columns its arguments are called by: what an entry shows is not known then. */
function neverListed(lists: readonly Seen[], table: ExportTable, names: readonly string[]): KeyFinder | undefined {
  const own = names.filter((name) => table.columns.includes(name));
  return lists.length >= NEVER && own.length > 0 && own.length * 2 > names.length ? () => undefined : undefined;
}

type KeyFinder = (item: Json, rows: ReadonlyMap<string, Row>) => string | undefined;

/** How an entry tells its row: by its key, or by all its fields that are columns. */
function keyFinder(items: readonly { item: Json; before: Facts }[], table: ExportTable): KeyFinder | undefined {
  const by = (item: Json): Json => (isObject(item) ? (getOwn(item, table.key) ?? null) : item);
  const found = items.filter(({ item, before }) => {
    const key = by(item);
    return isScalar(key) && before.tables.get(table.name)?.rows.has(String(key));
  });
  if (found.length >= items.length * 0.8 && agree(found, table, by))
    return (item, rows) => (rows.has(String(by(item))) ? String(by(item)) : undefined);
  const shared = items.every(
    ({ item }) => isObject(item) && Object.keys(item).some((name) => table.columns.includes(name)),
  );
  if (!shared || items.some(({ item }) => isObject(item) && table.key in item)) return undefined;
  const find: KeyFinder = (item, rows) => {
    const fields = Object.entries(item as Record<string, Json>).filter(([name]) => table.columns.includes(name));
    for (const [key, row] of rows) if (fields.every(([name, value]) => getOwn(row, name) === value)) return key;
    return undefined;
  };
  const met = items
    .slice(0, 200)
    .filter(({ item, before }) => find(item, before.tables.get(table.name)?.rows ?? new Map()));
  return met.length >= Math.min(items.length, 200) * 0.8 ? find : undefined;
}

/** Whether entries agree with the rows of their keys in most of what both have. */
function agree(items: readonly { item: Json; before: Facts }[], table: ExportTable, by: (item: Json) => Json): boolean {
  let [right, all] = [0, 0];
  for (const { item, before } of items) {
    if (!isObject(item)) continue;
    const row = before.tables.get(table.name)?.rows.get(String(by(item)));
    for (const [name, value] of Object.entries(item)) {
      if (name === table.key || !row || !Object.hasOwn(row, name)) continue;
      all++;
      const held = row[name];
      if (held === value || JSON.stringify(held) === JSON.stringify(value)) right++;
    }
  }
  return all === 0 || right >= all * 0.8;
}

/** Whether a row is listed; unknown where tests that fit alike differ, or where a row that no list showed was made to meet one. */
function meets(tests: readonly Filter[], env: Env, unlisted: boolean): boolean | typeof UNKNOWN {
  let [all, some] = [true, false];
  for (const { atoms } of tests) {
    let none = true;
    for (const atom of atoms) {
      const value = evaluate(atom, env);
      if (value !== false) none = false;
      if (value === true) some = true;
      else all = false;
    }
    if (none && atoms.length > 0) return false;
  }
  if (unlisted) return some ? UNKNOWN : false;
  return all ? true : UNKNOWN;
}

/** The answer of a view; unknown where tests that fit alike would list other rows, or where one that nobody saw may be listed. */
export function listed(view: ListView, args: Env["args"], facts: Facts): Json | typeof UNKNOWN {
  if (view.blind.some((name) => isGiven(args, name))) return UNKNOWN;
  const held = facts.tables.get(view.table)?.rows ?? new Map<string, Row>();
  const keys: string[] = [];
  const tests = view.filters.filter(({ name }) => isGiven(args, name));
  for (const [key, row] of held) {
    // What lists showed to be whole holds of a row that none showed, until a change makes it meet a test.
    if (row[UNLISTED] === 1) continue;
    const met = meets(tests, { args, facts, row }, isUnlisted(row));
    if (met === UNKNOWN) return UNKNOWN;
    if (met) keys.push(key);
  }
  const one = { call: { args } as Call, rows: keys.map((key) => [key, held.get(key) as Row] as const) };
  const all = arrange(one, keys, { ...view, limit: undefined, cut: {} });
  const shown = arrange(one, keys, view);
  if (!all || !shown || (shown.length === 0 && !view.empties)) return UNKNOWN;
  if (view.whole) {
    if (disordered(view.whole, all, view.limit, held)) return UNKNOWN;
    if (!covered(view.whole, args, all, view.limit, held, view.positions ?? new Map())) return UNKNOWN;
  }
  const out: Json[] = [];
  for (const key of shown) {
    const value = shaped(view.item, { args, facts, row: held.get(key) as Row });
    if (value === UNKNOWN) return UNKNOWN;
    out.push(value);
  }
  const start = windowOf(view.cut, view.limit, args)?.start ?? 0;
  return withOtherFields(view.otherFields, view.field, out, countsOf(keys.length, out.length, start), { args, facts });
}
