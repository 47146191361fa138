import { z } from "zod";
import { byField, words } from "../../../chapters/fields.ts";
import { classifyMode } from "../../../chapters/findings/modes/classify-mode.ts";
import { SESSION_CLASSES } from "../../../chapters/findings/modes/classify-session.ts";
import { modeRef } from "../../../chapters/findings/modes/fields.ts";
import { Tier } from "../../../chapters/tier.ts";
import { operation } from "../../kernel/operation.ts";
import { authorField } from "./failure-modes.ts";

const count = z.number().int();

/** Classify reported sessions. */
export const classifyModeOperations = [
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
];
