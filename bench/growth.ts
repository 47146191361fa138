import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import Database from "better-sqlite3";
import type { Ctx } from "../chapters/context.ts";
import { readAttributes } from "../chapters/evidence/attributes/attributes.ts";
import { aboutByRule, structural } from "../chapters/evidence/attributes/rule-attributes.ts";
import { columnsOf, groupingFields } from "../chapters/evidence/clusters/columns.ts";
import { induceClusters } from "../chapters/evidence/clusters/tasks.ts";
import { listEvidence } from "../chapters/evidence/evidence.ts";
import { openEvidence } from "../chapters/evidence/reading/evidence.ts";
import { evidenceToolspec } from "../chapters/evidence/toolspec.ts";
import { matchEvidence } from "../chapters/evidence/traces/match.ts";
import { startCompile } from "../chapters/ontology/compile.ts";
import { coverageMatrix } from "../chapters/ontology/matrices.ts";
import { type CanonicalTrace, Evidence } from "../chapters/records/evidence/evidence.ts";
import { ensureSurface } from "../chapters/sandboxes/surfaces/surfaces.ts";
import { readConfig } from "../src/config.ts";
import { createService, type Service } from "../src/service/service.ts";
import { createOrg } from "../src/service/workspace.ts";
import { ctxOf } from "../test/helpers/ctx.ts";
import { deskTraces } from "../test/tools/sandboxes/kit.ts";
import { against, type BenchLine } from "./harness.ts";

const SIZES = [1000, 100_000] as const;
const RUNS = 10;
const WRITTEN = 500;

