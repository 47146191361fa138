import { z } from "zod";
import { CheckVerdict, FinishedTrial } from "../../../worlds/tasks/schema.ts";
import { recordBase, recordKind } from "../../record.ts";
import { FinalAnswerClass } from "../evidence/evidence.ts";

/** How a trial ended; a rate is met of valid (met + failed), infra and invalid stand beside it. */
export const TrialEnd = z.enum(["met", "failed", "infra", "invalid"]);
export type TrialEnd = z.infer<typeof TrialEnd>;

/**
 * Why it did not end `met`. The agent's: a check, a crash, no memory left, no time left, too much output, an answer in no
 * form, an end before every turn was answered. Nobody's who is measured: it could not start, a provider of ours, the
 * service, a stop. Of the task or the world: a gap, an open check, a task that changed. `killed` is on stored rows only.
 */
export const EndCause = z.enum([
  "checks",
  "crash",
  "out_of_memory",
  "timeout",
  "flood",
  "format",
  "stopped_early",
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

/** Named reasons for a failed trial. */
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
  "flood",
  "tool_error_unhandled",
  "format",
  "timeout",
  "crash",
  "other",
]);
export type RootCause = z.infer<typeof RootCause>;

/** What kept a command, or a repository's, apart from the machine that ran it. */
export const TrialIsolation = z.object({
  by: z
    .enum(["bubblewrap", "none"])
    .describe("bubblewrap: files, processes, network of its own; none: as the service's user."),
  limits: z
    .enum(["cgroup", "measured", "none"])
    .describe("How memory and processes were held to limits: by the kernel, measured over time, or not."),
  why: z.string().optional().describe("Why it had none."),
});
export type TrialIsolation = z.infer<typeof TrialIsolation>;

/** Tokens that model calls read and wrote. */
export const TrialTokens = z.object({ input: z.number().int().min(0), output: z.number().int().min(0) });
export type TrialTokens = z.infer<typeof TrialTokens>;

/** One attempt at one try of one task; every attempt is kept, the newest counts. */
export const TrialRow = z.object({
  run: z.string(),
  task: z.string(),
  /** What the task tests, without its words: tasks of one name are one in every interval. Absent on trials from elsewhere. */
  distinct: z.string().optional(),
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
  /** Requests beside those to its world, where they were counted; `enforced` says whether there was no other way out. */
  egress: z.object({ forwarded: z.number().int(), refused: z.number().int(), enforced: z.boolean() }).optional(),
  /** Absent for what the service did not start as a process. */
  isolation: TrialIsolation.optional(),
  /** What the attempt cost, US dollars, as its model calls were priced or its source says; absent where nobody knows. */
  usd: z.number().min(0).optional(),
  /** What the agent's model calls read and wrote, as they were counted or as its source says; absent where nobody knows. */
  tokens: TrialTokens.optional(),
});
export type TrialRow = z.infer<typeof TrialRow>;

/** The built-in harnesses that a run may be started with; `react` needs a model. */
export const RunHarness = z.enum(["reference", "null", "replay", "rule", "react"]);
export type RunHarness = z.infer<typeof RunHarness>;

/** How trials are graded: by code alone, or with a judge for what code leaves open. */
export const GradingTier = z.enum(["deterministic", "llm-derived"]);
export type GradingTier = z.infer<typeof GradingTier>;

/** What made a run start. */
export const RunTrigger = z.enum(["person", "schedule", "branch", "standing"]);

/** Who played: a version of a connected agent, or a built-in harness. */
export const Player = z.object({
  agent: z.string().nullable(),
  name: z.string(),
  /** Of an agent its version, of `react` its model. */
  version: z.string().nullable(),
  harness: RunHarness.nullable(),
  /** Of a surface agent its surface: between its versions the tools are what is compared. */
  surface: z.string().optional(),
});
export type Player = z.infer<typeof Player>;

