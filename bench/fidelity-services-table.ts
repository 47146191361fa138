import { type Counts, utility } from "../worlds/fidelity/counts.ts";
import type { Compared } from "../worlds/fidelity/measure.ts";
import type { Measured, SplitCounts } from "./fidelity-services-worker.ts";

/** Shares of calls, 0..1. */
interface Shares {
  readonly identical: number;
  readonly not_served: number;
  readonly wrong_success: number;
  readonly wrong_answer: number;
  readonly utility: number;
}

type Way = Shares & Readonly<Record<"recording" | "recording_nth" | "constant" | "floor", Shares>>;

/** One line: a service's split at a training size, shares of equal weight over its draws. */
export interface Row {
  readonly service: string;
  readonly size: "full" | "small";
  readonly split: string;
  readonly draws: number;
  readonly trained: number;
  readonly calls: number;
  readonly situations: number;
  readonly all: Way;
  readonly by_situation: Way;
  readonly by_session: Way;
  readonly told: number | undefined;
  readonly self_replay: number | undefined;
  readonly contradictions: number | undefined;
  readonly whole_identical: number;
  readonly without_wrong: number;
  readonly coverage_at_2: number | undefined;
  readonly floor_coverage_at_2: number | undefined;
}

/** Share of answers that can be right at all without hearing any, by service and split: estimates, full and small. */
const BOUNDS: Readonly<Record<string, readonly [full: number, small: number]>> = {
  "bfcl-vehicle_control same-tasks": [98, 90],
  "bfcl-vehicle_control new-tasks": [67, 73],
  "bfcl-trading_bot same-tasks": [97, 87],
  "bfcl-trading_bot new-tasks": [72, 70],
  "bfcl-message_api same-tasks": [96.5, 92],
  "bfcl-message_api new-tasks": [17.5, 15],
  "workbench-calendar same-tasks": [74, 52],
  "workbench-calendar new-tasks": [74.5, 34],
  "workbench-project_management same-tasks": [100, 64.5],
  "workbench-project_management new-tasks": [77, 16],
  "mcp-taskmanager new-sessions": [99, 96.5],
  "mcp-memorybank new-sessions": [99, 96.5],
  "mcp-ohno new-sessions": [99, 96.5],
};

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

function maybeMean(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : mean(known);
}

function shares(all: readonly Counts[]): Shares {
  const of = (value: (counts: Counts) => number) => mean(all.map(value));
  return {
    identical: of(({ identical_volatile, calls }) => identical_volatile / calls),
    not_served: of(({ not_served, calls }) => not_served / calls),
    wrong_success: of(({ wrong_success, calls }) => wrong_success / calls),
    wrong_answer: of(({ wrong_answer, calls }) => wrong_answer / calls),
    utility: of(utility),
  };
}

function wayOf(all: readonly Compared[]): Way {
  return {
    ...shares(all),
    recording: shares(all.map((counts) => counts.recording)),
    recording_nth: shares(all.map((counts) => counts.recording_nth)),
    constant: shares(all.map((counts) => counts.constant)),
    floor: shares(all.map((counts) => counts.floor)),
  };
}

/** The draws of one split put together. */
export function meanOf(all: readonly SplitCounts[]): Omit<Row, "service" | "size" | "split"> {
  return {
    draws: all.length,
    trained: mean(all.map(({ trained }) => trained)),
    calls: mean(all.map(({ calls }) => calls)),
    situations: Math.round(mean(all.map(({ by_situation }) => by_situation.calls))),
    all: wayOf(all),
    by_situation: wayOf(all.map(({ by_situation }) => by_situation)),
    by_session: wayOf(all.map(({ by_session }) => by_session)),
    told: maybeMean(all.map(({ told }) => told && told.identical_volatile / told.calls)),
    self_replay: maybeMean(
      all.map(({ self_replay }) => self_replay && self_replay.identical_volatile / self_replay.calls),
    ),
    contradictions: maybeMean(
      all.map(({ self_replay }) => self_replay && self_replay.contradictions / self_replay.calls),
    ),
    whole_identical: mean(all.map(({ whole_sessions: { identical, sessions } }) => identical / sessions)),
    without_wrong: mean(all.map(({ whole_sessions: { without_wrong, sessions } }) => without_wrong / sessions)),
    coverage_at_2: maybeMean(all.map(({ coverage_at_2 }) => coverage_at_2)),
    floor_coverage_at_2: maybeMean(all.map(({ floor_coverage_at_2 }) => floor_coverage_at_2)),
  };
}

