import { getOwn, type Json } from "../../../json.ts";
import { byText, canon, isScalar, same } from "../../values.ts";
import { countsOf, domainsOf, sharesOf } from "../counts.ts";
import { columnNames, type Learnt } from "../effects.ts";
import { parentColumn } from "../simulate.ts";
import { leafId } from "../state/observations.ts";
import { column, type Env, type Expr, evaluate, UNKNOWN, type Value } from "./expr.ts";

/** Derived values in answers: columns of referenced rows and counts of rows, by table and column. */
export type Computed = ReadonlyMap<string, ReadonlyMap<string, Expr>>;

/** Times that a computed value has to be right to be taken for one. */
const RIGHT = 4;
const WRONG = 0.02;

interface Tally {
  readonly expr: Expr;
  right: number;
  wrong: number;
  readonly values: Set<string>;
}

const holds = ({ right, wrong, values }: Tally): boolean =>
  right >= RIGHT && wrong <= (right + wrong) * WRONG && values.size > 1;

/** Finds readings that follow from other rows, in sessions that were followed. */
export function findComputed(learnt: Learnt): Computed {
  const out = new Map<string, Map<string, Expr>>();
  const columns = columnNames(learnt.timelines);
  const references = findReferences(learnt);
  for (const [table, refs] of references) {
    const tallies = new Map<string, Tally[]>();
    for (const name of columns.get(table) ?? []) {
      if (learnt.layout.tables.get(table)?.includes(name)) continue;
      const of: Tally[] = [];
      for (const [ref, other] of refs)
        if (ref !== name && other !== table)
          for (const there of [...(columns.get(other) ?? [])].sort(byText))
            if (name.toLowerCase().endsWith(there.toLowerCase()) || name.startsWith("depends"))
              of.push(tally(column({ table: other, key: [column("row", ref)] }, there)));
      if (of.length > 0) tallies.set(name, of);
    }
    eachRow(learnt, table, (env, row) => {
      for (const [name, of] of tallies) {
        const value = getOwn(row, name);
        if (value !== undefined) for (const one of of) judge(one, evaluate(one.expr, env), value);
      }
    });
    for (const [name, of] of tallies) {
      const [best] = of.filter(holds).sort((a, b) => b.right - a.right);
      if (best) out.set(table, (out.get(table) ?? new Map<string, Expr>()).set(name, best.expr));
    }
  }
  const children = new Map(
    [...learnt.layout.tables.keys()].map((table) => [table, findChildCounts(learnt, table, references, columns)]),
  );
  // A column that is itself computed is not stored: it cannot be added up.
  const stored = (expr: Expr): boolean =>
    expr.op !== "total" ||
    !(
      out.get(expr.table)?.has(expr.column) ||
      children
        .get(expr.table)
        ?.get(expr.column)
        ?.some(({ op }) => op === "count")
    );
  for (const [table, found] of children)
    for (const [name, all] of found) {
      const of = out.get(table) ?? new Map<string, Expr>();
      const best = all.find(stored);
      if (best && !of.has(name)) out.set(table, of.set(name, best));
    }
  const cells = findCounts(learnt, stored);
  if (cells.size > 0) out.set("", cells);
  return out;
}

/** What expressions say in one environment, each evaluated once however many values it may explain. */
function valuesIn(env: Env): (expr: Expr) => Value {
  const known = new Map<Expr, Value>();
  return (expr) => {
    const value = known.get(expr) ?? evaluate(expr, env);
    known.set(expr, value);
    return value;
  };
}

function judge(tally: Tally, found: Value, value: Json): void {
  if (found === UNKNOWN) return;
  if (same(found, value)) {
    tally.right++;
    tally.values.add(canon(value));
  } else tally.wrong++;
}

/** Every row of a table as answers showed it, with what was known when they did. */
function eachRow(
  learnt: Learnt,
  table: string,
  visit: (env: Env, row: Readonly<Record<string, Json>>) => void,
  read = false,
): void {
  for (const steps of learnt.steps)
    for (const step of steps)
      if (!read || learnt.layout.readers.has(step.call.tool))
        for (const { place, key, columns } of step.observations.rows) {
          if (place.table !== table) continue;
          const row = step.after.tables.get(table)?.rows.get(key);
          visit({ args: step.call.args, facts: step.after, row: row ?? {} }, columns);
        }
}

/** Columns whose values are keys of a table: by table, column and the table that it names. */
function findReferences(learnt: Learnt): Map<string, Map<string, string>> {
  const counts = new Map<string, { all: number; hits: Map<string, number> }>();
  for (const table of learnt.layout.tables.keys())
    eachRow(learnt, table, ({ facts }, row) => {
      for (const [name, value] of Object.entries(row)) {
        if (!isScalar(value) || typeof value === "boolean" || learnt.layout.tables.get(table)?.includes(name)) continue;
        const id = `${table}\u001e${name}`;
        const count = counts.get(id) ?? { all: 0, hits: new Map<string, number>() };
        counts.set(id, count);
        count.all++;
        for (const [other, held] of facts.tables)
          if (held.rows.has(String(value))) count.hits.set(other, (count.hits.get(other) ?? 0) + 1);
      }
    });
  const out = new Map<string, Map<string, string>>();
  for (const [id, { all, hits }] of counts) {
    const [table, name] = id.split("\u001e") as [string, string];
    const [best] = [...hits].sort((a, b) => b[1] - a[1]);
    if (!best || best[1] < 3 || best[1] < all * 0.9 || best[0] === table) continue;
    out.set(table, (out.get(table) ?? new Map<string, string>()).set(name, best[0]));
  }
  return out;
}

