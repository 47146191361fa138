import { z } from "zod";
import type { JobRow } from "./ports/store.ts";

/** Every status that a job can have. */
export const JobStatusSchema = z.enum(["queued", "held", "running", "landed", "failed", "stopped", "cancelled"]);

/** Every status that a group can have. */
export const GroupStatusSchema = z.enum([...JobStatusSchema.options, "partial"]);

/** A job as it may be shown: not its input, which may hold text. */
export const JobView = z.object({
  id: z.string(),
  org: z.string().describe("The org's tag."),
  kind: z.string(),
  status: GroupStatusSchema,
  note: z.string().nullable().describe("Why it is held, failed or stopped, or landed with nothing to test with."),
  parent: z.string().nullable(),
  by: z.string(),
  attempt: z.number().int(),
  done: z.number(),
  total: z.number().nullable(),
  message: z.string().nullable(),
  stop_by: z.string().nullable(),
  created_at: z.number(),
  started_at: z.number().nullable(),
  ended_at: z.number().nullable(),
  poll: z.string(),
});
export type JobView = z.infer<typeof JobView>;

/** Shows a job; a group's status is given, since it is its children's. */
export function jobView(row: JobRow, org: string, status: JobView["status"] = row.status): JobView {
  const { id, kind, note, parent, by, attempt, done, total, message, stop_by, created_at, started_at, ended_at } = row;
  return {
    id,
    org,
    kind,
    status,
    note,
    parent,
    by,
    attempt,
    done,
    total,
    message,
    stop_by,
    created_at,
    started_at,
    ended_at,
    poll: `/v0/jobs/${id}`,
  };
}
