import { getOwn, type Json } from "../../../json.ts";
import { byText, canon, isScalar, same } from "../../values.ts";
import { arg, column as columnOf, constant, type Expr, evaluate, UNKNOWN } from "../expressions/expr.ts";
import { inputsOf, withColumns } from "./derived-columns.ts";
import { given } from "./filters.ts";
import { type Known, type Later, latersOf } from "./later-values.ts";
import { type Assignment, keyIn, type Named, type Placed } from "./row-actions.ts";
import type { ExportTable } from "./tables.ts";

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

/** What is set, with the columns that follow from it. */
function withDerived(sets: readonly Assignment[], table: ExportTable): Assignment[] {
  const out = [...sets];
  for (const [column, value] of table.derived) {
    const whens = new Map(
      out.filter((one) => inputsOf(value).includes(one.column)).map(({ when }) => [JSON.stringify(when), when]),
    );
    for (const when of whens.values()) out.push({ column, when, value });
  }
  return out;
}

/** The columns of the named row that calls set. */
export function learnSets(calls: readonly Placed[], row: Named, known: Known, every: readonly Placed[]): Assignment[] {
  const table = known.tables.find(({ name }) => name === row.table) as ExportTable;
  return withDerived(setsOf(calls, row, known, every, table), table);
}

function setsOf(
  calls: readonly Placed[],
  row: Named,
  known: Known,
  every: readonly Placed[],
  table: ExportTable,
): Assignment[] {
  const names = [...new Set(calls.flatMap(({ call }) => Object.keys(call.args)))]
    .filter((name) => name !== row.arg)
    .sort(byText);
  const laters = latersOf(calls, table, ({ call }) => keyIn(call.args, row.arg), known);
  const clear = (later: readonly Later[]): Later[] => later.filter(({ call }) => known.determined.has(call));
  for (const field of names) {
    const asked = calls.filter(({ call }) => table.columns.includes(String(getOwn(call.args, field))));
    const [value, more] = names.filter((name) => name !== field);
    if (asked.length < calls.length * 0.8 || value === undefined || more !== undefined) continue;
    const named = [...asked, ...every].map(({ call }) => String(getOwn(call.args, field)));
    const columns = table.columns.filter((column) => column !== table.key && named.includes(column));
    return columns.flatMap((set): Assignment[] => {
      const when: Expr = { op: "eq", a: arg(field), b: constant(set) };
      const asked = (column: string): Later[] => laters(column).filter(({ env }) => getOwn(env.args, field) === set);
      const others = table.columns.filter(
        (column) => column !== set && column !== table.key && !table.derived.has(column),
      );
      return [
        { column: set, when, value: stored(value, asked(set)).expr },
        ...others.flatMap((column) => changeOf(column, clear(asked(column)), [value], when)),
      ];
    });
  }
  return table.columns
    .filter((column) => column !== table.key && !table.derived.has(column))
    .flatMap((column): Assignment[] => {
      const later = laters(column);
      const own = names.includes(column) ? [column] : [];
      const found = termFor(later, own, names, false);
      return found ? [{ column, ...found }] : changeOf(column, clear(later), names, ALWAYS);
    });
}

/** Sights of a column that changed from which a value by an argument is learnt. */
const FOLLOWS = 2;

/**
 * What a column becomes that changes with another: one value for each value of an argument where sights agree on it,
 * otherwise nobody knows what.
 */
function changeOf(column: string, later: readonly Later[], names: readonly string[], when: Expr): Assignment[] {
  const changed = later.filter(
    ({ value, before }) => before !== undefined && before !== UNKNOWN && !same(value, before),
  );
  if (changed.length === 0) return [];
  for (const name of names) {
    const cases = new Map<string, readonly [Json, Json]>();
    const agreed = later.every(({ env, value }) => {
      const given = getOwn(env.args, name);
      if (!isScalar(given)) return false;
      const held = cases.get(canon(given));
      if (!held) cases.set(canon(given), [given, value]);
      return !held || same(held[1], value);
    });
    if (!agreed || changed.length < FOLLOWS || cases.size === later.length) continue;
    const on = arg(name);
    const value: Expr = { op: "decide", on, cases: [...cases.values()].map(([of, to]) => [of, constant(to)]) };
    return [{ column, when, value }];
  }
  return [{ column, when, value: fromState(column, later, names) ?? { op: "unknown" } }];
}

