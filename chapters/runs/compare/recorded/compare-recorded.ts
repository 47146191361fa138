import { digestOf } from "../../../../worlds/digest.ts";
import { countOf, named } from "../../../count-of.ts";
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

/** `broken_off`: a file says of itself that its evaluation did not come to its end. */
type RecordedStatus = "landed" | "broken_off";

/** A comparison of recorded results, with what a reader must know of the pairing. */
export type RecordedComparison = Comparison & {
  readonly status: { readonly a: RecordedStatus; readonly b: RecordedStatus };
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
  const both = { asks: definedByBoth(left, right, "asks"), checkedBy: definedByBoth(left, right, "checkedBy") };
  const { pairs, alone } = pairTrials(left, right);
  const partly = [...pairs.a, ...pairs.b].filter(({ reward = 0 }) => reward > 0 && reward < 1).length;
  const groups = [groupOf(a, pairs.a, both, partly > 0), groupOf(b, pairs.b, both, partly > 0)] as const;
  const found = compareGroups(groups[0], groups[1], bands, difference);
  const notes = [
    ...(both.asks.size > 0 ? [] : ["Not both tell what their tasks ask: tasks are paired by their id alone."]),
    ...kindsApart(left, right),
    ...termsApart(a, b),
    ...(partly === 0
      ? []
      : [`${countOf(partly, "trial has", "trials have")} a reward between 0 and 1: mean rewards are compared.`]),
    ...beyond(left, "a"),
    ...beyond(right, "b"),
    ...alone,
  ];
  return { ...found, status: { a: statusOf(a), b: statusOf(b) }, notes };
}

