import type { Migration } from "../migrate.ts";
import { policy, SEEN } from "./policies.ts";

/** The tables that traces are searched by, from version 9 on; as in migrations.ts, none that was released is changed. */
export const searchMigrations: readonly Migration[] = [
  {
    version: 9,
    name: "traces are searched by what is in them",
    // No index over the words yet: see version 11.
    sql: `
create table trace_index (
  id bigint not null generated always as identity primary key,
  org text collate "C" not null,
  evidence text collate "C" not null,
  position bigint not null,
  started_at double precision,
  ms double precision,
  cost_usd double precision,
  words text collate "C" not null,
  unique (org, evidence, position),
  foreign key (org, evidence, position) references traces (org, evidence, position) on delete cascade
);
create index trace_index_in_order on trace_index (org, evidence, id);
${policy("trace_index", `org = ${SEEN} or `)}
create function forget_trace_index() returns trigger language plpgsql as $$
begin
  delete from trace_index where org = old.org and evidence = old.evidence and position = old.position;
  return null;
end $$;
create trigger trace_changed after update of digest on traces
for each row when (old.digest <> new.digest) execute function forget_trace_index();
`,
  },
  {
    version: 10,
    name: "traces are found by time, duration and cost",
    sql: `
create index trace_index_by_start on trace_index (org, evidence, started_at, id) where started_at is not null;
create index trace_index_by_ms on trace_index (org, evidence, ms, id) where ms is not null;
create index trace_index_by_cost on trace_index (org, evidence, cost_usd, id) where cost_usd is not null;
`,
  },
  {
    version: 11,
    name: "traces are found by an index over their words",
    // Behind a row-level policy PostgreSQL asks no index for a match of texts, unless the match is the policy's own: a search
    // sets svc.words in its transaction (repositories/word-hits.ts). The last column takes no room compressed: with it a row
    // is long enough that the words are stored apart, and a page holds 75 rows instead of 6. Servers of the version before
    // still write words into trace_index: the trigger keeps those too. An entry over a mebibyte never matched; it is made anew.
    sql: `
delete from trace_index where octet_length(words) > 1000000;
create table trace_words (
  id bigint not null primary key references trace_index (id) on delete cascade,
  org text collate "C" not null,
  position bigint not null,
  started_at double precision,
  ms double precision,
  cost_usd double precision,
  words tsvector not null,
  apart text collate "C" not null default repeat(' ', 2048)
) with (toast_tuple_target = 128);
alter table trace_words alter column words set storage external;
insert into trace_words (id, org, position, started_at, ms, cost_usd, words)
select id, org, position, started_at, ms, cost_usd,
  array_to_tsvector(array_append(array_remove(string_to_array(words, ' '), ''), 'in=' || evidence || '/' || position / 65536))
from trace_index order by id;
create index trace_words_by_word on trace_words using gin (words);
${policy("trace_words", `org = ${SEEN} or `)}
create policy asked on trace_words as restrictive for select
using (words @@ cast(current_setting('svc.words', true) as tsquery));
create function keep_trace_words() returns trigger language plpgsql as $$
begin
  insert into trace_words (id, org, position, started_at, ms, cost_usd, words)
  values (new.id, new.org, new.position, new.started_at, new.ms, new.cost_usd, array_to_tsvector(
    array_append(array_remove(string_to_array(new.words, ' '), ''), 'in=' || new.evidence || '/' || new.position / 65536)));
  return null;
end $$;
create trigger trace_words_kept after insert on trace_index
for each row when (new.words <> '') execute function keep_trace_words();
`,
  },
  {
    version: 12,
    name: "whose an entry is stands in its row",
    // The row target of version 11 stores the longest columns apart, of each row the org too: to check it took more pages than to
    // find the row. The second statement writes all rows anew, some minutes for a million.
    sql: `
alter table trace_words alter column org set storage plain;
alter table trace_words alter column ms type double precision using ms + 0;
`,
  },
  {
    version: 13,
    name: "a search for a range passes over chunks that hold none of it",
    // Of each statement's entries a chunk is written once, and in one order, so that two servers never wait for each other in turn.
    // Pages of a range are in the order of positions: the index in the order of ids has no reader any more.
    sql: `
create table trace_spans (
  org text collate "C" not null references orgs (id) on delete cascade,
  evidence text collate "C" not null,
  chunk bigint not null,
  started_min double precision,
  started_max double precision,
  ms_min double precision,
  ms_max double precision,
  cost_min double precision,
  cost_max double precision,
  primary key (org, evidence, chunk)
) with (fillfactor = 50);
insert into trace_spans
select org, evidence, position / 4096, min(started_at), max(started_at), min(ms), max(ms), min(cost_usd), max(cost_usd)
from trace_index group by org, evidence, position / 4096;
${policy("trace_spans", `org = ${SEEN} or `)}
create function widen_trace_spans() returns trigger language plpgsql as $$
begin
  insert into trace_spans as own
  select org, evidence, position / 4096, min(started_at), max(started_at), min(ms), max(ms), min(cost_usd), max(cost_usd)
  from added group by org, evidence, position / 4096 order by org, evidence, position / 4096
  on conflict (org, evidence, chunk) do update set
    started_min = least(own.started_min, excluded.started_min), started_max = greatest(own.started_max, excluded.started_max),
    ms_min = least(own.ms_min, excluded.ms_min), ms_max = greatest(own.ms_max, excluded.ms_max),
    cost_min = least(own.cost_min, excluded.cost_min), cost_max = greatest(own.cost_max, excluded.cost_max);
  return null;
end $$;
create trigger trace_index_spanned after insert on trace_index referencing new table as added
for each statement execute function widen_trace_spans();
drop index trace_index_in_order;
`,
  },
];
