import type { ToolDefinition } from "../bundle.ts";
import { effectByName } from "./effects.ts";
import type { Call } from "./observations.ts";
import { byText } from "./values.ts";

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "number" && Number.isInteger(value) ? "integer" : typeof value;
}

function inferred(name: string, calls: readonly Call[]): ToolDefinition {
  const types = new Map<string, Set<string>>();
  const carried = new Map<string, number>();
  for (const call of calls)
    for (const [arg, value] of Object.entries(call.args)) {
      types.set(arg, (types.get(arg) ?? new Set()).add(typeOf(value)));
      carried.set(arg, (carried.get(arg) ?? 0) + 1);
    }
  const properties = Object.fromEntries(
    [...types]
      .sort(([a], [b]) => byText(a, b))
      .map(([arg, seen]) => {
        if (seen.has("number")) seen.delete("integer");
        const list = [...seen].sort(byText);
        return [arg, { type: list.length === 1 ? list[0] : list }];
      }),
  );
  const required = [...carried]
    .filter(([, n]) => n === calls.length)
    .map(([arg]) => arg)
    .sort(byText);
  return {
    name,
    inputSchema: { type: "object", properties, required },
    annotations: { readOnlyHint: effectByName(name) === "read" },
  };
}

/** The manifest: the given listing in its order, and, for tools that only calls show, what their arguments tell, by name. */
export function manifest(
  tools: readonly ToolDefinition[] | undefined,
  byTool: ReadonlyMap<string, readonly Call[]>,
): ToolDefinition[] {
  const given = tools ?? [];
  const named = new Set(given.map((tool) => tool.name));
  const called = [...byTool].filter(
    ([name, calls]) => !named.has(name) && calls.some((call) => call.ok || tools === undefined),
  );
  return [...given, ...called.map(([name, calls]) => inferred(name, calls))];
}
