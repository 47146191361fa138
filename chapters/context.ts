import type { Caller } from "./caller.ts";
import type { Compute } from "./compute.ts";
import type { ReadTools } from "./findings/assistant/root-tools.ts";
import type { JobDefinition, JobHandle } from "./job.ts";
import type { Models } from "./models/port.ts";
import type { AgentLauncher } from "./ports/launcher.ts";
import type { AuditLine, OrgStore, RecordChange, RowCounts, ServiceStore } from "./ports/store.ts";
import type { Vendors } from "./ports/vendors.ts";
import type { Repositories } from "./repositories.ts";
import type { BenchProgram } from "./sandboxes/bench/bench-program.ts";
import type { WorldHost } from "./sandboxes/worlds/world-host.ts";
import type { SealingKeys } from "./sealing-keys.ts";

/** What the operator set for this process; read once at start (src/config.ts). */
export interface Settings {
  /** Where callers reach this service, no slash at the end; absent over stdio alone. */
  readonly publicUrl: string | undefined;
  /** Whether agents may be commands on this machine. On for local workspaces, off for shared ones. */
  readonly commandsAllowed: boolean;
  /** Whether an org's URLs may point into loopback, link-local and private ranges. */
  readonly privateAddressesAllowed: boolean;
  /** Budget per org and day in US dollars where the org set none. */
  readonly defaultUsdPerDay: number;
  /** The environment variable that says so; absent where nobody set it. */
  readonly usdPerDayFrom?: string;
  /** Days that an org token lasts which was minted without an end; absent: until it is revoked. */
  readonly tokenDays?: number;
  /** Ids of orgs and of org tokens that may mirror into this workspace. */
  readonly mirrorFrom: readonly string[];
}

/** Starts and finds background work. A started job goes on whatever becomes of the request. */
export interface Jobs {
  /**
   * Starts the job, or answers the one that already runs under the same key (`deduplicated`). `records` are written with
   * the job's row, in one transaction, where it is started.
   */
  start<I>(
    definition: JobDefinition<I>,
    input: I,
    options?: { readonly parent?: string; readonly id?: string; readonly records?: readonly RecordChange[] },
  ): Promise<JobHandle>;
  /** Asks a job and its children to stop; what they finished stays. `how` is the status they end with. */
  stop(id: string, by: string, how: "stopped" | "cancelled"): Promise<void>;
  /** Rules the org's held jobs again, after its budget changed; answers how many go on. */
  reEvaluate(): Promise<number>;
  /** What a job may cost at most, micro-dollars; undefined where its kind says nothing or is not known here. */
  estimate(row: { readonly kind: string; readonly input: unknown }): number | undefined;
}

/** Seals secrets at rest (AES-256-GCM under the workspace's key). */
export interface Sealer {
  seal(plain: string): string;
  open(sealed: string): string;
}

/** The service's log: facts by name and a fixed sentence; no text of evidence and no secret goes in. */
export interface Log {
  info(fields: Record<string, unknown>, message: string): void;
  warn(fields: Record<string, unknown>, message: string): void;
  error(fields: Record<string, unknown>, message: string): void;
}

/** A request body that the handler reads itself (operations whose `body` is `stream`). */
export interface RequestBody {
  /** The media type without parameters, lower case; absent when none was sent. */
  readonly type: string | undefined;
  /** Already decoded of its content encoding; reading throws AppError when the encoding is broken or a limit is passed. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** What every handler has, whichever org or none it serves. */
export interface BaseCtx {
  readonly caller: Caller;
  /** Unix seconds, with a fraction. */
  now(): number;
  /** A new time-sortable id, `<prefix>_…`. */
  id(prefix: string): string;
  /** Ends when the caller goes away, the time is up, or the job is stopped. */
  readonly signal: AbortSignal;
  /** Set for operations whose `body` is `stream`, over REST. */
  readonly body: RequestBody | undefined;
  readonly log: Log;
  readonly settings: Settings;
  /** Tells a waiting caller how far the work is; `total` absent when unknown. */
  progress(done: number, total: number | undefined, message: string): void;
}

/** The org as a whole: what it owns, its tag, its end. */
export interface OrgLifecycle {
  /** Its rows by table, its own among them. */
  rows(): Promise<RowCounts>;
  /** One move: every row, or none. False when the tag is taken or the org is gone. */
  rename(to: string, line: Omit<AuditLine, "seq" | "hash">): Promise<boolean>;
  /**
   * Ends the org's work and deletes it. Undefined when it is gone already. What was begun is finished by the next
   * process after a kill. `scrubbed`: whether the deleted content is also out of the database's own files.
   */
  remove(by: string): Promise<{ readonly rows: RowCounts; readonly scrubbed: boolean } | undefined>;
  /** Takes what was deleted out of the database's own files too; false when that has to wait for the next start. */
  vacuum(): Promise<boolean>;
}

/** What a call of an org may begin within a minute; each throws `rate_limited` with the seconds to wait. */
export interface Limits {
  /** Counts a world that is made. */
  world(): Promise<void>;
}

/** What a handler of an org's operation has: that org's store and nothing of any other org. */
export interface Ctx extends BaseCtx {
  readonly org: { readonly id: string; readonly tag: string };
  readonly store: OrgStore;
  readonly jobs: Jobs;
  readonly compute: Compute;
  readonly worlds: WorldHost;
  readonly agents: AgentLauncher;
  readonly repositories: Repositories;
  readonly benchProgram: BenchProgram;
  readonly sealer: Sealer;
  readonly vendors: Vendors;
  readonly lifecycle: OrgLifecycle;
  readonly limits: Limits;
  readonly models: Models;
  readonly tools: ReadTools;
  /** What spending is written down under: the job this acts for, or the call itself; `trial` the attempt of a run. */
  readonly account: { readonly job: string | null; readonly kind: string; readonly trial?: string };
}

/** What a handler of a service-wide operation has (`orgs_list`, `whoami`). */
export interface ServiceCtx extends BaseCtx {
  readonly service: ServiceStore;
  readonly keys: SealingKeys;
  /** The same caller at work in one org. */
  inOrg(org: { readonly id: string; readonly tag: string }): Ctx;
}

/** The actor to record on a change: the one named, else the caller. */
export function actor(ctx: BaseCtx, by: string | undefined): string {
  return by ?? ctx.caller.name;
}