/** Calls on 1,000 and on 100,000 traces of one org: the 95th percentile, how it grows, and the same question in bare SQL. */
export async function bench(): Promise<BenchLine[]> {
  const dataDir = mkdtempSync(join(tmpdir(), "bench-growth-"));
  const service = await createService({ config: readConfig({ SVC_DATA_DIR: dataDir, SVC_LOG_LEVEL: "error" }) });
  const samples = await canonical();
  try {
    const found: Map<string, Measured>[] = [];
    const compiles: BenchLine[] = [];
    const orgs: Ctx[] = [];
    for (const size of SIZES) {
      const ctx = await orgOf(service, size);
      orgs.push(ctx);
      const eid = await filled(ctx, samples, size);
      const bare = new Database(join(dataDir, "store.db"), { readonly: true });
      try {
        found.push(await measured(ctx, eid, bare));
      } finally {
        bare.close();
      }
    }
    service.begin();
    for (const [i, size] of SIZES.entries()) compiles.push(...compileLines(size, await compiled(orgs[i]!)));
    return [...linesOf(found), ...compiles];
  } finally {
    await service.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

interface Measured {
  /** Milliseconds, 95th percentile. */
  readonly p95: number;
  /** The same of the bare SQL. */
  readonly floor: number;
}

/** Desk sessions as they are stored. */
export async function canonical(): Promise<CanonicalTrace[]> {
  const lines = deskTraces(1).map((trace) => JSON.stringify(trace));
  const body = async function* () {
    yield Buffer.from(lines.join("\n"));
  };
  const traces: CanonicalTrace[] = [];
  for await (const { trace } of (await openEvidence(body())).traces()) traces.push(trace);
  return traces;
}

/** A new org of that name's size. */
export async function orgOf(service: Service, size: number): Promise<Ctx> {
  return ctxOf(service, await createOrg(service, `bench-${size}`));
}

interface Filling {
  readonly vary?: (trace: CanonicalTrace, n: number) => CanonicalTrace;
  readonly attributes?: boolean;
}

/** One evidence record of `size` desk sessions, with what a rule reads of each unless not asked for; `vary` tells the `n`th apart. */
export async function filled(
  ctx: Ctx,
  samples: readonly CanonicalTrace[],
  size: number,
  { vary = (trace) => trace, attributes = true }: Filling = {},
): Promise<string> {
  const evidence = ctx.id(Evidence.prefix);
  const whole = Array.from({ length: size }, (_, i) => samples[i % samples.length]!);
  const sum = (of: (trace: CanonicalTrace) => number) => whole.reduce((total, trace) => total + of(trace), 0);
  const sizes = new Map(samples.map((trace) => [trace, JSON.stringify(trace).length]));
  const calls = sum((trace) => trace.calls.length);
  await insertRecord(ctx, evidence, { traces: size, calls, bytes: sum((trace) => sizes.get(trace)!) });
  await ensureSurface(ctx, "main");
  for (let at = 0; at < size; at += WRITTEN) {
    const rows = Array.from({ length: Math.min(WRITTEN, size - at) }, (_, i) => {
      const trace = vary(samples[(at + i) % samples.length]!, at + i);
      return {
        id: ctx.id("tr"),
        evidence,
        position: at + i,
        trace: { ...trace, session: `${trace.session}-${at + i}` },
      };
    });
    await ctx.store.traces.append(rows);
    if (!attributes) continue;
    await ctx.store.attributes.put(
      evidence,
      rows.flatMap(({ position, trace }) =>
        [...structural(trace), ...aboutByRule(trace)].map((one) => ({
          position,
          ...one,
          tier: "deterministic" as const,
          reader: "extract:rule",
        })),
      ),
    );
  }
  return evidence;
}

/** The record of so many traces, without them. */
export async function insertRecord(
  ctx: Ctx,
  id: string,
  { surface = "main", ...stats }: { traces: number; calls: number; bytes: number; surface?: string },
): Promise<void> {
  await ctx.store.records.insert(Evidence, {
    id,
    created_at: ctx.now(),
    by: "bench",
    kind: "traces",
    format: "anthropic-messages",
    provenance: "synthetic",
    provenance_detected: false,
    data_access: "full",
    digest: id,
    surface,
    stats: { ...stats, tools: 0, refused: 0, losses: {}, stripped_credentials: 0 },
    refused: [],
    detected: "",
    method: "bench",
    tier: "deterministic",
  });
}

async function measured(ctx: Ctx, eid: string, bare: Database.Database): Promise<Map<string, Measured>> {
  const org = ctx.org.id;
  const fields = [...(await groupingFields(ctx, eid))];
  const selection = { outcome: ["met"], errors: ["none"] };
  const of = "org = ? and evidence = ?";
  const page = bare.prepare(
    `select position, field, value, cite, tier, reader from attributes where ${of} and position >= ? and position < ? order by position, field`,
  );
  const heads = bare.prepare(
    `select position, id, session from traces where ${of} and position >= ? order by position limit 50`,
  );
  const list = bare.prepare("select body from records where org = ? and kind = 'evidence' order by id desc limit 50");
  const values = bare.prepare(
    `select value, tier, count(*) from attributes where ${of} and field = ? group by value, tier`,
  );
  const some = `select position from attributes where ${of} and field = ? and value = ?`;
  const among = bare.prepare(
    `select value, tier, count(*) from attributes where ${of} and field = ? and position in (${some}) and position in (${some}) group by value, tier`,
  );
  const body = bare.prepare(`select body from traces where ${of} and position = ?`);
  const column = bare.prepare(`select position, value from attributes where ${of} and field = ?`);
  const traces = await ctx.store.traces.count(eid);
  const step = Math.max(1, traces / 500);
  const works: Record<
    string,
    { readonly run: () => Promise<unknown>; readonly floor: () => unknown; readonly runs?: number }
  > = {
    "evidence_list, one page": { run: () => listEvidence(ctx, {}), floor: () => list.all(org) },
    "evidence_attributes_get, one page of 50": {
      run: () => readAttributes(ctx, { eid, limit: 50 }),
      floor: () => [
        heads.all(org, eid, 0),
        page.all(org, eid, 0, 50),
        fields.map((field) => values.all(org, eid, field)),
      ],
    },
    "evidence_match, no selection": {
      run: () => matchEvidence(ctx, { eid }),
      floor: () => fields.map((field) => values.all(org, eid, field)),
    },
    "evidence_match, two fields": {
      run: () => matchEvidence(ctx, { eid, selection }),
      floor: () =>
        fields.map((field) => [
          values.all(org, eid, field),
          among.all(org, eid, field, org, eid, "outcome", "met", org, eid, "errors", "none"),
        ]),
    },
    evidence_toolspec: {
      run: () => evidenceToolspec(ctx, { eid }),
      floor: () => Array.from({ length: Math.min(traces, 500) }, (_, i) => body.get(org, eid, Math.floor(i * step))),
    },
    "worldplan_coverage, grouping into 5": {
      run: async () =>
        ctx.compute.run(induceClusters, { columns: await columnsOf(ctx, eid, fields), seed: "coverage", k: 5 }),
      floor: () => fields.map((field) => column.all(org, eid, field)),
      runs: 5,
    },
    "ontology_compile, its start": {
      run: async () => {
        const { job } = await startCompile(ctx, { surface: "main", force: true });
        await ctx.jobs.stop(job, "bench", "cancelled");
      },
      floor: () => list.all(org),
    },
    coverage_matrix: { run: () => coverageMatrix(ctx), floor: () => list.all(org) },
  };
  const found = new Map<string, Measured>();
  for (const [name, { run, floor, runs = RUNS }] of Object.entries(works)) {
    const [own, bareTimes]: [number[], number[]] = [[], []];
    // The first round warms up.
    for (let i = 0; i <= runs; i++) {
      const first = performance.now();
      await run();
      const second = performance.now();
      floor();
      if (i === 0) continue;
      own.push(second - first);
      bareTimes.push(performance.now() - second);
    }
    found.set(name, { p95: p95(own), floor: p95(bareTimes) });
  }
  return found;
}

/** A graph of all traces, from its start to its landing, with the longest that the serving thread was held meanwhile, milliseconds. */
async function compiled(ctx: Ctx): Promise<{ readonly ms: number; readonly held: number; readonly traces: unknown }> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const started = performance.now();
  delay.enable();
  const { job } = await startCompile(ctx, { surface: "main", force: true });
  for (;;) {
    const row = await ctx.store.jobs.get(job);
    if (row?.status === "landed") {
      delay.disable();
      const { traces } = row.result as { readonly traces?: unknown };
      return { ms: performance.now() - started, held: delay.max / 1e6, traces };
    }
    if (row?.ended_at) throw new Error(`the compile ended ${row.status}: ${row.note}`);
    await sleep(20);
  }
}

function compileLines(size: number, { ms, held, traces }: Awaited<ReturnType<typeof compiled>>): BenchLine[] {
  const of = `${size.toLocaleString("en-US")} traces`;
  return [
    { name: `ontology_compile to its landing, ${of}`, value: ms / 1000, unit: `s; read ${JSON.stringify(traces)}` },
    { name: `ontology_compile, serving thread held at most, ${of}`, value: held, unit: "ms" },
  ];
}

/** The 95th percentile. */
export function p95(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.95) - 1] ?? Number.NaN;
}

function linesOf([small, large]: readonly Map<string, Measured>[]): BenchLine[] {
  return [...(large ?? [])].flatMap(([name, { p95: most, floor }]) => {
    const before = small?.get(name)?.p95 ?? Number.NaN;
    const growth = Math.log(most / before) / Math.log(SIZES[1] / SIZES[0]);
    return [
      against(`${name}, 100,000 traces, p95`, most, "ms", { name: "SQL alone, p95", value: floor }),
      { name: `${name}, 1,000 traces, p95`, value: before, unit: `ms; grows as n^${growth.toFixed(2)}` },
    ];
  });
}
