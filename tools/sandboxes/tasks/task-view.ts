import { z } from "zod";
import { TaskStatus } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { Tier } from "../../../chapters/tier.ts";
import { Certificate, Family } from "../../../worlds/tasks/schema.ts";

/** A task of an environment as lists show it. */
export const TaskView = z.object({
  id: z.string(),
  index: z.number().int(),
  digest: z.string(),
  status: TaskStatus,
  reason: z.string().optional(),
  stale: z
    .string()
    .optional()
    .describe("Why a certified task does not count: its certificate no longer holds, and what reviews it again."),
  neighbourhood: Certificate.shape.neighbourhood.describe(
    "How held-out sessions were answered by the task's tools; `poor` says why the world is too poor for it.",
  ),
  family: Family,
  cell: z.record(z.string(), z.string()),
  voice: z.object({ persona: z.string(), register: z.string(), lead: z.string().optional() }),
  request: z.string(),
  turns: z.array(z.string()),
  tier: Tier,
  tools: z.array(z.string()).describe("The tools its reference script calls."),
  checks: z.array(z.object({ kind: z.string(), decides: z.string() })),
});
