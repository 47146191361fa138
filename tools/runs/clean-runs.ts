import { z } from "zod";
import { countOf } from "../../chapters/count-of.ts";
import { orgRef } from "../../chapters/fields.ts";
import { cleanRuns } from "../../chapters/runs/clean-runs.ts";
import { shaped } from "../kernel/operation.ts";

/** Clean runs. */
export const cleanRunsOperations = [
  shaped({
    name: "clean_runs",
    title: "Clean runs",
    description:
      "Answers, per environment, the newest group of the org's primary agent that finished, landed every environment and has every trial valid. Starts nothing and spends nothing.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/runs/clean",
    input: z.object({ ...orgRef }),
    output: z.object({
      org: z.string(),
      rule: z.string(),
      tier: z.literal("deterministic"),
      agent: z.object({ id: z.string(), name: z.string() }).nullable(),
      note: z.string().optional(),
      clean: z.array(
        z.object({
          environment: z.string(),
          label: z.string(),
          group: z.string(),
          run: z.string(),
          version: z.string().nullable(),
          met: z.number().int(),
          valid: z.number().int(),
          created_at: z.number(),
        }),
      ),
    }),
    verdict: (answer) =>
      answer.agent === null
        ? "No primary agent, so no clean run."
        : `${countOf(answer.clean.length, "environment has", "environments have")} a clean run of ${answer.agent.name}.`,
    counts: (answer) => [
      {
        name: "environments",
        value: answer.clean.length,
        tier: "deterministic",
        how: "environments with a clean group",
      },
    ],
    handle: cleanRuns,
  }),
];