/** An arm's trials over all its tasks, counted: of each task the sum of its rewards, where some lie between 0 and 1. */
export function countsOf(arm: RecordedArm): {
  met: number;
  valid: number;
  /** The mean, 0 to 1, where some lie between. */
  reward?: number;
  tasks: Map<string, { met: number; n: number }>;
} {
  const valid = keyed(arm).filter(({ end }) => end === "met" || end === "failed");
  const byReward = valid.some(({ reward = 0 }) => reward > 0 && reward < 1);
  const tasks = new Map<string, { met: number; n: number }>();
  for (const { id, end, reward } of valid) {
    const of = tasks.get(id) ?? { met: 0, n: 0 };
    const whole = Number(end === "met");
    tasks.set(id, { met: of.met + (byReward ? (reward ?? whole) : whole), n: of.n + 1 });
  }
  const met = valid.filter(({ end }) => end === "met").length;
  const all = [...tasks.values()].reduce((sum, of) => sum + of.met, 0);
  return { met, valid: valid.length, ...(byReward ? { reward: all / valid.length } : {}), tasks };
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

/** The tasks of which both arms tell this: a trial that broke off tells nothing of its task, and does not make it another. */
function definedByBoth(
  left: readonly Keyed[],
  right: readonly Keyed[],
  key: "asks" | "checkedBy",
): ReadonlySet<string> {
  const telling = (trials: readonly Keyed[]) => new Set(trials.filter((one) => isKnown(one[key])).map(({ id }) => id));
  const others = telling(right);
  return new Set([...telling(left)].filter((id) => others.has(id)));
}

function isKnown(value: unknown): boolean {
  return value !== null && value !== undefined && !(typeof value === "object" && Object.keys(value).length === 0);
}

/** The trials of tasks that both ran, by number where both number them alike, else in their order; all trials of other tasks. */
function pairTrials(left: readonly Keyed[], right: readonly Keyed[]) {
  const [a, b] = [Map.groupBy(left, ({ id }) => id), Map.groupBy(right, ({ id }) => id)];
  const pairs: { a: Keyed[]; b: Keyed[] } = { a: [], b: [] };
  const unpaired = { number: { a: 0, b: 0 }, order: { a: 0, b: 0 } };
  let inOrder = 0;
  for (const [id, mine] of a) {
    const theirs = b.get(id);
    if (!theirs) {
      pairs.a.push(...mine);
      continue;
    }
    const [own, other] = [numbered(mine), numbered(theirs)];
    const shared = own && other ? [...own.keys()].filter((n) => other.has(n)) : [];
    const byNumber = shared.length > 0;
    const [x, y] = byNumber
      ? [shared.flatMap((n) => own?.get(n) ?? []), shared.flatMap((n) => other?.get(n) ?? [])]
      : [mine, theirs];
    const n = Math.min(x.length, y.length);
    pairs.a.push(...x.slice(0, n));
    pairs.b.push(...y.slice(0, n));
    const lost = byNumber ? unpaired.number : unpaired.order;
    lost.a += mine.length - n;
    lost.b += theirs.length - n;
    // Files that number no trial have the order alone, and nothing is to be said of it.
    if (!byNumber && [...mine, ...theirs].some(({ trial }) => trial !== undefined)) inOrder++;
  }
  for (const [id, theirs] of b) if (!a.has(id)) pairs.b.push(...theirs);
  const alone = (["a", "b"] as const).flatMap((arm) => {
    const other = arm === "a" ? "b" : "a";
    return [
      ...without(unpaired.number[arm], arm, `${other} has no trial of the same number on the same task`),
      ...without(unpaired.order[arm], arm, `${other} has fewer on the same task`),
    ];
  });
  if (inOrder > 0)
    alone.unshift(
      `On ${countOf(inOrder, "task")} the trials share no number, or a number stands twice: these are paired in their order.`,
    );
  return { pairs, alone };
}

function without(trials: number, arm: "a" | "b", why: string): string[] {
  return trials === 0 ? [] : [`${countOf(trials, "trial")} of ${arm} left out: ${why}.`];
}

/** Trials whose rewards are none of 0 to 1, so that nothing says from which one on a trial is met. */
function beyond(trials: readonly Keyed[], arm: "a" | "b"): string[] {
  const of = trials.filter(({ checks }) =>
    checks.some(({ kind, verdict }) => kind === "reward" && verdict === "not_decided"),
  );
  return of.length === 0
    ? []
    : [
        `${countOf(of.length, "trial")} of ${arm} count as invalid: rewards are compared from 0 to 1, and theirs lie beyond.`,
      ];
}

/** Trials of one task by their number; undefined where the file tells none, or one twice. */
function numbered(trials: readonly Keyed[]): ReadonlyMap<number, Keyed> | undefined {
  const told = new Map(trials.flatMap((one) => (one.trial === undefined ? [] : [[one.trial, one] as const])));
  return told.size === trials.length ? told : undefined;
}

function groupOf(
  arm: RecordedArm,
  trials: readonly Keyed[],
  both: Readonly<Record<"asks" | "checkedBy", ReadonlySet<string>>>,
  byReward: boolean,
): GroupData {
  const first = arm.parts[0]?.results;
  const created_at = first?.created_at ?? 0;
  const player = { agent: null, name: arm.name, version: null, harness: null };
  const tier = arm.parts.some(({ results }) => results.tier === "llm-derived") ? "llm-derived" : "deterministic";
  const common = { created_at, by: "recorded", player, trials: 1, timeout_seconds: 0, tier } as const;
  const byPart = Map.groupBy(trials, ({ part }) => `${part.format}:${part.results.domain}`);
  const runs = [...byPart].map(([environment, of], i) => {
    const tasks = [...Map.groupBy(of, ({ id }) => id)].map(([id, tries], index) => {
      const defined = (key: "asks" | "checkedBy") =>
        both[key].has(id) ? (tries.find((one) => isKnown(one[key]))?.[key] ?? null) : null;
      return {
        id,
        index,
        family: environment,
        request: tries[0]?.task ?? id,
        digest: digestOf([id, defined("asks")]),
        checks: digestOf([defined("checkedBy")]),
      };
    });
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
      const row = rowOf(run.id, one, n);
      return byReward && one.reward !== undefined ? { ...row, reward: one.reward } : row;
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

/** What one arm alone holds results of: its tasks have no partner, though ids may be the same. */
function kindsApart(left: readonly Keyed[], right: readonly Keyed[]): string[] {
  const [x, y] = [new Set(left.map(kindOf)), new Set(right.map(kindOf))];
  const only = [
    ["a", [...x].filter((kind) => !y.has(kind))],
    ["b", [...y].filter((kind) => !x.has(kind))],
  ] as const;
  const told = only.flatMap(([arm, kinds]) => (kinds.length === 0 ? [] : [`only ${arm} holds ${named(kinds)}`]));
  if (told.length === 0) return [];
  return [`Tasks pair within one benchmark and domain: ${told.join(", ")}.`];
}

/** Bundles hold tasks of this service, which pair whatever their environment is called. */
function kindOf({ part: { format, results } }: Keyed): string {
  if (format === "bundle") return "run bundles";
  return format === results.domain ? format : `${format} (${results.domain})`;
}

function statusOf({ parts }: RecordedArm): RecordedStatus {
  return parts.some(({ results }) => results.brokenOff) ? "broken_off" : "landed";
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
