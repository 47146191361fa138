import { z } from "zod";
import { countOf } from "../../../chapters/count-of.ts";
import {
  feedbackLedger,
  ListInput,
  listFeedback,
  makeFailureMode,
  RecordInput,
  recordFeedback,
  retireFeedback,
} from "../../../chapters/evidence/feedback/feedback.ts";
import { byField, count, orgRef, recordId } from "../../../chapters/fields.ts";
import { FeedbackNote, NoteOrigin } from "../../../chapters/records/evidence/feedback.ts";
import { FailureMode, ProposalState } from "../../../chapters/records/findings/findings.ts";
import { Tier } from "../../../chapters/tier.ts";
import { operation, shaped } from "../../kernel/operation.ts";

const Flag = z.enum(["mode", "could_be_mode", "remark"]);
const ReportedMode = FailureMode.schema
  .pick({ id: true, title: true, status: true, behaviour: true, target: true })
  .describe("The failure mode that the note reports, as it stands now.");
const Note = FeedbackNote.schema.omit({ visibility: true, read_by: true, failure_mode: true }).extend({
  mode: ReportedMode.optional(),
  proposal: z
    .object({ id: z.string(), state: ProposalState })
    .optional()
    .describe("The failure mode that was proposed from the note."),
  flag: Flag,
  read: z.boolean().describe("Whether a pass has read it."),
});

const recorded = z.object({
  org: z.string(),
  feedback: Note,
  count: count.describe("Notes on record."),
  flag: Flag,
  label: z.string(),
  source: NoteOrigin,
  tier: Tier,
});
const told = {
  counts: ({ count: value }: { count: number }) => [
    { name: "notes", value, tier: "human" as const, how: "notes on record that are not retired" },
  ],
};

/** People's notes, and the failure modes made of them. */
export const feedback = [
  shaped({
    name: "record_feedback",
    title: "Record feedback",
    description:
      "Stores a person's note word for word, with what it is about: use it whenever a person says what was right, wrong or missing. For a failure to be searched in traces use investigate_failure.",
    scope: "push",
    effect: "create",
    route: "POST /v0/orgs/{orgtag}/feedback",
    input: RecordInput,
    output: recorded,
    verdict: ({ flag, label }) =>
      flag === "mode"
        ? `Recorded as a failure mode: ${label}`
        : `Recorded${flag === "could_be_mode" ? "; it could become a failure mode" : ""}.`,
    ...told,
    next: ({ flag }) =>
      flag === "could_be_mode"
        ? "failure_mode_proposals_post with the note's id as report, to propose a failure mode of it"
        : undefined,
    handle: recordFeedback,
  }),
  shaped({
    name: "make_failure_modes",
    title: "Make a failure mode",
    description:
      "Use it when a person describes something the agent does wrong again and again and no search is wanted: stores the note and makes an unconfirmed failure mode of it.",
    scope: "push",
    effect: "create",
    route: "POST /v0/orgs/{orgtag}/feedback",
    input: RecordInput.extend({ make_mode: z.literal(true).optional() }),
    output: recorded,
    verdict: ({ label }) => `Recorded as a failure mode: ${label}`,
    ...told,
    handle: makeFailureMode,
  }),
  shaped({
    name: "failure_mode_proposals",
    title: "Read feedback",
    description:
      "Lists people's feedback notes (not proposals: failure_mode_proposals_list), oldest first, and says which of them are failure modes and which could become one.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/feedback",
    input: ListInput,
    output: z.object({
      org: z.string(),
      audience: z.enum(["customer", "staff"]),
      about_kinds: z.array(z.string()),
      count,
      feedback: z.array(Note),
      flags: z.object({ mode: count, could_be_mode: count, remark: count }),
      polarities: z.record(z.string(), count),
      source: z.string(),
      method: z.string(),
      tier: Tier,
      next: z.string().optional(),
    }),
    verdict: ({ count: n, flags }) =>
      `${countOf(n, "note")}: ${flags.mode} are failure modes, ${flags.could_be_mode} could become one.`,
    counts: ({ count: value, flags }) => [
      { name: "notes", value, tier: "human", how: "notes on this page" },
      {
        name: "could be failure modes",
        value: flags.could_be_mode,
        of: value,
        tier: "deterministic",
        how: "negative notes about what an agent did",
      },
    ],
    handle: listFeedback,
  }),
  shaped({
    name: "reports_ledger",
    title: "Read the feedback ledger",
    description:
      "Counts feedback notes (not reports: reports_list): those a pass has read, those waiting, and those older than the org keeps its traces.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/feedback/ledger",
    input: z.object({ ...orgRef }),
    output: z.object({
      org: z.string(),
      reports: count,
      read: count,
      waiting: count,
      oldest_waiting_at: z.number().optional(),
      retention_days: count.optional(),
      past_retention: count,
      leaves_retention_on: z
        .number()
        .optional()
        .describe("When the oldest note that is not past it leaves the org's retention, unix seconds."),
      undated: count.describe("Notes filed from a sheet that says no date: they may be older than their filing."),
      undated_bound_past: count.optional().describe("Of those, how many were filed before the org's retention began."),
      undated_leave_by: z
        .number()
        .optional()
        .describe("When the last of those leaves the retention at the latest, unix seconds."),
      unreachable: count.optional().describe("Notes about a trace or record that is stored no more."),
      line: z.string(),
      tier: Tier,
    }),
    verdict: ({ line }) => line,
    counts: ({ reports, waiting }) => [
      { name: "notes", value: reports, tier: "deterministic", how: "stored notes that are not retired" },
      { name: "waiting", value: waiting, of: reports, tier: "deterministic", how: "notes that no pass has read" },
    ],
    handle: feedbackLedger,
  }),
  operation({
    name: "feedback_retire",
    title: "Retire a note",
    description: "Takes a note off the lists; its words stay stored. Retiring twice keeps the first mark.",
    scope: "admin",
    hints: { destructive: false },
    route: "DELETE /v0/orgs/{orgtag}/feedback/{fid}",
    input: z.object({ ...orgRef, fid: recordId("note"), ...byField }),
    output: z.object({
      org: z.string(),
      id: z.string(),
      retired: z.boolean(),
      already: z.boolean(),
      retired_at: z.number(),
      retired_by: z.string(),
    }),
    handle: retireFeedback,
  }),
];
