import { BY_ID_ACROSS_ORGS, type Migration } from "../migrate.ts";

/** The tables of SQLite, by version. A migration that was released is never changed: the next one is added. */
export const migrations: readonly Migration[] = [
  {
    version: 1,
    name: "first tables",
    sql: `
create table orgs (
  id text not null primary key,
  tag text not null unique,
  created_at real not null
) strict, without rowid;
create table settings (
  name text not null primary key,
  value text not null
) strict, without rowid;
create table records (
  org text not null references orgs (id),
  kind text not null,
  id text not null,
  digest text not null,
  created_at real not null,
  updated_at real not null,
  body text not null,
  primary key (org, kind, id)
) strict;
create table record_fields (
  org text not null,
  kind text not null,
  field text not null,
  value text not null,
  id text not null,
  primary key (org, kind, field, value, id),
  foreign key (org, kind, id) references records (org, kind, id) on delete cascade
) strict, without rowid;
create index record_fields_by_record on record_fields (org, kind, id);
create table blobs (
  org text not null references orgs (id),
  digest text not null,
  encoding text not null,
  size integer not null,
  body blob not null,
  primary key (org, digest)
) strict;
create table traces (
  org text not null references orgs (id),
  evidence text not null,
  position integer not null,
  id text not null,
  session text not null,
  started_at real,
  calls integer not null,
  digest text not null,
  encoding text not null,
  body blob not null,
  primary key (org, evidence, position)
) strict;
create unique index traces_by_id on traces (org, id);
create table trials (
  org text not null references orgs (id),
  run text not null,
  task text not null,
  n integer not null,
  attempt integer not null,
  "end" text not null,
  started_at real not null,
  encoding text not null,
  body blob not null,
  primary key (org, run, task, n, attempt)
) strict;
create table jobs (
  org text not null references orgs (id),
  id text not null,
  kind text not null,
  key text not null,
  status text not null,
  note text,
  parent text,
  "by" text not null,
  input text not null,
  state text not null,
  result text not null,
  attempt integer not null,
  done integer not null,
  total integer,
  message text,
  stop_by text,
  created_at real not null,
  started_at real,
  ended_at real,
  lease_owner text,
  lease_until real,
  primary key (org, id)
) strict;
create unique index jobs_live_key on jobs (org, key) where status in ('queued', 'held', 'running');
create index jobs_by_parent on jobs (org, parent, id) where parent is not null;
create index jobs_queue on jobs (status, created_at, id) where status in ('queued', 'running');
create table job_events (
  org text not null,
  job text not null,
  seq integer not null,
  at real not null,
  kind text not null,
  fields text not null,
  primary key (org, job, seq),
  foreign key (org, job) references jobs (org, id) on delete cascade
) strict, without rowid;
create table ledger (
  org text not null references orgs (id),
  id text not null,
  at real not null,
  job text,
  kind text not null,
  who text not null,
  micro_usd integer not null,
  note text not null,
  primary key (org, id)
) strict;
create table audit (
  org text not null references orgs (id),
  seq integer not null,
  at real not null,
  "by" text not null,
  act text not null,
  fields text not null,
  hash text not null,
  primary key (org, seq)
) strict, without rowid;
create table journals (
  org text not null references orgs (id),
  world text not null,
  seq integer not null,
  encoding text not null,
  body blob not null,
  primary key (org, world, seq)
) strict;
create table tokens (
  org text not null references orgs (id),
  id text not null,
  kind text not null,
  hash text not null unique,
  prefix text not null,
  name text not null,
  scope text not null,
  world text,
  created_by text not null,
  created_at real not null,
  expires_at real,
  last_used_at real,
  revoked_at real,
  primary key (org, id)
) strict;
create index tokens_by_kind on tokens (org, kind, id);
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
alter table orgs add column removed_at real;
create table deliveries (
  org text not null references orgs (id),
  id text not null,
  at real not null,
  "by" text not null,
  channel text not null,
  run_group text not null,
  target text,
  reference text not null,
  primary key (org, id)
) strict;
create index deliveries_by_channel on deliveries (org, channel, id);
create table opens (
  org text not null references orgs (id),
  run_group text not null,
  via text not null,
  day integer not null,
  member text not null,
  primary key (org, run_group, via, day, member)
) strict, without rowid;
create table claims (
  name text not null primary key,
  org text not null references orgs (id),
  at real not null
) strict, without rowid;
create index claims_by_org on claims (org, name);
create table workspace_audit (
  seq integer not null primary key,
  at real not null,
  "by" text not null,
  act text not null,
  fields text not null,
  hash text not null
) strict, without rowid;
`,
  },
  {
    version: 4,
    name: "attributes of traces",
    sql: `
create table attributes (
  org text not null,
  evidence text not null,
  position integer not null,
  field text not null,
  value text not null,
  cite text,
  tier text not null,
  reader text not null,
  primary key (org, evidence, position, field),
  foreign key (org, evidence, position) references traces (org, evidence, position) on delete cascade
) strict, without rowid;
create index attributes_by_value on attributes (org, evidence, field, value, tier, position);
`,
  },
  {
    version: 5,
    name: "a journal's entries are chained",
    sql: `
alter table journals add column chain text not null default '';
`,
  },
  {
    version: 6,
    name: "turns and meters of several servers",
    sql: `
create table turns (
  name text not null primary key,
  owner text not null,
  until real not null
) strict, without rowid;
create table meters (
  name text not null primary key,
  used real not null,
  until real not null
) strict, without rowid;
`,
  },
  {
    version: 7,
    name: "records and tokens by id across orgs",
    sql: BY_ID_ACROSS_ORGS,
  },
  {
    version: 8,
    name: "traces are searched by what is in them",
    // The words stand once, in trace_index; the full-text table holds what they are found by. Secure delete takes a
    // trace that was erased out of that too.
    sql: `
create table trace_index (
  id integer not null primary key,
  org text not null,
  evidence text not null,
  position integer not null,
  started_at real,
  ms real,
  cost_usd real,
  words text not null,
  unique (org, evidence, position),
  foreign key (org, evidence, position) references traces (org, evidence, position) on delete cascade
) strict;
create index trace_index_in_order on trace_index (org, evidence, id);
create virtual table trace_words using fts5 (
  words, content = 'trace_index', content_rowid = 'id', detail = none,
  tokenize = "ascii tokenchars '=_'"
);
insert into trace_words (trace_words, rank) values ('secure-delete', 1);
create trigger trace_index_added after insert on trace_index begin
  insert into trace_words (rowid, words) values (new.id, new.words);
end;
create trigger trace_index_gone after delete on trace_index begin
  insert into trace_words (trace_words, rowid, words) values ('delete', old.id, old.words);
end;
create trigger trace_changed after update of digest on traces when old.digest <> new.digest begin
  delete from trace_index where org = old.org and evidence = old.evidence and position = old.position;
end;
`,
  },
  {
    version: 9,
    name: "traces are found by time, duration and cost",
    sql: `
create index trace_index_by_start on trace_index (org, evidence, started_at, id) where started_at is not null;
create index trace_index_by_ms on trace_index (org, evidence, ms, id) where ms is not null;
create index trace_index_by_cost on trace_index (org, evidence, cost_usd, id) where cost_usd is not null;
`,
  },
  {
    version: 10,
    name: "a search for a range passes over chunks that hold none of it",
    // Pages of a range are in the order of positions: the index in the order of ids has no reader any more.
    sql: `
create table trace_spans (
  org text not null references orgs (id) on delete cascade,
  evidence text not null,
  chunk integer not null,
  started_min real,
  started_max real,
  ms_min real,
  ms_max real,
  cost_min real,
  cost_max real,
  primary key (org, evidence, chunk)
) strict, without rowid;
insert into trace_spans
select org, evidence, position / 4096, min(started_at), max(started_at), min(ms), max(ms), min(cost_usd), max(cost_usd)
from trace_index group by org, evidence, position / 4096;
create trigger trace_index_spanned after insert on trace_index begin
  insert into trace_spans
  values (new.org, new.evidence, new.position / 4096, new.started_at, new.started_at, new.ms, new.ms, new.cost_usd, new.cost_usd)
  on conflict (org, evidence, chunk) do update set
    started_min = min(ifnull(started_min, new.started_at), ifnull(new.started_at, started_min)),
    started_max = max(ifnull(started_max, new.started_at), ifnull(new.started_at, started_max)),
    ms_min = min(ifnull(ms_min, new.ms), ifnull(new.ms, ms_min)),
    ms_max = max(ifnull(ms_max, new.ms), ifnull(new.ms, ms_max)),
    cost_min = min(ifnull(cost_min, new.cost_usd), ifnull(new.cost_usd, cost_min)),
    cost_max = max(ifnull(cost_max, new.cost_usd), ifnull(new.cost_usd, cost_max));
end;
drop index trace_index_in_order;
`,
  },
];
