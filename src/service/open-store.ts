import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "../../chapters/context.ts";
import { StoreUnreachable } from "../../store/unreachable.ts";

/** How long a process that starts waits for its database, milliseconds. */
export const REACH_MS = 30_000;
/** How long before it is tried again, milliseconds: twice as long each time, up to the longest. */
const FIRST_MS = 250;
const LONGEST_MS = 4_000;

/**
 * Opens a store; while its database cannot be reached it is tried again, for at most `patience` milliseconds. Any other
 * failure, and the last of those, is thrown as it is.
 */
export async function openWithRetries<T>(
  open: () => Promise<T>,
  log: Pick<Log, "warn">,
  patience: number = REACH_MS,
): Promise<T> {
  const until = performance.now() + patience;
  for (let wait = FIRST_MS; ; wait = Math.min(2 * wait, LONGEST_MS)) {
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof StoreUnreachable) || performance.now() + wait > until) throw error;
      log.warn({ again_in_ms: wait }, "the database cannot be reached yet");
      await sleep(wait);
    }
  }
}
