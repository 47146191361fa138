import type { FidelityCounts, FidelityReport, FidelityRow } from "../../worlds/fidelity/index.ts";
import type { Origin } from "./traces.ts";

/** The counts in all and per tool, as one object of plain numbers. */
export type FidelityJson = FidelityCounts & { readonly tools: Readonly<Record<string, FidelityCounts>> };

/** What `--json` prints. */
export function countsJson(report: FidelityReport): FidelityJson {
  const tools = Object.entries(report.tools).map(([name, counts]) => [name, countsOf(counts)] as const);
  return { ...countsOf(report), tools: Object.fromEntries(tools) };
}

function countsOf(counts: FidelityCounts): FidelityCounts {
  const { calls, identical, identical_volatile, same_shape, same_class, not_served, wrong_success } = counts;
  const { knowable, knowable_identical_volatile, recording } = counts;
  return {
    calls,
    identical,
    identical_volatile,
    same_shape,
    same_class,
    not_served,
    wrong_success,
    knowable,
    knowable_identical_volatile,
    recording: { identical: recording.identical, identical_volatile: recording.identical_volatile },
  };
}

/** One line of `--out`: a replayed call, where it came from and what became of it. */
export function rowJson(row: FidelityRow, origins: ReadonlyMap<string, Origin>) {
  const { file, trajectory } = origins.get(row.trajectory) ?? { file: "", trajectory: row.trajectory };
  const { index, tool, args, observed, answered, verdict, knowable, recorded_verdict } = row;
  return { file, trajectory, index, tool, args, observed, answered, verdict, knowable, recorded_verdict };
}

const COLUMNS = [
  "calls",
  "identical",
  "up to volatile",
  "same shape",
  "same class",
  "not served",
  "wrong success",
  "knowable",
  "of knowable",
  "recording",
  "up to volatile",
] as const;

/** Wrong successes told one by one; all of them stand in `--out`. */
const WRONG_TOLD = 10;

/** The counts as a table for a terminal: shares of the calls, `of knowable` of the knowable ones. */
export function table(report: FidelityReport): string[] {
  const rows = [...Object.entries(report.tools), ["all", report] as const];
  const cells = [["", ...COLUMNS], ...rows.map(([name, counts]) => [name, ...shares(counts)])];
  const widths = ["", ...COLUMNS].map((_, i) => Math.max(...cells.map((row) => row[i]?.length ?? 0)));
  const lines = cells.map((row) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join("  "),
  );
  return [
    ...lines,
    `${report.trajectories} replayed; ${report.exceptions} recorded exceptions, ${report.gaps} gaps; tier ${report.tier}`,
    ...wrongSuccesses(report.rows),
  ];
}

function shares(counts: FidelityCounts): string[] {
  const { calls, knowable } = counts;
  const of = (n: number) => share(n, calls);
  return [
    String(calls),
    of(counts.identical),
    of(counts.identical_volatile),
    of(counts.same_shape),
    of(counts.same_class),
    of(counts.not_served),
    of(counts.wrong_success),
    of(knowable),
    share(counts.knowable_identical_volatile, knowable),
    of(counts.recording.identical),
    of(counts.recording.identical_volatile),
  ];
}

function share(part: number, whole: number): string {
  return whole === 0 ? "–" : `${((100 * part) / whole).toFixed(1)} %`;
}

function wrongSuccesses(rows: readonly FidelityRow[]): string[] {
  const wrong = rows.filter((row) => row.verdict === "wrong_success");
  if (wrong.length === 0) return [];
  const told = wrong.slice(0, WRONG_TOLD).map(({ tool, args }) => `  ${tool} ${clipped(JSON.stringify(args))}`);
  const more = wrong.length - told.length;
  return ["wrong successes:", ...told, ...(more > 0 ? [`  and ${more} more; --out lists every call`] : [])];
}

function clipped(text: string): string {
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}
