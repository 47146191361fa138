import type { ToolDefinition } from "../bundle.ts";

const READS =
  /^(get|list|search|find|read|fetch|lookup|look|show|query|describe|view|check|retrieve|load|count|calculate|compute|think|reason|is|has|can|who|what|which|where|estimate|preview|validate|verify|browse|inspect|status|summarize|open_nodes|ping|echo)(?![a-z])/;

/** Verbs after which what a name ends in says what is changed, not what is read. */
const WRITES =
  /^(add|append|apply|approve|archive|assign|book|cancel|change|clear|close|complete|create|delete|disable|edit|enable|insert|log|make|mark|modify|move|patch|post|put|remove|rename|replace|reset|resolve|restore|save|send|set|start|stop|submit|switch|toggle|unset|update|upsert|write)(?![a-z])/;

/** What a tool's name says of its effect, by its verb; a name that says nothing is a write, the careful reading. */
export function effectByName(tool: string): "read" | "write" {
  const last = tool.split(/[./:]/).at(-1) ?? tool;
  if (READS.test(last)) return "read";
  return !WRITES.test(last) && /_(details|info|status|list|search|history)$/i.test(last) ? "read" : "write";
}

/** Whether a tool's name begins with a verb that changes something. */
export const namedWriter = (tool: string): boolean => WRITES.test(tool.split(/[./:]/).at(-1) ?? tool);

/** What a listing declares of a tool's effect, where it does. */
export function declaredEffect(tool: ToolDefinition | undefined): "read" | "write" | undefined {
  const hint = tool?.annotations?.readOnlyHint;
  return hint === undefined ? undefined : hint ? "read" : "write";
}
