import { z } from "zod";
import { countOf } from "../../../chapters/count-of.ts";
import { byField, orgRef, recordId } from "../../../chapters/fields.ts";
import { finishRun } from "../../../chapters/runs/play/finish-run.ts";
import { shaped } from "../../kernel/operation.ts";

/** Finish a stopped run. */
export const finishRunOperations = [
  shaped({
    name: "finish_run",
    title: "Finish a stopped run",
    description:
      "Lands a stopped or failed run, or every such run of a group, with the trials it had finished, so that it counts. Refused while it runs or when nothing was finished.",
    scope: "push",
    effect: "start",
    route: "POST /v0/orgs/{orgtag}/runs/finish",
    input: z.object({
      ...orgRef,
      job: recordId("run or run group job"),
      agent: z.string().min(1).max(200).optional().describe("The agent that ran it, as a guard."),
      ...byField,
    }),
    output: z.object({
      group: z.string(),
      job: z.string(),
      poll: z.string(),
      run: z.string(),
      landing: z.array(z.string()),
      landed: z.number().int().describe("Finished trials."),
      note: z.string(),
      stages: z.array(z.string()),
    }),
    verdict: (answer) => `Landing ${countOf(answer.landing.length, "run")}: ${answer.note}`,
    counts: (answer) => [
      { name: "trials", value: answer.landed, tier: "deterministic", how: "stored trials of the runs that land" },
    ],
    next: (answer) => `run_group with gid ${answer.group}`,
    handle: finishRun,
  }),
];
