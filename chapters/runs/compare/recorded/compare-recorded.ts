import { digestOf } from "../../../../worlds/digest.ts";
import type { TrialRow } from "../../../records/runs/runs.ts";
import { type ConfidenceBands, DEFAULT_BANDS } from "../../../statistics/bands.ts";
import type { GroupData } from "../../groups/group-data.ts";
import type { ForeignResults, ForeignTrial } from "../../import/raw-results.ts";
import { compareGroups } from "../compare.ts";
import type { Comparison } from "../compare-types.ts";
import type { RecordedResults } from "./read-recorded.ts";

/** All recorded results of one agent. */
export interface RecordedArm {
  /** Agent and model, as far as the files tell them. */
  readonly name: string;
  /** The file they are of, or the first of several. */
  readonly file: string;
  readonly files: number;
  readonly parts: readonly RecordedResults[];
}

/** A comparison of recorded results, with what a reader must know of the pairing. */
export type RecordedComparison = Comparison & {
  readonly status: { readonly a: "landed"; readonly b: "landed" };
  /** What the two differ in beside the agent, and trials that have no partner, a sentence each. */
  readonly notes: readonly string[];
};

/** The results of files as one arm for each agent, in the order of the files. Files that name no agent are one each. */
export function armsOf(read: readonly { readonly file: string; readonly results: RecordedResults }[]): RecordedArm[] {
  const arms = new Map<string, RecordedArm>();
  for (const { file, results } of read) {
    const named = results.format !== "tau-bench";
    const { agent, model } = results.results;
    const name = named ? (model === null ? agent : `${agent} ${model}`) : file;
    const known = arms.get(name);
    arms.set(name, {
      name,
      file: known?.file ?? file,
      files: (known?.files ?? 0) + 1,
      parts: [...(known?.parts ?? []), results],
    });
  }
  return [...arms.values()];
}

interface Keyed extends ForeignTrial {
  readonly id: string;
  readonly part: RecordedResults;
}

/**
 * Compares two arms by what compares run groups: tasks pair by their id in the domain, and their trials by number. A
 * task that the files define otherwise is refused; what else differs, and trials without a partner, is noted.
 */
export function compareRecorded(
  a: RecordedArm,
  b: RecordedArm,
  bands: ConfidenceBands = DEFAULT_BANDS,
  difference?: number,
): RecordedComparison {
  const [left, right] = [keyed(a), keyed(b)];
  const known = { asks: both(left, right, "asks"), checkedBy: both(left, right, "checkedBy") };
  const { pairs, alone } = pairTrials(left, right);
  const groups = [groupOf(a, pairs.a, known), groupOf(b, pairs.b, known)] as const;
  const found = compareGroups(groups[0], groups[1], bands, difference);
  const notes = [
    ...(known.asks ? [] : ["Not both tell what their tasks ask: tasks are paired by their id alone."]),
    ...termsApart(a, b),
    ...alone,
  ];
  return { ...found, status: { a: "landed", b: "landed" }, notes };
}

/** An arm's trials over all its tasks, counted. */
export function countsOf(arm: RecordedArm): {
  met: number;
  valid: number;
  tasks: Map<string, { met: number; n: number }>;
} {
  const tasks = new Map<string, { met: number; n: number }>();
  for (const { id, end } of keyed(arm)) {
    if (end !== "met" && end !== "failed") continue;
    const of = tasks.get(id) ?? { met: 0, n: 0 };
    tasks.set(id, { met: of.met + (end === "met" ? 1 : 0), n: of.n + 1 });
  }
  const sum = (key: "met" | "n") => [...tasks.values()].reduce((all, of) => all + of[key], 0);
  return { met: sum("met"), valid: sum("n"), tasks };
}

function keyed({ parts }: RecordedArm): Keyed[] {
  return parts.flatMap((part) =>
    part.results.trials.map((trial) => ({
      ...trial,
      part,
      id: part.format === "bundle" ? trial.task : `${part.format}:${part.results.domain}:${trial.task}`,
    })),
  );
}

/** Whether both arms tell this of their tasks. */
function both(left: readonly Keyed[], right: readonly Keyed[], key: "asks" | "checkedBy"): boolean {
  const told = (trials: readonly Keyed[]) => trials.some((trial) => isKnown(trial[key]));
  return told(left) && told(right);
}

function isKnown(value: unknown): boolean {
  return value !== null && value !== undefined && !(typeof value === "object" && Object.keys(value).length === 0);
}

