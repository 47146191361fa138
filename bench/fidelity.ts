import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { loadTau, loadTools } from "../test/data/compile-load.ts";
import type { ToolDefinition } from "../worlds/bundle.ts";
import { compile } from "../worlds/compile/index.ts";
import { type FidelityCounts, type FidelityRow, measureFidelity, split } from "../worlds/fidelity/index.ts";
import type { ObservedTrace } from "../worlds/observation.ts";

interface DataSet {
  readonly name: string;
  readonly traces: ObservedTrace[];
  readonly tools: ToolDefinition[];
}

const HALVINGS = Number(process.env.SVC_HALVINGS ?? 10);

/** Result files of one folder, the two published formats apart: they come from two versions of the system. */
function dataSets(root: string): DataSet[] {
  const out: DataSet[] = [];
  for (const domain of ["airline", "retail"]) {
    const folder = join(root, domain);
    const files = existsSync(folder) ? readdirSync(folder).sort() : [];
    for (const version of ["tau2", "tau-bench-v1"]) {
      const results = files.filter((file) => file.startsWith(`${version}.`) && file.endsWith(".json"));
      const listing = join(folder, `tools.${version}.json`);
      if (results.length === 0 || !existsSync(listing)) continue;
      out.push({
        name: `${domain} ${version}`,
        traces: results.flatMap((file) => loadTau(join(folder, file))),
        tools: loadTools(listing),
      });
    }
  }
  return out;
}

function percent(part: number, whole: number): string {
  return whole === 0 ? "    –" : `${((100 * part) / whole).toFixed(1).padStart(5)}`;
}

function add(sum: Map<string, FidelityCounts>, name: string, counts: FidelityCounts): void {
  const held = sum.get(name);
  if (!held) {
    sum.set(name, structuredClone({ ...counts, rows: undefined, tools: undefined }) as FidelityCounts);
    return;
  }
  for (const key of Object.keys(counts) as (keyof FidelityCounts)[]) {
    const value = counts[key];
    if (typeof value === "number" && typeof held[key] === "number") (held[key] as number) += value;
  }
  held.recording.identical += counts.recording.identical;
  held.recording.identical_volatile += counts.recording.identical_volatile;
}

function line(name: string, counts: FidelityCounts): string {
  return [
    name.padEnd(34),
    String(counts.calls).padStart(6),
    percent(counts.identical, counts.calls),
    percent(counts.identical_volatile, counts.calls),
    percent(counts.same_class, counts.calls),
    percent(counts.not_served, counts.calls),
    percent(counts.wrong_success, counts.calls),
    percent(counts.knowable, counts.calls),
    percent(counts.knowable_identical_volatile, counts.knowable),
    percent(counts.recording.identical_volatile, counts.calls),
  ].join("  ");
}

function measure({ name, traces, tools }: DataSet, within: boolean): void {
  const sum = new Map<string, FidelityCounts>();
  const wrong = new Map<string, number>();
  let milliseconds = 0;
  for (let seed = 0; seed < HALVINGS; seed++) {
    const { train, heldOut } = split(traces, { share: 0.5, seed: `halving-${seed}`, within });
    const started = performance.now();
    const compiled = compile(train, { name, tools });
    milliseconds += performance.now() - started;
    const report = measureFidelity(compiled, heldOut, train);
    add(sum, "all", report);
    for (const [tool, counts] of Object.entries(report.tools)) add(sum, tool, counts);
    for (const row of report.rows.filter((candidate: FidelityRow) => candidate.verdict === "wrong_success")) {
      const id = `${row.tool} ${JSON.stringify(row.args)}`.slice(0, 150);
      wrong.set(id, (wrong.get(id) ?? 0) + 1);
    }
  }
  process.stdout.write(
    `\n${name}, ${traces.length} trajectories, ${HALVINGS} halvings ${within ? "within" : "across"} tasks, compile ${(milliseconds / HALVINGS).toFixed(0)} ms, tier deterministic\n`,
  );
  process.stdout.write(
    `${"".padEnd(34)}   calls  ident  i.vol  class  unsrv  wrong  knowb  k.idv  recrd  (% of calls; k.idv of knowable)\n`,
  );
  for (const [tool, counts] of sum) process.stdout.write(`${line(tool, counts)}\n`);
  const listed = [...wrong].sort((a, b) => b[1] - a[1]);
  if (listed.length > 0)
    process.stdout.write(
      `wrong successes:\n${listed
        .slice(0, 20)
        .map(([id, n]) => `  ${n} × ${id}`)
        .join("\n")}\n`,
    );
}

const root = process.env.SVC_DATA === undefined ? undefined : join(process.env.SVC_DATA, "dev");
if (root === undefined || !existsSync(root)) {
  process.stderr.write("Set SVC_DATA to the folder that holds dev/ with the result files.\n");
  process.exitCode = 1;
} else
  for (const set of dataSets(root)) {
    measure(set, true);
    measure(set, false);
  }
