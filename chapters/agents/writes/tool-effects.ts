import type { Bundle } from "../../../worlds/bundle.ts";
import { effectByName } from "../../../worlds/compile/effects.ts";
import { mayChange } from "../../../worlds/shown-effects.ts";
import { keysByName, keysOfBehaviour } from "./row-keys.ts";
import type { ToolEffect } from "./write-paths.ts";

/** What is known of a tool, and whether its compiled behaviour says so or names alone. */
export type KnownTool = ToolEffect & { readonly told_by: "behaviour" | "names" };

/** What a bundle says of each tool; by names of a tool of which nothing is known, or without one. Each tool is looked at once. */
export function toolEffects(bundle: Bundle | undefined): (tool: string) => KnownTool {
  const known = new Map<string, KnownTool>();
  return (tool) => {
    const found = known.get(tool) ?? told(tool, bundle);
    known.set(tool, found);
    return found;
  };
}

function told(tool: string, bundle: Bundle | undefined): KnownTool {
  const compiled = bundle && Object.hasOwn(bundle.behaviours, tool) ? bundle.behaviours[tool] : undefined;
  const keys = compiled && keysOfBehaviour(compiled.behaviour);
  const effect = (bundle ? mayChange(bundle, tool) : effectByName(tool) === "write") ? "write" : "read";
  return keys === undefined
    ? { effect, keys: keysByName(tool), told_by: "names" }
    : { effect, keys, told_by: "behaviour" };
}
