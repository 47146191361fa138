import { cut } from "../pages/words.ts";
import type { FoundTool, ReadTools } from "./root-tools.ts";

/** Which operation gives or does what this assistant cannot: it reads, and with no more than scope read. */
export function elsewhere(tool: FoundTool): string[] {
  const { name, title, effect, scope, file } = tool;
  const does =
    effect !== "read"
      ? `${name} does that ("${title}"), with a token of scope ${scope}. This assistant only reads: call the tool itself.`
      : scope === "read"
        ? `${name} ("${title}") ${file ? "answers that as a file" : "tells that"}: call the tool itself.`
        : `${name} tells that, to a token of scope ${scope}; this assistant reads with scope read alone.`;
  return [does, ...about(tool)];
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

/** What an operation says of itself, and what it takes as the command line is given it. */
function about({ name, description, required, takes }: FoundTool): string[] {
  const more = takes.filter((field) => !required.includes(field));
  const call = [
    [`svc call ${name}`, ...required.map((field) => `${field}=…`)].join(" "),
    ...(required.length === 0 ? [] : [`it needs ${required.join(", ")}`]),
    ...(more.length === 0 ? [] : [`it may be given ${cut(more.join(", "), 300)}`]),
  ];
  return [`- ${description}`, `- ${call.join("; ")}`];
}
