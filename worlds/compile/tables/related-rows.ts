import type { Json } from "../../json.ts";
import { literal, member } from "../conditions/term.ts";
import type { Env } from "../conditions/terms.ts";
import type { Examples } from "../fit/examples.ts";
import type { Call } from "../observations.ts";
import { byText, isScalar, scalarsOf } from "../values.ts";

/** A column of more values than this says more than the state of a row. */
const STATES = 6;

/** Adds values of rows that refer to an argument's row, for columns of few values: refusals may depend on them. */
export function addRelated({ calls, states, history }: Examples, env: Env, writes: readonly Call[]): void {
  const byTrace = Map.groupBy(writes, ({ trace }) => trace);
  const touched = calls.map((call) => touchedBefore(call, byTrace.get(call.trace) ?? [], history));
  const args = [...new Set(calls.flatMap((call) => Object.keys(call.args)))].sort(byText);
  const keys = [...history.entities.values()].flatMap(({ key }) => (key.length === 1 ? [key[0] as string] : []));
  for (const arg of args) {
    if (!keys.includes(arg) || !/^[A-Za-z_]\w*$/.test(arg)) continue;
    for (const { name, key } of history.entities.values()) {
      const rows = Object.entries(history.base[name] ?? {});
      if (key.includes(arg) || !rows.some(([, row]) => isScalar(row[arg]))) continue;
      const of = new Map<Json, string[]>();
      for (const [id, row] of rows) {
        const owner = row[arg];
        if (owner !== undefined) of.set(owner, [...(of.get(owner) ?? []), id]);
      }
      for (const column of columnsOf(name, history)) {
        const vals = calls.map((call, i) => {
          const owned = of.get(call.args[arg] as Json);
          const told = owned?.map((id) => (touched[i]?.has(`${name}\n${id}`) ? null : states[i]?.(name, id)?.[column]));
          return told?.every((value) => value !== undefined) ? (told as Json[]) : undefined;
        });
        if (!vals.some((value) => value !== undefined)) continue;
        const test = `${member("w", arg)} == args.${arg}`;
        env.add(
          `rows(${literal(name)}).filter(w, ${test}).map(w, (has(${member("w", column)}) ? ${member("w", column)} : not_served()))`,
          vals,
          1.6,
        );
      }
    }
  }
}

/** Rows that earlier writes of a call's trace were about and that nothing showed since: nobody knows what they are like. */
function touchedBefore(
  call: Call,
  writes: readonly Call[],
  { entities, observations }: Examples["history"],
): Set<string> {
  const last = new Map<string, number>();
  for (const { table, key, call: by } of observations[call.trace] ?? [])
    if (by.index < call.index) last.set(`${table}\n${key}`, by.index);
  const out = new Set<string>();
  for (const write of writes)
    if (write.index < call.index)
      for (const value of scalarsOf(write.args))
        for (const table of entities.keys()) {
          const id = `${table}\n${value}`;
          if ((last.get(id) ?? -1) < write.index) out.add(id);
        }
  return out;
}

/** Columns of a table that tell of few states. */
function columnsOf(table: string, { observations }: Examples["history"]): string[] {
  const values = new Map<string, Set<Json>>();
  const many = new Set<string>();
  for (const of of observations)
    for (const { table: shown, row } of of)
      if (shown === table)
        for (const [column, value] of Object.entries(row)) {
          if (many.has(column)) continue;
          const seen = values.get(column) ?? new Set();
          values.set(column, seen.add(value));
          if ((typeof value !== "string" && typeof value !== "boolean") || seen.size > STATES) many.add(column);
        }
  return [...values].flatMap(([column, { size }]) => (many.has(column) || size < 2 ? [] : [column])).sort(byText);
}
