import type { BenchLine } from "./harness.ts";

/** What a line is to reach: its value, or its ratio to the floor. */
interface Goal {
  readonly bench: string;
  readonly line: RegExp;
  readonly floor?: RegExp;
  readonly of: "value" | "ratio";
  readonly most?: number;
  readonly least?: number;
}

/** On two quiet cores. A line without one is a figure to know. */
const GOALS: readonly Goal[] = [
  { bench: "ingest", line: /^ingest: read and stored/, floor: /^SQLite/, of: "ratio", least: 0.35 },
  { bench: "ingest", line: /^ingest, by the clock/, of: "ratio", least: 0.8 },
  { bench: "ingest", line: /^PostgreSQL: rows appended/, of: "ratio", least: 0.5 },
  { bench: "surface", line: /of the same REST call$/, of: "ratio", most: 1.1 },
  { bench: "surface", line: /^p99 of a REST call while one compiles/, of: "ratio", most: 2 },
  { bench: "trials", line: /^processor time of a sandbox and its relay$/, of: "value", most: 60 },
  { bench: "scale", line: /^(list|filter): /, of: "value", most: 100 },
  { bench: "scale", line: /^search: /, of: "value", most: 300 },
  { bench: "scale", line: /^(facets|match|count): /, of: "value", most: 1000 },
  { bench: "scale", line: /^statements that scan/, of: "value", most: 0 },
  { bench: "search", line: /^filter: /, of: "value", most: 100 },
  { bench: "search", line: /^search: /, of: "value", most: 300 },
  { bench: "live-worlds", line: /99th percentile/, of: "value", most: 10 },
  { bench: "live-worlds", line: /lost a write/, of: "value", most: 0 },
  { bench: "shared", line: /, [23] of 3 servers$/, of: "ratio", least: 1 },
  { bench: "machines", line: /^(lost|there twice|runs that did not)/, of: "value", most: 0 },
  { bench: "launch", line: /^start to initialize/, of: "value", most: 1000 },
  { bench: "launch", line: /^installed, size/, of: "value", most: 90 },
  { bench: "launch", line: /^installed, packages/, of: "value", most: 120 },
];

/** The goal of a line in words, and whether it is met; undefined where it has none. */
export function goalOf(bench: string, line: BenchLine): { readonly words: string; readonly met: boolean } | undefined {
  const goal = GOALS.find(
    (each) =>
      each.bench === bench &&
      each.line.test(line.name) &&
      (each.floor === undefined || each.floor.test(line.floor?.name ?? "")),
  );
  const value = goal?.of === "ratio" ? line.ratio : line.value;
  if (goal === undefined || value === undefined) return undefined;
  const { of, most = Number.POSITIVE_INFINITY, least = Number.NEGATIVE_INFINITY } = goal;
  const bound = goal.most ?? goal.least ?? Number.NaN;
  const words = `${goal.most === undefined ? "at least" : "at most"} ${of === "ratio" ? "x" : ""}${bound}`;
  return { words, met: value <= most && value >= least };
}
