import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { loadTau, loadTools } from "../test/data/compile-load.ts";
import type { ToolDefinition } from "../worlds/bundle.ts";
import { type CompileOptions, compile } from "../worlds/compile/index.ts";
import { measureFidelity, split } from "../worlds/fidelity/index.ts";
import type { ObservedTrace } from "../worlds/observation.ts";
import { desk, fresh, memory, readings, records } from "./fidelity-live.ts";
import { mixed } from "./fidelity-mixed.ts";
import { services } from "./fidelity-services.ts";
import { measureState, type StateCounts, sumOfState } from "./fidelity-state.ts";
import { FidelityTable } from "./fidelity-table.ts";
import { scaling } from "./scaling.ts";
import { ASIDE } from "./services/aside/index.ts";
import { INVENTED, withServices } from "./services/index.ts";

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

/** The rows that all traces of a data set show: what a database export would give of those that one half lacks. */
function exportOf({ name, traces, tools }: DataSet): NonNullable<CompileOptions["records"]> {
  const { bundle, base } = compile(traces, { name, tools });
  const kept = bundle.tables.filter((table) => table.internal !== true);
  return Object.fromEntries(kept.map((table) => [table.name, base.tables[table.name] ?? {}]));
}

function halvings(set: DataSet, within: boolean, given?: CompileOptions["records"]): string[] {
  const { name, traces, tools } = set;
  const table = new FidelityTable();
  const kept: StateCounts[] = [];
  let milliseconds = 0;
  for (let seed = 0; seed < HALVINGS; seed++) {
    const { train, heldOut } = split(traces, { share: 0.5, seed: `halving-${seed}`, within });
    const started = performance.now();
    const compiled = compile(train, { name, tools, ...(given ? { records: given } : {}) });
    milliseconds += performance.now() - started;
    table.add(measureFidelity(compiled, heldOut, train), train);
    kept.push(measureState(compiled, heldOut, train));
  }
  const state = sumOfState(kept);
  const how = `${within ? "within" : "across"} tasks${given ? ", missing rows given as an export" : ""}`;
  const lines = table.lines(
    `${name}, ${traces.length} trajectories, ${HALVINGS} halvings ${how}, compile ${(milliseconds / HALVINGS).toFixed(0)} ms`,
    !given,
  );
  const share = state.rereads === 0 ? "–" : ((100 * state.rereads_alike) / state.rereads).toFixed(1);
  return [
    ...lines,
    `state: ${state.rereads_alike} of ${state.rereads} re-reads of rows that a followed write touched agree (${share} %), ${state.rereads_unknown} more are not answered; ${state.reproduced} real writes followed, ${state.missed} not, after which ${state.rereads_stale} of ${state.rereads_lost} re-reads found the old row; tier deterministic`,
  ];
}

function* data(): Generator<string> {
  const root = process.env.SVC_DATA === undefined ? undefined : join(process.env.SVC_DATA, "dev");
  if (root === undefined || !existsSync(root)) {
    process.stderr.write("Set SVC_DATA to the folder that holds dev/ with the result files to measure them too.\n");
    return;
  }
  for (const set of dataSets(root)) {
    yield* halvings(set, true);
    yield* halvings(set, false);
    yield* halvings(set, false, exportOf(set));
  }
}

/** What `npm run bench:fidelity` measures, by name; all when none is given. */
const MEASURES: Readonly<Record<string, () => Iterable<string> | Promise<Iterable<string>>>> = {
  data,
  desk,
  memory,
  readings: () => [...readings(), ...mixed(), ...fresh()],
  records,
  scaling: () => ["", "compile of resampled desk sessions:", ...scaling([200, 1000, 5000, 20_000])],
};

const [first, ...rest] = process.argv.slice(2);
if (first === "dev2") process.exitCode = await services(rest);
else if (first === "invented" || first === "aside")
  process.exitCode = await withServices(first === "aside" ? ASIDE : INVENTED, (folder) =>
    services([...rest, "--data", folder]),
  );
else
  for (const [name, measure] of Object.entries(MEASURES)) {
    if (first !== undefined && ![first, ...rest].includes(name)) continue;
    for (const text of await measure()) process.stdout.write(`${text}\n`);
  }
