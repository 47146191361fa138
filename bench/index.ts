import { parseArgs } from "node:util";
import { type BenchLine, type BenchOptions, type BenchRun, printRuns } from "./harness.ts";

/** What `npm run bench` runs: the module of each name under bench/, each exporting `bench()`. */
const MODULES = [
  "worlds",
  "tasks",
  "store",
  "ingest",
  "surface",
  "trials",
  "growth",
  "scale",
  "search",
  "console",
  "live-worlds",
  "shared",
  "machines",
  "launch",
  "intervals",
] as const;

const { values, positionals: wanted } = parseArgs({ allowPositionals: true, options: { rows: { type: "string" } } });
const rows = values.rows === undefined ? undefined : Number(values.rows);
if (rows !== undefined && !(Number.isSafeInteger(rows) && rows >= 1000))
  throw new Error("--rows takes a whole number, 1000 or more");
const unknown = wanted.filter((name) => !(MODULES as readonly string[]).includes(name));
if (unknown.length > 0) throw new Error(`no bench is named ${unknown.join(", ")}: there are ${MODULES.join(", ")}`);
const runs: BenchRun[] = [];
for (const name of MODULES) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  process.stderr.write(`${name} …\n`);
  try {
    const module = (await import(`./${name}.ts`)) as { bench(options: BenchOptions): Promise<BenchLine[]> };
    runs.push({ bench: name, lines: await module.bench({ rows }) });
  } catch (error) {
    // What the others measured is told all the same.
    runs.push({ bench: name, lines: [], failed: error instanceof Error ? error.message : String(error) });
    process.exitCode = 1;
  }
}
process.stdout.write(`${printRuns(runs)}\n`);
