import { z } from "zod";
import { startReconvert } from "../../../chapters/sources/reconvert.ts";
import { byField, orgRef, recordId } from "../../kernel/fields.ts";
import { shaped } from "../../kernel/operation.ts";
import { Started } from "../../kernel/started.ts";

const count = z.number().int();

/** Converting again what was pulled. */
export const reconvert = [
  shaped({
    name: "reconvert_evidence",
    title: "Convert pulled traces again",
    description:
      "Starts pulling the traces of one stored batch of the observability vendor again, by their ids, as far as the vendor keeps them (15 days), and writes what they convert to now over each stored trace at its place: ids and links stay, what was is kept as a revision. Traces that are older or gone are counted and left. Use it after the converter or the vendor's data was mended. No model is asked. A start after a break goes on where it was.",
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
