import type { ToolDefinition } from "../../bundle.ts";
import type { JsonObject } from "../../json.ts";
import { declaredEffect, effectByName } from "../effects.ts";
import type { Reader } from "../history.ts";
import type { Call, Session } from "../observations.ts";
import { same } from "../values.ts";

/** Tools whose calls change state: by a row that their answer shows changed, else by the listing's hint, else by their verb. */
export function findWriters(
  sessions: readonly Session[],
  reader: Reader,
  byTool: ReadonlyMap<string, readonly Call[]>,
  tools: ReadonlyMap<string, ToolDefinition>,
): Set<string> {
  const changed = new Map<string, number>();
  for (const session of sessions) {
    const seen = new Map<string, JsonObject>();
    for (const call of session.calls)
      for (const { table, key, row } of reader.rows(call)) {
        const id = `${table}\n${key}`;
        const before = seen.get(id);
        const differs =
          before &&
          Object.keys(row).some((column) => Object.hasOwn(before, column) && !same(before[column], row[column]));
        if (differs && effectByName(call.tool) === "write") changed.set(call.tool, (changed.get(call.tool) ?? 0) + 1);
        seen.set(id, { ...before, ...row });
      }
  }
  const out = new Set<string>();
  for (const [tool, calls] of byTool) {
    const declared = declaredEffect(tools.get(tool));
    const wrote = (changed.get(tool) ?? 0) > 0;
    if (
      wrote ||
      declared === "write" ||
      (declared === undefined && effectByName(tool) === "write" && calls.some((call) => call.ok))
    )
      out.add(tool);
  }
  return out;
}
