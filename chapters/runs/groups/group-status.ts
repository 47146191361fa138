import type { JobStatus } from "../../job.ts";
import type { JobRow } from "../../ports/store.ts";

/** A group's status: a job's, or `partial` when some of its runs landed and others did not. */
export type GroupStatus = JobStatus | "partial";

const LIVE = new Set<JobStatus>(["queued", "running"]);
const ENDS = ["failed", "cancelled", "stopped"] as const;

/**
 * A group's status from its children's: running until all have ended (held when only held ones remain), then landed,
 * else partial when some landed, else failed, cancelled or stopped, in that order. Before it has children, its own.
 */
export function groupStatus(own: JobStatus | undefined, children: readonly JobStatus[]): GroupStatus {
  if (children.length === 0) return own ?? "failed";
  if (children.some((status) => LIVE.has(status))) return "running";
  if (children.includes("held")) return "held";
  if (children.every((status) => status === "landed")) return "landed";
  if (children.includes("landed")) return "partial";
  return ENDS.find((status) => children.includes(status)) ?? "failed";
}

/** A run's status: landed once a person finished it, else its job's; a run whose job never began ends as its group did. */
export function runStatus(
  run: { readonly finished_at?: number | undefined },
  job: JobRow | undefined,
  group: JobRow | undefined,
): JobStatus {
  if (run.finished_at !== undefined) return "landed";
  if (job) return job.status;
  return group?.status === "landed" ? "failed" : (group?.status ?? "failed");
}
