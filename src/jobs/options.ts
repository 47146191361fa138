import type { z } from "zod";
import type { Caller } from "../../chapters/caller.ts";
import type { Ctx, Jobs, Log } from "../../chapters/context.ts";
import type { JobDefinition } from "../../chapters/job.ts";
import type { OrgRow, OrgStore, ServiceStore } from "../../chapters/ports/store.ts";
import type { JobQueue } from "./queue/port.ts";

/** Any job definition, as the runner holds it: its input is parsed before it runs. */
export interface AnyJob extends Omit<JobDefinition<never>, "input"> {
  readonly input: z.ZodType;
}

/** What a runner works with. */
export interface JobsOptions {
  readonly store: ServiceStore;
  /** Every kind of job this process may run; rows of other kinds are left to others. */
  readonly definitions: readonly AnyJob[];
  /** The Ctx a job works in, acting for who started it. */
  readonly context: (
    org: OrgRow,
    caller: Caller,
    signal: AbortSignal,
    progress: (done: number, total: number | undefined, message: string) => void,
  ) => Ctx;
  /** Unix seconds. */
  readonly now: () => number;
  readonly id: (prefix: string) => string;
  readonly log: Log;
  /** What an org may spend a day, micro-dollars. */
  readonly dailyBudget: (store: OrgStore) => Promise<number>;
  /** No other process runs jobs on this store: leases that an earlier process left behind are void at once. */
  readonly soleOwner: boolean;
  /** Decides when rows are looked at; the embedded queue when absent. */
  readonly queue?: JobQueue;
  /** Names this process in leases; random when absent. */
  readonly owner?: string;
}

/** The part of the service that runs jobs. */
export interface JobRunner {
  /** Begins to take jobs; what a process before left behind is resumed first. */
  begin(): void;
  /** The Jobs of one org, as handlers see them. */
  forOrg(org: { readonly id: string; readonly tag: string }, by: string): Jobs;
  /** Ends an org's running jobs, because the org goes; waits for them a while. */
  drop(org: string): Promise<void>;
  /** Ends every running job, each back in the queue with its checkpoint. Nothing is taken afterwards. */
  close(): Promise<void>;
}
