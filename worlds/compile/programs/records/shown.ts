import { getOwn, isObject, type Json, type JsonObject, setOwn } from "../../../json.ts";
import type { Call, Session } from "../../observations.ts";
import { byText, canon, isScalar, scalarsOf } from "../../values.ts";
import { evaluate, UNKNOWN } from "../expressions/expr.ts";
import { plainNames } from "../expressions/names.ts";
import type { Kind } from "../state/kinds.ts";
import { isListedFully } from "./closed-tables.ts";
import { type Derived, derivedColumns, inputsOf } from "./derived-columns.ts";
import { claimKeys } from "./key-claims.ts";
import { placed } from "./placing.ts";
import { ENDS_AS_ID, type ExportTable, listIn, RUN, TIE, UNLISTED } from "./tables.ts";

/** Rows that one answer showed, in their order. */
interface ShownRows {
  readonly session: number;
  readonly tool: string;
  readonly items: readonly JsonObject[];
  readonly list: boolean;
}

/** Rows of one table as answers showed them: by key and column every value with the sessions that showed it. */
interface Found {
  readonly key: string;
  /** The tools whose answers show rows of it: a key's name alone may be that of several tables. */
  readonly tools: Set<string>;
  readonly columns: Set<string>;
  readonly cells: Map<string, Map<string, Map<string, { readonly value: Json; readonly sessions: Set<number> }>>>;
  readonly lists: string[][];
}

/** Values that several sessions have to show, so that they are known to start alike. */
const SHARED = 2;
/** The share of values that may differ between sessions that start alike: some hold calls that nobody follows. */
const DIFFER = 0.02;
/** The share of columns that two tools' rows have in common where they are of one table. */
const ALIKE = 0.5;
/** The share of values shown after writes that have to agree with those before any, so that the rest of them is believed. */
const AGREED = 0.99;

/**
 * The tables whose rows readings showed, where all sessions start with the same: what is read before any write, and
 * after writes of rows that they did not name where that is seen to be as good. A table in which sessions contradict
 * each other is left out: what each starts with is not known then.
 */
export function shownTables(
  sessions: readonly Session[],
  readers: ReadonlySet<string>,
  kindOf: (call: Call) => Kind,
): ExportTable[] {
  const sights = shownByQuestion(sessions, readers);
  const found = tablesIn(sights.before, sights.after);
  for (const key of projected(sights.calls))
    if (!found.some((one) => one.key === key.name))
      found.push({ key: key.name, tools: new Set(), columns: key.columns, cells: new Map(), lists: [] });
  const names = plainNames(
    found.map(({ key }) => key.replace(ENDS_AS_ID, "") || key),
    ["counters"],
  );
  return found.flatMap((one, i): ExportTable[] => {
    addFields(one, sights.calls);
    const early = new Set(one.cells.keys());
    const first = agreedValues(one);
    if (agreeing(one, sights.after)) {
      for (const shownRows of sights.after) if (one.tools.has(shownRows.tool)) take(one, shownRows);
      addFields(one, sights.later);
      leaveMade(one, early);
    }
    const found = rowsOf(one, first);
    if (!found) return [];
    const derived = derivedColumns(everyRow(one, sessions, readers), one.key);
    const rows = new Map([...found].map(([id, row]) => [id, completed(row, derived)]));
    const name = [...names.values()][i] ?? one.key;
    const columns = [...one.columns];
    const lists = one.lists.map((keys) => keys.filter((key) => rows.has(key)));
    const order = placed(rows, lists, columns);
    const listed = new Set(lists.flat());
    const closed = listed.size === rows.size && isListedFully(one.key, rows, sessions, readers, one.tools);
    const claims = closed
      ? { rows: order.rows, complete: true, pattern: undefined }
      : claimKeys(one.key, order.rows, listed, sessions, readers, kindOf);
    return [
      {
        name,
        stored: name,
        key: one.key,
        columns,
        rows: withPositions(claims.rows, listed, order),
        complete: claims.complete,
        shown: { sorted: order.sorted, pattern: claims.pattern, closed },
        derived,
      },
    ];
  });
}

