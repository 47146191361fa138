import type { ToolDefinition } from "../bundle.ts";
import { canonicalJson } from "../digest.ts";
import { effectsOf } from "../floor/effects.ts";
import { declaredEffect, effectByName, namedWriter } from "./effects.ts";
import type { Session } from "./observations.ts";

/** Words before the verb of a description: "This tool gets …", "Allows you to list …", "Use this to find …". */
const BEFORE =
  /^(?:(?:this|the|a|an|use|used|it|to|you|user|users|can|will|allows?|lets?|for|tool|function|method|endpoint|api|operation)\s+)+/;

/**
 * A listing in which tools that their own description, or what was asked again around their calls, tells to be readings
 * are declared so. A tool whose name has a verb of changing, or that evidence shows to change an answer, is none.
 * Names such as `invoice` or `balance` say nothing, and taken for writes they leave no session a known state.
 */
export function toldReadings(sessions: readonly Session[], tools: readonly ToolDefinition[]): ToolDefinition[] {
  const silent = (tool: ToolDefinition) =>
    declaredEffect(tool) === undefined && effectByName(tool.name) === "write" && !namedWriter(tool.name);
  if (!tools.some(silent)) return [...tools];
  const described = new Map(tools.map((tool) => [tool.name, effectByDescription(tool.description)]));
  const byWords = new Set(
    tools
      .filter((tool) => effectByName(tool.name) === "read" || (silent(tool) && described.get(tool.name) === "read"))
      .map(({ name }) => name),
  );
  const answers = sessions.map(({ calls }) => calls.map(({ ok, value }) => `${ok}\n${canonicalJson(value)}`));
  const seen = effectsOf(
    sessions,
    (s, c) => answers[s]?.[c] ?? "",
    (tool) => byWords.has(tool),
  );
  return tools.map((tool) => {
    const { name } = tool;
    const said = described.get(name) !== undefined || beginsAlike(tool);
    const reads = byWords.has(name) || (!said && seen.pure(name));
    if (!silent(tool) || !reads || seen.changes(name)) return tool;
    return { ...tool, annotations: { ...tool.annotations, readOnlyHint: true } };
  });
}

/** Whether name and description begin with one word ("finish_task: Finish a task."): an act that no list of verbs holds. */
function beginsAlike({ name, description = "" }: ToolDefinition): boolean {
  const last = name.split(/[./:]/).at(-1) ?? name;
  const first = /^[a-z]+|^[A-Z][a-z]*/.exec(last)?.[0].toLowerCase() ?? "";
  return first !== "" && first !== last.toLowerCase() && sentencesOf(description).some((one) => one.startsWith(first));
}

/** The sentences of a description from their verb on, in lower case. */
const sentencesOf = (description = ""): string[] =>
  description.split(/[.:;!?]\s+|\n/).map((sentence) => sentence.trim().toLowerCase().replace(BEFORE, ""));

/** What the verb of the first sentence that begins with one says; undefined where none does. */
function effectByDescription(description: string | undefined): "read" | "write" | undefined {
  for (const words of sentencesOf(description)) {
    const verb = /^[a-z]+/.exec(words)?.[0] ?? "";
    for (const form of [verb, verb.replace(/s$/, ""), verb.replace(/es$/, ""), verb.replace(/ies$/, "y")]) {
      if (form === "return" || form === "tell" || form === "give" || effectByName(form) === "read") return "read";
      if (namedWriter(form)) return "write";
    }
  }
  return undefined;
}
