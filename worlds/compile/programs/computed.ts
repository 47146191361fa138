import type { Json } from "../../json.ts";
import { byText, canon, isScalar, same } from "../values.ts";
import { columnNames, type Learnt } from "./effects.ts";
import { column, constant, type Env, type Expr, evaluate, UNKNOWN } from "./expr.ts";
import { leafId } from "./sights.ts";

/** What readings show that is not stored: columns of other rows that a row refers to, and counts of rows. By table and column; cells under the empty table. */
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
  const references = findReferences(learnt, columns);
  for (const [table, refs] of references) {
    const tallies = new Map<string, Tally[]>();
    for (const name of columns.get(table) ?? []) {
      if (learnt.layout.tables.get(table)?.includes(name)) continue;
      const of: Tally[] = [];
      for (const [ref, other] of refs)
        if (ref !== name && other !== table)
          for (const there of [...(columns.get(other) ?? [])].sort(byText))
            if (name.toLowerCase().endsWith(there.toLowerCase()) || name.startsWith("depends"))
              of.push({
                expr: column({ table: other, key: [column("row", ref)] }, there),
                right: 0,
                wrong: 0,
                values: new Set(),
              });
      if (of.length > 0) tallies.set(name, of);
    }
    eachRow(learnt, table, (env, row) => {
      for (const [name, of] of tallies) {
        const value = row[name];
        if (value !== undefined) for (const tally of of) judge(tally, env, value);
      }
    });
    for (const [name, of] of tallies) {
      const [best] = of.filter(holds).sort((a, b) => b.right - a.right);
      if (best) out.set(table, (out.get(table) ?? new Map<string, Expr>()).set(name, best.expr));
    }
  }
  const cells = findCounts(learnt, columns);
  if (cells.size > 0) out.set("", cells);
  return out;
}

function judge(tally: Tally, env: Env, value: Json): void {
  const found = evaluate(tally.expr, env);
  if (found === UNKNOWN) return;
  if (same(found, value)) {
    tally.right++;
    tally.values.add(canon(value));
  } else tally.wrong++;
}

/** Every row of a table as answers showed it, with what was known when they did. */
function eachRow(learnt: Learnt, table: string, visit: (env: Env, row: Readonly<Record<string, Json>>) => void): void {
  for (const steps of learnt.steps)
    for (const step of steps)
      for (const { place, key, columns } of step.sights.rows) {
        if (place.table !== table) continue;
        const row = step.after.tables.get(table)?.rows.get(key);
        visit({ args: step.call.args, facts: step.after, row: row ?? {} }, columns);
      }
}

/** Columns whose values are keys of a table: by table, column and the table that it names. */
function findReferences(
  learnt: Learnt,
  columns: ReadonlyMap<string, ReadonlySet<string>>,
): Map<string, Map<string, string>> {
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
  void columns;
  return out;
}

/** Cells that count rows, or add up a column of them. */
function findCounts(learnt: Learnt, columns: ReadonlyMap<string, ReadonlySet<string>>): Map<string, Expr> {
  const candidates: Expr[] = [];
  for (const [table, key] of [...learnt.layout.tables].sort(([a], [b]) => byText(a, b))) {
    candidates.push({ op: "count", table, where: constant(true) });
    const domains = new Map<string, Map<string, Json>>();
    eachRow(learnt, table, (_, row) => {
      for (const [name, value] of Object.entries(row)) {
        if (key.includes(name) || (value !== null && !isScalar(value))) continue;
        const of = domains.get(name) ?? new Map<string, Json>();
        if (of.size <= 9) domains.set(name, of.set(canon(value), value));
      }
    });
    for (const [name, values] of [...domains].sort(([a], [b]) => byText(a, b))) {
      if ([...values.values()].some((value) => typeof value === "number"))
        candidates.push({ op: "total", table, column: name });
      if (values.size > 8) continue;
      for (const value of values.values()) {
        const test: Expr = { op: "eq", a: column("row", name), b: constant(value) };
        candidates.push({ op: "count", table, where: test }, { op: "count", table, where: { op: "not", a: test } });
      }
    }
  }
  const tallies = new Map<string, Tally[]>();
  for (const steps of learnt.steps)
    for (const { call, after, sights } of steps)
      for (const [name, value] of Object.entries(sights.cells)) {
        if (typeof value !== "number" || !learnt.layout.readers.has(call.tool)) continue;
        const of =
          tallies.get(name) ?? candidates.map((expr): Tally => ({ expr, right: 0, wrong: 0, values: new Set() }));
        tallies.set(name, of);
        for (const tally of of)
          if (tally.wrong <= 2 + tally.right * WRONG) judge(tally, { args: call.args, facts: after }, value);
      }
  const out = new Map<string, Expr>();
  for (const [name, of] of tallies) {
    const [best] = of.filter(holds).sort((a, b) => b.right - a.right);
    if (best) out.set(name, best.expr);
  }
  void columns;
  return out;
}

/** Leaves that show computed values. */
export function computedLeaves(learnt: Learnt, computed: Computed): string[] {
  const out = new Set<string>();
  for (const steps of learnt.steps)
    for (const { call, sights } of steps) {
      for (const name of Object.keys(sights.cells))
        if (computed.get("")?.has(name)) out.add(leafId(call.tool, "$", name));
      for (const { place, columns } of sights.rows)
        for (const name of Object.keys(columns))
          if (computed.get(place.table)?.has(name)) out.add(leafId(call.tool, place.path, name));
    }
  return [...out];
}
