import { isObject, type Json } from "../../../json.ts";
import type { Call } from "../../observations.ts";
import { isScalar } from "../../values.ts";
import { arg, column, constant, type Env, type Expr, evaluate, type Facts, type Row, UNKNOWN } from "../expr.ts";
import { fitShape, isOpen, type Shape, valueOf } from "./shapes.ts";
import { type ExportTable, listIn } from "./tables.ts";

/** A call with what was known before it. */
export interface Seen {
  readonly call: Call;
  readonly before: Facts;
}

/** What an argument keeps of a list: every test that fits all that was observed, the likeliest first. None where it changes nothing. */
export interface Filter {
  readonly name: string;
  readonly atoms: readonly Expr[];
  /** The form that its values have to have, as a pattern. */
  readonly form?: string;
}

/** Rows of a table that calls list. */
export interface ListView {
  readonly table: string;
  /** The field of the answer that holds the list; the answer itself where there is none. */
  readonly field: string | undefined;
  readonly filters: readonly Filter[];
  /** Arguments of which nobody knows what they keep. */
  readonly blind: readonly string[];
  readonly order: { readonly by: string; readonly descending: boolean } | undefined;
  readonly limit: number | undefined;
  readonly item: Shape;
  /** Whether a call that gives none of its arguments was observed to list rows. */
  readonly unfiltered: boolean;
  readonly right: number;
  readonly wrong: number;
}

/** Whether an argument is given and no empty text. */
export const given = (name: string): Expr => ({
  op: "not",
  a: { op: "within", a: arg(name), b: constant([null, ""]) },
});

const isGiven = (args: Env["args"], name: string): boolean =>
  args[name] !== undefined && args[name] !== null && args[name] !== "";

/** The arguments of a tool: those that its listing declares, and those that calls gave besides. */
export interface Arguments {
  readonly names: readonly string[];
  readonly extra: readonly string[];
}

interface Listed {
  readonly call: Call;
  readonly before: Facts;
  readonly rows: readonly (readonly [key: string, row: Row])[];
  readonly shown: readonly string[];
}

/** Examples that a view is learnt from, at most. */
const EXAMPLES = 240;
/** The share of its examples that a view has to list as observed. */
const RIGHT = 0.9;
/** The share of an atom's examples in which it may fail: sessions hold calls that nobody follows. */
const FAILS = 0.03;

/** Learns what a tool lists: `calls` are those that end in a list, or in what it answers where there are none (`empty`). */
export function learnView(
  calls: readonly Seen[],
  tables: readonly ExportTable[],
  names: Arguments,
): ListView | undefined {
  let best: ListView | undefined;
  for (const table of tables) {
    const view = viewOf(calls, table, names);
    if (view && (!best || view.right - view.wrong > best.right - best.wrong)) best = view;
  }
  return best;
}

function viewOf(calls: readonly Seen[], table: ExportTable, { names, extra }: Arguments): ListView | undefined {
  const lists = calls.map((seen) => ({ ...seen, found: listIn(seen.call.value) }));
  const items = lists.flatMap(({ before, found }) => (found?.list ?? []).map((item) => ({ item, before })));
  if (items.length === 0) return undefined;
  const keyOf = keyFinder(items, table);
  if (!keyOf) return undefined;
  const examples: Listed[] = [];
  let lost = 0;
  for (const { call, before, found } of distinct(lists)) {
    const held = before.tables.get(table.name)?.rows ?? new Map<string, Row>();
    const shown = (found?.list ?? []).map((item) => keyOf(item, held));
    if (shown.some((key) => key === undefined)) lost++;
    else examples.push({ call, before, rows: [...held], shown: shown as string[] });
  }
  const full = examples.filter(({ shown }) => shown.length > 0);
  if (full.length === 0 || lost > examples.length) return undefined;
  const longest = Math.max(...full.map(({ shown }) => shown.length));
  const { chosen, blind } = chooseFilters(examples, table, names, longest);
  const judged = examples.map((one) => ({
    one,
    kept: kept(
      one,
      chosen.map(({ atoms: [atom], name }) => [name, atom]),
    ),
  }));
  const spilled = judged.filter(
    ({ one, kept: keys }) => keys && keys.length > one.shown.length && one.shown.length === longest,
  );
  const limit = spilled.length > 0 ? longest : undefined;
  const order = orderOf(judged, table, limit);
  let right = 0;
  const odd = new Set<string>();
  for (const { one, kept: keys } of judged)
    if (keys && ordered(one, keys, order, limit).join("\u0000") === one.shown.join("\u0000")) right++;
    else for (const name of extra) if (isGiven(one.call.args, name)) odd.add(name);
  const wrong = examples.length + lost - right;
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
  const bare = lists.every(
    ({ call, found }) => !found || Array.isArray(call.value) || Object.keys(call.value as object).length === 1,
  );
  if (wrappers.size !== 1 || !bare || isOpen(item)) return undefined;
  const [field] = wrappers;
  const unfiltered = full.some(({ call }) => names.every((name) => !isGiven(call.args, name)));
  blind.push(...odd);
  return {
    table: table.name,
    field: field || undefined,
    filters: chosen,
    blind,
    order,
    limit,
    item,
    unfiltered,
    right,
    wrong,
  };
}

