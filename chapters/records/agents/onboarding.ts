import { z } from "zod";
import { recordBase, recordKind } from "../../record.ts";
import { GradingTier } from "../runs/runs.ts";

/** What an onboarding is to do. */
export const OnboardPlan = z.object({
  agent: z.string(),
  version: z.string(),
  against: z.string().nullable(),
  /** Environments whose tasks are shared; empty where the surface is to be built first. */
  environments: z.array(z.string()),
  /** The surface to build, by name, where it has no environment yet. */
  build: z.string().nullable(),
  /** Tasks per environment, over all families in turn; all of them when null. */
  tasks: z.number().int().nullable(),
  allow_cannot: z.boolean(),
});
export type OnboardPlan = z.infer<typeof OnboardPlan>;

/** The stages of an onboarding, in their order. */
export const STAGES = ["probe", "smoke", "build", "tasks", "against", "run", "compare"] as const;

/** The tasks of one environment that both versions run. */
export const SharedTasks = z.object({ environment: z.string(), tasks: z.array(z.string()).min(1) });

/** What a stage came to: the fields of its kind. */
export const StageOutput = z.object({
  /** `probe`, `smoke`: the record, and what it says. */
  probe: z.string().optional(),
  answered: z.boolean().optional(),
  end: z.string().optional(),
  /** `build`, `tasks`. */
  environments: z.array(z.string()).optional(),
  shared: z.array(SharedTasks).optional(),
  /** Tasks that this version's tools cannot meet. */
  cannot: z.array(z.string()).optional(),
  /** `against`, `run`. */
  group: z.string().optional(),
  met: z.number().int().optional(),
  valid: z.number().int().optional(),
  /** `compare`. */
  verdict: z.string().optional(),
  confidence: z.number().optional(),
  worse: z.enum(["a", "b"]).optional(),
});
export type StageOutput = z.infer<typeof StageOutput>;

/** A stage as it stands: made, answered by an earlier one of the same inputs, or not due, with the reason. */
export const Stage = z.object({
  name: z.enum(STAGES),
  state: z.enum(["made", "unchanged", "not_due"]),
  /** Over what it was made from. */
  inputs: z.string(),
  output: StageOutput,
  note: z.string().optional(),
  at: z.number(),
});
export type Stage = z.infer<typeof Stage>;

/** A version on its way from connected to compared with the last one. A stage whose inputs are unchanged is not made again. */
export const AgentOnboarding = recordKind({
  kind: "agent_onboarding",
  prefix: "aon",
  schema: z.object({
    ...recordBase,
    agent: z.string(),
    version: z.string(),
    /** The version it is compared with; null where there is none before it. */
    against: z.string().nullable(),
    stages: z.array(Stage),
    tier: GradingTier,
  }),
  fields: ["agent", "version"],
});