const NAME = 45;

function cell(value: number | undefined, width = 6): string {
  return (value === undefined ? "–" : (100 * value).toFixed(1)).padStart(width);
}

const HEAD = [
  "".padEnd(NAME),
  " calls",
  "  same",
  " unsrv",
  "wrongS",
  " wrong",
  "  util",
  " | rec",
  " wrong",
  " n-th",
  "  wrong",
  "const",
  " | floor",
  "wrong",
  " util",
  " | sit.",
  "wrong",
  " floor",
  "wrong",
  " | sess",
  "wrong",
  "| told",
  " self",
  " whole",
  " no wr",
  " cov2",
  " fl.c2",
  " bound",
].join(" ");

function line(name: string, row: Omit<Row, "service" | "split" | "size">, bound: number | undefined): string {
  const { all, by_situation: situation, by_session: session } = row;
  return [
    name.padEnd(NAME),
    String(Math.round(row.calls)).padStart(6),
    cell(all.identical),
    cell(all.not_served),
    cell(all.wrong_success),
    cell(all.wrong_answer),
    cell(all.utility),
    "|",
    cell(all.recording.identical, 5),
    cell(all.recording.wrong_answer, 5),
    cell(all.recording_nth.identical, 5),
    cell(all.recording_nth.wrong_answer, 5),
    cell(all.constant.identical, 5),
    "|",
    cell(all.floor.identical),
    cell(all.floor.wrong_answer, 5),
    cell(all.floor.utility, 5),
    "|",
    cell(situation.identical, 5),
    cell(situation.wrong_answer, 5),
    cell(situation.floor.identical, 5),
    cell(situation.floor.wrong_answer, 5),
    "|",
    cell(session.identical, 5),
    cell(session.wrong_answer, 5),
    "|",
    cell(row.told, 5),
    cell(row.self_replay, 5),
    cell(row.whole_identical, 5),
    cell(row.without_wrong, 5),
    cell(row.coverage_at_2, 5),
    cell(row.floor_coverage_at_2, 5),
    bound === undefined ? "    –" : bound.toFixed(0).padStart(5),
  ].join(" ");
}

/** Shares of equal weight over several rows. */
function together(rows: readonly Row[]): Omit<Row, "service" | "split" | "size"> {
  const way = (pick: (row: Row) => Way): Way => {
    const of = (part: (way: Way) => Shares): Shares => ({
      identical: mean(rows.map((row) => part(pick(row)).identical)),
      not_served: mean(rows.map((row) => part(pick(row)).not_served)),
      wrong_success: mean(rows.map((row) => part(pick(row)).wrong_success)),
      wrong_answer: mean(rows.map((row) => part(pick(row)).wrong_answer)),
      utility: mean(rows.map((row) => part(pick(row)).utility)),
    });
    return {
      ...of((one) => one),
      recording: of((one) => one.recording),
      recording_nth: of((one) => one.recording_nth),
      constant: of((one) => one.constant),
      floor: of((one) => one.floor),
    };
  };
  return {
    draws: 0,
    trained: mean(rows.map((row) => row.trained)),
    calls: rows.reduce((sum, row) => sum + row.calls, 0),
    situations: rows.reduce((sum, row) => sum + row.situations, 0),
    all: way((row) => row.all),
    by_situation: way((row) => row.by_situation),
    by_session: way((row) => row.by_session),
    told: maybeMean(rows.map((row) => row.told)),
    self_replay: maybeMean(rows.map((row) => row.self_replay)),
    contradictions: maybeMean(rows.map((row) => row.contradictions)),
    whole_identical: mean(rows.map((row) => row.whole_identical)),
    without_wrong: mean(rows.map((row) => row.without_wrong)),
    coverage_at_2: maybeMean(rows.map((row) => row.coverage_at_2)),
    floor_coverage_at_2: maybeMean(rows.map((row) => row.floor_coverage_at_2)),
  };
}

