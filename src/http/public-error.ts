import { AppError, ERROR_STATUS, unavailable } from "../../chapters/errors.ts";

/** A refusal as a caller sees it, with its HTTP status and headers. */
export interface PublicError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: {
    readonly error: string;
    readonly reason: string;
    readonly fields?: readonly { readonly path: string; readonly message: string }[];
    readonly retry_after?: number;
    readonly details?: { readonly names: readonly string[] };
    readonly request?: string;
  };
}

const MAX_NAMES = 20;
const MAX_NAME = 100;

/**
 * What a caller may learn of an error. An AppError as it is; anything else is `internal` with the request's id, by
 * which the log holds the cause: no message, stack or path of ours leaves the process.
 */
export function publicError(error: unknown, requestId: string): PublicError {
  const full = DISK_FULL.has((Object(error) as { code?: unknown }).code);
  if (full) return publicError(diskFull(), requestId);
  if (!(error instanceof AppError)) {
    const reason = "Something failed in the service. The log holds the cause under this request id.";
    return { status: 500, headers: {}, body: { error: "internal", reason, request: requestId } };
  }
  const { code, reason, details } = error;
  return {
    status: ERROR_STATUS[code],
    headers: headersOf(error),
    body: {
      error: code,
      reason,
      ...(details.fields === undefined ? {} : { fields: details.fields }),
      ...(details.retryAfter === undefined ? {} : { retry_after: details.retryAfter }),
      ...(details.names === undefined ? {} : { details: { names: details.names.slice(0, MAX_NAMES).map(quote) } }),
    },
  };
}

const CHALLENGE = 'Bearer realm="proving-ground"';

function headersOf({ code, details }: AppError): Record<string, string> {
  const headers: Record<string, string> = {};
  if (details.retryAfter !== undefined) headers["retry-after"] = String(Math.ceil(details.retryAfter));
  if (code === "unauthenticated") headers["www-authenticate"] = CHALLENGE;
  if (details.scope !== undefined)
    headers["www-authenticate"] = `${CHALLENGE}, error="insufficient_scope", scope="${details.scope}"`;
  return headers;
}

/** What the system and SQLite say where there is no room left. */
const DISK_FULL: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT", "SQLITE_FULL"]);

function diskFull(): AppError {
  const reason = "The service's disk is full, and nothing of this was stored. Free some space there and do it again.";
  return unavailable(reason, { retryAfter: 60 });
}

/** Quoted and capped: the quotes tell a model that reads it where foreign text begins and ends. */
function quote(name: string): string {
  return JSON.stringify(name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name);
}
