import { z } from "zod";
import { addLabels, LabelFormat, LabelsInput, RefusedLabel } from "../../chapters/sources/labels.ts";
import { operation } from "../kernel/operation.ts";

/** What people and other tools said of a source's traces. */
export const labels = [
  operation({
    name: "sources_labels",
    title: "Label a source's traces",
    description:
      "Stores what people or other tools said of a source's traces: `plain` items, the tracing tool's scores, or the vendor's evaluation metrics. `as_failure_modes` marks the bad ones as failure modes.",
    scope: "push",
    effect: "update",
    route: "POST /v0/orgs/{orgtag}/sources/{sid}/labels",
    input: LabelsInput,
    output: z.object({
      org: z.string(),
      source: z.string(),
      format: LabelFormat,
      received: z.number().int(),
      stored: z.number().int(),
      matched: z.number().int().describe("Labels of traces that are stored here."),
      polarity: z.record(z.string(), z.number().int()),
      failure_modes: z.number().int(),
      refused: z.array(RefusedLabel),
      tier: z.literal("deterministic").describe("How the counts were made; each label has a tier of its own."),
    }),
    handle: addLabels,
  }),
];