/** Probes are made services, each with one trait; they are told apart from the others. */
const isProbe = ({ service }: Pick<Row, "service">): boolean => service.startsWith("micro-");

/** The table: services full and small, each with its mean over the splits, then the probes. */
export function tableLines(rows: readonly Row[]): string[] {
  const parts = [
    ["services, full training", rows.filter((row) => !isProbe(row) && row.size === "full")],
    ["services, small training (mean of the draws)", rows.filter((row) => !isProbe(row) && row.size === "small")],
    ["probes, full training", rows.filter((row) => isProbe(row))],
  ] as const;
  const lines: string[] = [];
  for (const [title, own] of parts) {
    if (own.length === 0) continue;
    lines.push(
      "",
      `${title}: % of calls; same = identical up to generated ids and clocks; util = same less 5 × wrong`,
      HEAD,
    );
    const bounds = own.map((row) => BOUNDS[`${row.service} ${row.split}`]?.[row.size === "full" ? 0 : 1]);
    own.forEach((row, i) => {
      lines.push(line(`${row.service} ${row.split}`, row, bounds[i]));
    });
    lines.push(line(`mean of ${own.length} splits`, together(own), maybeMean(bounds)));
    const below = (than: "recording" | "floor", by: "identical" | "utility") =>
      own.filter(({ all }) => all[by] < all[than][by]).length;
    lines.push(
      `of ${own.length}: less identical than the recording ${below("recording", "identical")}, than the floor ${below("floor", "identical")}; less useful than the recording ${below("recording", "utility")}, than the floor ${below("floor", "utility")}`,
    );
  }
  return lines;
}

/** Counts by tool, all calls. */
export function detailLines(measured: readonly Measured[]): string[] {
  const lines: string[] = [];
  for (const { service, draw, splits, volatile, compile_milliseconds } of measured) {
    lines.push(
      "",
      `${service}${draw === undefined ? "" : ` draw ${draw}`}, compile ${compile_milliseconds.toFixed(0)} ms`,
    );
    lines.push(
      `  volatile: ${[...volatile.generated, ...volatile.clocks.map((part) => `${part} (clock)`), ...volatile.days.map((part) => `${part} (day)`)].join(", ") || "nothing"}`,
    );
    for (const [split, { tools, layers }] of Object.entries(splits)) {
      lines.push(`  ${split.padEnd(NAME - 2)}  calls   same  unsrv wrongS  wrong |   rec wrong | floor wrong`);
      for (const [tool, counts] of Object.entries(tools))
        lines.push(
          [
            `    ${tool}`.padEnd(NAME),
            String(counts.calls).padStart(6),
            cell(counts.identical_volatile / counts.calls),
            cell(counts.not_served / counts.calls),
            cell(counts.wrong_success / counts.calls),
            cell(counts.wrong_answer / counts.calls),
            "|",
            cell(counts.recording.identical_volatile / counts.calls, 5),
            cell(counts.recording.wrong_answer / counts.calls, 5),
            "|",
            cell(counts.floor.identical_volatile / counts.calls, 5),
            cell(counts.floor.wrong_answer / counts.calls, 5),
          ].join(" "),
        );
      const told = Object.entries(layers).map(
        ([name, { calls, identical_volatile, wrong_answer }]) =>
          `${name} ${calls} (${identical_volatile} same, ${wrong_answer} wrong)`,
      );
      lines.push(`    layers: ${told.join(", ")}`);
    }
  }
  return lines;
}
