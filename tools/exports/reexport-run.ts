import { z } from "zod";
import { reexportRun } from "../../chapters/exports/reexport-run.ts";
import { orgRef, recordId } from "../../chapters/fields.ts";
import { Run } from "../../chapters/records/runs/runs.ts";
import { RatesView } from "../../chapters/runs/groups/group-view.ts";
import { operation } from "../kernel/operation.ts";
import { RunRow } from "../runs/runs.ts";

/** A run's bundle, made again. */
export const reexport = [
  operation({
    name: "run_reexport",
    title: "Export a run again",
    description:
      "Makes a finished run's bundle again from its stored tries as graded now; use it after a regrade or recount. The bundle is read with mirror_member_get, kind blob, id bundle_digest.",
    scope: "push",
    effect: "update",
    route: "POST /v0/orgs/{orgtag}/runs/{rid}/reexport",
    input: z.object({ ...orgRef, rid: recordId("run") }),
    output: RunRow.extend({
      org: z.string(),
      terms: Run.schema.shape.terms,
      summary: RatesView,
      attempts: z.number().int(),
      bundle_version: z.number().int().describe("From 1; one more when it came out another."),
      bundle_digest: z.string().describe("SHA-256 of the bundle."),
      key_verdicts_gained: z.number().int().describe("Verdicts decided in it that were not in the one before."),
      reexported_at: z.number(),
      verdict_version: z.number().int().describe("The grading it holds; 0 is the run's own."),
    }),
    handle: reexportRun,
  }),
];
