import type { ToolDefinition } from "../../../worlds/bundle.ts";
import { newestDeployment } from "../../../worlds/compile/versions/deployments.ts";
import type { ObservedTrace } from "../../../worlds/observation.ts";
import { type Brief, briefOf, type Tried, tryProposal } from "../../../worlds/propose/shown.ts";
import type { Made } from "../../../worlds/propose/world.ts";
import type { ComputeTask } from "../../compute.ts";
import { trainingOf } from "../surfaces/training.ts";

/** Traces of the newest deployment without those that its fidelity is measured on. */
const shownOf = (given: readonly ObservedTrace[], seed: string | undefined): readonly ObservedTrace[] => {
  const { traces } = newestDeployment(given);
  return seed === undefined ? traces : trainingOf(traces, seed).train;
};

interface BriefInput {
  readonly name: string;
  readonly traces: readonly ObservedTrace[];
  readonly tools: readonly ToolDefinition[] | undefined;
  readonly records: Readonly<Record<string, unknown>> | undefined;
  /** Of the traces that are kept back to measure on, and never shown; all may be shown where it is absent. */
  readonly seed: string | undefined;
}

/** Compiles traces, and says for which tools a model is to be asked and what it is shown. */
export const briefPrograms: ComputeTask<BriefInput, { readonly brief: Brief; readonly plain: Made }> = {
  name: "brief_programs",
  run: ({ name, traces, tools, records, seed }) =>
    briefOf(shownOf(traces, seed), {
      name,
      ...(tools === undefined ? {} : { tools }),
      ...(records === undefined ? {} : { records }),
    }),
};

interface TryInput {
  readonly plain: Made;
  readonly proposal: unknown;
  readonly traces: readonly ObservedTrace[];
  readonly wanted: readonly string[];
  readonly seed: string | undefined;
}

/** Replays a proposal over the sessions that a model may be shown. */
export const tryPrograms: ComputeTask<TryInput, Tried> = {
  name: "try_programs",
  run: ({ plain, proposal, traces, wanted, seed }) => tryProposal(plain, proposal, shownOf(traces, seed), wanted),
};
