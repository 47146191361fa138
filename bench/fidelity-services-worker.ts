import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { parentPort } from "node:worker_threads";
import { compileNewest } from "../chapters/sandboxes/surfaces/compile-newest.ts";
import { readRecords } from "../src/fidelity/records.ts";
import { readTools, readTraces } from "../src/fidelity/traces.ts";
import { sha256 } from "../worlds/digest.ts";
import type { Counts, Promised } from "../worlds/fidelity/counts.ts";
import { type Measurement, measure, type ThreeWays } from "../worlds/fidelity/measure.ts";
import type { ObservedTrace } from "../worlds/observation.ts";

/** One training set of a service to compile from, and its splits to replay. */
export interface MeasureJob {
  readonly service: string;
  readonly folder: string;
  /** Which draw of the small size; undefined for all training sessions. */
  readonly draw: number | undefined;
  /** How many sessions a draw takes; as many as the small training has by default. */
  readonly sessions?: number;
  readonly records: boolean;
}

/** What one split came to. */
export interface SplitCounts extends ThreeWays {
  readonly trained: number;
  readonly self_replay: Measurement["self_replay"];
  readonly whole_sessions: Measurement["whole_sessions"];
  readonly told: Counts | undefined;
  readonly coverage_at_2: number | undefined;
  readonly calibration: Promised["calibration"];
  readonly floor_coverage_at_2: number | undefined;
  readonly layers: Measurement["layers"];
  readonly tools: Measurement["tools"];
}

export interface Measured {
  readonly service: string;
  readonly draw: number | undefined;
  /** Sessions that were compiled. */
  readonly trained: number;
  readonly self_replay: Measurement["self_replay"];
  /** The same where the world remembers nothing of what sessions were answered. */
  readonly without_memory: Measurement["self_replay"];
  readonly splits: Readonly<Record<string, SplitCounts>>;
  /** Parts of answers that count as volatile. */
  readonly volatile: Pick<Measurement, "days"> & {
    readonly generated: readonly string[];
    readonly clocks: readonly string[];
  };
  /** Time taken, and that of the compile alone. */
  readonly milliseconds: number;
  readonly compile_milliseconds: number;
}

const quiet = () => {};

async function tracesOf(path: string): Promise<readonly ObservedTrace[]> {
  return (await readTraces([path], quiet)).traces;
}

/** Sessions of a seeded draw, in their own order. */
function drawn(traces: readonly ObservedTrace[], n: number, seed: number): ObservedTrace[] {
  const order = traces.map((trace, i) => ({ trace, i, rank: sha256(`draw ${seed}\n${i}`) }));
  const chosen = order.sort((a, b) => (a.rank < b.rank ? -1 : 1)).slice(0, n);
  return chosen.sort((a, b) => a.i - b.i).map(({ trace }) => trace);
}

async function run({ service, folder, draw, sessions, records }: MeasureJob): Promise<Measured> {
  const started = performance.now();
  const all = await tracesOf(join(folder, "train"));
  const small = draw === undefined || sessions !== undefined ? undefined : await tracesOf(join(folder, "train-small"));
  const size = sessions ?? small?.length;
  const train = draw === undefined || size === undefined ? all : draw === 0 && small ? small : drawn(all, size, draw);
  const listing = join(folder, "tools.json");
  const compileStarted = performance.now();
  const compiled = compileNewest(train, {
    name: service,
    ...(existsSync(listing) ? { tools: await readTools(listing) } : {}),
    ...(records ? { records: await readRecords([join(folder, "records")]) } : {}),
  });
  const compiling = performance.now() - compileStarted;
  const splits = new Map<string, readonly ObservedTrace[]>();
  for (const file of readdirSync(join(folder, "test")).sort().reverse())
    splits.set(file.replace(/\.jsonl$/, ""), await tracesOf(join(folder, "test", file)));
  // What is volatile does not depend on how much was trained on.
  const whole = [...all, ...[...splits.values()].flat()];
  let self: Measurement["self_replay"];
  let volatile: Measured["volatile"] = { generated: [], clocks: [], days: [] };
  const out: Record<string, SplitCounts> = {};
  for (const [split, heldOut] of splits) {
    const found = measure(compiled, heldOut, compiled.traces, { service: whole, selfReplay: self === undefined });
    self ??= found.self_replay;
    volatile = { generated: found.volatility.generated, clocks: found.volatility.clocks, days: found.days };
    out[split] = {
      ...found.total,
      trained: train.length,
      self_replay: self,
      whole_sessions: found.whole_sessions,
      told: found.told,
      coverage_at_2: found.promised?.coverage_at_2,
      calibration: found.promised?.calibration ?? [],
      floor_coverage_at_2: found.floor_promised?.coverage_at_2,
      layers: found.layers,
      tools: found.tools,
    };
  }
  const { memory: _, ...bare } = compiled.bundle;
  const alone = measure({ ...compiled, bundle: bare }, [], compiled.traces, { service: whole, selfReplay: true });
  return {
    service,
    draw,
    trained: train.length,
    self_replay: self,
    without_memory: alone.self_replay,
    splits: out,
    volatile,
    milliseconds: performance.now() - started,
    compile_milliseconds: compiling,
  };
}

parentPort?.on("message", async (job: MeasureJob) => parentPort?.postMessage(await run(job)));
