import type { ASTNode } from "@marcbachmann/cel-js";
import type { Step } from "../../behaviour/schema.ts";
import { treeOf } from "../../behaviour/visit.ts";
import { isObject } from "../../json.ts";
import { type Examples, observationsAfter } from "../fit/examples.ts";
import type { FittedWrite } from "../fit/fit-write.ts";
import type { History } from "../history.ts";
import type { Call } from "../observations.ts";
import { literal, member, UNKNOWN_TEXT } from "./term.ts";

/**
 * What becomes of an entry of another row's map that the call names and that holds an amount (a balance, a stock), where
 * no later sight shows such an entry after such a call: whether the call takes from it, evidence does not tell.
 */
export function unsettledAmounts(examples: Examples, { env, effects }: FittedWrite, writes: readonly Call[]): Step[] {
  const { history } = examples;
  const fitted = new Set(effects.flatMap((step) => (step.op === "update" ? [step.table] : [])));
  return env.terms
    .flatMap(({ cel, vals }): Step[] => {
      const { table = "", key = "", column = "", entry = "" } = entryNamed(cel) ?? {};
      const entity = history.entities.get(table);
      const [id, ...others] = entity?.key ?? [];
      if (id === undefined || others.length > 0 || fitted.has(table)) return [];
      const amount = amountOf(history, table, column);
      if (amount === undefined) return [];
      const seen = examples.calls.some((call, i) => {
        const value = vals[i];
        if (!call.ok || !isObject(value) || value[amount] === undefined) return false;
        return observationsAfter(history, call, writes).some((sight) => sight.table === table);
      });
      if (seen) return [];
      const row = `lookup(${literal(table)}, ${key})`;
      const map = member(row, column);
      const one = `${map}.get(${entry})`;
      const left = `${map}.merge({${entry}: ${one}.merge({${literal(amount)}: ${UNKNOWN_TEXT}})})`;
      return [
        {
          op: "update",
          table,
          key: [key === `args.${id}` ? { column: id } : { column: id, expr: key }],
          set: [{ path: column, op: "=", expr: `(${member(one, amount)} != null ? ${left} : ${map})` }],
          require: [],
          each: { name: `its_${table}`, in: `[${row}].filter(r, r != null)` },
        },
      ];
    })
    .slice(0, 1);
}

/** The entry of a row's map, and of which row, that an expression finds by names of the call: `known(lookup(t, key)).column.get(entry)`. */
function entryNamed(cel: string): { table: string; key: string; column: string; entry: string } | undefined {
  const node = treeOf(cel);
  if (node?.op !== "rcall" || node.args[0] !== "get") return undefined;
  const [, map, [entry]] = node.args;
  if (map.op !== "." || map.args[0].op !== "call" || map.args[0].args[0] !== "known") return undefined;
  const [row] = map.args[0].args[1];
  if (row?.op !== "call" || row.args[0] !== "lookup") return undefined;
  const [table, key, ...more] = row.args[1];
  const text = (part: ASTNode | undefined, of: readonly string[]) =>
    part?.op === "." && part.args[0].op === "id" && of.includes(part.args[0].args)
      ? `${part.args[0].args}.${part.args[1]}`
      : undefined;
  const [keyText, entryText] = [text(key, ["args", "it"]), text(entry, ["args"])];
  if (table?.op !== "value" || more.length > 0 || keyText === undefined || entryText === undefined) return undefined;
  return { table: String(table.args), key: keyText, column: map.args[1], entry: entryText };
}

/** The one amount that entries of a column's maps hold. */
function amountOf(history: History, table: string, column: string): string | undefined {
  const amounts = new Set<string>();
  for (const row of Object.values(history.base[table] ?? {}))
    for (const entry of isObject(row[column]) ? Object.values(row[column]) : [])
      if (isObject(entry))
        for (const [name, value] of Object.entries(entry)) if (typeof value === "number") amounts.add(name);
  return amounts.size === 1 ? [...amounts][0] : undefined;
}
