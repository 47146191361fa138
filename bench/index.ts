import { type BenchLine, printLines } from "./harness.ts";

/** What `npm run bench` runs: the module of each name under bench/, each exporting `bench()`. */
const MODULES = [
  "worlds",
  "tasks",
  "store",
  "ingest",
  "surface",
  "trials",
  "scale",
  "search",
  "console",
  "live-worlds",
  "shared",
  "intervals",
] as const;

const wanted = process.argv.slice(2);
for (const name of MODULES) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const module = (await import(`./${name}.ts`)) as { bench(): Promise<BenchLine[]> };
  process.stdout.write(`${printLines(name, await module.bench())}\n`);
}