/** The trials of tasks that both ran, by number where both number them alike, else in their order; all trials of other tasks. */
function pairTrials(left: readonly Keyed[], right: readonly Keyed[]) {
  const [a, b] = [Map.groupBy(left, ({ id }) => id), Map.groupBy(right, ({ id }) => id)];
  const pairs: { a: Keyed[]; b: Keyed[] } = { a: [], b: [] };
  const lost = { a: 0, b: 0 };
  for (const [id, mine] of a) {
    const theirs = b.get(id);
    if (!theirs) {
      pairs.a.push(...mine);
      continue;
    }
    const numbers = numbered(mine).keys();
    const byNumber = numbered(theirs);
    const shared = [...numbers].filter((n) => byNumber.has(n));
    const own = numbered(mine);
    const [x, y] =
      shared.length > 0
        ? [shared.flatMap((n) => own.get(n) ?? []), shared.flatMap((n) => byNumber.get(n) ?? [])]
        : [mine, theirs];
    const n = Math.min(x.length, y.length);
    pairs.a.push(...x.slice(0, n));
    pairs.b.push(...y.slice(0, n));
    lost.a += mine.length - n;
    lost.b += theirs.length - n;
  }
  for (const [id, theirs] of b) if (!a.has(id)) pairs.b.push(...theirs);
  const alone = (["a", "b"] as const).flatMap((arm) =>
    lost[arm] === 0
      ? []
      : [
          `${lost[arm]} ${lost[arm] === 1 ? "trial" : "trials"} of ${arm} left out: ${arm === "a" ? "b" : "a"} has no trial of the same number on the same task.`,
        ],
  );
  return { pairs, alone };
}

/** Trials of one task by their number; by their order where the file tells none, or one twice. */
function numbered(trials: readonly Keyed[]): Map<number, Keyed> {
  const told = new Map(trials.flatMap((one) => (one.trial === undefined ? [] : [[one.trial, one] as const])));
  return told.size === trials.length ? told : new Map(trials.map((one, i) => [i, one]));
}

function groupOf(arm: RecordedArm, trials: readonly Keyed[], known: { asks: boolean; checkedBy: boolean }): GroupData {
  const first = arm.parts[0]?.results;
  const created_at = first?.created_at ?? 0;
  const player = { agent: null, name: arm.name, version: null, harness: null };
  const tier = arm.parts.some(({ results }) => results.tier === "llm-derived") ? "llm-derived" : "deterministic";
  const common = { created_at, by: "recorded", player, trials: 1, timeout_seconds: 0, tier } as const;
  const byPart = Map.groupBy(trials, ({ part }) => `${part.format}:${part.results.domain}`);
  const runs = [...byPart].map(([environment, of], i) => {
    const tasks = [...Map.groupBy(of, ({ id }) => id)].map(([id, [one]], index) => ({
      id,
      index,
      family: environment,
      request: one?.task ?? id,
      digest: digestOf([id, known.asks ? (one?.asks ?? null) : null]),
      checks: digestOf([known.checkedBy ? (one?.checkedBy ?? null) : null]),
    }));
    const run = {
      ...common,
      id: `${arm.file} ${i + 1}`,
      group: arm.file,
      environment,
      label: environment,
      surface: "",
      bundle: "",
      // What the runs differ in is noted: tasks that are defined alike are compared all the same.
      terms: { base: environment, tools: environment, limits: environment },
      tasks,
      imported: { at: created_at, format: "bundle" as const, run_id: arm.file },
    };
    const tries = new Map<string, number>();
    const rows = of.map((one) => {
      const n = (tries.get(one.id) ?? 0) + 1;
      tries.set(one.id, n);
      return rowOf(run.id, one, n);
    });
    return { run, status: "landed" as const, job: undefined, trials: rows };
  });
  return {
    group: { ...common, id: arm.file, runs: [], selection: "imported", trigger: "person" },
    status: "landed",
    job: undefined,
    runs,
  };
}

function rowOf(run: string, { id, end, cause, checks, ms, usd }: Keyed, n: number): TrialRow {
  const nothing = { root_cause: null, answer_class: "none", attempt: 1, started_at: 0, log: "" } as const;
  const trial = { calls: [], answers: [], diff: [] };
  return { run, task: id, n, end, cause, checks, ms, ...nothing, trial, ...(usd === undefined ? {} : { usd }) };
}

const TERMS = { base: "policy or data", tools: "tools", limits: "limits" } as const;

/** Terms that differ where both ran the same domain. */
function termsApart(a: RecordedArm, b: RecordedArm): string[] {
  const of = ({ parts }: RecordedArm) =>
    new Map(parts.map(({ format, results }) => [`${format}:${results.domain}`, results]));
  const [x, y] = [of(a), of(b)];
  return [...x].flatMap(([domain, left]) => {
    const right: ForeignResults | undefined = y.get(domain);
    if (!right) return [];
    const apart = (["base", "tools", "limits"] as const).filter((term) => left.terms[term] !== right.terms[term]);
    return apart.length === 0
      ? []
      : [`On ${domain} the files tell other ${apart.map((term) => TERMS[term]).join(", ")}.`];
  });
}
