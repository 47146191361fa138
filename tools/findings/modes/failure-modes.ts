import { z } from "zod";
import { countOf } from "../../../chapters/count-of.ts";
import { count } from "../../../chapters/fields.ts";
import {
  ListInput,
  listModes,
  PatchInput,
  PostInput,
  patchMode,
  postModes,
} from "../../../chapters/findings/modes/failure-modes.ts";
import { ModeStatus, NoteOrigin } from "../../../chapters/records/evidence/feedback.ts";
import { FailureMode } from "../../../chapters/records/findings/findings.ts";
import { RootCause } from "../../../chapters/records/runs/runs.ts";
import { Tier } from "../../../chapters/tier.ts";
import { operation, shaped } from "../../kernel/operation.ts";

/** A failure mode as answered. */
export const Mode = FailureMode.schema.omit({ visibility: true, moved_from: true }).extend({
  generatable: z.boolean().describe("Whether rules can write tasks for its behaviour."),
  line: z.string().describe("How it stands."),
});

/** Named ways in which agents fail. */
export const failureModes = [
  shaped({
    name: "failure_modes",
    title: "List failure modes",
    description:
      "Lists the named ways in which the org's agents fail, oldest first: who reported each, what it is about, the traces, trials and tasks that show it, and in which version it was reproduced and fixed.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/failure-modes",
    input: ListInput,
    output: z.object({
      org: z.string(),
      audience: z.enum(["customer", "staff"]),
      behaviours: z.array(RootCause),
      generatable: z.array(RootCause).describe("Behaviours that rules write tasks for."),
      origins: z.array(NoteOrigin),
      statuses: z.array(ModeStatus),
      count: count.describe("Modes on this page."),
      to_classify: z.array(z.string()).describe("Modes whose behaviour nobody has said."),
      failure_modes: z.array(Mode),
      tier: Tier,
      next: z.string().optional(),
    }),
    verdict: ({ failure_modes: modes }) => {
      const of = (status: string) => modes.filter((mode) => mode.status === status).length;
      return `${countOf(modes.length, "failure mode")}: ${of("reproduced")} reproduced, ${of("fixed")} fixed, ${of("reported") + of("confirmed")} not reproduced yet.`;
    },
    counts: ({ failure_modes: modes, tier, to_classify }) => [
      { name: "failure modes", value: modes.length, tier, how: "recorded modes on this page" },
      {
        name: "reproduced",
        value: modes.filter(({ status }) => status === "reproduced").length,
        of: modes.length,
        tier: "deterministic",
        how: "modes whose tasks an agent's newest landed run failed, or that a person marked so",
      },
      {
        name: "without a behaviour",
        value: to_classify.length,
        of: modes.length,
        tier: "deterministic",
        how: "modes whose behaviour nobody has said",
      },
    ],
    next: ({ to_classify: [first] }) =>
      first === undefined
        ? undefined
        : `failure_modes_patch with mid ${first} says the behaviour of one that has none.`,
    handle: listModes,
  }),
  operation({
    name: "failure_modes_post",
    title: "Record failure modes",
    description:
      "Records failure modes whose fields are known already, one or a list in `modes`, all or none. To have a report read and its traces found use investigate_failure.",
    scope: "push",
    effect: "create",
    route: "POST /v0/orgs/{orgtag}/failure-modes",
    input: PostInput,
    output: z.object({
      org: z.string(),
      stored: count,
      failure_modes: z.array(Mode),
      notes: z.array(z.string()).describe("The feedback notes that hold the words, in the order of the modes."),
      tier: Tier,
    }),
    handle: postModes,
  }),
  operation({
    name: "failure_modes_patch",
    title: "Change a failure mode",
    description:
      "Changes a mode's behaviour, target, status or the sandbox (`bucket`) that its tasks go on. The reporter's words stay as they are.",
    scope: "push",
    route: "PATCH /v0/orgs/{orgtag}/failure-modes/{mid}",
    input: PatchInput,
    output: z.object({
      org: z.string(),
      failure_mode: Mode,
      changed: z.array(z.enum(["behaviour", "bucket", "target", "status"])),
      generatable: z.boolean(),
      tier: Tier,
    }),
    handle: patchMode,
  }),
];
