import { getOwn, type Json } from "../../../json.ts";
import { byText, isScalar, same as sameJson, scalarsOf } from "../../values.ts";
import { arg, column, constant, type Expr, evaluate, type Facts, UNKNOWN, type Value } from "../expressions/expr.ts";
import { isWithin } from "../expressions/within-text.ts";
import type { Kind } from "../state/kinds.ts";
import type { Aggregate } from "./aggregates.ts";
import { given } from "./filters.ts";
import { type Act, keyArguments, type Named, type Placed } from "./row-actions.ts";
import { columnValues, type ExportTable, isClosed, listIn } from "./tables.ts";
import { type ListView, listed } from "./views.ts";

/** How calls end that do not end as most successes do: the first condition that holds decides. */
export interface Ending {
  readonly kind: Kind;
  readonly when: Expr;
}

export interface Endings {
  readonly rules: readonly Ending[];
  readonly right: number;
  readonly wrong: number;
}

interface Test {
  readonly expr: Expr;
  readonly bits: number;
  /** The value that the column of the named row is compared with. */
  readonly value?: Json;
  readonly holds: Uint8Array;
}

const EXAMPLES = 600;
const MOST_RULES = 12;
/** What a call costs that a condition tells otherwise than it ended, in bits. */
const MISS = 20;
/** The share of its calls that a condition may tell otherwise. */
const MISSED = 0.05;
/** What a condition on a value is cheaper by, in bits, where the words of the ending hold that value. */
const QUOTED = 2;

const not = (a: Expr): Expr => ({ op: "not", a });
const and = (a: Expr, b: Expr): Expr => ({ op: "and", a, b });
const or = (a: Expr, b: Expr): Expr => ({ op: "or", a, b });
export const missing = (name: string): Expr => ({ op: "within", a: arg(name), b: constant([null, ""]) });

/** Conditions of a view's rows: those that are in it for sure, and those that may be. */
export function viewConditions(view: ListView): { sure: Expr; possible: Expr | undefined } {
  const whenGiven = (name: string, test: Expr): Expr => or(missing(name), test);
  const all = (of: readonly Expr[]): Expr => (of.length === 0 ? constant(true) : of.reduce(and));
  const formed = view.filters.filter(({ atoms }) => atoms.length > 0);
  const sure = all(formed.map(({ name, atoms }) => whenGiven(name, atoms.reduce(and))));
  const several = formed.some(({ atoms }) => atoms.length > 1);
  return {
    sure,
    possible: several ? all(formed.map(({ name, atoms }) => whenGiven(name, atoms.reduce(or)))) : undefined,
  };
}

/** Whether a view lists no row; unknown where tests that fit alike do not agree. */
export function emptyTest(view: ListView): Expr {
  const { sure, possible } = viewConditions(view);
  const count = (where: Expr): Expr => ({ op: "count", table: view.table, where });
  const none: Expr = { op: "eq", a: count(sure), b: constant(0) };
  if (!possible) return none;
  const alike: Expr = { op: "eq", a: count(sure), b: count(possible) };
  return { op: "if", test: alike, met: none, otherwise: { op: "unknown" } };
}

/** Learns when calls of a tool end otherwise than its act does. */
export function learnEndings(
  all: readonly Placed[],
  act: Act | undefined,
  empty: Expr | undefined,
  tables: readonly ExportTable[],
  names: readonly string[],
  compared: Aggregate["compared"] = [],
): Endings {
  const step = Math.max(1, all.length / EXAMPLES);
  const calls = Array.from({ length: Math.min(all.length, EXAMPLES) }, (_, i) => all[Math.floor(i * step)] as Placed);
  const ends = calls.map(({ kind }) => (act?.kinds.has(kind) ? "" : kind));
  const ending = (kind: Kind, i: number): boolean =>
    ends[i] === kind ||
    (ends[i] !== "" && saidAs(kind, calls[i] as Placed) === saidAs(ends[i] as Kind, calls[i] as Placed));
  const left = new Set(calls.map((_, i) => i));
  const rules: Ending[] = [];
  if (ends.some((kind) => kind !== "")) {
    const tests = testsOf(calls, ends, act, empty, tables, names, compared);
    while (rules.length < MOST_RULES) {
      const best = bestRule(tests, ends, left, ending);
      if (!best) break;
      rules.push({ kind: best.kind, when: best.test.expr });
      for (const i of [...left]) if (best.test.holds[i] === 1) left.delete(i);
    }
  }
  const wrong = [...left].filter((i) => ends[i] !== "").length;
  return { rules, right: calls.length - wrong, wrong };
}

