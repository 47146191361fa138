import { setTimeout as sleep } from "node:timers/promises";

const SHORTEST_MS = 40;
const LONGEST_MS = 1_000;
/** What a pause is of the time that has passed: what waits so ends that much later, at most. */
const SHARE = 1 / 5;

/**
 * A pause between two looks at work under way, longer the longer it has taken: a look is a call of the service, and on a
 * busy machine looks at even distances cost more than the work.
 */
export function lengtheningPauses(): () => Promise<void> {
  const begun = performance.now();
  return () => sleep(Math.min(LONGEST_MS, Math.max(SHORTEST_MS, (performance.now() - begun) * SHARE)));
}
