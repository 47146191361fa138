import { setTimeout as sleep } from "node:timers/promises";
import type { EndCause } from "../../records/runs/runs.ts";

/** An attempt that ended `infra` is made again, up to this many in all; one that met a fault of ours more often, until we are back. */
const MOST = 3;
const MOST_OF_OURS = 6;
const WAIT_MS = 250;
/** A provider that asks for more is asked again after this; a limit of a minute is over by then. */
const MOST_WAIT_MS = 60_000;
/** Doubled with each attempt. */
const WAIT_OURS_MS = 250;

/** Whether an attempt that ended `infra` by this cause is the last one; `attempt` counts from 1. */
export function isLastAttempt(cause: EndCause | null, attempt: number): boolean {
  return attempt >= (cause === "service" ? MOST_OF_OURS : MOST);
}

/** Waits before the next attempt, as long as a provider asked for. Throws the signal's reason when aborted. */
export async function beforeNextAttempt(
  cause: EndCause | null,
  attempt: number,
  signal: AbortSignal,
  retryAfter = 0,
): Promise<void> {
  const usual = cause === "service" ? WAIT_OURS_MS * 2 ** (attempt - 1) : WAIT_MS * attempt;
  const wait = Math.max(usual, Math.min(retryAfter * 1_000, MOST_WAIT_MS));
  await sleep(wait, undefined, { signal }).catch(() => signal.throwIfAborted());
}
