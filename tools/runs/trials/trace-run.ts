import { z } from "zod";
import { orgRef, recordId } from "../../../chapters/fields.ts";
import { ModelCall } from "../../../chapters/records/models/models.ts";
import { TrialEnd, TrialRow } from "../../../chapters/records/runs/runs.ts";
import { ended } from "../../../chapters/runs/fields.ts";
import { traceRun } from "../../../chapters/runs/trials/trace-run.ts";
import { operation } from "../../kernel/operation.ts";

/** Read one trial. */
export const traceRunOperations = [
  operation({
    name: "run_trace",
    title: "Read one trial",
    description:
      "Use it to see why a trial ended as it did: the request, each exchange and call with arguments and answer, what the agent said, the world's difference and each check's verdict. Without `trial` the first that failed; lists all trials of the run.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/runs/{rid}/trace",
    input: z.object({
      ...orgRef,
      rid: recordId("run"),
      trial: z.string().min(1).max(300).optional().describe("A trial as run_get names it."),
    }),
    output: z.object({
      run: z.string(),
      tree: z
        .object({
          name: z.string(),
          kind: z.literal("trial"),
          ...ended,
          request: z.string(),
          started_at: z.number(),
          ms: z.number(),
          usd: z.number().optional().describe("Its exchanges' cost; absent where the agent pays at its own provider."),
          log: z.string().describe("Last lines of the agent's standard error."),
          exchanges: z.array(
            ModelCall.schema.pick({ model: true, tokens: true, tokens_source: true, outcome: true }).extend({
              name: z.string().describe("What the model was asked for."),
              kind: z.literal("exchange"),
              n: z.number().int(),
              call: z.string().describe("The id of its model_call record."),
              ended_at: z.number(),
              usd: z.number(),
            }),
          ),
          calls: z.array(
            TrialRow.shape.trial.shape.calls.element.extend({
              name: z.string(),
              kind: z.literal("call"),
              n: z.number().int(),
              usd: z.number().optional(),
            }),
          ),
          answers: TrialRow.shape.trial.shape.answers,
          said: TrialRow.shape.trial.shape.said.describe(
            "What the simulated user replied; absent where the task has none.",
          ),
          diff: TrialRow.shape.trial.shape.diff,
          checks: TrialRow.shape.checks,
        })
        .nullable(),
      trials: z.array(z.object({ trial: z.string(), end: TrialEnd })),
    }),
    handle: traceRun,
  }),
];
