import type { SourceVendor } from "./source-vendor.ts";

/** Outside services that this process may speak to, each behind its port; all of them refuse with AppErrors. */
export interface Vendors {
  readonly chat: ChatVendor;
  readonly mail: MailVendor;
  readonly mirror: MirrorVendor;
  readonly sources: SourceVendor;
  readonly obsWrite: ObsWriteVendor;
  readonly datasets: DatasetVendor;
  readonly traces: TraceVendor;
  readonly vcs: VcsVendor;
}

/** An operator's setting that a vendor needs: the environment variable's name, and whether it holds something. */
export interface VendorSetting {
  readonly env: string;
  readonly set: boolean;
}

/** Who a chat token speaks as. `scopes` is absent where the vendor did not say. */
export interface ChatIdentity {
  readonly team_id: string;
  readonly team_name: string;
  readonly bot_user: string;
  readonly scopes?: readonly string[];
}

/** What an OAuth code was exchanged for. The token is a secret. */
export interface ChatGrant extends ChatIdentity {
  readonly token: string;
  readonly app_id: string;
}

/** A message to a channel, as the chat tool takes it. */
export interface ChatPost {
  readonly channel: string;
  readonly text: string;
  readonly blocks: readonly object[];
  readonly thread_ts?: string | undefined;
}

/**
 * The team chat tool. Refusals: `rate_limited` with the seconds the vendor asks for, `unavailable` when it cannot be
 * reached or fails, `unprocessable` when it refuses the token, the code, the channel or the message.
 */
export interface ChatVendor {
  readonly client: { readonly id: VendorSetting; readonly secret: VendorSetting };
  readonly signingSecret: VendorSetting;
  /** A bot token of the whole deployment, for the one org that claims it. */
  readonly deploymentToken: VendorSetting & { value(): string | undefined };
  exchangeCode(code: string, redirectUri: string, signal: AbortSignal): Promise<ChatGrant>;
  identify(token: string, signal: AbortSignal): Promise<ChatIdentity>;
  /** Posts once, never again by itself. `permalink` is absent where the vendor gives none. */
  post(
    token: string,
    message: ChatPost,
    signal: AbortSignal,
  ): Promise<{ readonly channel: string; readonly ts: string; readonly permalink?: string }>;
}

/** The org's own credential for writing to its observability vendor, in the open. */
export interface ObsWriteKey {
  readonly api_key: string;
  readonly app_key: string;
  /** The vendor's site, such as `datadoghq.eu`. */
  readonly site: string;
}

/** What the vendor calls what was written; `url` where it says one. */
export interface ObsWritten {
  readonly id: string;
  readonly url?: string;
}