/** Every object that shows columns of a table, whatever happened before. */
function everyRow({ key, columns }: Found, sessions: readonly Session[], readers: ReadonlySet<string>): JsonObject[] {
  const out = new Map<string, JsonObject>();
  for (const { calls } of sessions)
    for (const call of calls) {
      if (!call.ok || !readers.has(call.tool)) continue;
      for (const item of rowsIn(call)?.items ?? [])
        if (Object.hasOwn(item, key) && Object.keys(item).every((name) => columns.has(name)))
          out.set(canon(item), item);
    }
  return [...out.values()];
}

/** A row with the columns that its others tell. */
function completed(row: JsonObject, derived: Derived): JsonObject {
  const out = { ...row };
  for (const [name, expr] of derived) {
    const value = evaluate(expr, { args: {}, facts: { cells: new Map(), tables: new Map() }, row: out });
    if (value !== UNKNOWN && value !== null && inputsOf(expr).every((of) => Object.hasOwn(out, of)))
      setOwn(out, name, value);
  }
  return out;
}

function withPositions(
  rows: ReadonlyMap<string, JsonObject>,
  listed: ReadonlySet<string>,
  { ties }: ReturnType<typeof placed>,
): Map<string, JsonObject> {
  return new Map(
    [...rows].map(([key, row]) => {
      const tie = ties.get(key);
      return [
        key,
        {
          ...row,
          ...(listed.has(key) ? {} : { [UNLISTED]: 1 }),
          ...(tie ? { [TIE]: tie.tie, [RUN]: tie.run } : {}),
        },
      ];
    }),
  );
}

interface ShownByQuestion {
  /** Rows and single answers before any write. */
  readonly before: readonly ShownRows[];
  readonly calls: readonly Placed[];
  /** Rows and single answers after writes, of rows that those do not name. */
  readonly after: readonly ShownRows[];
  readonly later: readonly Placed[];
}

interface Placed {
  readonly session: number;
  readonly call: Call;
}

function shownByQuestion(sessions: readonly Session[], readers: ReadonlySet<string>): ShownByQuestion {
  const before: ShownRows[] = [];
  const after: ShownRows[] = [];
  const calls: Placed[] = [];
  const later: Placed[] = [];
  for (const [session, { calls: all }] of sessions.entries()) {
    const named = new Set<string>();
    let written = false;
    for (const call of all) {
      if (!readers.has(call.tool)) {
        written = true;
        for (const value of [...scalarsOf(call.args), ...scalarsOf(call.value)]) named.add(String(value));
        continue;
      }
      if (!call.ok) continue;
      const sight = rowsIn(call);
      if (!written) {
        if (sight) before.push({ ...sight, session, tool: call.tool });
        calls.push({ session, call });
      } else {
        const items = sight?.items.filter(
          (item) => !Object.entries(item).some(([name, value]) => ENDS_AS_ID.test(name) && named.has(String(value))),
        );
        if (sight && items && items.length > 0) after.push({ ...sight, items, session, tool: call.tool });
        if (![...scalarsOf(call.args)].some((value) => named.has(String(value)))) later.push({ session, call });
      }
    }
  }
  return { before, calls, after, later };
}

/** The rows of an answer: entries of a list, or an object that holds what it was asked by. */
function rowsIn({ value, args }: Call): Pick<ShownRows, "items" | "list"> | undefined {
  const found = listIn(value);
  if (found) return found.list.length > 0 && found.list.every(isObject) ? { items: found.list, list: true } : undefined;
  if (!isObject(value) || Object.keys(value).length < 2) return undefined;
  const asked = Object.entries(value).some(
    ([name, of]) =>
      isKey(of) && (Object.hasOwn(args, name) || ENDS_AS_ID.test(name)) && Object.values(args).includes(of),
  );
  return asked ? { items: [value], list: false } : undefined;
}

const isKey = (value: Json | undefined): value is string | number =>
  (typeof value === "string" && value !== "") || Number.isInteger(value);

