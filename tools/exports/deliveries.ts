import { z } from "zod";
import { commentOnPr } from "../../chapters/exports/comment-on-pr.ts";
import { deliverChat } from "../../chapters/exports/deliver-chat.ts";
import { deliverObs, ObsKind } from "../../chapters/exports/deliver-obs.ts";
import { Tier } from "../../chapters/tier.ts";
import { orgRef, recordId, words } from "../kernel/fields.ts";
import { type Count, shaped } from "../kernel/operation.ts";

const against = words(200)
  .describe("A run group to compare with; the main version's newest one when absent.")
  .optional();
const redact = z
  .boolean()
  .optional()
  .describe(
    "False leaves what identifies people in requests as it is; it takes a signed-in member or an admin. A dry run shows what will be seen.",
  );
const which = {
  group: recordId("run group whose finding is sent"),
  against,
  main: z
    .enum(["group", "against"])
    .optional()
    .describe("Which of the two is told as the main one; against when absent."),
  redact,
};
const confirm = z.string().max(200).optional().describe("A member's leave for this send, from delivery_confirm.");
const consoleUrl = z
  .string()
  .regex(/^https?:\/\/[^\s@?#]{1,300}$/)
  .optional()
  .describe("The console's address, such as https://host/console; this service's by default.");

const arm = z.object({ group: z.string(), met: z.number().int(), valid: z.number().int() });
/** What is said of a finding whatever it goes out over. */
const facts = {
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
const reference = z.record(z.string(), z.string());

function counts({ main, tested, tasks, tier }: z.infer<typeof Facts>): Count[] {
  const how = "checks on stored trials, of valid ones on the tasks compared";
  return [
    { name: "main met", value: main.met, of: main.valid, tier, how },
    { name: "tested met", value: tested.met, of: tested.valid, tier, how },
    { name: "tasks", value: tasks, tier: "deterministic", how: "run by both under the same terms" },
  ];
}

/** What the finding is, in words without anybody's names. */
function said({ main, tested, tasks, words, difference, example, cannot_tell: untold }: z.infer<typeof Facts>): string {
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

/** Findings that go out to people and other tools. */
export const deliveries = [
  shaped({
    name: "deliver_chat",
    title: "Post a finding to chat",
    description:
      "Posts what a run group showed against another as one chat message; it needs the chat channel on and a member's single-use confirm. With dry_run it answers the blocks and sends nothing.",
    scope: "push",
    effect: "create",
    hints: { openWorld: true },
    statuses: [200],
    route: "POST /v0/orgs/{orgtag}/deliveries/chat",
    input: z.object({
      ...orgRef,
      ...which,
      channel: z
        .string()
        .regex(/^C[A-Z0-9]{1,30}$/)
        .optional()
        .describe("A channel's id at the chat tool; the one chosen for the org when absent."),
      thread_ts: z
        .string()
        .regex(/^\d{1,12}\.\d{1,9}$/)
        .optional()
        .describe("The message to answer in its thread."),
      dry_run: z.boolean().optional().describe("Answer the message and send nothing."),
      confirm,
      weekly: z.boolean().optional().describe("This is the week's post: a second one is refused."),
    }),
    output: z.object({
      ...facts,
      channel: z.string().nullable(),
      dry_run: z.boolean(),
      posted: z.boolean(),
      ts: z.string().optional(),
      permalink: z.string().optional(),
      log: z.string().optional().describe("The line of the delivery log."),
      text: z.string().optional(),
      blocks: z.array(z.record(z.string(), z.unknown())).readonly().optional(),
    }),
    verdict: (answer) =>
      `${answer.dry_run ? "Not sent (dry run)" : answer.posted ? "Posted to chat" : "Posted already"}: ${said(answer)}.`,
    counts,
    next: ({ dry_run }) => (dry_run ? "deliver_chat with a confirm sends it" : "delivery_log lists what was sent"),
    handle: deliverChat,
  }),
  shaped({
    name: "deliver_obs",
    title: "Write a finding to the observability vendor",
    description:
      "Writes what a run group showed as an event, a notebook and an experiment at the observability vendor. A dry run, the default, answers the payloads; else it needs the channel on, the org's obs_write credential and a member's confirm.",
    scope: "push",
    effect: "create",
    hints: { openWorld: true },
    statuses: [200],
    answer: "file",
    route: "POST /v0/orgs/{orgtag}/deliveries/obs",
    input: z.object({
      ...orgRef,
      ...which,
      bug: z
        .string()
        .regex(/^[\w.:/-]{1,100}$/)
        .optional()
        .describe("The name of the bug that it tells of, as a tag."),
      kinds: z.array(ObsKind).min(1).max(3).optional().describe("What to write; all three when absent."),
      dry_run: z.boolean().optional().describe("Answer what would be written, and write nothing; true when absent."),
      confirm,
      console: consoleUrl,
      format: z.enum(["json", "zip"]).optional().describe("zip answers the payloads as a file to import."),
    }),
    output: z.object({
      ...facts,
      dry_run: z.boolean(),
      sent: z.array(
        z.object({
          kind: ObsKind,
          reference,
          already: z.boolean().describe("It stood there from an earlier send and was left."),
        }),
      ),
      payloads: z.record(z.string(), z.record(z.string(), z.unknown())).optional(),
      log: z.array(z.string()).optional().describe("Lines of the delivery log."),
      error: z.string().optional().describe("Why some or all were not sent."),
      reason: z.string().optional(),
      retry_after: z.number().optional(),
      import_file: z.object({ tool: z.literal("deliver_obs"), format: z.literal("zip") }).optional(),
    }),
    verdict: (answer) => {
      const written = answer.sent.filter(({ already }) => !already).length;
      const how = answer.dry_run
        ? "Not sent (dry run)"
        : answer.error === undefined
          ? `Wrote ${written} of ${answer.sent.length}, the others stood there`
          : `Wrote ${written}, then ${answer.error}`;
      return `${how}: ${said(answer)}.`;
    },
    counts,
    next: ({ dry_run, error }) =>
      error === "no_write_credential"
        ? "deliver_obs with format zip answers the file to import"
        : dry_run
          ? "deliver_obs with dry_run false and a confirm sends it"
          : "delivery_log lists what was sent",
    handle: deliverObs,
  }),
  shaped({
    name: "comment_on_pr",
    title: "Comment on a branch's pull request",
    description:
      "Posts a landed run group's result on the open pull request of the branch that its version was made from, as one comment that later calls bring up to date; it needs the channel on (the code host's app). With dry_run it posts nothing.",
    scope: "push",
    effect: "update",
    hints: { openWorld: true },
    route: "POST /v0/orgs/{orgtag}/runs/group/{gid}/pr-comment",
    input: z.object({
      ...orgRef,
      gid: recordId("run group"),
      against,
      console: consoleUrl,
      redact,
      dry_run: z.boolean().optional().describe("Answer the comment and post nothing."),
    }),
    output: z.object({
      ...facts,
      group: z.string(),
      against: z.string(),
      verdict: z.string(),
      dry_run: z.boolean(),
      action: z.enum(["created", "updated", "none"]),
      repository: z.string().optional(),
      branch: z.string().optional(),
      number: z.number().int().optional(),
      pr_url: z.string().optional(),
      comment_url: z.string().optional(),
      log: z.string().optional().describe("The line of the delivery log."),
      body: z.string().optional().describe("The comment, in a dry run."),
      error: z.string().optional(),
      reason: z.string().optional(),
    }),
    verdict: (answer) =>
      `${answer.error === undefined ? (answer.dry_run ? "Not posted (dry run)" : `Comment ${answer.action}`) : `Not posted, ${answer.error}`}: ${said(answer)}.`,
    counts,
    next: ({ error, dry_run }) => (error === undefined && !dry_run ? "delivery_log lists what was sent" : undefined),
    handle: commentOnPr,
  }),
];
