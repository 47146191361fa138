import { z } from "zod";
import { AnswerClass, CallPattern, Fact } from "../../../worlds/tasks/schema.ts";
import { count } from "../../fields.ts";
import { recordBase, recordKind } from "../../record.ts";
import { Tier } from "../../tier.ts";
import { TraceFilter } from "../evidence/trace-filter.ts";

const calls = z.array(CallPattern).min(1).max(50);
const facts = z.array(Fact).min(1).max(50);
const included = facts.describe("What the answer must say.");
const excluded = facts.describe("What the answer must not say.");
const criterion = z.string().min(1).max(2000).describe("What a judge decides, in words.");

const CHECKS = [
  z.strictObject({
    kind: z.literal("answer_includes"),
    facts: included,
    ordered: z.boolean().optional().describe("In this order."),
  }),
  z.strictObject({ kind: z.literal("answer_excludes"), facts: excluded }),
  z.strictObject({ kind: z.literal("answer_class"), class: AnswerClass }),
  z.strictObject({ kind: z.literal("calls_required"), calls }),
  z.strictObject({ kind: z.literal("calls_forbidden"), calls }),
  z.strictObject({ kind: z.literal("call_order"), calls: calls.min(2) }),
  z.strictObject({ kind: z.literal("max_calls"), n: z.number().int().min(0).describe("Calls at most.") }),
  z.strictObject({ kind: z.literal("judged"), criterion }),
] as const;
const KINDS = CHECKS.map(({ shape }) => shape.kind.value);

/** A check that a stored trace alone can decide. */
export const TraceCheck = z.discriminatedUnion("kind", CHECKS, {
  error: `is no check that a stored trace decides: use ${KINDS.slice(0, -1).join(", ")} or ${KINDS.at(-1)}`,
});
export type TraceCheck = z.infer<typeof TraceCheck>;

const terms = {
  filter: TraceFilter.optional().describe("Which traces are judged; all of the surface when absent."),
  share: z
    .number()
    .gt(0)
    .max(1)
    .optional()
    .describe("Share of them that is judged, by a hash of the trace's id; all when absent."),
  checks: z.array(TraceCheck).min(1).max(20).optional().describe("What each trace must meet."),
  detectors: z
    .array(z.string().min(1).max(200))
    .min(1)
    .max(20)
    .optional()
    .describe("Failures to look for: behaviours such as loop, or ids of failure modes."),
  reader: z.enum(["rule", "model"]).optional().describe("Who reads for the detectors; the rule when absent."),
  usd_cap: z.number().min(0).max(1e6).optional().describe("What one firing may spend on models, US dollars."),
  threshold: z.number().min(0).lt(1).optional().describe("For `alert`: the share of judged traces that may fail."),
  change: z
    .number()
    .gt(0)
    .lt(1)
    .optional()
    .describe("For `alert`: how much that share may rise between windows; 0.05: five points."),
  window_hours: z
    .number()
    .int()
    .min(1)
    .max(720)
    .optional()
    .describe("For `alert`: the hours looked back; 24 when absent."),
  min_traces: z
    .number()
    .int()
    .min(1)
    .max(1e6)
    .optional()
    .describe("For `alert`: a window of fewer judged traces tells nothing; 20 when absent."),
};

/** What a schedule of kind `evaluate` or `alert` judges and tells, as it is asked for. */
export const OnlineTermsInput = z.strictObject({
  ...terms,
  chat: z
    .strictObject({
      channel: z
        .string()
        .regex(/^C[A-Z0-9]{1,30}$/, "must be a channel's id at the chat tool, which begins with C")
        .describe("The channel's id at the chat tool."),
      confirm: z.string().min(1).max(200).describe("A member's confirm of delivery_confirm: chat, group alerts."),
    })
    .optional()
    .describe("For `alert`: a chat channel too, beside the members who take mail."),
});
export type OnlineTermsInput = z.infer<typeof OnlineTermsInput>;

/** The same as it is kept. */
export const OnlineTerms = z.object({
  ...terms,
  chat: z.object({ channel: z.string(), team: z.string() }).optional(),
});
export type OnlineTerms = z.infer<typeof OnlineTerms>;

/** A verdict that made a trace fail; its reason is in the label. */
export const OnlineFailure = z.object({ trace: z.string(), name: z.string(), at: z.number(), tier: Tier });

/** How far a schedule has judged, and what it found. Its id is made of the schedule. */
export const OnlineState = recordKind({
  kind: "online_state",
  prefix: "ons",
  schema: z.object({
    ...recordBase,
    schedule: z.string(),
    /** Digest of what is judged, by what: counts of other terms are not these terms' counts. Absent in older states. */
    judged_by: z.string().optional(),
    /** Evidence that landed before this unix second was judged, but for places that `read` does not hold. */
    since: z.number(),
    /** By evidence record: the positions that were looked at. */
    read: z.record(z.string(), z.array(z.tuple([count, count]))),
    /** By hour of the judging (unix seconds): traces that were decided, those that failed, and failures by name. */
    hours: z.array(z.object({ at: z.number(), judged: count, bad: count, by: z.record(z.string(), count) })),
    judged: count,
    bad: count,
    undecided: count,
    by_name: z.record(z.string(), z.object({ good: count, bad: count, unclear: count, tier: Tier })),
    /** The newest verdicts that made a trace fail, newest first. */
    failures: z.array(OnlineFailure),
    spent_usd: z.number(),
    /** Why the last firing stopped before all was judged; absent where it did not. */
    stopped: z.string().optional(),
    /** The incident that lasts. */
    incident: z.string().optional(),
    updated_at: z.number(),
  }),
  fields: ["schedule"],
  copy: { staysBehind: "what a schedule did here" },
});

/** How a message about an incident went over one channel; `unknown`: it may have arrived. */
const AlertResult = z.object({
  channel: z.enum(["chat", "email"]),
  state: z.enum(["sent", "failed", "unknown"]),
  reason: z.string().optional(),
});

/** The time from when a share was too high until it no longer was. It is told once when it opens and once when it closes. */
export const Incident = recordKind({
  kind: "incident",
  prefix: "inc",
  schema: z.object({
    ...recordBase,
    schedule: z.string(),
    status: z.enum(["open", "closed"]),
    opened_at: z.number(),
    closed_at: z.number().optional(),
    /** What was told when it opened, and when it closed. */
    message: z.array(z.string()),
    closing_message: z.array(z.string()).optional(),
    /** The window before it opened: what a change is held against while it lasts. */
    baseline: z.object({ bad: count, judged: count }).optional(),
    sent: z.array(AlertResult),
    closing_sent: z.array(AlertResult).optional(),
    tier: Tier,
  }),
  fields: ["schedule", "status"],
  copy: { staysBehind: "what a schedule did here" },
});
export type AlertResult = z.infer<typeof AlertResult>;
