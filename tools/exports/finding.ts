import { z } from "zod";
import { recordId, words } from "../../chapters/fields.ts";
import { Tier } from "../../chapters/tier.ts";
import type { Count } from "../kernel/operation.ts";

/** The group that a finding is compared with. */
export const against = words(200)
  .describe("A run group to compare with; the main version's newest one when absent.")
  .optional();

/** Whether what identifies people is taken out of what is sent. */
export const redact = z
  .boolean()
  .optional()
  .describe(
    "False leaves what identifies people in requests as it is; it takes a signed-in member or an admin. A dry run shows what will be seen.",
  );

/** Which finding is sent. */
export const which = {
  group: recordId("run group whose finding is sent"),
  against,
  main: z
    .enum(["group", "against"])
    .optional()
    .describe("Which of the two is told as the main one; against when absent."),
  redact,
};

/** The leave to send. */
export const confirm = z
  .string()
  .max(200)
  .optional()
  .describe("A member's leave for this send, from delivery_confirm.");

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

/** Where links of a finding lead. */
export const consoleUrl = z
  .string()
  .regex(/^https?:\/\/[^\s@?#]{1,300}$/)
  .optional()
  .describe("The console's address, such as https://host/console; this service's by default.");
