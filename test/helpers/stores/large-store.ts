import pg from "pg";
import { packTrace } from "../../../store/pack-trace.ts";
import { lookupText } from "../../../store/text.ts";
import { trace } from "../../store/contract/bodies.ts";
import { asSuperuser } from "./postgres.ts";

/** Traces of the large org's large record; its neighbours hold as many together. */
export const LARGE = 100_000;
const NEIGHBOURS = 4;

/** The org that holds them, and the record. */
export const ORG = "org_1";
export const RECORD = "ev_1";

/**
 * Fills an empty store's tables, by the database's own superuser: one org with 100,000 traces in one record, three
 * attributes and an entry for searches each, 50,000 documents of the kind `test_note`, 50,000 trials in ten runs, 20,000
 * jobs and as many lines of spend, 10,000 blobs and deliveries, and four neighbours that hold a quarter of each.
 */
export async function fillLarge(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: asSuperuser(url) });
  await client.connect();
  const packed = packTrace(trace("hello", { session: "s" }));
  const org = (share: number, n = "i") =>
    `case when ${n} < ${share} then '${ORG}' else 'org_' || 2 + ${n} % ${NEIGHBOURS} end`;
  const rows = (count: number) => `generate_series(0, ${2 * count - 1}) i`;
  const id = (prefix: string) => `'${prefix}_' || lpad(i::text, 8, '0')`;
  try {
    await client.query("set synchronous_commit = off");
    await client.query("set session_replication_role = replica");
    await client.query(
      `insert into orgs select 'org_' || i, 'tag-' || i, 1 from generate_series(1, ${NEIGHBOURS + 1}) i`,
    );
    await client.query(
      `insert into traces select ${org(LARGE)}, '${RECORD}', i, ${id("tr")}, 's' || i % 500, 1e9 + i, 3, $1, $2, $3 from ${rows(LARGE)}`,
      [packed.digest, packed.encoding, packed.body],
    );
    await client.query(
      `insert into attributes select org, evidence, position, field,
         field || position % (case field when 'rare' then 1000 when 'some' then 20 else 3 end), null, 'deterministic', 'rule'
       from traces, (values ('rare'), ('some'), ('usual')) f (field)`,
    );
    await client.query(
      `insert into records select ${org(50_000)}, 'test_note', ${id("note")}, $1, 1000, 1000,
         '{"by":"t","created_at":1000,"id":"note_' || lpad(i::text, 8, '0') || '","n":0,"text":"t"}' from ${rows(50_000)}`,
      [packed.digest],
    );
    await client.query(
      `insert into record_fields select org, kind, 'colour', (array[$1, $2])[1 + right(id, 1)::int % 2], id from records
       union all select org, kind, 'size', $3, id from records where right(id, 2) = '07'`,
      [lookupText("red"), lookupText("blue"), lookupText(7)],
    );
    await client.query(
      `insert into trials select ${org(50_000)}, 'run_' || (i % 50000) / 5000, 'tk_' || lpad((i % 1000)::text, 5, '0'), i % 5000 / 1000, 1,
         (array['met', 'failed'])[1 + i % 2], 1, $1, $2 from ${rows(50_000)}`,
      [packed.encoding, packed.body],
    );
    await client.query(
      `insert into jobs (org, id, kind, key, status, parent, "by", input, state, result, attempt, done, created_at, lease_until)
       select ${org(20_000)}, ${id("job")}, 'k' || i % 5, ${id("key")},
         case when i % 1000 = 0 then 'queued' when i % 1000 = 1 then 'running' else 'landed' end,
         case when i % 3 = 0 then 'job_' || lpad((i / 100)::text, 8, '0') end, 't', '{}', 'null', 'null', 1, 0, i, 2 * i
       from ${rows(20_000)}`,
    );
    await client.query(
      `insert into job_events select org, id, n, 1, 'queued', '{}' from jobs, generate_series(1, 3) n`,
    );
    await client.query(
      `insert into ledger select ${org(20_000)}, ${id("led")}, i, null, 'pass', 't', 1, '' from ${rows(20_000)}`,
    );
    await client.query(`insert into audit select ${org(20_000)}, i, 1, 't', 'act', '{}', 'h' from ${rows(20_000)}`);
    await client.query(
      `insert into tokens (org, id, kind, hash, prefix, name, scope, created_by, created_at)
       select ${org(20_000)}, ${id("tok")}, 'org', 'hash' || i, 'svc', 'n', 'push', 't', 1 from ${rows(20_000)}`,
    );
    await client.query(
      `insert into journals select ${org(20_000)}, 'wl_' || (i % 20000) / 200, i % 200 + 1, $1, $2, 'chain' from ${rows(20_000)}`,
      [packed.encoding, packed.body],
    );
    await client.query(
      `insert into deliveries select ${org(10_000)}, ${id("dl")}, 1, 't', 'ch_' || i % 4, 'grp_1', null, '{}' from ${rows(10_000)}`,
    );
    await client.query(
      `insert into blobs select ${org(10_000)}, encode(sha256(i::text::bytea), 'hex'), $1, 10, $2 from ${rows(10_000)}`,
      [packed.encoding, packed.body],
    );
    await client.query("set session_replication_role = origin");
    await client.query(
      `insert into trace_index (org, evidence, position, started_at, ms, cost_usd, words)
       select org, evidence, position, started_at, position % 50, position % 1000, '' from traces`,
    );
    await client.query("vacuum analyze");
  } finally {
    await client.end();
  }
}
