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

/** What a system answers to calls of tools that it does not list: the name stands as `{tool}`. */
export interface Unlisted {
  readonly text: string;
  readonly is_error: boolean;
}

/** Calls of unlisted names that have to be answered alike, where no other one is answered otherwise. */
const ALIKE = 2;

/** Whether all calls of a name end in one text that says the name. */
function saysName(name: string, calls: readonly Call[]): Unlisted | undefined {
  const texts = new Set(calls.map(({ parsed, value }) => parsed.text ?? (typeof value === "string" ? value : "")));
  const [text = ""] = texts;
  const hole = holed(text, name, "{tool}");
  if (texts.size !== 1 || hole === text || calls.some(({ ok }) => ok !== calls[0]?.ok)) return undefined;
  return { text: hole, is_error: calls[0]?.ok === false };
}

/** A text with a hole wherever a name stands alone: within a longer name it is another one. */
export function holed(text: string, name: string, hole: string): string {
  let out = "";
  let from = 0;
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + name.length)) {
    const end = at + name.length;
    if (/[\w.-]/.test(text[at - 1] ?? " ") || /^(?:[\w-]|\.\w)/.test(text.slice(end))) continue;
    out += `${text.slice(from, at)}${hole}`;
    from = end;
  }
  return out + text.slice(from);
}

/**
 * The tools of the user's side: those that the user was seen to call and the agent was not. What only refused the agent
 * does not make a tool the agent's, unless a listing offers it.
 */
export function usersTools(
  tools: readonly ToolDefinition[] | undefined,
  byTool: ReadonlyMap<string, readonly Call[]>,
): Set<string> {
  const offered = new Set(tools?.map(({ name }) => name));
  const theirs = [...byTool].filter(
    ([name, calls]) =>
      calls.some(({ by }) => by === "user") && !calls.some(({ by, ok }) => by !== "user" && (ok || offered.has(name))),
  );
  return new Set(theirs.map(([name]) => name));
}

/**
 * How calls of tools that a listing does not hold are answered, where several such names are answered alike; undefined
 * where nothing shows it, and where the answer lists tools: another session may have been given others.
 */
export function unlistedAnswer(
  tools: readonly ToolDefinition[] | undefined,
  byTool: ReadonlyMap<string, readonly Call[]>,
): Unlisted | undefined {
  const answer = absentAnswer(tools, byTool);
  return answer && tools?.some(({ name }) => holed(answer.text, name, "{tool}") !== answer.text) ? undefined : answer;
}

function absentAnswer(
  tools: readonly ToolDefinition[] | undefined,
  byTool: ReadonlyMap<string, readonly Call[]>,
): Unlisted | undefined {
  if (tools === undefined) return undefined;
  const named = new Set([...tools.map((tool) => tool.name), ...usersTools(tools, byTool)]);
  const seen = [...byTool].filter(([name]) => !named.has(name));
  const answers = seen.map(([name, calls]) => saysName(name, calls));
  const [first] = answers;
  const alike = answers.every((of) => of?.text === first?.text && of?.is_error === first?.is_error);
  return alike && seen.reduce((sum, [, calls]) => sum + calls.length, 0) >= ALIKE ? first : undefined;
}

/**
 * All tools of a service, the user's own among them: the given listing in its order, and, for tools that only calls show,
 * what their arguments tell, by name.
 */
export function manifest(
  tools: readonly ToolDefinition[] | undefined,
  byTool: ReadonlyMap<string, readonly Call[]>,
): ToolDefinition[] {
  const given = tools ?? [];
  const named = new Set(given.map((tool) => tool.name));
  const absent = absentAnswer(tools, byTool)?.text;
  const called = [...byTool].filter(
    ([name, calls]) =>
      !named.has(name) &&
      calls.some((call) => call.ok || tools === undefined) &&
      (absent === undefined || saysName(name, calls)?.text !== absent),
  );
  return [...given, ...called.map(([name, calls]) => inferred(name, calls))];
}
