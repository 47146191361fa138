import { cut } from "../pages/words.ts";
import { type Ask, subjectGroup } from "./root-subject.ts";
import type { FoundTool, ReadTools } from "./root-tools.ts";

/**
 * Which operation gives or does what this assistant cannot: it reads, and with no more than scope read. `given` is what
 * the question says of what it takes.
 */
export function elsewhere(tool: FoundTool, given: Readonly<Record<string, string>> = {}): string[] {
  const { name, title, effect, scope, file } = tool;
  const does =
    effect !== "read"
      ? `${name} does that ("${title}"), with a token of scope ${scope}. This assistant only reads: call the tool itself.`
      : scope === "read"
        ? `${name} ("${title}") ${file ? "answers that as a file" : "tells that"}: call the tool itself.`
        : `${name} tells that, to a token of scope ${scope}; this assistant reads with scope read alone.`;
  return [does, ...about(tool, given)];
}

/** An operation that a text names: what it does and what it takes. */
export function operationNamed(tools: ReadTools, text: string): string[] {
  for (const word of text.match(/\b[a-z]+(?:_[a-z]+)+\b/g) ?? []) {
    const tool = tools.named(word);
    if (tool === undefined) continue;
    const effect = tool.effect === "read" ? "only reads" : "changes something";
    return [`${word}: ${tool.title} (scope ${tool.scope}, ${effect}).`, ...about(tool)];
  }
  return [];
}

/** A group to run again, by how it is said. */
const AGAIN = /\b(?:again|re-?run|repeat|once more)\b|\bre-?evaluate\b/i;

/** What a question gives of what an operation takes that changes something: its numbers, and the run group that it is about. */
export async function givenFor(tool: FoundTool, ask: Ask, text: string): Promise<Record<string, string>> {
  const [field] = ["gid", "group"].filter((name) => tool.required.includes(name));
  const again = tool.name === "start_run" && AGAIN.test(text) ? "group" : undefined;
  const into = tool.effect === "delete" || tool.effect === "read" ? undefined : (field ?? again);
  const of = into === undefined ? undefined : await subjectGroup(ask, text);
  return { ...(into === undefined || of === undefined ? {} : { [into]: of.group }), ...numbersFor(tool, text) };
}

/** Fields of money by the words for it; of the others by the words of their names. */
const MONEY = "(?:usd|dollars?|bucks)";

/** The numbers that a text gives for what an operation takes: "5 trials", "90 days", "20 dollars". */
function numbersFor({ takes }: FoundTool, text: string): Record<string, string> {
  const found = takes.flatMap((field) => {
    const units = field.split("_").filter((word) => word.length > 3 || word === "usd");
    const unit = units.map((word) => (word === "usd" ? MONEY : `${word.replace(/s$/, "")}s?`)).join("|");
    const said =
      units.length === 0 ? undefined : new RegExp(`\\b(\\d+(?:\\.\\d+)?) (?:${unit})\\b`, "i").exec(text)?.[1];
    return said === undefined ? [] : [[field, said]];
  });
  return Object.fromEntries(found);
}

/** What an operation says of itself, and what it takes as the command line is given it. */
function about(
  { name, description, required, takes }: FoundTool,
  given: Readonly<Record<string, string>> = {},
): string[] {
  const more = takes.filter((field) => !required.includes(field) && !(field in given));
  const filled = [...new Set([...required, ...Object.keys(given)])];
  const call = [
    [`svc call ${name}`, ...filled.map((field) => `${field}=${given[field] ?? "…"}`)].join(" "),
    ...(required.length === 0 ? [] : [`it needs ${required.join(", ")}`]),
    ...(more.length === 0 ? [] : [`it may be given ${cut(more.join(", "), 300)}`]),
  ];
  return [`- ${description}`, `- ${call.join("; ")}`];
}
