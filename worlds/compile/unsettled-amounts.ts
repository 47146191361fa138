import type { Step } from "../behaviour/schema.ts";
import { isObject } from "../json.ts";
import { type Examples, sightsAfter } from "./examples.ts";
import type { FittedWrite } from "./fit-write.ts";
import type { History } from "./history.ts";
import type { Call } from "./observations.ts";
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
      const named = /^known\(lookup\("(\w+)", ((?:args|it)\.\w+)\)\)\.(\w+)\.get\((args\.\w+)\)$/.exec(cel);
      const [, table = "", key = "", column = "", entry = ""] = named ?? [];
      const entity = history.entities.get(table);
      const [id, ...others] = entity?.key ?? [];
      if (id === undefined || others.length > 0 || fitted.has(table)) return [];
      const amount = amountOf(history, table, column);
      if (amount === undefined) return [];
      const seen = examples.calls.some((call, i) => {
        const value = vals[i];
        if (!call.ok || !isObject(value) || value[amount] === undefined) return false;
        return sightsAfter(history, call, writes).some((sight) => sight.table === table);
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

/** The one amount that entries of a column's maps hold. */
function amountOf(history: History, table: string, column: string): string | undefined {
  const amounts = new Set<string>();
  for (const row of Object.values(history.base[table] ?? {}))
    for (const entry of isObject(row[column]) ? Object.values(row[column]) : [])
      if (isObject(entry))
        for (const [name, value] of Object.entries(entry)) if (typeof value === "number") amounts.add(name);
  return amounts.size === 1 ? [...amounts][0] : undefined;
}