/** What a column becomes by what it was and by an argument: as it was where calls with that argument never changed it. */
function fromState(column: string, later: readonly Later[], names: readonly string[]): Expr | undefined {
  const held = columnOf("row", column);
  for (const name of names) {
    const changes = new Map<string, { readonly given: Json; readonly was: Json; readonly value: Json; n: number }>();
    const agreed = later.every(({ env, value, before }) => {
      const given = getOwn(env.args, name);
      if (!isScalar(given) || !isScalar(before as Json)) return false;
      const id = canon([given, before as Json]);
      const one = changes.get(id) ?? { given, was: before as Json, value, n: 0 };
      changes.set(id, one);
      one.n++;
      return same(one.value, value);
    });
    const moved = [...changes.values()].filter(({ was, value }) => !same(was, value));
    if (!agreed || moved.some(({ n }) => n < FOLLOWS) || moved.length * 2 > changes.size) continue;
    const cases = moved.map(({ given, was, value }) => {
      const test: Expr = {
        op: "and",
        a: { op: "eq", a: arg(name), b: constant(given) },
        b: { op: "eq", a: held, b: constant(was) },
      };
      return { test, value };
    });
    return cases.reduce<Expr>(
      (otherwise, { test, value }) => ({ op: "if", test, met: constant(value), otherwise }),
      held,
    );
  }
  return undefined;
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
    if (own.includes(name) ? fits : fits && moved > 1)
      return { when: made ? ALWAYS : given(name), value: made ? unlessAbsent(name, expr, later) : expr };
  }
  const [first] = later;
  const alike = first !== undefined && later.every(({ value }) => same(value, first.value));
  // One question that sessions of a task ask again and again is one sight.
  const moved = new Set(
    later.filter(({ value, before }) => made || !same(value, before as Json)).map(({ env }) => canon(env.args)),
  );
  return alike && moved.size > 1 ? { when: ALWAYS, value: constant(first.value) } : undefined;
}

/** What a new row has where an argument is not given: what later sights show of such rows, null where they show nothing. */
function unlessAbsent(name: string, expr: Expr, later: readonly Later[]): Expr {
  const absent = later.filter(({ env }) => (getOwn(env.args, name) ?? null) === null);
  const [first] = absent;
  if (!first) return expr;
  const alike = absent.every(({ value }) => same(value, first.value));
  return { op: "if", test: given(name), met: expr, otherwise: alike ? constant(first.value) : { op: "unknown" } };
}

/** The columns of rows that calls make. */
export function createdSets(
  calls: readonly Placed[],
  table: ExportTable,
  made: ReadonlyMap<Placed, string>,
  known: Known,
): Assignment[] {
  const names = [...new Set(calls.flatMap(({ call }) => Object.keys(call.args)))].sort(byText);
  const laters = latersOf(calls, table, (one) => made.get(one), known);
  const sets = table.columns
    .filter((column) => column !== table.key && !table.derived.has(column))
    .flatMap((column): Assignment[] => {
      const found = termFor(laters(column), names.includes(column) ? [column] : [], names, true);
      return found ? [{ column, ...found }] : [];
    });
  for (const [column, expr] of table.derived) {
    const setTo = (name: string): Expr => sets.find((one) => one.column === name)?.value ?? { op: "unknown" };
    sets.push({ column, when: ALWAYS, value: withColumns(expr, setTo) });
  }
  return sets;
}
