import { goalOf } from "./goals.ts";

/** One measured figure. `floor` is the same work done by the barest means in the same run, `ratio` this value over it. */
export interface BenchLine {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly floor?: { readonly name: string; readonly value: number };
  readonly ratio?: number;
  /** What is printed below the table, such as the plans of its statements. */
  readonly details?: readonly string[];
}

/** What the command line asks of every bench. */
export interface BenchOptions {
  /** How many rows to generate, where a bench generates them. */
  readonly rows?: number | undefined;
}

/** How long and how often a piece of work is measured. */
export interface Rounds {
  readonly batch?: number;
  readonly rounds?: number;
  readonly milliseconds?: number;
}

/** Milliseconds of processor time that this thread has used: what other processes do meanwhile does not count. */
function threadTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/**
 * Median rates per second of this thread's processor time. Each work does `batch` of its thing at a time; their rounds
 * of at least `milliseconds` are interleaved, so that a machine whose speed wanders treats all alike. One round warms up.
 */
export function rates<Name extends string>(
  works: Readonly<Record<Name, (batch: number) => void>>,
  { batch = 1000, rounds = 7, milliseconds = 100 }: Rounds = {},
): Record<Name, number> {
  const measured = new Map<Name, number[]>();
  const names = Object.keys(works) as Name[];
  for (let round = 0; round <= rounds; round++)
    for (const name of names) {
      const started = threadTime();
      let done = 0;
      let used = 0;
      do {
        works[name](batch);
        done += batch;
        used = threadTime() - started;
      } while (used < milliseconds);
      if (round > 0) measured.set(name, [...(measured.get(name) ?? []), (done * 1000) / used]);
    }
  return Object.fromEntries(names.map((name) => [name, median(measured.get(name) ?? [])])) as Record<Name, number>;
}

/** The middle of the values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** A line with its floor and the ratio to it. */
export function against(name: string, value: number, unit: string, floor: { name: string; value: number }): BenchLine {
  return { name, value, unit, floor, ratio: value / floor.value };
}

const number = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString("en-US") : value.toPrecision(3);

/** The lines of one bench, or why it ended without any. */
export interface BenchRun {
  readonly bench: string;
  readonly lines: readonly BenchLine[];
  readonly failed?: string;
}

/** All lines as one table for a terminal, the goal beside each that has one. */
export function printRuns(runs: readonly BenchRun[]): string {
  const rows = runs.flatMap(({ bench, lines, failed }) => [
    ...lines.map((line) => {
      const { name, value, unit, floor, ratio } = line;
      const goal = goalOf(bench, line);
      return [
        bench,
        name,
        `${number(value)} ${unit}`,
        floor ? `${floor.name}: ${number(floor.value)}` : "",
        ratio === undefined ? "" : `x${ratio.toPrecision(2)}`,
        goal === undefined ? "" : `${goal.words}: ${goal.met ? "met" : "MISSED"}`,
      ];
    }),
    ...(failed === undefined ? [] : [[bench, `failed: ${failed}`, "", "", "", ""]]),
  ]);
  const table = [["bench", "line", "value", "floor of the same run", "ratio", "goal"], ...rows];
  const widths = (table[0] ?? []).map((_, i) => Math.max(...table.map((row) => row[i]?.length ?? 0)));
  const details = runs.flatMap(({ lines }) =>
    lines.flatMap(({ name, details = [] }) =>
      details.length === 0 ? [] : ["", name, ...details.map((one) => `  ${one}`)],
    ),
  );
  const printed = table.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  return [...printed, ...details].join("\n");
}
