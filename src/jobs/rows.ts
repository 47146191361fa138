import type { JobStatus } from "../../chapters/job.ts";
import type { JobRow, OrgStore } from "../../store/port.ts";

const NEVER_ENDED = new Set<JobStatus>(["queued", "held", "running"]);

/** Whether a job has ended for good. */
export function hasEnded(status: JobStatus): boolean {
  return !NEVER_ENDED.has(status);
}

/** The ids of a job's children that have not ended. */
export async function liveChildren(store: OrgStore, parent: string): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.jobs.list({ parent, live: true, limit: 500, cursor });
    ids.push(...page.items.map((row) => row.id));
    cursor = page.next;
  } while (cursor !== undefined);
  return ids;
}

/** The org's held jobs, oldest first. */
export async function heldJobs(store: OrgStore): Promise<JobRow[]> {
  const held: JobRow[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.jobs.list({ live: true, limit: 500, cursor });
    held.push(...page.items.filter((row) => row.status === "held"));
    cursor = page.next;
  } while (cursor !== undefined);
  return held.reverse();
}
