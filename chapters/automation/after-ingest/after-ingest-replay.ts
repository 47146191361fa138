import type { BaseState, Bundle } from "../../../worlds/bundle.ts";
import { digestOf } from "../../../worlds/digest.ts";
import { type FidelityReport, measureFidelity } from "../../../worlds/fidelity/index.ts";
import type { ObservedTrace } from "../../../worlds/observation.ts";
import type { ComputeTask } from "../../compute.ts";

interface ReplayInput {
  readonly bundle: Bundle;
  readonly base: BaseState;
  readonly traces: readonly ObservedTrace[];
}

/** How a drawn state answers calls that it was not made from. */
export interface Replayed {
  readonly calls: number;
  /** Answered as observed but for generated ids and times. */
  readonly alike: number;
  /** Rows asked for by their key before anything was changed, which the state holds. */
  readonly compared: number;
  /** Those of them that the real system answered otherwise. */
  readonly contradicted: number;
  /** Over what was asked and answered for the contradicted rows; changes when others contradict. */
  readonly digest: string;
  /** Operations with the number of traces that called them. */
  readonly operations: Readonly<Record<string, number>>;
}

/** Replays new traces on a drawn state, and tells where what they saw contradicts it. */
export const replayNew: ComputeTask<ReplayInput, Replayed> = {
  name: "replay_new",
  run: ({ bundle, base, traces }) => {
    const report = measureFidelity({ bundle, base }, traces, []);
    const { compared, contradicted } = rowsOf(bundle, report);
    const operations: Record<string, number> = {};
    for (const { calls } of traces)
      for (const tool of new Set(calls.map((call) => call.tool))) operations[tool] = (operations[tool] ?? 0) + 1;
    return {
      calls: report.calls,
      alike: report.identical_volatile,
      compared: compared.size,
      contradicted: contradicted.size,
      digest: digestOf([...contradicted].sort()),
      operations,
    };
  },
};

/** Reads of one row by its key, before the first write of their trace: what they answer is how the row stood at the start. */
function rowsOf(bundle: Bundle, report: FidelityReport) {
  const compared = new Set<string>();
  const contradicted = new Map<string, string>();
  const changed = new Set<string>();
  for (const { trajectory, tool, args, verdict, observed } of report.rows) {
    const behaviour = bundle.behaviours[tool];
    if (behaviour?.effect === "write") changed.add(trajectory);
    const acts = behaviour?.behaviour.steps.filter(({ op }) => op !== "let");
    if (changed.has(trajectory) || acts?.length !== 1 || acts[0]?.op !== "read") continue;
    const agrees = verdict === "identical" || verdict === "identical_volatile";
    // A row that the state does not hold is new, and contradicts nothing.
    if (!agrees && verdict !== "wrong_success") continue;
    const row = digestOf([tool, args]);
    compared.add(row);
    if (!agrees) contradicted.set(row, digestOf(observed));
  }
  return { compared, contradicted };
}
