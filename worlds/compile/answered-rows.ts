import type { Examples } from "./examples.ts";
import { columnKnowledge } from "./history.ts";
import { found, member } from "./term.ts";
import { byText } from "./values.ts";

/**
 * An answer as an expression, with every row that it shows whole left open where the row lacks a column that all rows of
 * the table have and that this tool always showed: a row of which only another tool told some columns is not one to show.
 */
export function withWholeRows(expr: string, { calls, history }: Examples): string {
  const asked = new Set(calls);
  let out = expr;
  for (const table of history.entities.keys()) {
    const shown = calls.flatMap((call) =>
      (history.sights[call.trace] ?? []).filter((sight) => sight.table === table && asked.has(sight.call)),
    );
    const lacking = [...columnKnowledge(history, table).patchy]
      .filter((column) => shown.every(({ row }) => Object.hasOwn(row, column)))
      .sort(byText);
    if (shown.length === 0 || lacking.length === 0) continue;
    const whole = lacking.map((column) => `has(${member("w", column)})`).join(" && ");
    out = rewritten(out, table, (row) => `[${row}].map(w, (${whole} ? w : not_served()))[0]`);
  }
  return out;
}

/** An expression with the rows of a table changed that are not just a way to one of their columns. */
function rewritten(expr: string, table: string, change: (row: string) => string): string {
  const head = found(table, []).slice(0, -"))".length);
  let out = "";
  let from = 0;
  for (let at = expr.indexOf(head); at >= 0; at = expr.indexOf(head, from)) {
    const end = closing(expr, at + "known".length);
    const row = expr.slice(at, end);
    out += expr.slice(from, at) + (/^[.[]/.test(expr.slice(end)) ? row : change(row));
    from = end;
  }
  return out + expr.slice(from);
}

/** Where the bracket that opens at `open` is closed, the place after it. */
function closing(expr: string, open: number): number {
  let depth = 0;
  for (const { 0: token, index } of expr.slice(open).matchAll(/"(?:[^"\\]|\\.)*"|[()]/g)) {
    if (token === "(") depth++;
    else if (token === ")" && --depth === 0) return open + index + 1;
  }
  return expr.length;
}
