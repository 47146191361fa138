import pino from "pino";
import type { Log } from "../chapters/context.ts";
import type { Config } from "./config.ts";

const TOKEN = /svc_(op|org|world|door|share|invite|session)_[\w-]{8,}/g;

/** Credentials of others by their own form: in an address, in an Authorization header, of the tools this service speaks to. */
const FOREIGN: readonly (readonly [RegExp, string])[] = [
  [/([a-z][a-z0-9+.-]*:\/\/)[^\s/@"']+@/gi, "$1[redacted]@"],
  [/\b(bearer|basic) +[\w.~+/=-]{8,}/gi, "$1 [redacted]"],
  [/\b(xox[a-z]|xapp|gh[pousr]|github_pat|glpat|sk|pk)[-_][\w-]{10,}/g, "$1_[redacted]"],
];

/** The log: JSON lines on standard error. Anything that looks like a credential is cut to its kind, wherever it stands. */
export function createLog(level: Config["logLevel"]): Log {
  const destination = pino.destination({ dest: 2, sync: true });
  const redacting = { write: (line: string) => destination.write(redact(line)) };
  return pino({ level, base: null, serializers: { err: errorFields } }, redacting);
}

/** A text with every credential of a known form replaced by its kind. */
export function redact(text: string): string {
  return FOREIGN.reduce((line, [form, kind]) => line.replace(form, kind), text.replace(TOKEN, "svc_$1_[redacted]"));
}

/** How many causes of an error are told. */
const CAUSES = 5;

/**
 * What the log tells of an error: its kind, words, place, code, and its causes. Nothing else that hangs on it: clients
 * hang the request there, with its headers, and databases the row.
 */
export function errorFields(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  const { name, message, stack, cause } = error;
  const code = (error as { readonly code?: unknown }).code;
  return {
    type: error.constructor.name || name,
    message,
    stack,
    ...(typeof code === "string" || typeof code === "number" ? { code } : {}),
    ...(cause === undefined || depth === CAUSES ? {} : { cause: errorFields(cause, depth + 1) }),
  };
}
