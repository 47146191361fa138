import { getOwn, type Json, type JsonObject } from "../../../json.ts";
import type { Call } from "../../observations.ts";
import { byText, isScalar } from "../../values.ts";
import type { Learnt } from "../effects.ts";
import { UNKNOWN, type Value } from "../expressions/expr.ts";
import type { Step } from "../simulate.ts";
import { toolOf } from "./kinds.ts";

/** Calls that have to end in one way, where both values are known. */
const LEAST = 3;
/** Bits of chance that endings have to stand against, beside those of the pairs that are tried. */
const SURE = 8;

/** A column of the row that an argument names. */
interface Named {
  readonly argument: string;
  readonly table: string;
  readonly column: string;
}

interface Count {
  alike: number;
  other: number;
  readonly values: Set<Json>;
}

/** Values that are compared: a flag that equals another says little. */
const isCompared = (value: Value | undefined): value is string | number =>
  typeof value === "string" || typeof value === "number";

/**
 * Cells that calls tell by how they end, where an ending shows the cell equal to a column of the row that the call
 * names: who is signed in, by a ticket that is shown to its owner alone. Calls that end one way were alike wherever both
 * values are known, and refusals of another kind never.
 */
export function cellsOfMatches({ steps, layout, effects }: Learnt, cells: readonly string[]): Map<Call, JsonObject> {
  const all = steps.flat();
  const found = new Map<Call, JsonObject>();
  const byTool = Map.groupBy(all, ({ call }) => call.tool);
  const kinds = new Map<string, Named[]>();
  for (const [tool, refs] of layout.refs)
    for (const [argument, table] of refs) {
      const columns = columnsOf(byTool.get(tool) ?? [], argument, table);
      for (const column of columns) {
        const id = `${table}\u001e${column}`;
        kinds.set(id, [...(kinds.get(id) ?? []), { argument, table, column }]);
      }
    }
  const sets = (act: string, name: string): boolean =>
    effects.get(act)?.changes.some((change) => change.table === undefined && change.name === name) ?? false;
  const tried = Math.log2(1 + cells.length * kinds.size);
  for (const [, named] of [...kinds].sort(([a], [b]) => byText(a, b)))
    for (const cell of cells) {
      const alike = endingsAlike(all, cell, named, layout, tried);
      for (const step of alike.size === 0 ? [] : all) {
        if (!alike.has(step.act) || sets(step.act, cell)) continue;
        const value = namedValue(step, named, layout);
        if (isCompared(value)) found.set(step.call, { ...found.get(step.call), [cell]: value });
      }
    }
  return found;
}

function columnsOf(steps: readonly Step[], argument: string, table: string): string[] {
  const out = new Set<string>();
  for (const { call, before } of steps) {
    const row = before.tables.get(table)?.rows.get(String(getOwn(call.args, argument)));
    for (const [name, value] of Object.entries(row ?? {})) if (isCompared(value)) out.add(name);
  }
  return [...out].sort(byText);
}

/** The column of the row that a call names: as it was before, or as a reading shows it. */
function namedValue(step: Step, named: readonly Named[], { refs, readers }: Learnt["layout"]): Value | undefined {
  const { call, before, after } = step;
  for (const { argument, table, column } of named) {
    const key = getOwn(call.args, argument);
    if (!isScalar(key) || refs.get(call.tool)?.get(argument) !== table) continue;
    const { tables } = call.ok && readers.has(call.tool) ? after : before;
    return tables.get(table)?.rows.get(String(key))?.[column];
  }
  return undefined;
}

/** Endings at which a cell is equal to the column always, where others are refusals at which it never is. */
function endingsAlike(
  all: readonly Step[],
  cell: string,
  named: readonly Named[],
  layout: Learnt["layout"],
  tried: number,
): ReadonlySet<string> {
  const counts = new Map<string, Count>();
  for (const step of all) {
    const held = step.before.cells.get(cell);
    if (held === undefined || held === UNKNOWN || !isCompared(held)) continue;
    const value = namedValue(step, named, layout);
    if (!isCompared(value)) continue;
    const count = counts.get(step.act) ?? { alike: 0, other: 0, values: new Set<Json>() };
    counts.set(step.act, count);
    if (held === value) count.values.add(held);
    if (held === value) count.alike++;
    else count.other++;
  }
  const refused = new Set(all.flatMap(({ act, call }) => (call.ok ? [] : [act])));
  const unequal = [...counts].filter(([act, { alike, other }]) => alike === 0 && other >= LEAST && refused.has(act));
  // A tool that refuses nobody for it asks nobody who it is.
  const asking = new Set(unequal.map(([act]) => toolOf(act)));
  const among = [...counts].filter(([act]) => asking.has(toolOf(act)));
  const equal = among.filter(([, { alike, other }]) => other === 0 && alike >= LEAST);
  const total = (of: readonly (readonly [string, Count])[], which: "alike" | "other"): number =>
    of.reduce((sum, [, count]) => sum + count[which], 0);
  const share = total(among, "alike") / Math.max(1, total(among, "alike") + total(among, "other"));
  const values = new Set(equal.flatMap(([, count]) => [...count.values]));
  if (equal.length === 0 || values.size < 2 || share === 0 || share === 1) return new Set();
  // One call that succeeded against the rule, beside others by it, makes it none.
  if (among.some(([act, { alike, other }]) => !refused.has(act) && other > 0 && alike > 0)) return new Set();
  const bits = -total(equal, "alike") * Math.log2(share) - total(unequal, "other") * Math.log2(1 - share);
  return bits >= SURE + tried ? new Set(equal.map(([act]) => act)) : new Set();
}
