import { mode, unusedName } from "../values.ts";
import type { Source } from "./entities.ts";

const VERBS =
  /^(get|list|search|find|read|fetch|lookup|show|query|describe|view|create|update|delete|add|remove|set|book|cancel|modify|open|close|check|retrieve|load)$/;
const NOISE = /^(details?|info|information|all|by|with|for|of|the|data|record|status|from|to|and|id|name)$/;

function words(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
}

function plural(noun: string): string {
  if (/(s|x|ch|sh)$/.test(noun)) return noun.endsWith("s") ? noun : `${noun}es`;
  return /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}

function toolNoun(tool: string): string | undefined {
  const all = words(tool);
  const by = all.indexOf("by");
  const nouns = (by > 0 ? all.slice(0, by) : all).filter((word) => !VERBS.test(word) && !NOISE.test(word));
  return nouns.at(-1);
}

/** A table's name: the noun of its key column, else of the tools that show its rows; a legal name, not in `taken`. */
export function tableName(key: readonly string[], sources: readonly Source[], taken: ReadonlySet<string>): string {
  const stem = words(key[0] ?? "").filter(
    (word) => !/^(id|number|no|code|key|uuid|ref|reference|slug|name|email)$/.test(word),
  );
  const counts = new Map<string, number>();
  for (const source of sources) {
    const noun = toolNoun(source.tool);
    if (noun) counts.set(noun.replace(/s$/, ""), (counts.get(noun.replace(/s$/, "")) ?? 0) + source.instances.length);
  }
  const noun = stem.length > 0 ? stem.join("_") : (mode(counts) ?? "row");
  const base = plural(/^[a-z_]/.test(noun) ? noun : `t_${noun}`);
  return unusedName(base, taken);
}
