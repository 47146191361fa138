import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { utility } from "../worlds/fidelity/counts.ts";
import { calibrationLines, monotonyLines, selfReplayLines } from "./fidelity-services-more.ts";
import { detailLines, meanOf, type Row, tableLines } from "./fidelity-services-table.ts";
import type { Measured, MeasureJob, SplitCounts } from "./fidelity-services-worker.ts";

const USAGE = `npm run bench:fidelity -- dev2 [options]
  --data FOLDER     the folder of services; SVC_DATA/dev2 by default
  --service NAME    only services whose name holds this; may be repeated
  --only full|small only this training size
  --draws N         draws of the small size, 5 by default; the first is train-small itself
  --records         give every service its database export too, where it has one
  --nested          in place of both sizes: draws of 10, 20 and 40 sessions, each within the next, and all
  --tools           a table by tool below, all calls
  --json FILE       every count, as JSON
  --workers N       processes of measuring, 2 by default`;

/** How many seeded draws the small size is the mean of. */
const DRAWS = 5;
/** Sessions of nested draws, beside all. */
const NESTED = [10, 20, 40];

/** Measures every service of a folder, by split and training size, beside recordings and the floor. Returns an exit status. */
export async function services(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      data: { type: "string" },
      service: { type: "string", multiple: true },
      only: { type: "string" },
      draws: { type: "string" },
      records: { type: "boolean" },
      nested: { type: "boolean" },
      tools: { type: "boolean" },
      json: { type: "string" },
      workers: { type: "string" },
      help: { type: "boolean" },
    },
  });
  const root = values.data ?? (process.env.SVC_DATA === undefined ? undefined : join(process.env.SVC_DATA, "dev2"));
  const known = values.only === undefined || values.only === "full" || values.only === "small";
  if (values.help || root === undefined || !existsSync(root) || !known) {
    const why = known ? "Give the folder of services with --data, or SVC_DATA." : "--only takes full or small.";
    process.stderr.write(values.help ? `${USAGE}\n` : `${why}\n${USAGE}\n`);
    return values.help ? 0 : 2;
  }
  const wanted = (name: string) => !values.service || values.service.some((part) => name.includes(part));
  const names = readdirSync(root)
    .filter((name) => existsSync(join(root, name, "train")) && existsSync(join(root, name, "test")) && wanted(name))
    .sort();
  const draws = Number(values.draws ?? DRAWS);
  const jobs = names.flatMap((service) => {
    const folder = resolve(root, service);
    const records = values.records === true && existsSync(join(folder, "records"));
    const small = existsSync(join(folder, "train-small")) && values.only !== "full";
    const job = { service, folder, records };
    if (values.nested === true) {
      const subsets = Array.from({ length: draws }, (_, draw) =>
        NESTED.map((sessions) => ({ ...job, draw: draw + 1, sessions })),
      );
      return [{ ...job, draw: undefined }, ...subsets.flat()];
    }
    return [
      ...(values.only === "small" ? [] : [{ ...job, draw: undefined }]),
      ...(small ? Array.from({ length: draws }, (_, draw) => ({ ...job, draw })) : []),
    ];
  });
  if (jobs.length === 0) {
    process.stderr.write("No service of the folder fits.\n");
    return 2;
  }
  const started = performance.now();
  const measured = await measureAll(jobs, Number(values.workers ?? 2));
  const rows = rowsOf(measured);
  const parts = values.nested
    ? monotonyLines(measured, meanUtility)
    : [...tableLines(rows), ...calibrationLines(measured), ...selfReplayLines(measured)];
  for (const line of parts) process.stdout.write(`${line}\n`);
  if (values.tools) for (const line of detailLines(measured)) process.stdout.write(`${line}\n`);
  process.stdout.write(
    `${jobs.length} compiles measured in ${((performance.now() - started) / 1000).toFixed(0)} s, ${(cpu(measured) / 1000).toFixed(0)} s of CPU; tier deterministic\n`,
  );
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify({ rows, measured }, null, 1)}\n`);
  return 0;
}

/** The mean over the splits. */
function meanUtility({ splits }: Measured): number {
  const all = Object.values(splits).map(utility);
  return all.reduce((sum, value) => sum + value, 0) / Math.max(1, all.length);
}

const cpu = (measured: readonly Measured[]) => measured.reduce((sum, { milliseconds }) => sum + milliseconds, 0);

/** The draws of a service and split put together: mean shares of equal weight. */
function rowsOf(measured: readonly Measured[]): Row[] {
  const groups = new Map<string, { service: string; size: "full" | "small"; split: string; all: SplitCounts[] }>();
  for (const { service, draw, splits } of measured)
    for (const [split, counts] of Object.entries(splits)) {
      const size = draw === undefined ? "full" : "small";
      const id = `${service}\n${size}\n${split}`;
      const group = groups.get(id) ?? { service, size, split, all: [] };
      group.all.push(counts);
      groups.set(id, group);
    }
  return [...groups.values()].map(({ service, size, split, all }) => ({ service, size, split, ...meanOf(all) }));
}

/** Puts the jobs to workers, the long ones first; the results come in the order of the jobs. */
async function measureAll(jobs: readonly MeasureJob[], workers: number): Promise<Measured[]> {
  const results: (Measured | undefined)[] = jobs.map(() => undefined);
  const queue = jobs
    .map((_, i) => i)
    .sort((a, b) => Number(jobs[a]?.draw ?? -1) - Number(jobs[b]?.draw ?? -1) || a - b);
  await Promise.all(
    Array.from({ length: Math.min(workers, jobs.length) }, async () => {
      const worker = new Worker(new URL("./fidelity-services-worker.ts", import.meta.url));
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        const job = jobs[next] as MeasureJob;
        results[next] = await answerOf(worker, job);
        if (process.stderr.isTTY) process.stderr.write(`\r${results.filter(Boolean).length} of ${jobs.length} `);
      }
      await worker.terminate();
    }),
  );
  return results as Measured[];
}

/** The result of one job; rejects where the worker fails. */
function answerOf(worker: Worker, job: MeasureJob): Promise<Measured> {
  return new Promise((done, failed) => {
    const landed = (measured: Measured) => {
      worker.off("error", failed);
      done(measured);
    };
    worker.once("message", landed);
    worker.once("error", failed);
    worker.postMessage(job);
  });
}