/** The words of a kind for what a call was given. */
const saidAs = (kind: Kind, { call }: Placed): string =>
  kind.replace(/\{([^{}]+)\}/g, (hole, name: string) => {
    const value = getOwn(call.args, name);
    return isScalar(value) ? String(value) : hole;
  });

function bestRule(
  tests: readonly Test[],
  ends: readonly Kind[],
  left: ReadonlySet<number>,
  ending: (kind: Kind, i: number) => boolean,
): { kind: Kind; test: Test } | undefined {
  const counts = new Map<Kind, number>();
  for (const i of left) counts.set(ends[i] as Kind, (counts.get(ends[i] as Kind) ?? 0) + 1);
  let best: { kind: Kind; test: Test; score: number } | undefined;
  for (const [kind, n] of [...counts].sort(([a], [b]) => byText(a, b))) {
    if (kind === "") continue;
    const info = 1 + Math.log2(ends.length / n);
    for (const test of tests) {
      let [hits, misses] = [0, 0];
      for (const i of left)
        if (test.holds[i] === 1) {
          if (ending(kind, i)) hits++;
          else misses++;
        }
      const quoted = typeof test.value === "string" && isWithin(kind, test.value);
      const score = hits * info - misses * MISS - test.bits + (quoted ? QUOTED : 0);
      if (hits > 0 && misses <= hits * MISSED && score > 0 && (!best || score > best.score))
        best = { kind, test, score };
    }
  }
  return best;
}

function testsOf(
  calls: readonly Placed[],
  ends: readonly Kind[],
  act: Act | undefined,
  empty: Expr | undefined,
  tables: readonly ExportTable[],
  names: readonly string[],
  compared: Aggregate["compared"],
): Test[] {
  const out: Test[] = [];
  const seen = new Map<string, number>();
  type Find = (call: Placed) => Value | undefined;
  const add = (expr: Expr, bits: number, find?: Find, value?: Json): void => {
    const holds = Uint8Array.from(calls, (one) => {
      const value = find ? find(one) : evaluate(expr, { args: one.call.args, facts: one.before });
      return value === true ? 1 : value === false ? 0 : 2;
    });
    if (!holds.includes(1)) return;
    const id = `${holds.join("")}${value ?? ""}`;
    const known = seen.get(id);
    if (known !== undefined && (out[known] as Test).bits <= bits) return;
    const test: Test = { expr, bits, holds, ...(value === undefined ? {} : { value }) };
    if (known !== undefined) out[known] = test;
    else seen.set(id, out.push(test) - 1);
  };
  const gone = names.map(missing);
  for (const one of gone) add(one, 2);
  if (gone.length > 1) {
    add(gone.reduce(or), 3);
    add(gone.reduce(and), 3);
  }
  const { view } = act ?? {};
  if (empty) add(empty, 2, view?.whole && (({ call, before }) => isEmpty(listed(view, call.args, before))));
  for (const { table, arg: name } of keyArguments(calls, tables, 0.05)) {
    const of = { table, key: [arg(name)] };
    add(not({ op: "exists", of }), 2.5);
    add(and(given(name), not({ op: "exists", of })), 3);
    const held = tables.find((one) => one.name === table) as ExportTable;
    const pattern = held.complete ? undefined : held.shown?.pattern;
    // Where not every row is known, a key in another form than all keys have is none for sure.
    if (pattern !== undefined)
      add(and(given(name), not({ op: "fits", a: { op: "text", parts: [arg(name)] }, pattern })), 3);
    const sets =
      act?.effect.kind === "set" ? act.effect.sets.map(({ when }) => when).filter(({ op }) => op === "eq") : [];
    const asked = [...new Map(sets.map((when) => [JSON.stringify(when), when])).values()];
    for (const c of held.columns)
      if (isClosed(held, c))
        for (const value of columnValues(held, c)) {
          const state: Expr = { op: "eq", a: column(of, c), b: constant(value) };
          add(state, 8, undefined, value);
          for (const when of asked) add(and(when, state), 10, undefined, value);
        }
  }
  const quoted = quotedLists(calls, ends);
  const domains = (name: string, when: Expr | undefined, bits: number, table: ExportTable, c: string): void => {
    const within = (test: Expr): void =>
      add(when ? and(when, and(given(name), not(test))) : and(given(name), not(test)), bits);
    const values = table.shown && domainOf(table, c);
    if (values) within({ op: "within", a: arg(name), b: constant(values) });
    if (table.shown) return;
    const one = column("row", c);
    for (const b of [arg(name), { op: "lower", a: arg(name) } satisfies Expr]) {
      const a: Expr = b.op === "lower" ? { op: "lower", a: one } : one;
      within(not({ op: "eq", a: { op: "count", table: table.name, where: { op: "eq", a, b } }, b: constant(0) }));
    }
  };
  for (const one of compared) {
    const table = tables.find(({ name }) => name === one.table) as ExportTable;
    const values = domainOf(table, one.column);
    if (values) add(and(given(one.arg), not({ op: "within", a: arg(one.arg), b: constant(values) })), 5);
  }
  const { effect } = act ?? {};
  if (act && effect && (effect.kind === "set" || effect.kind === "create")) {
    const table = tables.find(
      ({ name }) => name === (effect.kind === "create" ? effect.table : effect.row.table),
    ) as ExportTable;
    for (const name of names) {
      for (const { column: c, when, value } of effect.sets)
        if (argumentOf(value) === name) domains(name, when.op === "eq" ? when : undefined, 5, table, c);
      for (const list of quoted) {
        const out = not({ op: "within", a: arg(name), b: constant(list) });
        add(and(given(name), out), 4);
        for (const { when } of effect.sets) if (when.op === "eq") add(and(when, out), 4);
      }
    }
  }
  for (const name of names) {
    const values = new Set(calls.map(({ call }) => getOwn(call.args, name)).filter(isScalar));
    if (values.size < 2 || values.size > 24) continue;
    // Whether rows that nobody saw would be listed is not told by what was asked with one value.
    if (!view?.whole) for (const value of values) add({ op: "eq", a: arg(name), b: constant(value) }, 7);
    const fields = tables.find(
      ({ columns }) => [...values].filter((value) => columns.includes(String(value))).length * 2 > values.size,
    );
    if (fields) add(and(given(name), not({ op: "within", a: arg(name), b: constant([...fields.columns]) })), 4);
  }
  return out;
}

