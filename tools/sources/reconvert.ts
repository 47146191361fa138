import { z } from "zod";
import { byField, count, orgRef, recordId } from "../../chapters/fields.ts";
import { Started } from "../../chapters/job.ts";
import { startReconvert } from "../../chapters/sources/reconvert.ts";
import { shaped } from "../kernel/operation.ts";

/** Converting again what was pulled. */
export const reconvert = [
  shaped({
    name: "reconvert_evidence",
    title: "Convert pulled traces again",
    description:
      "Starts pulling a stored batch of the observability vendor's traces again and converting them as now (15 days back at most); ids stay, what was is kept as a revision. Use it after the converter or the vendor's data was mended.",
    scope: "push",
    effect: "start",
    hints: { openWorld: true },
    route: "POST /v0/orgs/{orgtag}/evidence/{eid}/reconvert",
    input: z.object({
      ...orgRef,
      eid: recordId("evidence"),
      source: z.string().min(1).max(200).optional().describe("The source to pull from; the record's own when absent."),
      ...byField,
    }),
    output: z.object({
      evidence: z.string(),
      job: z.string(),
      poll: Started.shape.poll,
      traces: count.describe("Traces that are looked at."),
      model_calls: count,
      stages: z.array(z.string()),
    }),
    handle: startReconvert,
    verdict: ({ traces }) => `Converting ${traces} stored traces again; no model is asked.`,
    counts: ({ traces, model_calls }) => [
      { name: "traces", value: traces, tier: "deterministic", how: "traces that the record holds" },
      { name: "model calls", value: model_calls, tier: "deterministic", how: "converting asks no model" },
    ],
    next: ({ poll }) =>
      `job_status until it has landed (${poll}): its result counts what changed, is too old, or is gone.`,
  }),
];
