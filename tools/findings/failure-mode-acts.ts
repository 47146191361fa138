import { z } from "zod";
import { classifyMode } from "../../chapters/findings/modes/classify-mode.ts";
import { SESSION_CLASSES } from "../../chapters/findings/modes/classify-session.ts";
import { LEFT_REASONS, rekeyMode } from "../../chapters/findings/modes/rekey-mode.ts";
import { Tier } from "../../chapters/tier.ts";
import { byField, orgRef, recordId, words } from "../kernel/fields.ts";
import { operation } from "../kernel/operation.ts";
import { authorField } from "./modes/failure-modes.ts";

const count = z.number().int();
const modeRef = { ...orgRef, mid: recordId("failure mode") };
const End = z.enum(["met", "failed", "invalid"]);

/** What is done with a failure mode that stands. */
export const failureModeActs = [
  operation({
    name: "failure_mode_classify",
    title: "Classify reported sessions",
    description:
      "Reads the sessions that were reported against a false no-data mode and says of each whether the agent was wrong to say there is nothing. By rule, or by a model, whose cost a dry run tells.",
    scope: "push",
    effect: "update",
    route: "POST /v0/orgs/{orgtag}/failure-modes/{mid}/classify",
    input: z.object({
      ...modeRef,
      reader: z.enum(["rule", "model"]).optional().describe("rule when absent."),
      holding: z
        .array(words(200))
        .min(1)
        .max(50)
        .optional()
        .describe("The tools that hold what was asked for; the mode's own tool when absent."),
      model: words(200).optional().describe("Of the model reader, as offered."),
      dry_run: z.boolean().optional(),
      ...byField,
      ...authorField,
    }),
    output: z.object({
      org: z.string(),
      failure_mode: z.string(),
      reader: z.enum(["rule", "model"]),
      dry_run: z.boolean(),
      estimate: z.object({ usd: z.number(), calls: count }).nullable().describe("What the model reader costs at most."),
      holding: z.array(z.string()),
      holding_seen_in: count.describe("Sessions that called one of them."),
      sessions: count.describe("Sessions reported."),
      with_turns: count.describe("Sessions of which the org holds the trace."),
      counts: z.record(z.string(), count),
      entries: z.array(
        z.object({
          session: z.string(),
          from: z.enum(["mode", "note", "label"]),
          trace: z.string().optional(),
          class: z.enum([...SESSION_CLASSES, "not_stored", "too_long"]),
          reason: z.string(),
          tier: Tier,
        }),
      ),
      entities: z
        .array(z.object({ entity: z.string(), sessions: count }))
        .describe("What was asked of the holding tools, most sessions first."),
      tier: Tier,
    }),
    handle: classifyMode,
  }),
  operation({
    name: "failure_mode_rekey",
    title: "Rekey a failure mode's tasks",
    description:
      "Makes the answer keys of a false no-data mode's tasks reject a sprayed or padded list, each tried on the right answer and five wrong ones. Requests and scripts stay; a revision holds the keys as they were.",
    scope: "push",
    effect: "update",
    route: "POST /v0/orgs/{orgtag}/failure-modes/{mid}/rekey",
    input: z.object({
      ...modeRef,
      environment: words(200).optional().describe("The mode's own sandbox when absent."),
      ...byField,
      dry_run: z.boolean().optional().describe("Answers what would change and writes nothing."),
    }),
    output: z.object({
      org: z.string(),
      failure_mode: z.string(),
      environment: z.string(),
      dry_run: z.boolean(),
      rekeyed: z.array(z.object({ index: count, task: z.string() })),
      rekeyed_as: z.string().nullable().describe("The revision that undoes it."),
      stands: z.array(count).describe("Tasks whose keys reject the wrong answers already, by index."),
      left: z.array(z.object({ index: count, reason: z.enum(LEFT_REASONS) })),
      board: z
        .array(
          z.object({
            index: count,
            rows: z.array(z.object({ name: z.string(), right: z.boolean(), before: End, after: End })),
          }),
        )
        .describe("Per task, how the right answer and each wrong one end with the key before and after."),
      note: z.string(),
      model_calls: count,
      usd: z.number(),
      tier: Tier,
    }),
    handle: rekeyMode,
  }),
];
