import { setTimeout as sleep } from "node:timers/promises";
import type { EndCause } from "./schema.ts";

/** An attempt that ended `infra` is made again, up to this many in all; one that met a fault of ours more often, until we are back. */
const MOST = 3;
const MOST_OF_OURS = 6;
const WAIT_MS = 250;
/** Doubled with each attempt. */
const WAIT_OURS_MS = 250;

/** Whether an attempt that ended `infra` by this cause is the last one; `attempt` counts from 1. */
export function isLastAttempt(cause: EndCause | null, attempt: number): boolean {
  return attempt >= (cause === "service" ? MOST_OF_OURS : MOST);
}

/** Waits before the attempt after this one. Throws the signal's reason when it is told to end. */
export async function beforeNextAttempt(cause: EndCause | null, attempt: number, signal: AbortSignal): Promise<void> {
  const wait = cause === "service" ? WAIT_OURS_MS * 2 ** (attempt - 1) : WAIT_MS * attempt;
  await sleep(wait, undefined, { signal }).catch(() => signal.throwIfAborted());
}