/** The argument that a value is made of, if it is made of one alone. */
export function argumentOf(value: Expr): string | undefined {
  if (value.op === "lower") return argumentOf(value.a);
  if (value.op === "if") return argumentOf(value.met);
  if (value.op === "text" && value.parts.length === 1 && typeof value.parts[0] === "object")
    return argumentOf(value.parts[0]);
  return value.op === "arg" ? value.path[0] : undefined;
}

/** Rows that show a value of a column, so that all its values are thought to be among those shown. */
const SHOWN = 4;
const LONGEST_DOMAIN = 1_500;

/** The values of a column of which rows were shown so often that others are not to be expected; undefined where they were not. */
function domainOf(table: ExportTable, name: string): Json[] | undefined {
  const rows = [...table.rows.values()].filter((row) => isScalar(getOwn(row, name))).length;
  const values = [...columnValues(table, name)];
  if (values.length === 0 || rows < values.length * SHOWN) return undefined;
  return JSON.stringify(values).length <= LONGEST_DOMAIN ? values : undefined;
}

const isEmpty = (value: Json | typeof UNKNOWN): Value =>
  value === UNKNOWN ? UNKNOWN : listIn(value)?.list.length === 0;

/** Values that texts which refuse name in quotes: two or more in one text. */
function quotedLists(calls: readonly Placed[], ends: readonly Kind[]): Json[][] {
  const out = new Map<string, Json[]>();
  for (const [i, { call }] of calls.entries()) {
    if (ends[i] === "") continue;
    const words = [...scalarsOf(call.value)].filter((value) => typeof value === "string").join("\n");
    const found = [...words.matchAll(/'([^'\n]+)'|"([^"\n]+)"/g)].map((match) => (match[1] ?? match[2]) as string);
    if (found.length > 1) out.set(found.join("\u0000"), found);
  }
  return [...out.values()];
}

