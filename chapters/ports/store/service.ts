import type { Page, PageInput } from "../../page.ts";
import type { OrgStore } from "../store.ts";
import type { JobRow } from "./jobs.ts";
import type { AuditLine, AuditLog } from "./logs.ts";
import type { TokenRow } from "./tokens.ts";

/** An org: its id leads every key, its tag is what people call it. */
export interface OrgRow {
  /** Never changes. */
  readonly id: string;
  readonly tag: string;
  readonly created_at: number;
}

/** Rows by table. */
export type RowCounts = Readonly<Record<string, number>>;

/** The end of an org. From `begin` on it is in no list, answers to no tag and no token, and `finish` can be run again until it ends. */
export interface Removal {
  /** The org's rows in every table that has some of it, its own row among them. */
  count(id: string): Promise<RowCounts>;
  /** False when the org is not there, or on its way out already. Who asked is written to the workspace's audit with it. */
  begin(id: string, at: number, by: string): Promise<boolean>;
  /** Deletes the org's rows in small steps, its own last; answers how many went by table. */
  finish(id: string, at: number): Promise<RowCounts>;
  /** Orgs that were begun by `before`, unix seconds, and not finished; all that were, when absent. */
  begun(before?: number): Promise<string[]>;
  /** Makes what was deleted unreadable in the database's own files, as far as the engine can. */
  vacuum(): Promise<void>;
  /** Whether something was deleted since the last scrub. */
  vacuumDue(): Promise<boolean>;
  /** Notes that something was deleted that has to be scrubbed. */
  setVacuumDue(): Promise<void>;
}

/** What crosses orgs: the directory, credentials, the job queue. Only the host and the operator's operations have it. */
export interface ServiceStore {
  createOrg(row: OrgRow): Promise<boolean>;
  orgByTag(tag: string): Promise<OrgRow | undefined>;
  orgById(id: string): Promise<OrgRow | undefined>;
  orgs(page?: PageInput): Promise<Page<OrgRow>>;
  forOrg(id: string): OrgStore;
  /** Which org holds this record, for the operator's calls on routes that name no org. */
  orgOfRecord(kind: string, id: string): Promise<string | undefined>;
  orgOfJob(id: string): Promise<string | undefined>;
  orgOfToken(id: string): Promise<string | undefined>;
  /** The org that holds a claim. */
  orgOfClaim(name: string): Promise<OrgRow | undefined>;
  tokenByHash(hash: string): Promise<{ readonly org: OrgRow; readonly token: TokenRow } | undefined>;
  /** Takes up to `limit` queued jobs, oldest first, leased to `owner` until `leaseUntil`; expired leases too, counted as an attempt. */
  claimJobs(
    owner: string,
    limit: number,
    now: number,
    leaseUntil: number,
    kinds?: readonly string[],
  ): Promise<JobRow[]>;
  /** Takes this one job for `owner` where it is queued or its lease ended before `now`; undefined where it is neither. */
  claimJob(org: string, id: string, owner: string, now: number, leaseUntil: number): Promise<JobRow | undefined>;
  /** Extends the leases of `owner`; answers the ids that were asked to stop and those that it does not hold (any more). */
  renewJobs(
    owner: string,
    ids: readonly string[],
    leaseUntil: number,
  ): Promise<{ readonly stops: readonly string[]; readonly lost: readonly string[] }>;
  jobsAcrossOrgs(options?: PageInput & { readonly live?: boolean }): Promise<Page<JobRow>>;
  /** Whether `owner` has this turn until then: of several servers that ask one has it, and again one when its time is over. */
  takeTurn(name: string, owner: string, now: number, until: number): Promise<boolean>;
  /** Ends a turn that `owner` has. */
  endTurn(name: string, owner: string): Promise<void>;
  /** Adds to what was used by name in the window that runs, which else begins now and lasts so many seconds; answers its sum and end. */
  meter(
    name: string,
    amount: number,
    now: number,
    seconds: number,
  ): Promise<{ readonly used: number; readonly until: number }>;
  /** Forgets turns and windows that were over by then, whose names may be of nobody any more; answers how many. */
  forgetOver(before: number): Promise<number>;
  /** A value of the workspace itself, by name. */
  setting(name: string): Promise<string | undefined>;
  putSetting(name: string, value: string): Promise<void>;
  /** Acts on the workspace itself, in a chain of their own. */
  readonly audit: AuditLog;
  readonly removal: Removal;
  /** Gives the org another tag and writes the audit line, both or neither. False when the tag is taken or the org is gone. */
  renameOrg(id: string, tag: string, line: Omit<AuditLine, "seq" | "hash">): Promise<boolean>;
  close(): Promise<void>;
}