/** An experiment's record, with the names of the project and the dataset it is of; both are made where they are not there. */
export interface ObsExperiment {
  readonly project: string;
  readonly dataset: string;
  readonly name: string;
  readonly description: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/**
 * The observability vendor, written to. Each is written once and never again by itself. Refusals: `rate_limited` and
 * `unavailable` with the seconds to wait, `unprocessable` when the vendor refuses the credential or what is sent.
 */
export interface ObsWriteVendor {
  event(key: ObsWriteKey, event: object, signal: AbortSignal): Promise<ObsWritten>;
  notebook(key: ObsWriteKey, notebook: object, signal: AbortSignal): Promise<ObsWritten>;
  experiment(key: ObsWriteKey, experiment: ObsExperiment, signal: AbortSignal): Promise<ObsWritten>;
}

/** The external tool that holds datasets, as an org's source names it. */
export interface DatasetTool {
  /** Its address, or the project's name where the tool is the one that the operator set. */
  readonly project: string;
  readonly public_key: string;
  readonly secret_key: string;
}

/** An item of a dataset there. An item of a known id is put in place of the one before. */
export interface DatasetItem {
  readonly id: string;
  readonly input: object;
  readonly expected_output: object;
  readonly metadata: object;
}

/**
 * The external dataset tool. Refusals: `rate_limited` and `unavailable` with the seconds to wait where short waits did
 * not help, `unprocessable` when it refuses the keys or what is sent, `forbidden` for an address that is not called.
 */
export interface DatasetVendor {
  /** Makes a dataset, or takes the one of that name. */
  put(
    tool: DatasetTool,
    dataset: { readonly name: string; readonly description: string; readonly metadata: object },
    signal: AbortSignal,
  ): Promise<void>;
  /** The ids of the items that are active in a dataset. */
  items(tool: DatasetTool, name: string, signal: AbortSignal): Promise<string[]>;
  putItem(tool: DatasetTool, name: string, item: DatasetItem, signal: AbortSignal): Promise<void>;
  /** Takes an item off the dataset; the runs that were over it stay. */
  archive(tool: DatasetTool, name: string, id: string, signal: AbortSignal): Promise<void>;
}

/** A verdict on a trace there; one of a known id is put in place of the one before. */
export interface TraceScore {
  readonly id: string;
  readonly traceId: string;
  readonly name: string;
  readonly value: boolean;
  readonly comment: string;
}

/**
 * The tracing tool, written to. `settings` are what the operator must set for the tool of the whole workspace. Traces and
 * scores go by their ids, so asking again is harmless. Refusals: as `DatasetVendor`.
 */
export interface TraceVendor {
  readonly settings: readonly VendorSetting[];
  /** The operator's tool; undefined while a setting is missing. */
  tool(): DatasetTool | undefined;
  /** Spans in OTLP form (`resourceSpans`). */
  spans(tool: DatasetTool, resourceSpans: readonly object[], signal: AbortSignal): Promise<void>;
  score(tool: DatasetTool, score: TraceScore, signal: AbortSignal): Promise<void>;
}

/** A repository as the app of one installation reaches it. */
export interface InstalledRepository {
  readonly installation: number;
  /** `owner/name`. */
  readonly repository: string;
}

/** A ref of a repository at the commit it stands at. */
export interface VcsRef {
  readonly kind: "branch" | "tag" | "pull";
  /** The branch's or the tag's name, or `pull/<number>`. */
  readonly name: string;
  readonly sha: string;
  readonly number?: number;
  readonly title?: string;
  /** Of a pull request: the branch it comes from, and the one it goes to. */
  readonly branch?: string;
  readonly base?: string;
  readonly url?: string;
}

/** One file that differs between two commits, by its name and counts alone. */
export interface VcsChange {
  readonly name: string;
  /** As the host says it: added, removed, modified, renamed … */
  readonly status: string;
  readonly additions: number;
  readonly deletions: number;
}

/** What lies between two commits: from where they parted to the second one. */
export interface VcsCompare {
  /** Where they parted. */
  readonly base: string;
  /** Commits of the second that the first does not have, and the other way. */
  readonly ahead: number;
  readonly behind: number;
  readonly files: readonly VcsChange[];
}

/** What of a code host is read. Refusals as `VcsVendor` says. */
export interface VcsReader {
  /** The host's page where the app is installed; it comes back with the state. */
  installUrl(state: string, signal: AbortSignal): Promise<string>;
  installation(
    id: number,
    signal: AbortSignal,
  ): Promise<{
    readonly installation_id: number;
    readonly app_id: number;
    readonly account: string;
    /** Unix seconds. */
    readonly created_at: number;
    readonly suspended: boolean;
  }>;
  /** Every repository that the installation covers. */
  repositories(
    installation: number,
    signal: AbortSignal,
  ): Promise<
    {
      readonly repository: string;
      readonly default_branch: string;
      readonly private: boolean;
      readonly url: string;
    }[]
  >;
  /** Branches, tags and open pull requests, at most 500 of each. */
  refs(place: InstalledRepository, signal: AbortSignal): Promise<VcsRef[]>;
  /** The commit of a branch, tag, commit or pull request (`pull/12`, `#12`); of a pull request its branch too. */
  commit(
    place: InstalledRepository,
    ref: string,
    signal: AbortSignal,
  ): Promise<{ readonly sha: string; readonly branch?: string }>;
  compare(place: InstalledRepository, base: string, head: string, signal: AbortSignal): Promise<VcsCompare>;
  /** `owner/name` of an address at this host, or of that short form; undefined for an address elsewhere. */
  repositoryOf(url: string): string | undefined;
  /** How git reads a repository: its address, and a token that is a secret and ends within the hour. */
  cloneAccess(
    place: InstalledRepository,
    signal: AbortSignal,
  ): Promise<{ readonly url: string; readonly token: string }>;
}

/**
 * The code host, as the operator's app. Refusals: `not_covered` for a repository that the installation does not reach,
 * `rate_limited` with the seconds the host asks for, `unavailable` when it cannot be reached or fails, `unprocessable`
 * when it refuses the app or what is posted.
 */
export interface VcsVendor extends VcsReader {
  readonly app: VendorSetting;
  /** The newest open pull request from a branch; undefined when there is none. */
  openPullRequest(
    place: InstalledRepository,
    branch: string,
    signal: AbortSignal,
  ): Promise<{ readonly number: number; readonly url: string } | undefined>;
  /** The app's own comment that holds the marker, brought up to date; made where there is none. */
  putComment(
    place: InstalledRepository,
    number: number,
    comment: { readonly marker: string; readonly body: string },
    signal: AbortSignal,
  ): Promise<{ readonly id: string; readonly url: string; readonly action: "created" | "updated" }>;
}

/** One mail to one person. */
export interface MailPost {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** The mail provider. `unavailable` when it cannot be reached or defers, `unprocessable` when it refuses the mail. */
export interface MailVendor {
  readonly provider: VendorSetting;
  /** Hands the mail over; the provider's id of it comes back. */
  send(mail: MailPost, signal: AbortSignal): Promise<{ readonly id: string }>;
}

/** One member of an org as it is sent to another workspace. */
export interface SentEntry {
  readonly kind: string;
  readonly id: string;
  readonly sha256: string;
  readonly replace: boolean;
  readonly bytes: Uint8Array;
}

/**
 * The workspace that this one mirrors into. `unavailable` when it cannot be reached or fails, `unprocessable` when it
 * refuses this workspace or the org.
 */
export interface MirrorVendor {
  readonly target: VendorSetting;
  /** What the org holds there, `<kind>/<id>` to SHA-256, and what was refused at which digest. */
  held(
    orgtag: string,
    signal: AbortSignal,
  ): Promise<{
    readonly held: ReadonlyMap<string, string>;
    readonly refused: ReadonlyMap<string, { readonly sha256: string; readonly reason: string }>;
  }>;
  admit(
    orgtag: string,
    member: SentEntry,
    signal: AbortSignal,
  ): Promise<
    { readonly result: "stored" | "same" | "replaced" } | { readonly result: "refused"; readonly reason: string }
  >;
}
