import { z } from "zod";

import { Tier } from "../../chapters/tier.ts";
import type { Count } from "../kernel/operation.ts";

const arm = z.object({ group: z.string(), met: z.number().int(), valid: z.number().int() });

/** What is said of a finding whatever it goes out over. */
export const facts = {
  org: z.string(),
  main: arm,
  tested: arm,
  tasks: z.number().int().describe("Tasks that both ran under the same terms."),
  words: z.enum(["no difference shown", "leaning", "shown"]),
  difference: z.number(),
  confidence: z.number(),
  cannot_tell: z
    .object({ reason: z.string(), way_out: z.string() })
    .optional()
    .describe("Why nothing can be told and what to do; a is the main group and b the tested one."),
  example: z.boolean().describe("Whether it rests on invented example data."),
  tier: Tier,
};

const Facts = z.object(facts);

/** What the finding is, in words without anybody's names. */
export function said({
  main,
  tested,
  tasks,
  words,
  difference,
  example,
  cannot_tell: untold,
}: z.infer<typeof Facts>): string {
  const invented = example ? " (invented example data)" : "";
  if (untold !== undefined || tasks === 0) {
    const why = untold ? `${untold.reason}: ${untold.way_out}` : "no task was run by both under the same terms";
    return `cannot tell ${tested.group} (b) from ${main.group} (a): ${why}${invented}`;
  }
  const how =
    words === "no difference shown" || difference === 0
      ? `no difference shown between ${tested.group} and ${main.group}`
      : `${words === "leaning" ? "leaning: " : ""}${difference < 0 ? tested.group : main.group} meets ${(100 * Math.abs(difference)).toFixed(1)} points less than ${difference < 0 ? main.group : tested.group}`;
  return `${how}${invented}`;
}

/** The numbers of a finding, each with how it was counted. */
export function counts({ main, tested, tasks, tier }: z.infer<typeof Facts>): Count[] {
  const how = "checks on stored trials, of valid ones on the tasks compared";
  return [
    { name: "main met", value: main.met, of: main.valid, tier, how },
    { name: "tested met", value: tested.met, of: tested.valid, tier, how },
    { name: "tasks", value: tasks, tier: "deterministic", how: "run by both under the same terms" },
  ];
}
