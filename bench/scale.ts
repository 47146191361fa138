import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { readAttributes } from "../chapters/evidence/attributes/attributes.ts";
import { listEvidence } from "../chapters/evidence/evidence.ts";
import { type MatchInput, matchEvidence } from "../chapters/evidence/traces/match.ts";
import { readConfig } from "../src/config.ts";
import { createService } from "../src/service/service.ts";
import { asSuperuser, type Cluster, startPostgres } from "../test/helpers/stores/postgres.ts";
import { p95 } from "./growth.ts";
import { type BenchLine, type BenchOptions, median } from "./harness.ts";
import { growing, LOGS_PLANS, type LoggedPlan, loggedPlans, planLines } from "./plan-lines.ts";
import { fillRows, type Largest, START, surfaceOf, VERSIONS } from "./scale-rows.ts";

const ROWS = 10_000_000;
const RUNS = 20;
const SLOW_RUNS = 5;
const PREPARED = 7;
/** What the database is given; all else is as Debian sets it. */
const MEMORY = { shared_buffers: "1GB", maintenance_work_mem: "512MB", max_wal_size: "4GB" };

/** What is asked; `i` tells its runs apart. */
interface Question {
  readonly ask: (i: number) => Promise<unknown>;
  readonly runs?: number;
}

/**
 * Lists, facets, matches, searches and retention over ten million rows of PostgreSQL, in the largest record of the largest org:
 * once from the disk, after a restart, then from memory, and the plans of the statements as they ran (by auto_explain).
 */