/** Arguments with a key's name beside one that names the only field of the answer: they read a column of the row under that key. */
function projected(calls: readonly Placed[]): { readonly name: string; readonly columns: Set<string> }[] {
  const out = new Map<string, Set<string>>();
  for (const { call } of calls) {
    const [field, more] = isObject(call.value) ? Object.keys(call.value) : [];
    if (field === undefined || more !== undefined) continue;
    const asked = Object.entries(call.args);
    if (!asked.some(([, value]) => value === field)) continue;
    for (const [name, value] of asked) {
      if (value === field || !isKey(value) || !ENDS_AS_ID.test(name)) continue;
      out.set(name, (out.get(name) ?? new Set([name])).add(field));
    }
  }
  return [...out].map(([name, columns]) => ({ name, columns }));
}

/** Tables of rows that were shown before any write; where none were, of those shown after some. */
function tablesIn(before: readonly ShownRows[], after: readonly ShownRows[]): Found[] {
  const early = new Set(before.map(({ tool }) => tool));
  const sights = [...before, ...after.filter(({ tool }) => !early.has(tool))];
  const byTool = Map.groupBy(sights, ({ tool, list }) => `${list ? 0 : 1} ${tool}`);
  const out: Found[] = [];
  for (const of of [...byTool].sort(([a], [b]) => byText(a, b)).map(([, sights]) => sights)) {
    const key = keyOf(of);
    if (key === undefined) continue;
    const columns = new Set(of.flatMap(({ items }) => items.flatMap((item) => Object.keys(item))));
    const alike = out.find((one) => {
      const shared = [...columns].filter((column) => one.columns.has(column)).length;
      return one.key === key && shared >= Math.min(columns.size, one.columns.size) * ALIKE;
    });
    const table = alike ?? { key, tools: new Set(), columns: new Set(), cells: new Map(), lists: [] };
    for (const { tool } of of) table.tools.add(tool);
    for (const column of columns) table.columns.add(column);
    for (const shownRows of of) take(table, shownRows);
    if (!alike) out.push(table);
  }
  return out;
}

/** The column that tells rows apart, and of which several sessions show the same values with the same rows. */
function keyOf(sights: readonly ShownRows[]): string | undefined {
  const [first] = sights;
  const names = Object.keys(first?.items[0] ?? {}).filter((name) =>
    sights.every(({ items }) => {
      const values = items.map((item) => getOwn(item, name));
      return values.every(isKey) && new Set(values.map(String)).size === values.length;
    }),
  );
  const [named = names[0]] = names.filter((name) => ENDS_AS_ID.test(name));
  return named;
}

function take(table: Found, { session, items, list }: ShownRows): void {
  const keys: string[] = [];
  for (const item of items) {
    const key = getOwn(item, table.key);
    if (!isKey(key)) continue;
    keys.push(String(key));
    for (const column of table.columns)
      if (Object.hasOwn(item, column)) note(table, String(key), column, item[column] as Json, session);
  }
  if (list) table.lists.push(keys);
}

function note({ cells }: Found, key: string, column: string, value: Json, session: number): void {
  const row = cells.get(key) ?? new Map<string, Map<string, { value: Json; sessions: Set<number> }>>();
  cells.set(key, row);
  const values = row.get(column) ?? new Map<string, { value: Json; sessions: Set<number> }>();
  row.set(column, values);
  const text = canon(value);
  const held = values.get(text) ?? { value, sessions: new Set<number>() };
  values.set(text, held);
  held.sessions.add(session);
}

/** Whether rows that are shown after writes which do not name them are as they were shown before any. */
function agreeing({ key: name, cells }: Found, sights: readonly ShownRows[]): boolean {
  let [same, all] = [0, 0];
  for (const { items } of sights)
    for (const item of items)
      for (const [column, value] of Object.entries(item)) {
        const key = getOwn(item, name);
        const known = isKey(key) ? cells.get(String(key))?.get(column) : undefined;
        if (!known || column === name) continue;
        all++;
        if (known.has(canon(value))) same++;
      }
  return same >= all * AGREED;
}

