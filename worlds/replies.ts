import { answerClass, parseResult } from "./answers.ts";
import type { WorldError } from "./errors.ts";
import { deepFreeze, type Json } from "./json.ts";
import type { OnRecord } from "./memory/index.ts";
import type { PreparedTool } from "./prepared.ts";
import type { PreparedAnswer } from "./recorded.ts";
import type { RowChange } from "./state/journal.ts";
import type { WorldAnswer } from "./world-api.ts";

export const NO_CHANGES: readonly RowChange[] = Object.freeze([]);
const NOT_SERVED = "Error: not_served: this call cannot be answered from what is known of the system";

export const isErrorClass = (name: string): boolean => name.startsWith("error:") || name === "refused";

/** An answer of the world itself. */
export function refusal(name: string, text: string, servedBy: WorldAnswer["servedBy"]): WorldAnswer {
  return { text, value: text, isError: true, answerClass: `error:${name}`, servedBy, changes: NO_CHANGES };
}

/** What a call is answered that nothing is known of. */
export const gap = (changes: readonly RowChange[] = NO_CHANGES): WorldAnswer => ({
  ...refusal("not_served", NOT_SERVED, "gap"),
  changes,
});

/** A behaviour that cannot be evaluated answers nothing about the system, except that a row is there already. */
export function fault(error: WorldError): WorldAnswer {
  if (error.code === "conflict") return refusal("conflict", `Error: ${error.message}`, "behaviour");
  return refusal("behaviour", `Error: this call cannot be answered: ${error.message}`, "gap");
}

/** A behaviour's answer. */
export function success(tool: PreparedTool, bare: Json, changes: readonly RowChange[]): WorldAnswer {
  const value = tool.renderer.wrap(bare);
  const text = changedText(tool, bare, changes) ?? tool.renderer.text(value, changes.length === 0);
  return { text, value, isError: false, answerClass: classOf(bare, text, false), servedBy: "behaviour", changes };
}

/** The text of an answer that is a row which the call changed. */
function changedText({ renderer }: PreparedTool, bare: Json, changes: readonly RowChange[]): string | undefined {
  for (const { before, after } of changes)
    if (after !== undefined && after === bare && before !== undefined) return renderer.changedText({ before, after });
  return undefined;
}

/** A behaviour's refusal. */
export function failure(tool: PreparedTool, text: string, changes: readonly RowChange[]): WorldAnswer {
  const { value } = parseResult(text);
  return {
    text,
    value,
    isError: tool.errorFlag,
    answerClass: classOf(value, text, true),
    servedBy: "behaviour",
    changes,
  };
}

/** A recorded answer over a behaviour. */
export function fromRecord(
  tool: PreparedTool,
  { recorded, answer }: PreparedAnswer,
  changes: readonly RowChange[],
): WorldAnswer {
  return {
    text: tool.renderer.text(answer, true),
    value: answer,
    isError: recorded.is_error,
    answerClass: recorded.answer_class,
    servedBy: "recorded",
    changes,
  };
}

/** What other sessions were answered, under this session's ids. */
export function fromMemory(
  tool: PreparedTool,
  { isError, answerClass }: OnRecord,
  value: Json,
  changes: readonly RowChange[],
): WorldAnswer {
  const frozen = deepFreeze(value);
  const text = tool.renderer.text(frozen, false);
  return { text, value: frozen, isError, answerClass, servedBy: "recorded", changes };
}

/** Whether a behaviour's value is a refusal in its own words. */
export const refuses = (value: Json): boolean =>
  isErrorClass(classOf(value, typeof value === "string" ? value : "", false));

function classOf(value: Json, text: string, isError: boolean): string {
  if (value === null && !isError) return "empty";
  const parsed = {
    value,
    form: "json",
    blocks: false,
    indent: 0,
    spaced: false,
    ascii: false,
    flagged: false,
  } as const;
  return answerClass(typeof value === "string" ? parseResult(text) : parsed, isError);
}
