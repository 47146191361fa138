import type { Page, PageInput } from "../../page.ts";
import type { OrderedPage } from "./records.ts";

/** What was spent. Append-only. */
export interface LedgerRow {
  readonly id: string;
  readonly at: number;
  readonly job: string | null;
  readonly kind: string;
  readonly who: string;
  /** Reserved before, settled after. Micro-dollars, whole. */
  readonly micro_usd: number;
  readonly note: string;
}

/** What an org spent on models, line by line. */
export interface Ledger {
  append(row: LedgerRow): Promise<void>;
  /** Appends unless the sum since `since` would pass `ceiling` micro-dollars; false then. Two at once cannot both pass it. */
  reserve(row: LedgerRow, since: number, ceiling: number): Promise<boolean>;
  /** Micro-dollars since `at`. */
  since(at: number): Promise<number>;
  list(since: number, page?: OrderedPage): Promise<Page<LedgerRow>>;
}

/** Who did what, in a chain: each line's hash covers the line before. Ids, kinds and counts only. */
export interface AuditLine {
  readonly seq: number;
  readonly at: number;
  readonly by: string;
  readonly act: string;
  readonly fields: Readonly<Record<string, string | number | boolean>>;
  readonly hash: string;
}

/** An org's chain of audit lines. */
export interface AuditLog {
  append(at: number, by: string, act: string, fields: AuditLine["fields"]): Promise<AuditLine>;
  list(page?: OrderedPage): Promise<Page<AuditLine>>;
  /** Reads the whole chain; `broken` is the number of the first line that does not follow from the ones before it. */
  verify(): Promise<{ readonly lines: number; readonly broken?: number }>;
  /** Appends lines of this org that an archive kept, as they were. A line that does not follow the one before is a conflict. */
  restore(lines: readonly AuditLine[]): Promise<void>;
}

/** A line of the delivery log: what went where. `reference` is what the receiver calls it. */
export interface DeliveryRow {
  readonly id: string;
  readonly at: number;
  readonly by: string;
  readonly channel: string;
  readonly group: string;
  readonly target: string | null;
  readonly reference: Readonly<Record<string, string>>;
}

/** The delivery log of an org. */
export interface Deliveries {
  append(row: DeliveryRow): Promise<void>;
  /** Newest first. */
  list(page?: PageInput): Promise<Page<DeliveryRow>>;
  /** The newest line of a channel. */
  last(channel: string): Promise<DeliveryRow | undefined>;
}

/** Someone opened what was sent of a group over a channel on a day (days since 1970, UTC). `member` is a hash; absent for nobody known. */
export interface OpenRow {
  readonly group: string;
  readonly via: string;
  readonly day: number;
  readonly member: string | undefined;
}

/** How often what was sent of a group was opened, once a day for each member and channel. */
export interface OpensTally {
  readonly byVia: readonly { readonly via: string; readonly opens: number }[];
  /** Different members. */
  readonly members: number;
  /** Opens by nobody known. */
  readonly anonymous: number;
}

/** Who opened what was sent, counted by day. */
export interface Opens {
  /** False when this member, or nobody known, was counted for that day and channel already; nothing is written then. */
  count(row: OpenRow): Promise<boolean>;
  tally(group: string): Promise<OpensTally>;
  /** By group, channel, day and member. */
  list(page?: PageInput): Promise<Page<OpenRow>>;
}
