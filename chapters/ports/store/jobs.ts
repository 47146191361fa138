import type { JobStatus } from "../../job.ts";
import type { Page } from "../../page.ts";
import type { OrderedPage, RecordChange } from "./records.ts";

/** A job as stored. Times are unix seconds. `input`, `state` and `result` are JSON values. */
export interface JobRow {
  readonly id: string;
  readonly org: string;
  readonly kind: string;
  /** Unique among this org's jobs that have not ended. */
  readonly key: string;
  readonly status: JobStatus;
  /** Why it is held, failed or stopped, or landed with nothing to test with, in words. */
  readonly note: string | null;
  readonly parent: string | null;
  readonly by: string;
  readonly input: unknown;
  readonly state: unknown;
  readonly result: unknown;
  readonly attempt: number;
  readonly done: number;
  readonly total: number | null;
  readonly message: string | null;
  readonly stop_by: string | null;
  readonly created_at: number;
  readonly started_at: number | null;
  readonly ended_at: number | null;
}

/** A line of a job's audit trail, numbered from 1. */
export interface JobEvent {
  readonly seq: number;
  readonly at: number;
  readonly kind: string;
  readonly fields: Readonly<Record<string, string | number | boolean>>;
}

/** What a job must be for a change of it: leased to an owner, in a status. */
export interface JobGuard {
  readonly owner?: string;
  readonly status?: JobStatus;
}

/** The jobs of an org: their rows say what is to do and what was done. */
export interface OrgJobs {
  /** Inserts, and `records` in the same transaction; or answers the row that holds the key now, and writes nothing. */
  start(
    row: JobRow,
    records?: readonly RecordChange[],
  ): Promise<{ readonly row: JobRow; readonly deduplicated: boolean }>;
  get(id: string): Promise<JobRow | undefined>;
  list(
    options?: OrderedPage & { readonly live?: boolean; readonly kind?: string; readonly parent?: string | null },
  ): Promise<Page<JobRow>>;
  /**
   * Changes some fields of a job that has not ended; undefined when it has, is unknown, or is not as `only` says. A
   * status other than `running` gives its lease up.
   */
  update(
    id: string,
    change: Partial<Omit<JobRow, "id" | "org" | "kind" | "key">>,
    only?: JobGuard,
  ): Promise<JobRow | undefined>;
  /** Appends to the audit trail. */
  event(id: string, at: number, kind: string, fields: JobEvent["fields"]): Promise<void>;
  events(id: string): Promise<JobEvent[]>;
}