/** Calls with different questions or a different table, spread evenly where there are many. */
function distinct<T extends Seen>(calls: readonly T[]): T[] {
  const seen = new Map<string, T>();
  const states = new Map<Facts["tables"], number>();
  for (const one of calls) {
    if (!states.has(one.before.tables)) states.set(one.before.tables, states.size);
    const id = `${states.get(one.before.tables)} ${JSON.stringify(one.call.args)}`;
    if (!seen.has(id)) seen.set(id, one);
  }
  const all = [...seen.values()];
  const step = Math.max(1, all.length / EXAMPLES);
  return Array.from({ length: Math.min(all.length, EXAMPLES) }, (_, i) => all[Math.floor(i * step)] as T);
}

type KeyFinder = (item: Json, rows: ReadonlyMap<string, Row>) => string | undefined;

/** How an entry tells its row: by its key, or by all its fields that are columns. */
function keyFinder(items: readonly { item: Json; before: Facts }[], table: ExportTable): KeyFinder | undefined {
  const by = (item: Json): Json => (isObject(item) ? (item[table.key] ?? null) : item);
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
    for (const [key, row] of rows) if (fields.every(([name, value]) => row[name] === value)) return key;
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
      if (name === table.key || !row || !(name in row)) continue;
      all++;
      if (row[name] === value || JSON.stringify(row[name]) === JSON.stringify(value)) right++;
    }
  }
  return all === 0 || right >= all * 0.8;
}

interface Atom {
  readonly expr: Expr;
  readonly bits: number;
  readonly range: boolean;
}

const words = (name: string): string[] =>
  name
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word.length > 1);

/** How far a column's name is from an argument's, in bits. */
function distance(name: string, of: string): number {
  if (name === of) return 0;
  const shared = words(name).some((word) => words(of).includes(word));
  return shared ? 3 : 6;
}

const lower = (a: Expr): Expr => ({ op: "lower", a });
const asText = (a: Expr): Expr => ({ op: "text", parts: [a] });

/** Every test of a row by an argument. */
function atomsOf(name: string, table: ExportTable, values: readonly Json[], near: boolean): Atom[] {
  const value = arg(name);
  const texts = values.every((one) => typeof one === "string");
  const out: Atom[] = [];
  const textual: string[] = [];
  for (const of of table.columns) {
    const bits = distance(name, of);
    if (near && bits > 3) continue;
    const a = column("row", of);
    const held = [...table.rows.values()].map((row) => row[of]).filter((one) => one !== undefined && one !== null);
    const text = held.length > 0 && held.every((one) => typeof one === "string");
    const number = held.length > 0 && held.every((one) => typeof one === "number");
    out.push({ expr: { op: "eq", a, b: value }, bits, range: false });
    if (text && texts) {
      textual.push(of);
      out.push({ expr: { op: "eq", a: lower(a), b: lower(asText(value)) }, bits: bits + 1, range: false });
      out.push({ expr: { op: "holds", a, b: asText(value) }, bits: bits + 1, range: false });
    }
    if (held.length > 0 && held.every(Array.isArray))
      out.push({ expr: { op: "contains", a, b: value }, bits, range: false });
    if (near || !((text && texts) || (number && values.every((one) => typeof one === "number")))) continue;
    // A range is likelier of what is ordered, and of a name that is not the column's own.
    const spread = bits + 2 + (bits === 0 ? 3 : 0) + (number || held.every((one) => /\d/.test(String(one))) ? 0 : 4);
    for (const op of ["most", "less"] as const) {
      out.push({ expr: { op, a: value, b: a }, bits: spread, range: true });
      out.push({ expr: { op, a, b: value }, bits: spread, range: true });
    }
  }
  if (near) return out;
  const contains = (of: string): Expr => ({ op: "holds", a: column("row", of), b: asText(value) });
  for (const [i, a] of textual.entries())
    for (const [j, b] of textual.entries()) {
      if (j <= i) continue;
      const two: Expr = { op: "or", a: contains(a), b: contains(b) };
      out.push({ expr: two, bits: 9, range: false });
      for (const c of textual.slice(j + 1))
        out.push({ expr: { op: "or", a: two, b: contains(c) }, bits: 13, range: false });
    }
  if (textual.length > 3) {
    const all = textual.map(contains).reduce((a, b): Expr => ({ op: "or", a, b }));
    out.push({ expr: all, bits: 13, range: false });
  }
  return out;
}

