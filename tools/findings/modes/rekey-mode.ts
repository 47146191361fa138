import { z } from "zod";
import { count } from "../../../chapters/fields.ts";
import { RekeyInput, rekeyMode, SkippedTask } from "../../../chapters/findings/modes/rekey-mode.ts";
import { Tier } from "../../../chapters/tier.ts";
import { operation } from "../../kernel/operation.ts";

const End = z.enum(["met", "failed", "invalid"]);

/** Rekey a failure mode's tasks. */
export const rekeyModeOperations = [
  operation({
    name: "failure_mode_rekey",
    title: "Rekey a failure mode's tasks",
    description:
      "Makes the answer keys of a false no-data mode's tasks reject a sprayed or padded list, each tried on the right answer and five wrong ones. Requests and scripts stay; a revision holds the keys as they were.",
    scope: "push",
    effect: "update",
    route: "POST /v0/orgs/{orgtag}/failure-modes/{mid}/rekey",
    input: RekeyInput,
    output: z.object({
      org: z.string(),
      failure_mode: z.string(),
      environment: z.string(),
      dry_run: z.boolean(),
      rekeyed: z.array(z.object({ index: count, task: z.string() })),
      rekeyed_as: z.string().nullable().describe("The revision that undoes it."),
      stands: z.array(count).describe("Tasks whose keys reject the wrong answers already, by index."),
      left: z.array(SkippedTask),
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
