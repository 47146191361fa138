import type pg from "pg";
import type { Ctx } from "../chapters/context.ts";
import { facetWord } from "../chapters/evidence/traces/trace-words.ts";
import { Evidence } from "../chapters/records/evidence/evidence.ts";
import type { Service } from "../src/service/service.ts";
import { packTrace } from "../store/pack-trace.ts";
import { canonical, insertRecord, orgOf } from "./growth.ts";

/** A trace has its row, 11 attributes (a rule reads 8 of every trace and 4 more of some), and one row in each table of the search. */
export const ROWS_A_TRACE = 14;
const ORGS = 12;
const SMALL_RECORD = 25;
const SURFACES = 12;
export const VERSIONS = 20;
export const START = 1_790_000_000;

/** The largest org, and its largest record. */
export interface Largest {
  readonly ctx: Ctx;
  readonly evidence: string;
  readonly traces: number;
  readonly total: number;
}

/**
 * As many rows as asked for, in the service's own tables. Each org has half as many traces as the one before; three fifths of
 * them are in one record, as those of an exporter are, the others came in posts of 25. The database makes the rows, from a hash
 * of their number: values, times and words are as unlike in frequency as those of real traces.
 */
export async function fillRows(service: Service, above: pg.Client, rows: number): Promise<Largest> {
  const records: { org: string; evidence: string; size: number; first: number }[] = [];
  let [first, left] = [0, Math.floor(rows / ROWS_A_TRACE)];
  let largest: Largest | undefined;
  for (let n = 0; n < ORGS; n++) {
    const ctx = await orgOf(service, n);
    const own = n === ORGS - 1 ? left : Math.ceil(left / 2);
    left -= own;
    const sizes = [Math.ceil(own * 0.6)];
    for (let rest = own - sizes[0]!; rest > 0; rest -= SMALL_RECORD) sizes.push(Math.min(SMALL_RECORD, rest));
    const made = sizes.map((size) => {
      first += size;
      return { org: ctx.org.id, evidence: ctx.id(Evidence.prefix), size, first: first - size };
    });
    for (const [i, { evidence, size }] of made.entries())
      await insertRecord(ctx, evidence, { traces: size, calls: size * 3, bytes: size * 4000, surface: surfaceOf(i) });
    records.push(...made);
    largest ??= { ctx, evidence: made[0]!.evidence, traces: made[0]!.size, total: 0 };
  }
  const total = await generate(above, records);
  return { ...largest!, total };
}

/** The first is the most frequent. */
export function surfaceOf(i: number): string {
  return `surface${Math.floor(SURFACES * ((i * 0.618_034) % 1) ** 3)}`;
}

type Records = readonly {
  readonly org: string;
  readonly evidence: string;
  readonly size: number;
  readonly first: number;
}[];

const TABLES = ["traces", "attributes", "trace_index", "trace_words"] as const;

/** Answers how many rows there are. Indexes that hold no constraint are made anew after it: that takes half the time. */
async function generate(above: pg.Client, records: Records): Promise<number> {
  const { rows: indexes } = await above.query<{ indexname: string; indexdef: string }>(
    `select indexname, indexdef from pg_indexes where schemaname = 'public' and tablename = any($1)
     and not exists (select from pg_constraint where conname = indexname)`,
    [TABLES],
  );
  for (const { indexname } of indexes) await above.query(`drop index ${indexname}`);
  await numbered(above, records);
  // Keys and triggers hold by how the rows are made; the one that keeps trace_spans is left to work.
  await above.query("set session_replication_role = replica");
  await above.query(`insert into traces (org, evidence, position, id, session, started_at, calls, digest, encoding, body)
    select org, evidence, position, 'tr_' || lpad(n::text, 12, '0'), 'session-' || n, started_at, calls, digest, encoding, body
    from numbered join samples on samples.i = n % (select count(*) from samples) order by n`);
  await above.query(attributesSql());
  await above.query("set session_replication_role = origin");
  await above.query(`insert into trace_index (org, evidence, position, started_at, ms, cost_usd, words)
    select org, evidence, position, started_at, ms, cost_usd, '' from numbered order by n`);
  await above.query("set session_replication_role = replica");
  const facets = (facet: "version" | "tool", names: readonly string[]) => names.map((name) => facetWord(facet, name));
  await above.query(wordsSql(), [
    facets(
      "version",
      Array.from({ length: VERSIONS }, (_, i) => `v${i}`),
    ),
    facets("tool", TOOLS),
  ]);
  await above.query("set session_replication_role = origin");
  for (const { indexdef } of indexes) await above.query(indexdef);
  await above.query("drop table numbered, samples");
  await above.query("vacuum analyze");
  let total = 0;
  for (const table of TABLES) total += Number((await above.query(`select count(*) as n from ${table}`)).rows[0].n);
  return total;
}