/** Bits that a test may be less likely than the likeliest and still be thought of. */
const LIKELY = 3;

function chooseFilters(
  examples: readonly Listed[],
  table: ExportTable,
  names: readonly string[],
  longest: number,
): { chosen: Filter[]; blind: string[] } {
  const left = new Map<string, Atom[]>();
  const blind: string[] = [];
  for (const name of names) {
    const asked = examples.filter(({ call }) => isGiven(call.args, name));
    const full = asked.filter(({ shown }) => shown.length > 0);
    const near = full.length === 0;
    const atoms = atomsOf(
      name,
      table,
      asked.map(({ call }) => call.args[name] as Json),
      near,
    );
    const fitting = atoms.filter(({ expr }) => {
      const failing = full.filter((one) => !holdsFor(expr, one, table.name));
      return failing.length <= full.length * FAILS;
    });
    if (fitting.length > 0) left.set(name, fitting);
    else if (near) blind.push(name);
  }
  const pick = new Map(
    [...left].map(([name, atoms]) => [name, [...atoms].sort((a, b) => a.bits - b.bits)[0] as Atom | undefined]),
  );
  const tables = new Map<Expr, (readonly boolean[] | undefined)[]>();
  const passing = (expr: Expr): (readonly boolean[] | undefined)[] => {
    const known = tables.get(expr) ?? examples.map((one) => passes(expr, one));
    tables.set(expr, known);
    return known;
  };
  const score = (using: ReadonlyMap<string, Atom | undefined>): number => {
    let right = 0;
    for (const [i, one] of examples.entries()) {
      let n = 0;
      const tests: (readonly boolean[])[] = [];
      let lost = false;
      for (const [name, atom] of using) {
        if (!atom || !isGiven(one.call.args, name)) continue;
        const of = passing(atom.expr)[i];
        if (of) tests.push(of);
        else lost = true;
      }
      if (lost) continue;
      const shown = new Set(one.shown);
      let missed = 0;
      for (const [j, [key]] of one.rows.entries()) {
        const all = tests.every((of) => of[j]);
        if (all) n++;
        else if (shown.has(key)) missed++;
      }
      if (missed === 0 && (n === shown.size || (shown.size === longest && n > longest && longest > 1))) right++;
    }
    return right;
  };
  let most = score(pick);
  for (let round = 0; round < 3; round++) {
    const before = most;
    for (const [name, atoms] of left) {
      for (const atom of [...atoms, undefined]) {
        const current = pick.get(name);
        if (atom === current) continue;
        const found = score(new Map([...pick, [name, atom]]));
        const simpler = (atom?.bits ?? 8) < (current?.bits ?? 8);
        if (found > most || (found === most && simpler)) {
          pick.set(name, atom);
          most = found;
        }
      }
    }
    if (most === before && round > 0) break;
  }
  const chosen = [...left].flatMap(([name, atoms]): Filter[] => {
    const best = pick.get(name);
    const full = examples.filter(({ call, shown }) => shown.length > 0 && isGiven(call.args, name));
    if (!best) return full.length > 1 ? [] : (blind.push(name), []);
    const alike = atoms
      .filter((atom) => atom !== best && atom.bits <= best.bits + LIKELY)
      .filter((atom) => score(new Map([...pick, [name, atom]])) === most);
    const form = best.range ? formOf(best.expr, table) : undefined;
    return [{ name, atoms: [best.expr, ...alike.map(({ expr }) => expr)], ...(form ? { form } : {}) }];
  });
  return { chosen, blind };
}

function holdsFor(expr: Expr, { call, before, shown }: Listed, table: string): boolean {
  const held = before.tables.get(table)?.rows;
  return shown.every((key) => {
    const row = held?.get(key);
    return row !== undefined && evaluate(expr, { args: call.args, facts: before, row }) === true;
  });
}

