import type { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { lazy } from "../service/lazy.ts";

/** How long a window of a limit lasts, seconds; it begins with what is first taken in it. */
export const WINDOW_S = 60;

/** Counts what is used by name, in windows of a minute. */
export interface Meter {
  /**
   * Takes `n` of the `most` that a window has: undefined where they are there, else the whole seconds until the next
   * window. Taking 0 asks whether anything is left. What is refused may still be counted.
   */
  take(name: string, n: number, most: number): Promise<number | undefined>;
}

/** The meter of a process that serves alone. */
export function memoryMeter(): Meter {
  const library = lazy(() => import("rate-limiter-flexible"));
  const limiters = new Map<number, RateLimiterMemory>();
  return {
    async take(name, n, most) {
      const { RateLimiterMemory } = await library.get();
      const limiter = limiters.get(most) ?? new RateLimiterMemory({ points: most, duration: WINDOW_S });
      limiters.set(most, limiter);
      try {
        if (n > 0) await limiter.consume(name, n);
        else if (((await limiter.get(name))?.remainingPoints ?? 1) <= 0) return waitOf(await limiter.get(name));
        return undefined;
      } catch (refused) {
        if (refused instanceof Error) throw refused;
        return waitOf(refused as RateLimiterRes);
      }
    },
  };
}

function waitOf(state: RateLimiterRes | null): number {
  return Math.max(1, Math.ceil((state?.msBeforeNext ?? 0) / 1000));
}
