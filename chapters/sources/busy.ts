import { AppError } from "../errors.ts";

/** The seconds to wait where a refusal is one that passes by itself; undefined for any other. */
export function waitOf(cause: unknown): number | undefined {
  const busy = cause instanceof AppError && (cause.code === "rate_limited" || cause.code === "unavailable");
  return busy ? (cause.details.retryAfter ?? 60) : undefined;
}
