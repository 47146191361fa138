import type { JobStatus } from "../../chapters/job.ts";
import { everyRow } from "../../chapters/page.ts";
import type { JobRow, OrgStore } from "../../chapters/ports/store.ts";

const NEVER_ENDED = new Set<JobStatus>(["queued", "held", "running"]);

/** Whether a job has ended for good. */
export function hasEnded(status: JobStatus): boolean {
  return !NEVER_ENDED.has(status);
}

/** The ids of a job's children that have not ended. */
export async function liveChildren(store: OrgStore, parent: string): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of everyRow((page) => store.jobs.list({ ...page, parent, live: true }))) ids.push(id);
  return ids;
}

/** The org's jobs that run now, on whichever server, the first begun first. */
export async function runningJobs(store: OrgStore): Promise<JobRow[]> {
  const running: JobRow[] = [];
  for await (const row of everyRow((page) => store.jobs.list({ ...page, live: true })))
    if (row.status === "running") running.push(row);
  return running.sort((a, b) => (a.started_at ?? 0) - (b.started_at ?? 0) || (a.id < b.id ? -1 : 1));
}

/** The org's held jobs, oldest first. */
export async function heldJobs(store: OrgStore): Promise<JobRow[]> {
  const held: JobRow[] = [];
  for await (const row of everyRow((page) => store.jobs.list({ ...page, live: true })))
    if (row.status === "held") held.push(row);
  return held.reverse();
}
