import { z } from "zod";
import { Task } from "../../../worlds/tasks/schema.ts";
import { recordBase, recordKind } from "../../record.ts";
import { TaskStatus } from "./sandboxes.ts";

/** A task of a plan as it stands there, with the verdict of its review on the plan's world. */
export const PlanTask = z.object({
  index: z.number().int(),
  /** SHA-256 of the task's canonical JSON. */
  digest: z.string(),
  task: Task,
  status: TaskStatus,
  reason: z.string().optional(),
});
export type PlanTask = z.infer<typeof PlanTask>;

/** A sandbox with tasks that a person can own and export. It names what its world is made of, so that it outlives changes. */
export const Worldplan = recordKind({
  kind: "worldplan",
  prefix: "wp",
  schema: z.object({
    ...recordBase,
    label: z.string(),
    surface: z.string(),
    bundle: z.string(),
    environment: z.string(),
    base_blob: z.string(),
    seed: z.string(),
    dimensions: z.record(z.string(), z.array(z.string())),
    tasks: z.array(PlanTask),
    /** The traces it was minted from: how many its dimensions matched in an evidence record, and how many of them tasks were mined from. */
    minted_from: z.object({ evidence: z.string(), traces: z.number().int(), mined: z.number().int() }).optional(),
    /** The person who rewrote it: from then on it is theirs, and never generated again. */
    owned_by: z.string().optional(),
    owned_at: z.number().optional(),
    updated_at: z.number().optional(),
  }),
  fields: ["surface", "bundle", "environment", "owned_by"],
});