export async function bench({ rows = ROWS }: BenchOptions = {}): Promise<BenchLine[]> {
  const cluster = await startPostgres(undefined, MEMORY);
  const dataDir = mkdtempSync(join(tmpdir(), "bench-scale-"));
  const url = await cluster.database();
  const settings = { SVC_DATA_DIR: dataDir, SVC_LOG_LEVEL: "error", SVC_DATABASE_URL: url, SVC_KEY: "0".repeat(64) };
  const service = await createService({ config: readConfig(settings) });
  try {
    let largest: Largest | undefined;
    const filled = await timed(() => above(url, async (sql) => (largest = await fillRows(service, sql, rows))));
    if (!largest) throw new Error("there are no rows");
    const lines: BenchLine[] = [
      { name: "rows generated", value: largest.total, unit: `in ${Math.round(filled / 1000)} s` },
      { name: "traces of the largest record", value: largest.traces, unit: "" },
    ];
    const questions = Object.entries(asked(largest));
    const measured = new Map<string, Measured>();
    for (const [name, question] of questions) measured.set(name, await measure(cluster, largest, question));
    await above(url, async (sql) => {
      for (const [name, value] of Object.entries(LOGS_PLANS))
        await sql.query(`alter role app set ${name} = '${value}'`);
    });
    await cluster.cutConnections();
    const all: LoggedPlan[] = [];
    for (const [name, { ask }] of questions) {
      let from = 0;
      // A connection plans a statement for its values five times, and may then plan it for any.
      for (let i = 0; i < PREPARED; i++) {
        from = statSync(cluster.log).size;
        await ask(RUNS + 2 + i).catch(() => undefined);
      }
      const plans = loggedPlans(readFileSync(cluster.log).subarray(from).toString());
      all.push(...plans);
      lines.push(...linesOf(name, measured.get(name)!, plans));
    }
    const heavy = all.filter((plan) => growing(plan).length > 0);
    lines.push({ name: "statements that scan or sort what grows", value: heavy.length, unit: `of ${all.length}` });
    return lines;
  } finally {
    await service.close();
    await cluster.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Milliseconds. */
interface Measured {
  readonly cold: number;
  readonly warm: readonly number[];
  /** Why there is no figure. */
  readonly failed?: string;
}

async function measure(cluster: Cluster, { ctx }: Largest, { ask, runs = RUNS }: Question): Promise<Measured> {
  await cluster.restartCold();
  // A connection to ask over.
  await ctx.store.traces.get("none");
  const times: number[] = [];
  try {
    for (let i = 0; i <= runs + 1; i++) times.push(await timed(() => ask(i)));
  } catch (error) {
    return { cold: times[0] ?? Number.NaN, warm: [], failed: String(error) };
  }
  // The second round warms up.
  return { cold: times[0]!, warm: times.slice(2) };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** Does something as the superuser, whom no row is hidden from. */
async function above(url: string, work: (sql: pg.Client) => Promise<unknown>): Promise<void> {
  const sql = new pg.Client({ connectionString: asSuperuser(url) });
  await sql.connect();
  try {
    await work(sql);
  } finally {
    await sql.end();
  }
}

function linesOf(name: string, { cold, warm, failed }: Measured, plans: readonly LoggedPlan[]): BenchLine[] {
  return [
    {
      name: `${name}, p95`,
      value: p95(warm),
      unit: failed ?? `ms; p50 ${median(warm).toFixed(1)}, cold ${cold.toFixed(0)}`,
      details: planLines(plans),
    },
  ];
}

/** As the service's operations and jobs ask. */
function asked({ ctx, evidence: eid, traces: n }: Largest): Record<string, Question> {
  const { attributes, search, traces } = ctx.store;
  const match = (input: Partial<MatchInput>) => matchEvidence(ctx, { eid, ...input });
  const found = (input: (i: number) => Partial<MatchInput>): Question => ({
    ask: (i) => match({ limit: 50, ...input(i) }),
  });
  const version = (i: number) => ({ agent_version: `v${i % VERSIONS}` });
  const hour = (i: number) => {
    const since = START + ((i * 7919) % n);
    return { since, until: since + 3600 };
  };
  const second = async () => (await traces.heads(eid, { limit: 50 })).next;
  const expired = Math.ceil(n / 500);
  return {
    "list: evidence": { ask: () => listEvidence(ctx, {}) },
    "list: evidence of a surface": { ask: (i) => listEvidence(ctx, { surface: surfaceOf(i) }) },
    "list: traces, far in": { ask: (i) => traces.heads(eid, { from: Math.floor(n / 2) + i, limit: 50 }) },
    "list: traces, newest": { ask: () => search.ranked(eid, { number: "started", first: "most" }, { limit: 50 }) },
    "list: traces, slowest": { ask: () => search.ranked(eid, { number: "ms", first: "most" }, { limit: 50 }) },
    "list: a trace": {
      ask: (i) => traces.get(`tr_${String(n - 1 - ((i * 7919) % Math.ceil(n / 2))).padStart(12, "0")}`),
    },
    "list: attributes of 50 traces": { ask: () => readAttributes(ctx, { eid, limit: 50 }), runs: SLOW_RUNS },
    "list: attributes of the next 50": {
      ask: async () => readAttributes(ctx, { eid, limit: 50, cursor: await second() }),
    },
    "count: traces of a record": { ask: () => Promise.all([traces.count(eid), search.indexed(eid)]) },
    "facets: every field": { ask: () => match({}), runs: SLOW_RUNS },
    "facets: one field": { ask: () => match({ fields: ["outcome"] }), runs: SLOW_RUNS },
    "facets: every field, two selected": {
      ask: () => match({ selection: { outcome: ["failed"], errors: ["some"] } }),
      runs: SLOW_RUNS,
    },
    "match: traces of two values": {
      ask: () => attributes.positions(eid, { outcome: ["failed"], errors: ["some"] }),
      runs: SLOW_RUNS,
    },
    "filter: a version": found((i) => ({ filter: version(i) })),
    "filter: an hour": found((i) => ({ filter: hour(i) })),
    "filter: the dearest": found(() => ({ filter: { min_cost_usd: 0.2 } })),
    "filter: the slowest half": found(() => ({ filter: { min_ms: 7000 } })),
    "filter: a version and an hour": found((i) => ({ filter: { ...version(i), ...hour(i) } })),
    "filter: the slowest half of two values": found(() => ({
      filter: { min_ms: 7000 },
      selection: { outcome: ["failed"], errors: ["some"] },
    })),
    "search: a word of one trace": found((i) => ({ q: `order${n - 1 - ((i * 7919) % Math.ceil(n / 2))}` })),
    "search: a word of one in a thousand": found((i) => ({ q: `batch${i}` })),
    "search: a word of one in seven": found((i) => ({ q: `region${i % 7}` })),
    "search: a word of every trace": found(() => ({ q: "every" })),
    "search: two words": found((i) => ({ q: `batch${i} w${i}` })),
    "search: a beginning": found((i) => ({ q: `order${i + 1}*` })),
    "search: a word and a version": found((i) => ({ q: `w${i * 10}`, filter: version(i) })),
    "search: a word and two values": found((i) => ({
      q: `region${i % 7}`,
      selection: { outcome: ["failed"], errors: ["some"] },
    })),
    "retention: nothing is old": { ask: () => traces.deleteBefore(eid, START - 1, false) },
    "retention: one in 500 goes": { ask: (i) => traces.deleteBefore(eid, START + (i + 1) * expired, false) },
  };
}