/** Conditions of an observed kind of success: given arguments, existing rows, columns and values in observed bounds. */
export function supportOf(
  act: Act,
  all: readonly Placed[],
  tables: readonly ExportTable[],
  names: readonly string[],
  { rules }: Endings,
): Expr[] {
  const calls = all.filter(({ kind }) => act.kinds.has(kind));
  const out: Expr[] = [];
  const { effect, row, view, answer } = act;
  if (view) {
    for (const name of view.blind) out.push(missing(name));
    for (const { name, form } of view.filters)
      if (form) out.push(or(missing(name), { op: "fits", a: arg(name), pattern: form }));
    if (!view.unfiltered && names.length > 0) out.push(names.map(given).reduce(or));
    return out;
  }
  for (const name of names) {
    const gave = calls.filter(({ call }) => evaluate(given(name), { args: call.args, facts: NONE }) === true).length;
    if (gave === calls.length) out.push(given(name));
    else if (gave === 0) out.push(missing(name));
  }
  if (row) out.push({ op: "exists", of: { table: row.table, key: [arg(row.arg)] } });
  if (row) out.push(...undecided(rules, row.table, calls));
  if (answer.kind === "named") out.push({ op: "within", a: arg(answer.arg), b: constant([...answer.columns]) });
  if (effect.kind !== "set" && effect.kind !== "create") return out;
  const table = tables.find(
    ({ name }) => name === (effect.kind === "create" ? effect.table : effect.row.table),
  ) as ExportTable;
  const fields = new Map<string, string[]>();
  for (const { column: c, when, value } of effect.sets) {
    if (when.op === "eq" && when.a.op === "arg") {
      // A column that only follows from the one that is named is none that may be named.
      if (when.b.op === "const" && when.b.value !== c) continue;
      const field = when.a.path[0] as string;
      // A column counts where a success set it, or where what is refused of its values is known.
      const set =
        calls.some(({ call }) => getOwn(call.args, field) === c) ||
        rules.some((rule) => rule.when.op === "and" && same(rule.when.a, when));
      fields.set(field, [...(fields.get(field) ?? []), ...(set ? [c] : [])]);
    }
    const name = argumentOf(value);
    if (name === undefined || !isClosed(table, c)) continue;
    const held = columnValues(table, c);
    const met = calls.filter(
      ({ call, before }) => when.op === "const" || evaluate(when, { args: call.args, facts: before }) === true,
    );
    const outside = met.some(({ call }) => {
      const given = getOwn(call.args, name);
      return isScalar(given) && !held.has(given);
    });
    if (outside) continue;
    const inside = or(missing(name), { op: "within", a: arg(name), b: constant([...held]) });
    out.push(when.op === "const" ? inside : or(not(when), inside));
  }
  for (const [name, columns] of fields) out.push({ op: "within", a: arg(name), b: constant(columns) });
  return out;
}

/** Where rules refuse some values of a column, what successes showed of the others: one that none had may be refused too. */
function undecided(rules: readonly Ending[], table: string, successes: readonly Placed[]): Expr[] {
  const tested = new Map<string, { when: Expr | undefined; of: Expr }>();
  for (const { when } of rules) {
    const [asked, state] = when.op === "and" ? [when.a, when.b] : [undefined, when];
    if (state.op !== "eq" || state.a.op !== "column" || state.a.of === "row" || state.a.of.table !== table) continue;
    if (state.b.op !== "const" || typeof state.b.value !== "string") continue;
    tested.set(JSON.stringify([asked ?? null, state.a]), { when: asked, of: state.a });
  }
  return [...tested.values()].map(({ when, of }) => {
    const values = successes.flatMap(({ call, before }) => {
      const env = { args: call.args, facts: before };
      const value = when === undefined || evaluate(when, env) === true ? evaluate(of, env) : UNKNOWN;
      return value === UNKNOWN ? [] : [value];
    });
    const seen: Expr = { op: "within", a: of, b: constant([...new Set(values)]) };
    return when ? or(not(when), seen) : seen;
  });
}

const same = (a: Expr, b: Expr): boolean => sameJson(a as unknown as Json, b as unknown as Json);

/** That a row which an argument names is not there. */
export const absence = ({ table, arg: name }: Named): Expr =>
  and(given(name), not({ op: "exists", of: { table, key: [arg(name)] } }));

/** Whether a condition says that a row of a table is not there. */
export function isAbsence(when: Expr, table: string): boolean {
  if (when.op === "and") return isAbsence(when.b, table);
  return when.op === "not" && when.a.op === "exists" && when.a.of.table === table;
}

const NONE: Facts = { cells: new Map(), tables: new Map() };
