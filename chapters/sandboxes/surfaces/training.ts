import { split } from "../../../worlds/fidelity/index.ts";
import type { ObservedTrace } from "../../../worlds/observation.ts";

/** Share of traces kept back to measure fidelity, cut between tasks where traces say theirs. */
const HELD_OUT = 0.25;
/** Below this many traces a held-out part says nothing. */
export const ENOUGH_TRACES = 8;

/** Traces to learn from and those kept back to measure on; none are kept back where there are too few. */
export function trainingOf(
  traces: readonly ObservedTrace[],
  seed: string,
): { readonly train: readonly ObservedTrace[]; readonly heldOut: readonly ObservedTrace[] } {
  return traces.length < ENOUGH_TRACES ? { train: traces, heldOut: [] } : split(traces, { share: HELD_OUT, seed });
}
