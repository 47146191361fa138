import { z } from "zod";
import { orgRef } from "../../../chapters/fields.ts";
import { rid } from "../../../chapters/runs/fields.ts";
import { publishRun } from "../../../chapters/runs/import/publish-run.ts";
import { Tier } from "../../../chapters/tier.ts";
import { operation } from "../../kernel/operation.ts";

/** Publish a run's transcripts. */
export const publishRunOperations = [
  operation({
    name: "run_publish",
    title: "Publish a run's transcripts",
    description:
      "Sends a finished run's transcripts to the connected tracing tool, a trace a trial with its end as a score. Without a tool it answers `not configured` and names what is missing.",
    scope: "push",
    effect: "update",
    hints: { openWorld: true },
    route: "POST /v0/orgs/{orgtag}/runs/{rid}/publish",
    input: z.object({ ...orgRef, rid }),
    output: z.object({
      org: z.string(),
      run: z.string(),
      status: z.enum(["published", "partial", "failed", "not configured"]),
      note: z.string(),
      missing: z.array(z.string()).describe("Settings that are not there."),
      traces: z.number().int(),
      spans: z.number().int(),
      scores: z.number().int(),
      left: z.number().int().describe("Trials that did not get there."),
      retry_after: z.number().optional(),
      tier: Tier,
    }),
    handle: publishRun,
  }),
];
