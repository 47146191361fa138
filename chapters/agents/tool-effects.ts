import type { Bundle } from "../../worlds/bundle.ts";
import { effectByName } from "../../worlds/compile/effects.ts";
import { keysByName, keysOfBehaviour } from "./row-keys.ts";
import type { ToolEffect } from "./write-paths.ts";

/** What is known of a tool, and whether its compiled behaviour says so or names alone. */
export type KnownTool = ToolEffect & { readonly told_by: "behaviour" | "names" };

/** What compiled behaviours say of each tool; by names of a tool that has none. Each tool is looked at once. */
export function toolEffects(behaviours: Bundle["behaviours"]): (tool: string) => KnownTool {
  const known = new Map<string, KnownTool>();
  return (tool) => {
    const found = known.get(tool) ?? told(tool, Object.hasOwn(behaviours, tool) ? behaviours[tool] : undefined);
    known.set(tool, found);
    return found;
  };
}

function told(tool: string, compiled: Bundle["behaviours"][string] | undefined): KnownTool {
  const keys = compiled && keysOfBehaviour(compiled.behaviour);
  const effect = compiled?.effect ?? effectByName(tool);
  return keys === undefined
    ? { effect, keys: keysByName(tool), told_by: "names" }
    : { effect, keys, told_by: "behaviour" };
}
