import type { Call } from "../../observations.ts";
import { byText, isScalar } from "../../values.ts";
import { arg, cell, type Expr, evaluate, keyOf } from "../expressions/expr.ts";
import type { Making } from "../simulate.ts";
import type { Kinds } from "./kinds.ts";
import type { Layout } from "./observations.ts";
import { pointedFacts, pointerOf } from "./pointed.ts";
import { rowId, type Timeline } from "./touches.ts";

/** Calls that show a tool to make rows, of those that nobody could have had before. */
const MADE = 3;
/** Share of successes that may name a row that was there. */
const THERE = 0.05;

interface Count {
  readonly act: string;
  readonly table: string;
  readonly name: string;
  /** Successes whose row was shown only later, refused calls whose row was there, and successes whose row was there. */
  made: number;
  absent: number;
  refused: number;
  there: number;
}

/**
 * Rows that successful calls make under a key that they are given: rows that were shown after the call alone, where
 * readings refused the key before, or where the tool refuses keys that are there.
 */
export function findMakings(
  timelines: readonly Timeline[],
  layout: Layout,
  readers: ReadonlySet<string>,
  kinds: Kinds,
): Map<string, Making[]> {
  const counts = new Map<string, Count>();
  const refusals = new Map<string, number>();
  const tables = [...layout.tables].filter(([, key]) => key.length === 1).map(([table]) => table);
  for (const { session, first } of timelines) {
    const denied = new Set<string>();
    const settled = new Set<string>();
    for (const [at, call] of session.calls.entries())
      for (const [name, value] of Object.entries(call.args)) {
        if (!isScalar(value) || typeof value === "boolean") continue;
        for (const table of tables) {
          const key = givenKey(call, { key: keyOfArgument(layout, table, name) }, layout);
          if (key === undefined) continue;
          const row = rowId(table, key);
          const shown = first.get(row);
          const of = `${call.tool}\u001e${table}\u001e${name}`;
          if (readers.has(call.tool)) {
            if (!call.ok && isKey(layout, call.tool, name, table)) denied.add(row);
            continue;
          }
          const there = settled.has(row) || (shown !== undefined && shown < at);
          if (!call.ok) {
            if (there) refusals.set(of, (refusals.get(of) ?? 0) + 1);
            continue;
          }
          if (shown === undefined) continue;
          const act = kinds.act(call);
          const id = `${act}\u001e${table}\u001e${name}`;
          const count = counts.get(id) ?? { act, table, name, made: 0, absent: 0, refused: 0, there: 0 };
          counts.set(id, count);
          if (there) count.there++;
          else {
            count.made++;
            if (denied.has(row)) count.absent++;
            settled.add(row);
          }
        }
      }
  }
  const out = new Map<string, Making[]>();
  for (const { act, table, name, made, absent, there } of [...counts.values()].sort((a, b) => byText(a.name, b.name))) {
    const refused = refusals.get(`${act.split("\u001d")[0]}\u001e${table}\u001e${name}`) ?? 0;
    const path = pointerOf(layout.paths, table) !== undefined;
    // A call that is refused where the row is there, or that nobody was given the path of a row that was.
    if (path && made >= MADE && there === 0) {
      out.set(act, [...(out.get(act) ?? []), { table, key: keyOfArgument(layout, table, name), name }]);
      continue;
    }
    if (made < MADE || (absent < MADE && (refused < MADE || there > made * THERE))) continue;
    if (absent < there && there > made * THERE) continue;
    out.set(act, [...(out.get(act) ?? []), { table, key: keyOfArgument(layout, table, name), name }]);
  }
  return out;
}

/** Whether an argument of a reading is the key of a table's rows. */
const isKey = (layout: Layout, tool: string, name: string, table: string): boolean =>
  layout.refs.get(tool)?.get(name) === table ||
  (layout.paths.get(tool) ?? []).some(
    (place) => place.table === table && place.key.from === "args" && place.key.names.includes(name),
  );

/** The key of a table's row that an argument names: itself, or where it leads from where a cell points. */
function keyOfArgument({ paths }: Layout, table: string, name: string): readonly Expr[] {
  const pointer = pointerOf(paths, table);
  return [pointer === undefined ? arg(name) : { op: "resolve", a: cell(pointer), b: arg(name) }];
}

/** The key that a call gives to a row that it makes. */
export function givenKey(call: Call, { key }: Pick<Making, "key">, { pointed }: Layout): string | undefined {
  const env = { args: call.args, facts: pointedFacts(pointed, call) };
  const found = keyOf(key.map((part) => evaluate(part, env)));
  return typeof found === "string" ? found : undefined;
}
