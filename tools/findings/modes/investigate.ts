import { z } from "zod";
import { countOf } from "../../../chapters/count-of.ts";
import { InvestigateInput, investigate } from "../../../chapters/findings/modes/investigate.ts";
import { Tier } from "../../../chapters/tier.ts";
import { shaped } from "../../kernel/operation.ts";
import { Mode } from "./failure-modes.ts";

/** From a report to a failure mode with what shows it. */
export const investigation = [
  shaped({
    name: "investigate_failure",
    title: "Investigate a failure",
    description:
      "Use it when someone reports that an agent went wrong: reads the report by rule, records a failure mode that cites its traces, and starts a search of stored traces and trials for the same failure. Writes no task.",
    scope: "push",
    effect: "create",
    statuses: [201, 200],
    hints: { openWorld: true },
    route: "POST /v0/orgs/{orgtag}/failure-modes/investigate",
    input: InvestigateInput,
    output: z.object({
      org: z.string(),
      duplicate: z.boolean(),
      failure_mode: Mode,
      behaviour_words: z.array(z.string()).describe("The report's words that say how the agent fails."),
      cited: z.array(z.string()).describe("Stored traces that show it."),
      wanted: z.array(z.string()).describe("Ids that the report names and the org does not hold."),
      trace_state: z.enum(["cited", "pulling", "searching", "not_stored", "not_named"]),
      pull: z
        .object({
          state: z.enum(["started", "not_started"]),
          source: z.string().nullable(),
          job: z.string().nullable(),
          poll: z.string().nullable(),
          note: z.string().nullable(),
        })
        .nullable()
        .describe("The pull of what is wanted; null where nothing is."),
      search: z
        .object({ job: z.string(), poll: z.string() })
        .nullable()
        .describe("The search for what shows the same; null where no reader could tell."),
      generatable: z.boolean(),
      why_no_tasks: z.string(),
      tier: Tier,
    }),
    verdict: ({ duplicate, failure_mode: mode, cited, trace_state: state }) =>
      `${duplicate ? "Known already" : "Recorded"}: ${mode.behaviour?.replaceAll("_", " ") ?? "a failure whose kind is not said"}; ${countOf(cited.length, "trace")} cited, ${state.replace("_", " ")}.`,
    counts: ({ cited, wanted }) => [
      { name: "cited", value: cited.length, tier: "deterministic", how: "stored traces that the mode cites" },
      {
        name: "not stored",
        value: wanted.length,
        tier: "deterministic",
        how: "ids that the report names and the org does not hold",
      },
    ],
    next: ({ search, failure_mode: mode }) =>
      mode.behaviour === undefined
        ? "failure_modes_patch, to say how the agent fails"
        : search
          ? `job_status at ${search.poll}, then failure_mode_proposals_post with report ${mode.note} and confirm_failure_mode, for tasks`
          : `failure_mode_proposals_post with report ${mode.note} and confirm_failure_mode, for tasks`,
    handle: investigate,
  }),
];