/** Adds what single answers show of columns of the row that an argument names. */
function addFields(table: Found, calls: readonly Placed[]): void {
  const { cells, columns, key: own } = table;
  const fits = ({ call }: Placed): boolean =>
    isObject(call.value) &&
    Object.keys(call.value).length > 0 &&
    Object.keys(call.value).every((name) => columns.has(name));
  const asked = calls.filter(fits);
  const counts = new Map<string, { right: number; wrong: number; from: { key: string; one: Placed }[] }>();
  for (const one of asked)
    for (const [name, value] of Object.entries(one.call.args)) {
      if (!isKey(value)) continue;
      const id = `${one.call.tool}\n${name}`;
      const count = counts.get(id) ?? { right: 0, wrong: 0, from: [] };
      counts.set(id, count);
      count.from.push({ key: String(value), one });
      for (const [column, shown] of Object.entries(one.call.value as JsonObject)) {
        const known = cells.get(String(value))?.get(column);
        if (known?.has(canon(shown))) count.right++;
        else if (known) count.wrong++;
      }
    }
  for (const [id, { right, wrong, from }] of counts) {
    const named = id.endsWith(`\n${own}`);
    if (wrong > (right + wrong) * DIFFER || (right < 2 && !named)) continue;
    for (const { key, one } of from)
      for (const [column, value] of Object.entries(one.call.value as JsonObject)) {
        note(table, key, own, numbered(table, key), one.session);
        note(table, key, column, value, one.session);
      }
  }
}

/** Leaves out rows that sessions made without a word of their keys: none was shown before a write, and sessions differ in some of them. */
function leaveMade({ key: own, cells }: Found, early: ReadonlySet<string>): void {
  const late = [...cells].filter(([key]) => !early.has(key));
  const differs = ([, columns]: (typeof late)[number]): boolean => [...columns.values()].some(({ size }) => size > 1);
  if (!late.some(differs)) return;
  for (const row of late) {
    const [held] = row[1].get(own)?.values() ?? [];
    if (differs(row) || (held?.sessions.size ?? 0) < SHARED) cells.delete(row[0]);
  }
}

/** A key in the form in which rows hold it. */
function numbered({ cells, key: own }: Found, key: string): Json {
  const [first] = cells.values();
  const [held] = first?.get(own)?.values() ?? [];
  return typeof held?.value === "number" ? Number(key) : key;
}

/** The values that all sights of a column of a row agree in. */
const agreedValues = ({ cells }: Found): Map<string, Map<string, Json>> =>
  new Map(
    [...cells].map(([id, columns]) => [
      id,
      new Map(
        [...columns].flatMap(([column, values]) => {
          const [only, more] = values.values();
          return only && !more ? [[column, only.value] as const] : [];
        }),
      ),
    ]),
  );

/**
 * The rows as sessions show them: `first` is what was shown before any write, where that is agreed on. Another value that
 * they contradict each other in is left out. Undefined where they do not start alike.
 */
function rowsOf(
  { key, cells }: Found,
  first: ReadonlyMap<string, ReadonlyMap<string, Json>>,
): Map<string, JsonObject> | undefined {
  const rows = new Map<string, JsonObject>();
  let [several, odd] = [0, 0];
  for (const [id, columns] of cells) {
    const row: JsonObject = {};
    for (const [column, values] of columns) {
      const sessions = new Set([...values.values()].flatMap((one) => [...one.sessions]));
      const [only] = values.values();
      if (column !== key && sessions.size > 1) several++;
      if (values.size > 1) odd++;
      const early = first.get(id)?.get(column);
      if (values.size > 1 && early !== undefined) setOwn(row, column, early);
      else if (values.size === 1 && only && (column === key || isScalar(only.value) || typeof only.value === "object"))
        setOwn(row, column, only.value);
    }
    rows.set(id, row);
  }
  return several >= SHARED && odd <= several * DIFFER ? rows : undefined;
}