/** A number for each trace, with what several tables say of it. */
async function numbered(above: pg.Client, records: Records): Promise<void> {
  const of = <K extends keyof Records[number]>(key: K) => records.map((record) => record[key]);
  await above.query(
    `create unlogged table numbered as
    select first + p as n, org, evidence, p::bigint as position,
      case when ${u(1)} < 0.97 then ${START} + p + floor(${u(2)} * 30) end as started_at,
      case when ${u(3)} < 0.9 then floor(200 * exp(7 * ${u(4)})) end as ms,
      case when ${u(5)} < 0.8 then round((0.0005 * exp(6 * ${u(6)}))::numeric, 4)::float8 end as cost_usd
    from unnest($1::text[], $2::text[], $3::int[], $4::int[]) as r (org, evidence, size, first), generate_series(0, size - 1) as p`,
    [of("org"), of("evidence"), of("size"), of("first")],
  );
  await above.query("create unlogged table samples (i bigint, calls integer, digest text, encoding text, body bytea)");
  for (const [i, trace] of (await canonical()).entries()) {
    const { calls, digest, encoding, body } = packTrace(trace);
    await above.query("insert into samples values ($1, $2, $3, $4, $5)", [i, calls, digest, encoding, body]);
  }
  await above.query("analyze numbered, samples");
}

/** From 0 to 1, the same for the same number and salt. */
function u(salt: number, n = "(first + p)::bigint"): string {
  return `((hashint8extended(${n}, ${salt}) & 1048575) / 1048576.0)`;
}

/** A name with a number below `of`, the first ones the most frequent. */
function skewed(name: string, of: number, salt: number): string {
  return `'${name}' || floor(${of} * power(${u(salt, "n")}, 3))`;
}

const TOOLS = Array.from({ length: 40 }, (_, i) => `tool${i}`);

/** The fields that a rule reads of a trace, in the order of their key. */
function attributesSql(): string {
  const one = (salt: number, share: number, yes: string, no = "null") =>
    `case when ${u(salt, "n")} < ${share} then ${yes} else ${no} end`;
  const fields: Record<string, string> = {
    calls: skewed("", 8, 11),
    changes: one(12, 0.6, "'none'", "'some'"),
    data_condition: one(13, 0.8, one(14, 0.85, "'present'", one(15, 0.6, "'partial'", "'absent'"))),
    domain: one(16, 0.5, skewed("domain", 6, 17)),
    errors: one(18, 0.88, "'none'", "'some'"),
    final_answer: one(19, 0.8, "'answered'", one(20, 0.6, "'said_no_data'", "'none'")),
    first_tool: skewed("tool", TOOLS.length, 21),
    model: one(22, 0.9, skewed("model", 8, 23)),
    outcome: one(24, 0.7, one(25, 0.75, "'met'", one(26, 0.8, "'failed'", "'partly'"))),
    register: skewed("register", 5, 27),
    use_case: skewed("case", 300, 28),
    user_turns: skewed("", 6, 29),
  };
  const values = Object.entries(fields).map(([field, value]) => `('${field}', ${value})`);
  return `insert into attributes (org, evidence, position, field, value, cite, tier, reader)
    select org, evidence, position, field, value, 'calls.0', 'deterministic', 'extract:rule'
    from (select * from numbered order by n) as numbered cross join lateral (values ${values.join(", ")}) as f (field, value)
    where value is not null`;
}

/** About 50 words a trace: one of its own, some of one in seven, a thousand or all, and 40 of a vocabulary of 20,000. */
function wordsSql(): string {
  return `insert into trace_words (id, org, position, started_at, ms, cost_usd, words)
    select own.id, org, position, own.started_at, own.ms, own.cost_usd, array_to_tsvector(array[
      'in=' || evidence || '/' || position / 65536, 'order' || n, 'batch' || n % 1000, 'region' || n % 7, 'every',
      ($1::text[])[1 + n % ${VERSIONS}], ($2::text[])[1 + floor(${TOOLS.length} * power(${u(21, "n")}, 3))]]
      || array(select 'w' || floor(20000 * power(((hashint8extended(n, 100 + w) & 1048575) / 1048576.0), 3)) from generate_series(1, 40) as w))
    from numbered join trace_index as own using (org, evidence, position) order by own.id`;
}
