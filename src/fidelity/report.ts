import { type Counts, utility } from "../../worlds/fidelity/counts.ts";
import type { FidelityCounts, FidelityReport, FidelityRow } from "../../worlds/fidelity/index.ts";
import type { Origin } from "./traces.ts";

type OptionalCounts = "told" | "self_replay" | "coverage_at_2" | "promised" | "floor_promised";

/** What `--json` prints: plain numbers; null where something was not measured. */
export type FidelityJson = FidelityCounts &
  Pick<FidelityReport, "by_situation" | "by_session" | "whole_sessions" | "layers" | "volatile" | "tools"> & {
    readonly [K in OptionalCounts]: NonNullable<FidelityReport[K]> | null;
  };

/** What `--json` prints. */
export function countsJson(report: FidelityReport): FidelityJson {
  const { by_situation, by_session, whole_sessions, layers, volatile, tools } = report;
  const { told, self_replay, coverage_at_2, promised, floor_promised } = report;
  return {
    ...countsOf(report),
    by_session,
    by_situation,
    told: told ?? null,
    self_replay: self_replay ?? null,
    coverage_at_2: coverage_at_2 ?? null,
    whole_sessions,
    layers,
    promised: promised ?? null,
    floor_promised: floor_promised ?? null,
    volatile,
    tools,
  };
}

function countsOf(counts: FidelityCounts): FidelityCounts {
  const { calls, identical, identical_volatile, same_shape, same_class, not_served } = counts;
  const { wrong_success, wrong_answer, recording, recording_nth, constant, floor } = counts;
  return {
    ...{ calls, identical, identical_volatile, same_shape, same_class, not_served, wrong_success, wrong_answer },
    ...{ recording, recording_nth, constant, floor },
  };
}

/** One line of `--out`: a replayed call, where it came from and what became of it. */
export function rowJson(row: FidelityRow, origins: ReadonlyMap<string, Origin>) {
  const { file, trajectory } = origins.get(row.trajectory) ?? { file: "", trajectory: row.trajectory };
  const { index, tool, args, observed, answered, verdict, recorded_verdict, floor_verdict, layer, confidence } = row;
  return {
    ...{ file, trajectory, index, tool, args, observed, answered, verdict, recorded_verdict, floor_verdict, layer },
    ...(confidence === undefined ? {} : { confidence }),
  };
}

const COLUMNS = [
  "calls",
  "identical",
  "up to volatile",
  "not served",
  "wrong success",
  "wrong answer",
  "utility",
  "recording",
  "n-th ask",
  "constant",
  "floor",
  "floor wrong",
] as const;

/** Wrong successes told one by one; all of them stand in `--out`. */
const WRONG_TOLD = 10;

/** The counts as a table for a terminal: shares of the calls, all ways of counting; utility is identical less five times wrong. */
export function table(report: FidelityReport): string[] {
  const ways = [
    ["all", report],
    ["each situation once", report.by_situation],
    ["by session", report.by_session],
  ] as const;
  const rows = [...Object.entries(report.tools), ...ways];
  const cells = [["", ...COLUMNS], ...rows.map(([name, counts]) => [name, ...shares(counts)])];
  const widths = ["", ...COLUMNS].map((_, i) => Math.max(...cells.map((row) => row[i]?.length ?? 0)));
  const lines = cells.map((row) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join("  "),
  );
  return [
    ...lines,
    `${report.trajectories} replayed; ${report.exceptions} recorded exceptions, ${report.gaps} gaps; tier ${report.tier}`,
    ...otherLines(report),
    ...wrongSuccesses(report.rows),
  ];
}

function otherLines({
  whole_sessions: whole,
  self_replay: self,
  told,
  coverage_at_2,
  layers,
}: FidelityReport): string[] {
  const byLayer = Object.entries(layers).map(
    ([name, { calls, identical_volatile }]) => `${name} ${identical_volatile} of ${calls}`,
  );
  return [
    `whole sessions: ${whole.identical} of ${whole.sessions} identical, ${whole.without_wrong} without a wrong answer`,
    ...(self === undefined
      ? []
      : [
          `replay of the training sessions: ${share(self.identical_volatile, self.calls)} of ${self.calls} calls identical up to volatile; ${self.contradictions} contradict others of the same situation`,
        ]),
    ...(told === undefined
      ? []
      : [`given every observed answer: ${share(told.identical_volatile, told.calls)}, ${told.wrong_answer} wrong`]),
    ...(coverage_at_2 === undefined ? [] : [`coverage at 2 % wrong: ${(100 * coverage_at_2).toFixed(1)} %`]),
    `identical up to volatile by layer: ${byLayer.join(", ")}`,
  ];
}

function shares(counts: Counts & Pick<FidelityCounts, "recording" | "recording_nth" | "constant" | "floor">): string[] {
  const { calls } = counts;
  const of = (n: number) => share(n, calls);
  return [
    String(Math.round(calls)),
    of(counts.identical),
    of(counts.identical_volatile),
    of(counts.not_served),
    of(counts.wrong_success),
    of(counts.wrong_answer),
    calls === 0 ? "–" : (100 * utility(counts)).toFixed(1),
    of(counts.recording.identical_volatile),
    of(counts.recording_nth.identical_volatile),
    of(counts.constant.identical_volatile),
    of(counts.floor.identical_volatile),
    of(counts.floor.wrong_answer),
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
