import type { z } from "zod";
import { AppError, type FieldError } from "./errors.ts";

const MOST = 50;
const NAME_CHARS = 100;

/** The 400 for an input that its schema refuses: each wrong field by its path. Values of the input never stand in it. */
export function invalidInput(error: z.ZodError): AppError {
  return new AppError("bad_request", "The request does not fit what this operation takes; see fields.", {
    fields: error.issues.flatMap(fieldErrors).slice(0, MOST),
  });
}

function fieldErrors(issue: z.core.$ZodIssue): FieldError[] {
  if (issue.code !== "unrecognized_keys") return [{ path: dotted(issue.path), message: issue.message }];
  return issue.keys.map((key) => ({ path: dotted([...issue.path, key]), message: "unknown field" }));
}

/** Names in a path may be the caller's own: each is cut. */
function dotted(path: readonly PropertyKey[]): string {
  return path.map((name) => String(name).slice(0, NAME_CHARS)).join(".");
}
