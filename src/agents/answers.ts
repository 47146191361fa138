import type { AgentAnswer } from "../../chapters/ports/launcher.ts";
import { AnswerClass } from "../../worlds/tasks/schema.ts";

const CLASSES: ReadonlySet<string> = new Set(AnswerClass.options);

/** An answer object of the trial contract: `{"answer": text, "class"?: …}`. Undefined when it has another form. */
export function readAnswer(value: unknown): AgentAnswer | undefined {
  if (typeof value !== "object" || value === null || !("answer" in value)) return undefined;
  const { answer } = value;
  if (typeof answer !== "string") return undefined;
  const named = "class" in value && typeof value.class === "string" ? value.class : undefined;
  return named !== undefined && CLASSES.has(named) ? { text: answer, class: named } : { text: answer };
}

/** The same from one line of JSON. */
export function readAnswerLine(line: string): AgentAnswer | undefined {
  try {
    return readAnswer(JSON.parse(line));
  } catch {
    return undefined;
  }
}

/** The last part of a text, in UTF-16 units. */
export function tail(text: string, length: number): string {
  return text.length <= length ? text : `…${text.slice(-length)}`;
}