/** What a player is called: its name, with its version where it has one; `safe` escapes or shortens each. */
export function playerName(
  { name, version }: Pick<Player, "name" | "version">,
  safe: (text: string) => string = (text) => text,
): string {
  return version === null ? safe(name) : `${safe(name)} ${safe(version)}`;
}

/** A task as it stood when the run was planned: what trials of two runs must share to be compared. */
export const RunTask = z.object({
  /** The task's record. */
  id: z.string(),
  index: z.number().int(),
  family: z.string(),
  request: z.string(),
  /** SHA-256 of the task. */
  digest: z.string(),
  /** SHA-256 of its checks. */
  checks: z.string(),
});
export type RunTask = z.infer<typeof RunTask>;

/** What an imported run was read from: a bundle of this service, or another tool's results. */
export const ImportFormat = z.enum(["bundle", "tau2", "inspect"]);
export type ImportFormat = z.infer<typeof ImportFormat>;

/** What was called, how long agents worked, milliseconds, and, where it is told, what that cost, US dollars. */
export const RunUsage = z.object({
  calls: z.number().int().min(0),
  agent_ms: z.number().min(0),
  usd: z.number().min(0).optional(),
});
export type RunUsage = z.infer<typeof RunUsage>;

/** The trials of one environment. Its id is its job's. */
export const Run = recordKind({
  kind: "run",
  prefix: "run",
  schema: z.object({
    ...recordBase,
    group: z.string(),
    environment: z.string(),
    /** The environment's label at the start. */
    label: z.string(),
    surface: z.string(),
    bundle: z.string(),
    player: Player,
    trials: z.number().int(),
    timeout_seconds: z.number(),
    tier: GradingTier,
    /** Digests that comparisons hold equal: the drawn rows, the tools with their behaviour, and other limits than the time. */
    terms: z.object({ base: z.string(), tools: z.string(), limits: z.string().optional() }),
    /** Of the environment when the run was planned; absent on runs planned before it was kept, and on imported ones. */
    seed: z.string().optional(),
    tasks: z.array(RunTask),
    /** Only some of the environment's tasks that counted when it was planned: it is never what the player does there now. */
    partial: z.literal(true).optional(),
    /** When a person landed what a stopped run had finished. */
    finished_at: z.number().optional(),
    finished_by: z.string().optional(),
    /** Set on a run that was taken in whole and never played here; then `surface` and `bundle` are empty. */
    imported: z
      .object({
        at: z.number(),
        format: ImportFormat,
        /** What its source calls it. */
        run_id: z.string(),
        /** What its source says beyond the trials: attempts, retries included, and usage; absent on runs from before these were kept. */
        attempts: z.number().int().optional(),
        usage: RunUsage.optional(),
      })
      .optional(),
    /** The newest record of each that says how its trials are graded, counted and read now. */
    grading: z
      .object({ regrade: z.string().optional(), recount: z.string().optional(), analysis: z.string().optional() })
      .optional(),
  }),
  fields: ["group", "environment"],
});

/** The runs started together. Its id is its job's. */
export const RunGroup = recordKind({
  kind: "run_group",
  prefix: "rg",
  schema: z.object({
    ...recordBase,
    player: Player,
    /** The agent's id, for looking up; absent for a harness. */
    agent: z.string().optional(),
    runs: z.array(z.object({ run: z.string(), environment: z.string(), label: z.string(), tasks: z.number().int() })),
    selection: z.string(),
    /** How its tasks were chosen, where that was by how earlier trials on them had ended. */
    chosen_by_outcome: z.string().optional(),
    trials: z.number().int(),
    timeout_seconds: z.number(),
    trigger: RunTrigger,
    tier: GradingTier,
    /** The group beside which this one runs as a control. */
    control_of: z.string().optional(),
    /** The group that this one goes on with, and the one that goes on with this. */
    resumes: z.string().optional(),
    resumed_by: z.string().optional(),
    retired_at: z.number().optional(),
  }),
  fields: ["agent", "control_of"],
});