function passes(expr: Expr, { call, before, rows }: Listed): boolean[] | undefined {
  const out: boolean[] = [];
  for (const [, row] of rows) {
    const value = evaluate(expr, { args: call.args, facts: before, row });
    if (value === UNKNOWN) return undefined;
    out.push(value === true);
  }
  return out;
}

/** The keys that filters leave, in the order in which rows came to be; undefined where one is unknown. */
function kept(one: Listed, filters: readonly (readonly [string, Expr | undefined])[]): string[] | undefined {
  const { args } = one.call;
  const tests = filters.flatMap(([name, atom]) => (atom && isGiven(args, name) ? [atom] : []));
  const out: string[] = [];
  for (const [key, row] of one.rows) {
    const env = { args, facts: one.before, row };
    const met = tests.map((test) => evaluate(test, env));
    if (met.includes(UNKNOWN) && !met.includes(false)) return undefined;
    if (met.every((value) => value === true)) out.push(key);
  }
  return out;
}

/** The form of a column's texts as a pattern that its beginnings fit too: digits for digits. */
function formOf(expr: Expr, table: ExportTable): string | undefined {
  const side = "a" in expr && "b" in expr ? [expr.a, expr.b].find((one) => one.op === "column") : undefined;
  if (side?.op !== "column") return undefined;
  const masks = new Set(
    [...table.rows.values()].flatMap((row) =>
      typeof row[side.name] === "string" ? [String(row[side.name]).replace(/\d/g, "#")] : [],
    ),
  );
  const [mask] = masks;
  if (masks.size !== 1 || mask === undefined) return undefined;
  const escaped = [...mask].map((char) => (char === "#" ? "[0-9]" : char.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")));
  return `^${escaped.join("(")}${")?".repeat(escaped.length - 1)}$`;
}

function ordered(one: Listed, keys: readonly string[], order: ListView["order"], limit: number | undefined): string[] {
  let out = [...keys];
  if (order) {
    const rows = new Map(one.rows);
    const by = (key: string): string | number => (rows.get(key)?.[order.by] ?? "") as string | number;
    // Of rows that are alike the one that came to be first stays first, whichever way they are ordered.
    const sign = order.descending ? -1 : 1;
    out.sort((a, b) => sign * (by(a) < by(b) ? -1 : by(a) > by(b) ? 1 : 0));
  }
  if (limit !== undefined) out = out.slice(0, limit);
  return out;
}

/** The order that lists the rows as observed: that in which they came to be unless a column says more. */
function orderOf(
  judged: readonly { one: Listed; kept: string[] | undefined }[],
  table: ExportTable,
  limit: number | undefined,
): ListView["order"] {
  const several = judged.filter(({ one, kept: keys }) => keys && keys.length > 1 && one.shown.length > 1);
  let best: { order: ListView["order"]; right: number } = { order: undefined, right: -1 };
  const tried: ListView["order"][] = [undefined];
  for (const by of table.columns) for (const descending of [false, true]) tried.push({ by, descending });
  for (const order of tried) {
    const right = several.filter(
      ({ one, kept: keys }) => ordered(one, keys ?? [], order, limit).join("\u0000") === one.shown.join("\u0000"),
    ).length;
    if (right > best.right) best = { order, right };
  }
  return best.order;
}

/** The answer of a view; unknown where tests that fit alike would list other rows. */
export function listed(view: ListView, args: Env["args"], facts: Facts): Json[] | typeof UNKNOWN {
  if (view.blind.some((name) => isGiven(args, name))) return UNKNOWN;
  const held = facts.tables.get(view.table)?.rows ?? new Map<string, Row>();
  const keys: string[] = [];
  for (const [key, row] of held) {
    const env = { args, facts, row };
    const met = view.filters
      .filter(({ name }) => isGiven(args, name))
      .map(({ atoms }) => atoms.map((atom) => evaluate(atom, env)));
    if (met.some((of) => of.every((value) => value === false))) continue;
    if (!met.flat().every((value) => value === true)) return UNKNOWN;
    keys.push(key);
  }
  const one = { call: { args } as Call, before: facts, rows: [...held], shown: [] };
  const out: Json[] = [];
  for (const key of ordered(one, keys, view.order, view.limit)) {
    const value = valueOf(view.item, { args, facts, row: held.get(key) as Row });
    if (value === UNKNOWN) return UNKNOWN;
    out.push(value);
  }
  return out;
}
