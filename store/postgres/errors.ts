import pg from "pg";
import { AppError, conflict, unavailable } from "../../chapters/errors.ts";
import { StoreUnreachable } from "../unreachable.ts";

/** Deadlock, failed serialisation: nothing was written, and the same again can succeed. */
export function mayRunAgain(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === "40001" || error.code === "40P01");
}

/** Errors of the database that a caller can act on, in the service's words; others as they are. */
export function readable(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof AppError) return error;
  const code = (error as { readonly code?: unknown }).code;
  if (code === "23505") return conflict("It is stored already.");
  if (code === "23503") return new AppError("not_found", "What it belongs to is not there.");
  if (code === "53100")
    return unavailable(
      "The disk that holds the store is full. Free some space and do it again: what was stored before is whole.",
      { retryAfter: 60 },
    );
  if (mayRunAgain(error)) return unavailable("The store is busy; try again.", { retryAfter: 1 });
  return isUnreachable(error, code) ? new StoreUnreachable() : error;
}

const SOCKET = new Set(
  "ECONNREFUSED ECONNRESET ENOENT EPIPE ETIMEDOUT ENOTFOUND EAI_AGAIN EHOSTUNREACH ENETUNREACH ENETDOWN".split(" "),
);

function isUnreachable(error: Error, code: unknown): boolean {
  if (typeof code === "string") {
    // 08: connection exceptions; 57P01 to 57P03: shutting down or starting; 53300: too many connections.
    return SOCKET.has(code) || code.startsWith("08") || code.startsWith("57P0") || code === "53300";
  }
  // pg gives these no code.
  return /^Connection terminated|^timeout (exceeded when trying to connect|expired$)|is not queryable$/.test(
    error.message,
  );
}
