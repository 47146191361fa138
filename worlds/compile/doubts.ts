import type { Step } from "../behaviour/schema.ts";
import type { FittedTool } from "./fit-tool.ts";
import type { History } from "./history.ts";
import type { Call } from "./observations.ts";
import { literal } from "./term.ts";
import { UNKNOWN } from "./unknown.ts";
import { byText } from "./values.ts";

const RELATED = /rows\("(\w+)"\)\.filter\(w, [^()]*\)\.map\(w, \(has\(w\.(\w+)\)/g;

/**
 * Behaviours of writes that name a row by its key and are not known to leave it as it is, where refusals of others look
 * at a column of such rows: what that column is after such a call is unknown.
 */
export function withDoubts(
  candidates: ReadonlyMap<string, readonly FittedTool[]>,
  { entities, writers }: History,
  byTool: ReadonlyMap<string, readonly Call[]>,
): Map<string, readonly FittedTool[]> {
  const looked = new Map<string, Set<string>>();
  for (const [fitted] of candidates.values())
    for (const [, table, column] of JSON.stringify(fitted?.behaviour.steps ?? [])
      .replaceAll('\\"', '"')
      .matchAll(RELATED))
      looked.set(table as string, (looked.get(table as string) ?? new Set()).add(column as string));
  if (looked.size === 0) return new Map(candidates);
  return new Map(
    [...candidates].map(([tool, list]) => {
      if (!writers.has(tool)) return [tool, list];
      const args = new Set(byTool.get(tool)?.flatMap((call) => Object.keys(call.args)));
      return [tool, list.map((fitted) => (isKnown(fitted) ? doubting(fitted, tool, args, looked, entities) : fitted))];
    }),
  );
}

const isKnown = ({ behaviour }: FittedTool): boolean => behaviour.steps.every(({ op }) => op !== "recorded");

function doubting(
  fitted: FittedTool,
  tool: string,
  args: ReadonlySet<string>,
  looked: ReadonlyMap<string, ReadonlySet<string>>,
  entities: History["entities"],
): FittedTool {
  const { steps } = fitted.behaviour;
  const ahead = [...looked]
    .sort(([a], [b]) => byText(a, b))
    .flatMap(([table, columns]): Step[] => {
      const key = entities.get(table)?.key ?? [];
      const [column] = key;
      const shows = entities.get(table)?.placed.some(({ source }) => source.tool === tool);
      if (column === undefined || key.length > 1 || shows || !args.has(column)) return [];
      if (steps.some((step) => "table" in step && step.op !== "read" && step.op !== "list" && step.table === table))
        return [];
      const set = [...columns].sort(byText).map((path) => ({ path, op: "=" as const, expr: UNKNOWN }));
      const each = { name: `its_${table}`, in: `[lookup(${literal(table)}, args.${column})].filter(r, r != null)` };
      return [{ op: "update", table, key: [{ column }], set, require: [], each }];
    });
  if (ahead.length === 0) return fitted;
  const at = steps.findLastIndex(({ op }) => op === "let" || op === "refuse") + 1;
  return {
    ...fitted,
    behaviour: { ...fitted.behaviour, steps: [...steps.slice(0, at), ...ahead, ...steps.slice(at)] },
  };
}
