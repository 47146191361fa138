import { z } from "zod";
import { orgRef, recordId } from "../fields.ts";
import { Started } from "../job.ts";
import { TaskStatus } from "../records/sandboxes/sandboxes.ts";

/** The environment of a route. */
export const envRef = { ...orgRef, env_id: recordId("environment") };

/** The surface of a route. */
export const surfaceRef = { ...orgRef, surface: z.string().min(1).max(200).describe("The surface's name or id.") };

/** Why a change is made, kept with it. */
export const whyField = { reason: z.string().max(2000).optional().describe("Why, for the record.") };

/** What a draw is made with. */
export const seedField = { seed: z.string().min(1).max(100).optional().describe("The same seed draws the same.") };

/** The model that is to write or read. */
export const modelField = {
  model: z.string().min(1).max(200).optional().describe("A connected model; by rule when absent."),
};

/** A task of an environment. */
export const taskRef = {
  ...envRef,
  index: z.number().int().min(0).describe("The task's index in its environment, from 0."),
};

/** A world of a route. */
export const worldRef = { bundle_id: recordId("bundle"), world: recordId("world") };

/** Tasks at each status. */
export const StatusCounts = z.object(
  Object.fromEntries(TaskStatus.options.map((status) => [status, z.number().int()])) as Record<
    z.infer<typeof TaskStatus>,
    z.ZodNumber
  >,
);

/** Wrong trials made and rejected, equal ones made and spared, and those that a check could not decide. */
export const Health = z.object({
  mutants: z.number(),
  rejected: z.number(),
  equals: z.number(),
  spared: z.number(),
  undecided: z.number(),
  shares: z
    .record(z.string(), z.number())
    .describe("Rejected of mutants, spared of equals, undecided of all; absent where there is nothing to share."),
  tier: z.literal("deterministic"),
});

/** How counts of a review are made. */
export const REVIEWED = "checks run on wrong and equal trials of every task, on forks of the world";

/** All tasks but the retired ones. */
export function total(counts: Readonly<Record<string, number>>): number {
  return Object.entries(counts).reduce((sum, [status, n]) => (status === "retired" ? sum : sum + n), 0);
}

/** Who judged, and what they are. */
export const graderFields = {
  grader: z.string().min(1).max(200).optional().describe("Who says so; the caller's name when absent."),
  grader_kind: z.enum(["human", "model"]).optional().describe("`human` when absent; what a model says is of its tier."),
};

/** Some tasks of an environment. */
export const someTasks = (what: string) => ({
  indexes: z
    .array(z.number().int().min(0))
    .min(1)
    .max(500)
    .optional()
    .describe(`Which tasks, by index; ${what} when absent.`),
});

/** What long work on an environment's tasks answers. */
export const WorkOnTasks = Started.extend({
  environment: z.string(),
  surface: z.string(),
  tasks: z.number().int().describe("How many tasks it works on."),
  stages: z.array(z.string()),
  tier: z.literal("deterministic"),
});
