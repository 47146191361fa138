import { z } from "zod";
import { CheckVerdict, FinishedTrial } from "../../worlds/tasks/schema.ts";
import { FinalAnswerClass } from "../evidence/schema.ts";

/** How a trial ended; a rate is met of valid (met + failed), infra and invalid stand beside it. */
export const TrialEnd = z.enum(["met", "failed", "infra", "invalid"]);
export type TrialEnd = z.infer<typeof TrialEnd>;

/** Why it did not end `met`. */
export const EndCause = z.enum([
  "checks",
  "crash",
  "timeout",
  "flood",
  "could_not_start",
  "killed",
  "provider",
  "service",
  "stopped",
  "gap",
  "undecided",
  "task",
]);
export type EndCause = z.infer<typeof EndCause>;

/** Named reasons for a failed trial, as DOMAIN lists them. */
export const RootCause = z.enum([
  "wrong_tool",
  "wrong_argument",
  "missing_call",
  "extra_write",
  "unverified_write",
  "stopped_early",
  "false_no_data",
  "invented_value",
  "padded_answer",
  "over_refusal",
  "policy_breach",
  "loop",
  "tool_error_unhandled",
  "format",
  "timeout",
  "crash",
  "other",
]);
export type RootCause = z.infer<typeof RootCause>;

/** One attempt at one try of one task; every attempt is kept, the newest counts. */
export const TrialRow = z.object({
  run: z.string(),
  task: z.string(),
  /** Which try of the task, from 1. */
  n: z.number().int().min(1),
  /** Which attempt at this try, from 1; more than one only after `infra`. */
  attempt: z.number().int().min(1),
  end: TrialEnd,
  cause: EndCause.nullable(),
  root_cause: RootCause.nullable(),
  answer_class: FinalAnswerClass,
  checks: z.array(CheckVerdict),
  trial: FinishedTrial,
  started_at: z.number(),
  /** Milliseconds from start to end. */
  ms: z.number(),
  /** Last lines of the agent's standard error, capped, for a person; never in a reason. */
  log: z.string(),
});
export type TrialRow = z.infer<typeof TrialRow>;
