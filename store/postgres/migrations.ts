import { BY_ID_ACROSS_ORGS, type Migration } from "../migrate.ts";
import { guarded, ofWorkspace } from "./policies.ts";
import { searchMigrations } from "./search-migrations.ts";

/** The tables of PostgreSQL, by version. A migration that was released is never changed: the next one is added. */
export const migrations: readonly Migration[] = [
  {
    version: 1,
    name: "first tables",
    // Text is ordered by its bytes, as SQLite orders it: cursors and lists then agree on both engines. Bodies are
    // compressed already, so the server is told not to try.
    sql: `
create table orgs (
  id text collate "C" not null primary key,
  tag text collate "C" not null unique,
  created_at double precision not null
);
create table settings (
  name text collate "C" not null primary key,
  value text collate "C" not null
);
create table records (
  org text collate "C" not null references orgs (id),
  kind text collate "C" not null,
  id text collate "C" not null,
  digest text collate "C" not null,
  created_at double precision not null,
  updated_at double precision not null,
  body text collate "C" not null,
  primary key (org, kind, id)
);
create table record_fields (
  org text collate "C" not null,
  kind text collate "C" not null,
  field text collate "C" not null,
  value text collate "C" not null,
  id text collate "C" not null,
  primary key (org, kind, field, value, id),
  foreign key (org, kind, id) references records (org, kind, id) on delete cascade
);
create index record_fields_by_record on record_fields (org, kind, id);
create table blobs (
  org text collate "C" not null references orgs (id),
  digest text collate "C" not null,
  encoding text collate "C" not null,
  size bigint not null,
  body bytea not null,
  primary key (org, digest)
);
create table traces (
  org text collate "C" not null references orgs (id),
  evidence text collate "C" not null,
  position bigint not null,
  id text collate "C" not null,
  session text collate "C" not null,
  started_at double precision,
  calls integer not null,
  digest text collate "C" not null,
  encoding text collate "C" not null,
  body bytea not null,
  primary key (org, evidence, position)
);
create unique index traces_by_id on traces (org, id);
create table trials (
  org text collate "C" not null references orgs (id),
  run text collate "C" not null,
  task text collate "C" not null,
  n integer not null,
  attempt integer not null,
  "end" text collate "C" not null,
  started_at double precision not null,
  encoding text collate "C" not null,
  body bytea not null,
  primary key (org, run, task, n, attempt)
);
create table jobs (
  org text collate "C" not null references orgs (id),
  id text collate "C" not null,
  kind text collate "C" not null,
  key text collate "C" not null,
  status text collate "C" not null,
  note text collate "C",
  parent text collate "C",
  "by" text collate "C" not null,
  input text collate "C" not null,
  state text collate "C" not null,
  result text collate "C" not null,
  attempt integer not null,
  done bigint not null,
  total bigint,
  message text collate "C",
  stop_by text collate "C",
  created_at double precision not null,
  started_at double precision,
  ended_at double precision,
  lease_owner text collate "C",
  lease_until double precision,
  primary key (org, id)
);
create unique index jobs_live_key on jobs (org, key) where status in ('queued', 'held', 'running');
create index jobs_by_parent on jobs (org, parent, id) where parent is not null;
create index jobs_queue on jobs (status, created_at, id) where status in ('queued', 'running');
create table job_events (
  org text collate "C" not null,
  job text collate "C" not null,
  seq bigint not null,
  at double precision not null,
  kind text collate "C" not null,
  fields text collate "C" not null,
  primary key (org, job, seq),
  foreign key (org, job) references jobs (org, id) on delete cascade
);
create table ledger (
  org text collate "C" not null references orgs (id),
  id text collate "C" not null,
  at double precision not null,
  job text collate "C",
  kind text collate "C" not null,
  who text collate "C" not null,
  micro_usd bigint not null,
  note text collate "C" not null,
  primary key (org, id)
);
create table audit (
  org text collate "C" not null references orgs (id),
  seq bigint not null,
  at double precision not null,
  "by" text collate "C" not null,
  act text collate "C" not null,
  fields text collate "C" not null,
  hash text collate "C" not null,
  primary key (org, seq)
);
create table journals (
  org text collate "C" not null references orgs (id),
  world text collate "C" not null,
  seq bigint not null,
  encoding text collate "C" not null,
  body bytea not null,
  primary key (org, world, seq)
);
create table tokens (
  org text collate "C" not null references orgs (id),
  id text collate "C" not null,
  kind text collate "C" not null,
  hash text collate "C" not null unique,
  prefix text collate "C" not null,
  name text collate "C" not null,
  scope text collate "C" not null,
  world text collate "C",
  created_by text collate "C" not null,
  created_at double precision not null,
  expires_at double precision,
  last_used_at double precision,
  revoked_at double precision,
  primary key (org, id)
);
create index tokens_by_kind on tokens (org, kind, id);
alter table blobs alter column body set storage external;
alter table traces alter column body set storage external;
alter table trials alter column body set storage external;
alter table journals alter column body set storage external;
`,
  },
  {
    version: 2,
    name: "spend by time, jobs by id across orgs",
    sql: `
create index ledger_by_time on ledger (org, at, id, micro_usd);
create index jobs_across_orgs on jobs (id, org);
`,
  },
  {
    version: 3,
    name: "deliveries and opens; what one org alone holds; orgs on their way out; the workspace's own audit",
    sql: `
alter table orgs add column removed_at double precision;
create table deliveries (
  org text collate "C" not null references orgs (id),
  id text collate "C" not null,
  at double precision not null,
  "by" text collate "C" not null,
  channel text collate "C" not null,
  run_group text collate "C" not null,
  target text collate "C",
  reference text collate "C" not null,
  primary key (org, id)
);
create index deliveries_by_channel on deliveries (org, channel, id);
create table opens (
  org text collate "C" not null references orgs (id),
  run_group text collate "C" not null,
  via text collate "C" not null,
  day bigint not null,
  member text collate "C" not null,
  primary key (org, run_group, via, day, member)
);
create table claims (
  name text collate "C" not null primary key,
  org text collate "C" not null references orgs (id),
  at double precision not null
);
create index claims_by_org on claims (org, name);
create table workspace_audit (
  seq bigint not null primary key,
  at double precision not null,
  "by" text collate "C" not null,
  act text collate "C" not null,
  fields text collate "C" not null,
  hash text collate "C" not null
);
`,
  },
  {
    version: 4,
    name: "attributes of traces",
    sql: `
create table attributes (
  org text collate "C" not null,
  evidence text collate "C" not null,
  position bigint not null,
  field text collate "C" not null,
  value text collate "C" not null,
  cite text collate "C",
  tier text collate "C" not null,
  reader text collate "C" not null,
  primary key (org, evidence, position, field),
  foreign key (org, evidence, position) references traces (org, evidence, position) on delete cascade
);
create index attributes_by_value on attributes (org, evidence, field, value, tier, position);
`,
  },
  {
    version: 5,
    name: "a journal's entries are chained",
    sql: `
alter table journals add column chain text collate "C" not null default '';
`,
  },
  {
    version: 6,
    name: "rows are seen by their own org alone",
    // Every connection says whose rows it is for; one that says nothing sees none. Owners are held to it too, but no
    // superuser is: the service must not connect as one.
    sql: guarded(
      ["records", "record_fields", "blobs", "traces", "trials", "jobs", "job_events", "ledger", "audit"],
      ["journals", "tokens", "deliveries", "opens", "claims", "attributes"],
    ),
  },
  {
    version: 7,
    name: "turns and meters of several servers",
    sql: `
create table turns (
  name text collate "C" not null primary key,
  owner text collate "C" not null,
  until double precision not null
);
create table meters (
  name text collate "C" not null primary key,
  used double precision not null,
  until double precision not null
);
${ofWorkspace("turns", "meters")}`,
  },
  {
    version: 8,
    name: "records and tokens by id across orgs",
    sql: BY_ID_ACROSS_ORGS,
  },
  ...searchMigrations,
];
