/** Every refusal the service can give, in one table: a stable code and its HTTP status. */
export const ERROR_STATUS = {
  bad_request: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  not_covered: 409,
  too_large: 413,
  unprocessable: 422,
  rate_limited: 429,
  internal: 500,
  unavailable: 503,
} as const;

/** What kind of refusal it is; each has one HTTP status. */
export type ErrorCode = keyof typeof ERROR_STATUS;

/** One field of an input that was refused: a dotted path and what is wrong with it. */
export interface FieldError {
  readonly path: string;
  readonly message: string;
}

/** What a refusal tells beside its sentence. */
export interface ErrorDetails {
  /** Which fields were refused (400). */
  readonly fields?: readonly FieldError[];
  /** Seconds to wait before trying again (429, 503). */
  readonly retryAfter?: number;
  /** Names taken from input. They reach the caller quoted and capped, never inside `reason`. */
  readonly names?: readonly string[];
  /** The scope that a credential lacks (403). */
  readonly scope?: "read" | "push" | "admin";
  /** What kind of thing there is none of (404): the tool that tells them can be named. Not sent by itself. */
  readonly missing?: string;
  /** The tool that does or tells what is missing, so that the caller is led on. Not sent by itself. */
  readonly by?: string;
}

/**
 * The one error that reaches a caller as it is. `reason` is a sentence a person can act on and holds no text
 * taken from input or evidence: errors are read by models. Anything else thrown becomes `internal`.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly reason: string;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, reason: string, details: ErrorDetails = {}) {
    super(`${code}: ${reason}`);
    this.name = "AppError";
    this.code = code;
    this.reason = reason;
    this.details = details;
  }
}

const refusal = (code: ErrorCode) => (reason: string, details?: ErrorDetails) => new AppError(code, reason, details);

export const badRequest = refusal("bad_request");
export const unauthenticated = refusal("unauthenticated");
export const forbidden = refusal("forbidden");
export const conflict = refusal("conflict");
export const tooLarge = refusal("too_large");
export const unprocessable = refusal("unprocessable");
export const unavailable = refusal("unavailable");

/** The answer for an unknown id and for another org's id: the same words, whatever the id was. */
export function notFound(what: string): AppError {
  return new AppError("not_found", `No such ${what}.`, { missing: what });
}

/** What was looked for. Throws the 404 of `what` where there is none. */
export function orNotFound<T>(found: T | undefined, what: string): T {
  if (found === undefined) throw notFound(what);
  return found;
}

/** A 400 that names the one field that is wrong, as a dotted path. */
export function badField(path: string, message: string): AppError {
  return new AppError("bad_request", "The request has a field that cannot be used; see fields.", {
    fields: [{ path, message }],
  });
}
