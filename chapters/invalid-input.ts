import type { z } from "zod";
import { type AppError, badRequest, type FieldError } from "./errors.ts";

const MOST = 50;
const NAME_CHARS = 100;

/** The fields that there are, and where the value of a missing one is found, as far as somebody knows. */
export interface InputGuide {
  /** The nearest fields at a path to one that there is not, as the end of a sentence; empty when nobody knows. */
  readonly nearest: (path: readonly PropertyKey[], field: string) => string;
  /** What a field is and which tool tells it, as the end of a sentence; empty when nobody knows. */
  readonly field: (path: readonly PropertyKey[]) => string;
}

/**
 * The 400 for an input that its schema refuses: each wrong field by its path, what it is, and the nearest
 * known name for one that there is not. Values of the input never stand in it.
 */
export function invalidInput(error: z.ZodError, guide?: InputGuide): AppError {
  return badRequest("The request does not fit what this operation takes; see fields.", {
    fields: error.issues.flatMap((issue) => fieldErrors(issue, guide)).slice(0, MOST),
  });
}

function fieldErrors(issue: z.core.$ZodIssue, guide: InputGuide | undefined): FieldError[] {
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => ({
      path: dotted([...issue.path, key]),
      message: `unknown field${guide?.nearest(issue.path, key) ?? ""}`,
    }));
  const path = dotted(issue.path);
  const help = issue.code === "invalid_type" ? (guide?.field(issue.path) ?? "") : "";
  if (help === "") return [{ path, message: issue.message }];
  const isMissing = issue.message.endsWith("received undefined");
  return [{ path, message: isMissing ? `is missing: ${help}` : `${issue.message}: ${help}` }];
}

/** Names in a path may be the caller's own: each is cut. */
function dotted(path: readonly PropertyKey[]): string {
  return path.map((name) => String(name).slice(0, NAME_CHARS)).join(".");
}
