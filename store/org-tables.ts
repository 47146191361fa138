import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import {
  attributes,
  audit,
  blobs,
  claims,
  deliveries,
  jobEvents,
  jobs,
  journals,
  ledger,
  opens,
  recordFields,
  records,
  tokens,
  traces,
  trials,
} from "./schema.ts";

/** A table that holds rows of orgs. */
export interface OrgTable {
  readonly name: string;
  readonly table: PgTable & { readonly org: PgColumn };
  /** Its primary key. */
  readonly key: readonly PgColumn[];
  /** How many of its rows are held in memory at once; fewer where they are large. */
  readonly page: number;
}

/** Every table with rows of orgs: what others refer to first. */
export const ORG_TABLES: readonly OrgTable[] = [
  of("records", records, [records.org, records.kind, records.id]),
  of("record_fields", recordFields, [
    recordFields.org,
    recordFields.kind,
    recordFields.field,
    recordFields.value,
    recordFields.id,
  ]),
  of("blobs", blobs, [blobs.org, blobs.digest], 4),
  of("traces", traces, [traces.org, traces.evidence, traces.position], 50),
  of("attributes", attributes, [attributes.org, attributes.evidence, attributes.position, attributes.field]),
  of("trials", trials, [trials.org, trials.run, trials.task, trials.n, trials.attempt], 50),
  of("jobs", jobs, [jobs.org, jobs.id]),
  of("job_events", jobEvents, [jobEvents.org, jobEvents.job, jobEvents.seq]),
  of("ledger", ledger, [ledger.org, ledger.id]),
  of("audit", audit, [audit.org, audit.seq]),
  of("journals", journals, [journals.org, journals.world, journals.seq], 50),
  of("tokens", tokens, [tokens.org, tokens.id]),
  of("deliveries", deliveries, [deliveries.org, deliveries.id]),
  of("opens", opens, [opens.org, opens.run_group, opens.via, opens.day, opens.member]),
  of("claims", claims, [claims.name]),
];

function of(name: string, table: OrgTable["table"], key: OrgTable["key"], page = 500): OrgTable {
  return { name, table, key, page };
}
