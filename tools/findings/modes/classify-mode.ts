import { z } from "zod";
import { count } from "../../../chapters/fields.ts";
import { ClassifiedSession, ClassifyInput, classifyMode } from "../../../chapters/findings/modes/classify-mode.ts";
import { Tier } from "../../../chapters/tier.ts";
import { operation } from "../../kernel/operation.ts";

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
    input: ClassifyInput,
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
      entries: z.array(ClassifiedSession),
      entities: z
        .array(z.object({ entity: z.string(), sessions: count }))
        .describe("What was asked of the holding tools, most sessions first."),
      tier: Tier,
    }),
    handle: classifyMode,
  }),
];
