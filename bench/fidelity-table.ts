import type { FidelityCounts, FidelityReport } from "../worlds/fidelity/index.ts";
import type { ObservedTrace } from "../worlds/observation.ts";

/** A tool that training calls less often shows little of how it behaves, whatever is known of the rows. */
const OFTEN = 10;
const ALL = "all";
const SHOWN = `tools called ${OFTEN} times in training`;

function percent(part: number, whole: number): string {
  return whole === 0 ? "    –" : `${((100 * part) / whole).toFixed(1).padStart(5)}`;
}

function added(sum: FidelityCounts | undefined, counts: FidelityCounts): FidelityCounts {
  if (!sum) return structuredClone({ ...counts, rows: undefined, tools: undefined }) as FidelityCounts;
  for (const key of Object.keys(counts) as (keyof FidelityCounts)[]) {
    const value = counts[key];
    if (typeof value === "number" && typeof sum[key] === "number") (sum[key] as number) += value;
  }
  for (const name of ["recording", "floor"] as const) sum[name].identical_volatile += counts[name].identical_volatile;
  return sum;
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
    percent(counts.wrong_answer, counts.calls),
    percent(counts.recording.identical_volatile, counts.calls),
    percent(counts.floor.identical_volatile, counts.calls),
  ].join("  ");
}

function timesCalled(traces: readonly ObservedTrace[]): Map<string, number> {
  const times = new Map<string, number>();
  for (const { calls } of traces) for (const { tool } of calls) times.set(tool, (times.get(tool) ?? 0) + 1);
  return times;
}

/** Reports added up, and how they print: in all, per tool, and the wrong successes by name. */
export class FidelityTable {
  private readonly sums = new Map<string, FidelityCounts>();
  private readonly wrong = new Map<string, number>();

  /** Adds one report's counts; with the traces it was trained on also those of the tools that these show well. */
  add(report: FidelityReport, train: readonly ObservedTrace[] = []): void {
    const times = timesCalled(train);
    this.#count(ALL, report);
    for (const [tool, counts] of Object.entries(report.tools))
      if ((times.get(tool) ?? 0) >= OFTEN) this.#count(SHOWN, counts);
    for (const [tool, counts] of Object.entries(report.tools)) this.#count(tool, counts);
    for (const row of report.rows) {
      if (row.verdict !== "wrong_success") continue;
      const id = `${row.tool} ${JSON.stringify(row.args)}`.slice(0, 150);
      this.wrong.set(id, (this.wrong.get(id) ?? 0) + 1);
    }
  }

  #count(name: string, counts: FidelityCounts): void {
    this.sums.set(name, added(this.sums.get(name), counts));
  }

  /** The table under a title; `tools` leaves the tools out where false. */
  lines(title: string, tools = true): string[] {
    const sums = [...this.sums].filter(([name]) => tools || name === ALL || name === SHOWN);
    const listed = [...this.wrong].sort((a, b) => b[1] - a[1]).slice(0, 20);
    return [
      "",
      `${title}, tier deterministic`,
      `${"".padEnd(34)}   calls  ident  i.vol  class  unsrv  wrong  w.ans  recrd  floor  (% of calls; w.ans with wrong refusals)`,
      ...sums.map(([name, counts]) => line(name, counts)),
      ...(listed.length > 0 ? ["wrong successes:", ...listed.map(([id, n]) => `  ${n} × ${id}`)] : []),
    ];
  }
}
