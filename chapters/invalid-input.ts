import type { z } from "zod";
import { AppError, type FieldError } from "./errors.ts";
import { didYouMean } from "./suggest.ts";

const MOST = 50;
const NAME_CHARS = 100;
/** How many fields are named beside one that there is not. */
const NAMED = 12;

/** The fields that there are, and where the value of a missing one is found, as far as somebody knows. */
export interface InputGuide {
  /** The names of the fields at a path; undefined where any name is taken. */
  readonly known: (path: readonly PropertyKey[]) => readonly string[] | undefined;
  /** What a missing field is and which tool tells it, as the end of a sentence; empty when nobody knows. */
  readonly missing: (path: readonly PropertyKey[]) => string;
}

/**
 * The 400 for an input that its schema refuses: each wrong field by its path, what a missing one is, and the nearest
 * known name for one that there is not. Values of the input never stand in it.
 */
export function invalidInput(error: z.ZodError, guide?: InputGuide): AppError {
  return new AppError("bad_request", "The request does not fit what this operation takes; see fields.", {
    fields: error.issues.flatMap((issue) => fieldErrors(issue, guide)).slice(0, MOST),
  });
}

function fieldErrors(issue: z.core.$ZodIssue, guide: InputGuide | undefined): FieldError[] {
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => ({
      path: dotted([...issue.path, key]),
      message: `unknown field${nearest(key, guide?.known(issue.path))}`,
    }));
  const isMissing = issue.code === "invalid_type" && issue.message.endsWith("received undefined");
  const help = isMissing ? (guide?.missing(issue.path) ?? "") : "";
  return [{ path: dotted(issue.path), message: help === "" ? issue.message : `is missing: ${help}` }];
}

function nearest(key: string, known: readonly string[] | undefined): string {
  if (known === undefined) return "";
  if (known.length === 0) return "; it takes none";
  const near = didYouMean(key, known);
  if (near !== "") return `.${near}`;
  const more = known.length > NAMED ? ` and ${known.length - NAMED} more` : "";
  return `; there are: ${known.slice(0, NAMED).join(", ")}${more}`;
}

/** Names in a path may be the caller's own: each is cut. */
function dotted(path: readonly PropertyKey[]): string {
  return path.map((name) => String(name).slice(0, NAME_CHARS)).join(".");
}
