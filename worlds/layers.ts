import type { Heard } from "./history/course.ts";
import type { Answer } from "./history/table.ts";
import type { JsonObject } from "./json.ts";
import type { Source } from "./select/trust.ts";
import type { Layer, WorldAnswer } from "./world-api.ts";

/** What sessions heard to a question, as far as it is trusted. */
export interface Recalled {
  readonly source: Source;
  readonly answer: Answer;
  readonly confidence: number;
}

/** Answers of the world itself, which say nothing of what the system would have done. */
const NOT_OF_SYSTEM: ReadonlySet<string> = new Set(["error:not_served", "error:behaviour", "error:unknown_tool"]);

/** A call as a session heard it. */
export function heardIn(
  tool: string,
  args: JsonObject,
  { value, answerClass, isError }: Pick<WorldAnswer, "value" | "answerClass" | "isError">,
): Heard {
  const ok = !isError && (answerClass === "data" || answerClass === "empty");
  const unknown = NOT_OF_SYSTEM.has(answerClass);
  return { tool, args, value, ok, ...(unknown ? { unknown } : {}) };
}

/** The layer of a way to answer. */
export const layerOf = (source: Source): Layer =>
  source === "program" ? "program" : source === "exact" || source === "recorded" ? "history" : "floor";
