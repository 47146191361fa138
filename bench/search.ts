import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { matchEvidence } from "../chapters/evidence/traces/match.ts";
import { searchEntry } from "../chapters/evidence/traces/trace-words.ts";
import type { CanonicalTrace } from "../chapters/records/evidence/evidence.ts";
import { readConfig } from "../src/config.ts";
import { createService } from "../src/service/service.ts";
import { startPostgres } from "../test/helpers/stores/postgres.ts";
import { canonical, filled, orgOf, p95 } from "./growth.ts";
import type { BenchLine } from "./harness.ts";

/** Traces of the one record that is searched. */
const TRACES = Number(process.env.SVC_SCALE_TRACES ?? 100_000);
const RUNS = 20;
const READ_IN = 500;
const START = 1_790_000_000;

/** How long a page of traces takes that a filter or words narrow, as `evidence_match` answers it: 95th percentiles, on both engines. */
export async function bench(): Promise<BenchLine[]> {
  const cluster = await startPostgres();
  try {
    const lines = await measured("PostgreSQL", await cluster.database());
    return [...lines, ...(await measured("SQLite", undefined))];
  } finally {
    await cluster.stop();
  }
}

async function measured(engine: string, databaseUrl: string | undefined): Promise<BenchLine[]> {
  const dataDir = mkdtempSync(join(tmpdir(), "bench-search-"));
  const settings = { SVC_DATA_DIR: dataDir, SVC_LOG_LEVEL: "error" };
  const shared = databaseUrl === undefined ? {} : { SVC_DATABASE_URL: databaseUrl, SVC_KEY: "0".repeat(64) };
  const service = await createService({ config: readConfig({ ...settings, ...shared }) });
  try {
    const ctx = await orgOf(service, TRACES);
    const started = performance.now();
    const eid = await filled(ctx, await canonical(), TRACES, { vary: varied, attributes: false });
    if (databaseUrl !== undefined) await analyze(databaseUrl);
    const stored = performance.now();
    for (let from = 0; from < TRACES; from += READ_IN) {
      const missing = await ctx.store.search.missing(eid, from, READ_IN);
      const rows = await ctx.store.traces.at(eid, missing);
      await ctx.store.search.add(
        eid,
        rows.map(({ position, trace }) => searchEntry(position, trace)),
      );
    }
    const rate = (since: number, until: number) => (TRACES * 1000) / (until - since);
    const of = `${TRACES.toLocaleString("en-US")} traces, ${engine}`;
    const lines: BenchLine[] = [
      { name: `traces stored, ${of}`, value: rate(started, stored), unit: "/s" },
      { name: `traces read in for searching, ${of}`, value: rate(stored, performance.now()), unit: "/s" },
    ];
    for (const [name, input] of Object.entries(ASKED)) {
      const times: number[] = [];
      let n = 0;
      // The first round warms up.
      for (let i = 0; i <= RUNS; i++) {
        const started = performance.now();
        n = (await matchEvidence(ctx, { eid, limit: 50, ...input(i) })).found?.n ?? 0;
        if (i > 0) times.push(performance.now() - started);
      }
      lines.push({ name: `${name}, ${of}, p95`, value: p95(times), unit: `ms; ${n.toLocaleString("en-US")} found` });
    }
    return lines;
  } finally {
    await service.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** What PostgreSQL's autovacuum does within a minute: plans made before are of a table that it takes for empty. */
async function analyze(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query("analyze traces");
  await client.end();
}

/** A session with words of its own, some frequent and some rare, a time, a duration and a cost. */
export function varied(trace: CanonicalTrace, n: number): CanonicalTrace {
  const at = START + n;
  return {
    ...trace,
    started_at: at,
    request: `${trace.request} order${n} batch${n % 1000} region${n % 7} late${Math.floor((n * 100) / TRACES)} every`,
    turns: trace.turns.map((turn, i) => ({ ...turn, at: at + i * (1 + (n % 50)) })),
    cost_usd: (n % 1000) / 10_000,
    labels: { ...trace.labels, version: `v${n % 20}` },
  };
}

type Asked = Pick<Parameters<typeof matchEvidence>[1], "q" | "filter">;

export const ASKED: Readonly<Record<string, (i: number) => Asked>> = {
  "filter: version": (i) => ({ filter: { agent_version: `v${i % 20}` } }),
  "filter: time, an hour": (i) => ({ filter: { since: START + i * 1000, until: START + i * 1000 + 3600 } }),
  "filter: the dearest": () => ({ filter: { min_cost_usd: 0.0999 } }),
  "filter: the longest": () => ({ filter: { min_ms: 48_000 } }),
  "filter: time, a third": () => ({ filter: { since: START + Math.floor((TRACES * 2) / 3) } }),
  "filter: version and time": (i) => ({ filter: { agent_version: `v${i % 20}`, since: START + TRACES - 3600 } }),
  "search: a rare word": (i) => ({ q: `order${(i * 7919) % TRACES}` }),
  "search: a word of one in a thousand": (i) => ({ q: `batch${i}` }),
  "search: a word of one in seven": (i) => ({ q: `region${i % 7}` }),
  "search: two words": (i) => ({ q: `batch${i} region${i % 7}` }),
  "search: a beginning": (i) => ({ q: `order${i + 1}*` }),
  "search: a word of the last hundredth": () => ({ q: "late99" }),
  "search: a word of every trace": () => ({ q: "every" }),
  "search: a frequent word and a rare cost": (i) => ({ q: `region${i % 7}`, filter: { min_cost_usd: 0.0999 } }),
  "search: a word and a filter": (i) => ({ q: `region${i % 7}`, filter: { agent_version: `v${i % 20}` } }),
};
