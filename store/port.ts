import type { Attributes } from "./port/attributes.ts";
import type { Blobs, Journals, Traces, Trials } from "./port/bodies.ts";
import type { OrgJobs } from "./port/jobs.ts";
import type { AuditLog, Deliveries, Ledger, Opens } from "./port/logs.ts";
import type { Records } from "./port/records.ts";
import type { TraceSearch } from "./port/search.ts";
import type { Claims, Tokens } from "./port/tokens.ts";

export type * from "./port/attributes.ts";
export type * from "./port/bodies.ts";
export type * from "./port/jobs.ts";
export type * from "./port/logs.ts";
export type * from "./port/records.ts";
export type * from "./port/search.ts";
export type * from "./port/service.ts";
export type * from "./port/tokens.ts";

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
