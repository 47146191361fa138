import type { Attributes } from "./store/attributes.ts";
import type { Blobs, Journals, Traces, Trials } from "./store/bodies.ts";
import type { OrgJobs } from "./store/jobs.ts";
import type { AuditLog, Deliveries, Ledger, Opens } from "./store/logs.ts";
import type { Records } from "./store/records.ts";
import type { TraceSearch } from "./store/search.ts";
import type { Claims, Tokens } from "./store/tokens.ts";

export type * from "./store/attributes.ts";
export type * from "./store/bodies.ts";
export type * from "./store/jobs.ts";
export type * from "./store/logs.ts";
export type * from "./store/records.ts";
export type * from "./store/search.ts";
export type * from "./store/service.ts";
export type * from "./store/tokens.ts";

/**
 * What chapters may ask of a store. Every method is atomic and async; an OrgStore is bound to one org and cannot
 * name another. What is answered as done is on disk. Both implementations pass one contract suite.
 */
export interface OrgStore {
  readonly org: string;
  readonly records: Records;
  readonly blobs: Blobs;
  readonly traces: Traces;
  readonly search: TraceSearch;
  readonly attributes: Attributes;
  readonly trials: Trials;
  readonly jobs: OrgJobs;
  readonly ledger: Ledger;
  readonly audit: AuditLog;
  readonly journals: Journals;
  readonly tokens: Tokens;
  readonly deliveries: Deliveries;
  readonly opens: Opens;
  readonly claims: Claims;
}
