import type { ToolDefinition } from "../bundle.ts";
import { canonicalJson } from "../digest.ts";
import { effectsOf } from "../floor/effects.ts";
import type { Json } from "../json.ts";
import { declaredEffect, effectByName, namedWriter } from "./effects.ts";
import type { Call, Session } from "./observations.ts";

/** Words before the verb of a description: "This tool gets …", "Allows you to list …", "Use this to find …". */
const BEFORE =
  /^(?:(?:this|the|a|an|use|used|it|to|you|user|users|can|will|allows?|lets?|for|tool|function|method|endpoint|api|operation)\s+)+/;

/**
 * A listing in which tools that their own description, or what was asked again around their calls, tells to be readings
 * are declared so. A tool whose name has a verb of changing, or that evidence shows to change an answer, is none; nor is one
 * that no answer about the same thing was read around: an act leaves what is said of other rows as it was.
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
  const stays = staysAround(sessions, answers);
  const told = tools.map((tool) => {
    const { name } = tool;
    const said = described.get(name) !== undefined || beginsAlike(tool);
    const reads = byWords.has(name) || (!said && seen.pure(name) && (stays.get(name) ?? 0) >= LEAST);
    if (!silent(tool) || !reads || seen.changes(name)) return tool;
    return { ...tool, annotations: { ...tool.annotations, readOnlyHint: true } };
  });
  // Where nothing that was called may change anything, there is nothing to tell readings from.
  const called = new Set(sessions.flatMap(({ calls }) => calls.map(({ tool }) => tool)));
  const mayWrite = (tool: ToolDefinition) => called.has(tool.name) && effectOf(tool) === "write";
  return told.some(mayWrite) ? told : [...tools];
}

/** What a listed tool does, as it is declared or else named. */
const effectOf = (tool: ToolDefinition) => declaredEffect(tool) ?? effectByName(tool.name);

/** So many answers that stayed tell a reading, as for effects of the floor. */
const LEAST = 3;

/**
 * How often what was asked again about the thing that a call of each tool was given was answered as before, or the same call
 * with more than an acknowledgement: an act that is repeated may say "done" twice.
 */
function staysAround(
  sessions: readonly Session[],
  answers: readonly (readonly string[])[],
): ReadonlyMap<string, number> {
  const stays = new Map<string, number>();
  sessions.forEach(({ calls }, s) => {
    const last = new Map<string, number>();
    calls.forEach((call, j) => {
      const question = `${call.tool}\n${canonicalJson(call.args)}`;
      const i = last.get(question);
      last.set(question, j);
      if (i === undefined || answers[s]?.[i] !== answers[s]?.[j]) return;
      const about = new Set([...scalars(call.args), ...scalars(call.value)]);
      const between = calls
        .slice(i + 1, j)
        .filter((one) => one.ok && scalars(one.args).some((value) => about.has(value)));
      const names = new Set([...between.map(({ tool }) => tool), ...(shows(call) ? [call.tool] : [])]);
      for (const name of names) stays.set(name, (stays.get(name) ?? 0) + 1);
    });
  });
  return stays;
}

/** Texts and numbers of a value. */
function scalars(value: Json): (string | number)[] {
  if (typeof value === "string" || typeof value === "number") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(scalars) : [];
}

/** Whether an answer holds fields with more than what the call was given. */
function shows({ ok, args, value }: Call): boolean {
  const given = new Set(scalars(args));
  return ok && typeof value === "object" && scalars(value).some((one) => !given.has(one));
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
