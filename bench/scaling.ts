import { deskTraces } from "../test/helpers/desk-traces.ts";
import { recordedTools } from "../test/worlds/samples/desk/help.ts";
import type { ToolDefinition } from "../worlds/bundle.ts";
import { compile } from "../worlds/compile/index.ts";
import type { Json } from "../worlds/json.ts";
import type { ObservedTrace } from "../worlds/observation.ts";
import { Random } from "../worlds/samples/desk/random.ts";

/** Ids of the desk; addresses too, since customers are found by them. */
const IDS = /\b(C|P|SO|RF|SH|TR)-(\d+)\b|\b[a-z]+\.[a-z]+(?:\d*)@/g;

/** Desk sessions as `n` traces: each of a desk of its own kind, its ids and addresses moved as one. */
export function resampled(n: number): ObservedTrace[] {
  const recorded = deskTraces();
  const random = new Random(n);
  return Array.from({ length: n }, (_, i) => {
    const desk = Math.floor(i / recorded.length);
    const trace = recorded[i % recorded.length] as ObservedTrace;
    const moved = (text: string): string =>
      text.replace(IDS, (found, kind: string | undefined, number: string) =>
        kind === undefined ? `${found.slice(0, -1)}${desk}@` : `${kind}-${Number(number) + desk * 100_000}`,
      );
    const shifted = <T extends Json>(value: T): T => JSON.parse(moved(JSON.stringify(value))) as T;
    return {
      id: `resampled-${String(i).padStart(6, "0")}-${random.int(0, 9)}`,
      group: `${trace.group}-${desk}`,
      startedAt: i,
      calls: trace.calls.map((call) => ({ ...call, args: shifted(call.args), result: shifted(call.result) })),
    };
  });
}

/** What a compile takes as traces grow: seconds of processor time, whatever else the machine does, and how they grow over the traces. */
export function scaling(sizes: readonly number[]): string[] {
  const tools = recordedTools() as ToolDefinition[];
  const lines: string[] = [];
  let before: { n: number; ms: number } | undefined;
  for (const n of sizes) {
    const traces = resampled(n);
    const started = process.cpuUsage();
    const { report } = compile(traces, { name: "desk", tools });
    const { user, system } = process.cpuUsage(started);
    const ms = (user + system) / 1000;
    const power = before ? Math.log(ms / before.ms) / Math.log(n / before.n) : undefined;
    lines.push(
      `${String(n).padStart(7)} traces  ${String(report.calls).padStart(7)} calls  ${String(report.rows).padStart(7)} rows  ${(ms / 1000).toFixed(1).padStart(6)} s CPU${power === undefined ? "" : `  grows as n^${power.toFixed(2)}`}`,
    );
    before = { n, ms };
  }
  return lines;
}
