import { getOwn, type Json, type JsonObject, setOwn } from "../../../json.ts";
import type { Call } from "../../observations.ts";
import { byText, canon, isScalar, same } from "../../values.ts";
import { columnNames, type Learnt } from "../effects.ts";
import { type Expr, evaluate, present, UNKNOWN } from "../expressions/expr.ts";
import type { Step } from "../simulate.ts";
import type { Layout } from "./observations.ts";
import type { RowPath } from "./row-paths.ts";
import { type ListSeen, learnView } from "./views.ts";

/** Rows that a list shows and whose column is known to be so, from which its condition tells the column of others. */
const AGREED = 4;

/**
 * What lists tell of their rows by being asked for them: where a list holds the rows alone of which a column is an
 * argument or a cell (whose they are, and who is signed in), each row in it has that value, though the list shows none.
 */
export function findListed(learnt: Learnt): Layout["listed"] {
  const { layout } = learnt;
  const columns = columnNames(learnt.timelines);
  const byTool = Map.groupBy(
    learnt.steps.flat().filter(({ call }) => call.ok),
    ({ call }) => call.tool,
  );
  const out = new Map<Call, Map<string, JsonObject>>();
  for (const [tool, steps] of [...byTool].sort(([a], [b]) => byText(a, b))) {
    const args = [...new Set(steps.flatMap(({ call }) => Object.keys(call.args)))].sort(byText);
    for (const place of layout.paths.get(tool) ?? []) {
      if (!place.path.endsWith("[]") || place.path.indexOf("[]") < place.path.length - 2) continue;
      const shown = shownColumns(steps, place);
      const lists = steps.map((step): ListSeen => ({ step, shown: keysAt(step, place), holder: undefined }));
      const view = learnView(place, lists, columns.get(place.table) ?? new Set(), args, learnt);
      for (const test of view?.where ?? []) {
        if (test.op !== "eq" || test.a.op !== "column" || shown.has(test.a.name)) continue;
        for (const [call, value] of impliedBy(test.b, test.a.name, steps, place)) {
          const of = out.get(call) ?? new Map<string, JsonObject>();
          const row = of.get(place.path) ?? {};
          setOwn(row, test.a.name, value);
          out.set(call, of.set(place.path, row));
        }
      }
    }
  }
  return out;
}

const keysAt = ({ observations }: Step, place: RowPath): string[] =>
  observations.rows.filter((row) => row.place === place).map(({ key }) => key);

/** Columns that a place's entries hold themselves. */
function shownColumns(steps: readonly Step[], place: RowPath): Set<string> {
  const rows = steps.flatMap(({ observations }) => observations.rows.filter((row) => row.place === place));
  return new Set(rows.flatMap(({ columns }) => Object.keys(columns)));
}

/** The values that a column has in the rows of each list, where rows of which it is known agree. */
function impliedBy(expr: Expr, name: string, steps: readonly Step[], place: RowPath): ReadonlyMap<Call, Json> {
  const out = new Map<Call, Json>();
  const agreed = new Map<string, number>();
  for (const step of steps) {
    if (expr.op === "arg" && !present(step.call.args, expr.path)) continue;
    const value = evaluate(expr, { args: step.call.args, facts: step.after });
    if (value === UNKNOWN || !isScalar(value)) continue;
    out.set(step.call, value);
    for (const key of keysAt(step, place)) {
      const known = getOwn(step.after.tables.get(place.table)?.rows.get(key) ?? {}, name);
      if (known === undefined || known === UNKNOWN) continue;
      if (!same(known, value)) return new Map();
      agreed.set(canon(value), (agreed.get(canon(value)) ?? 0) + 1);
    }
  }
  const rows = [...agreed.values()].reduce((sum, n) => sum + n, 0);
  return agreed.size > 1 && rows >= AGREED ? out : new Map();
}
