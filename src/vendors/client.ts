import type { AppError } from "../../chapters/errors.ts";

/** A log for vendors' clients that keeps nothing: their own write to the console, and warnings may quote what was sent. */
export const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

/** A fetch that ends with the signal, and after so many milliseconds. */
export function boundedFetch(signal: AbortSignal, ms: number): typeof fetch {
  return (input, init) => fetch(input, { ...init, signal: AbortSignal.any([signal, AbortSignal.timeout(ms)]) });
}

/** Asks a vendor: what it refuses becomes the error that `refusal` makes of it, and a stop stays a stop. */
export function vendorCall(refusal: (error: unknown) => AppError) {
  return async <T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      throw refusal(error);
    }
  };
}