/** Cells that count rows, add up a column of them, or say the share of one count in another. */
function findCounts(learnt: Learnt, stored: (expr: Expr) => boolean): Map<string, Expr> {
  const candidates = [...learnt.layout.tables]
    .sort(([a], [b]) => byText(a, b))
    .flatMap(([table, key]) => countsOf(table, key, domainsOf(shownRows(learnt, table))).filter(stored));
  const out = bestCells(learnt, candidates, new Set());
  const shares = sharesOf([...new Map([...out.values()].map((expr) => [JSON.stringify(expr), expr])).values()]);
  for (const [name, expr] of bestCells(learnt, shares, new Set(out.keys()))) out.set(name, expr);
  return out;
}

/** The cells that readings show as one of some expressions says, but for those that are explained already. */
function bestCells(learnt: Learnt, candidates: readonly Expr[], explained: ReadonlySet<string>): Map<string, Expr> {
  const tallies = new Map<string, Tally[]>();
  for (const steps of learnt.steps)
    for (const { call, after, observations } of steps) {
      if (!learnt.layout.readers.has(call.tool)) continue;
      const evaluated = valuesIn({ args: call.args, facts: after });
      for (const [name, value] of Object.entries(observations.cells)) {
        if (typeof value !== "number" || explained.has(name)) continue;
        const of = tallies.get(name) ?? candidates.map(tally);
        for (const one of of) judge(one, evaluated(one.expr), value);
        tallies.set(
          name,
          of.filter((one) => one.wrong <= 2 + one.right * WRONG),
        );
      }
    }
  const out = new Map<string, Expr>();
  for (const [name, of] of tallies) {
    const [best] = of.filter(holds).sort((a, b) => b.right - a.right);
    if (best) out.set(name, best.expr);
  }
  return out;
}

/** Columns that count the rows that refer to a row, or add up a column of theirs: all ways that hold, the best first. */
function findChildCounts(
  learnt: Learnt,
  table: string,
  references: ReadonlyMap<string, ReadonlyMap<string, string>>,
  columns: ReadonlyMap<string, ReadonlySet<string>>,
): Map<string, Expr[]> {
  const [keyColumn] = learnt.layout.tables.get(table) ?? [];
  const candidates: Expr[] = [];
  for (const [child, key] of [...learnt.layout.tables].sort(([a], [b]) => byText(a, b))) {
    if (child === table || keyColumn === undefined) continue;
    const links = [...(references.get(child) ?? [])].filter(([, to]) => to === table).map(([name]) => name);
    if (columns.get(child)?.has(parentColumn(table))) links.push(parentColumn(table));
    for (const link of links) {
      const mine: Expr = { op: "eq", a: column("row", link), b: { op: "item", path: [keyColumn] } };
      candidates.push(...countsOf(child, key, domainsOf(shownRows(learnt, child)), mine));
    }
  }
  const out = new Map<string, Expr[]>();
  if (candidates.length === 0) return out;
  const tallies = new Map<string, Tally[]>();
  eachRow(
    learnt,
    table,
    (env, row) => {
      const evaluated = valuesIn(env);
      for (const [name, value] of Object.entries(row)) {
        if (typeof value !== "number" || name === keyColumn) continue;
        const of = tallies.get(name) ?? candidates.map(tally);
        for (const one of of) judge(one, evaluated(one.expr), value);
        tallies.set(
          name,
          of.filter((one) => one.wrong <= 2 + one.right * WRONG),
        );
      }
    },
    true,
  );
  for (const [name, of] of tallies) {
    const found = of.filter(holds).sort((a, b) => b.right - a.right);
    if (found.length > 0)
      out.set(
        name,
        found.map(({ expr }) => expr),
      );
  }
  return out;
}

const tally = (expr: Expr): Tally => ({ expr, right: 0, wrong: 0, values: new Set() });

function* shownRows(learnt: Learnt, table: string): Generator<Readonly<Record<string, Json>>> {
  for (const steps of learnt.steps)
    for (const { observations } of steps)
      for (const { place, columns } of observations.rows) if (place.table === table) yield columns;
}

/** Leaves that show computed values. */
export function computedLeaves(learnt: Learnt, computed: Computed): string[] {
  const out = new Set<string>();
  for (const steps of learnt.steps)
    for (const { call, observations } of steps) {
      for (const name of Object.keys(observations.cells))
        if (computed.get("")?.has(name)) out.add(leafId(call.tool, "$", name));
      for (const { place, columns } of observations.rows)
        for (const name of Object.keys(columns))
          if (computed.get(place.table)?.has(name)) out.add(leafId(call.tool, place.path, name));
    }
  return [...out];
}
