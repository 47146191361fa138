import { type CallsDiffer, compareCalls } from "./compare-calls.ts";
import type { GroupData, RunDoc } from "./group-data.ts";
import { type ComparisonPlan, planFor, WANTED } from "./plan.ts";
import { endsOf } from "./rates.ts";
import type { GradingTier, RootCause, RunTask, TrialRow } from "./schema.ts";
import { type ConfidenceBands, type ConfidenceWords, confidenceOf, confidenceWords } from "./statistics/bands.ts";
import { pairedPermutation } from "./statistics/permutation.ts";
import { smallestShown } from "./statistics/smallest-shown.ts";
import { wilson } from "./statistics/wilson.ts";

/** One arm's trials, of one task or of many. Rates are met of valid; infra and invalid stand beside. */
export interface Arm {
  readonly met: number;
  readonly valid: number;
  readonly infra: number;
  readonly invalid: number;
}

/** A task that both arms ran under the same terms. */
export interface ComparedTask {
  readonly environment: string;
  readonly label: string;
  readonly task: string;
  readonly index: number;
  readonly family: string;
  readonly request: string;
  readonly a: Arm;
  readonly b: Arm;
  /** Rate of b less rate of a, -1 to 1. */
  readonly delta: number;
  /** Root causes of the trials that failed, per arm, most frequent first. */
  readonly causes: { readonly a: readonly CauseCount[]; readonly b: readonly CauseCount[] };
  readonly calls: readonly CallsDiffer[];
}

/** How many failed trials have this root cause. */
export interface CauseCount {
  readonly cause: RootCause;
  readonly trials: number;
}

/** A task of either arm that is not compared, and why. */
export interface RefusedTask {
  readonly environment: string;
  readonly label: string;
  readonly task: string;
  readonly index: number;
  readonly reason: string;
}

/** Two groups paired by task, with the verdict. Every figure is deterministic: nothing was graded or run for it. */
export interface Comparison {
  readonly a: ArmName & Totals;
  readonly b: ArmName & Totals;
  readonly tasks: readonly ComparedTask[];
  readonly refused: readonly RefusedTask[];
  readonly environments: readonly {
    environment: string;
    label: string;
    tasks: number;
    a: Arm;
    b: Arm;
    delta: number;
  }[];
  /** Tasks whose outcome went from all met to none or the other way, largest change first. */
  readonly flips: readonly ComparedTask[];
  /** Mean over tasks of rate b less rate a. */
  readonly difference: number;
  readonly p: number;
  /** 0 to 100. */
  readonly confidence: number;
  readonly words: ConfidenceWords;
  readonly bands: ConfidenceBands;
  /** The smallest difference that so many tasks could have shown; absent when none could. */
  readonly smallest?: { readonly flips: number; readonly difference: number };
  /** The arm that met less, where one did. */
  readonly worse?: "a" | "b";
  /** Root causes of the worse arm's failures on tasks where it met less, most frequent first. */
  readonly causes: readonly CauseCount[];
  readonly verdict: string;
  /** What showing a wanted difference takes; absent where nothing was compared. */
  readonly plan?: ComparisonPlan;
  /** The weaker of the two groups' grading. */
  readonly tier: GradingTier;
}

interface ArmName {
  readonly group: string;
  readonly name: string;
  readonly version: string | null;
}

interface Totals extends Arm {
  readonly low: number;
  readonly high: number;
}

interface Side {
  readonly run: RunDoc;
  readonly task: RunTask;
  readonly trials: readonly TrialRow[];
}

/** Compares two groups: pure, over what was stored when they ran. The plan is for the `wanted` difference of rates, 0 to 1. */
export function compareGroups(a: GroupData, b: GroupData, bands: ConfidenceBands, wanted = WANTED): Comparison {
  const toolsCompared = samePlayer(a, b);
  const { paired, refused } = pairUp(sides(a), sides(b), toolsCompared);
  const tasks = paired.map(([left, right]) => compareTask(left, right));
  const counted = tasks.filter((task) => task.a.valid > 0 && task.b.valid > 0);
  const empty = tasks
    .filter((task) => task.a.valid === 0 || task.b.valid === 0)
    .map((task) => ({ ...place(task), reason: `No valid trial in ${task.a.valid === 0 ? "a" : "b"}.` }));
  const arms = { a: sum(counted.map((task) => task.a)), b: sum(counted.map((task) => task.b)) };
  const test = pairedPermutation(
    counted.map((task) => ({ a: { met: task.a.met, n: task.a.valid }, b: { met: task.b.met, n: task.b.valid } })),
  );
  const confidence = confidenceOf(test.p);
  const words = confidenceWords(confidence, bands);
  const worse: "a" | "b" | undefined = test.difference === 0 ? undefined : test.difference < 0 ? "b" : "a";
  const causes = worse === undefined ? [] : newFailures(counted, worse);
  const smallest = smallestShown(counted.length, bands.high);
  const named = { a: { ...armName(a), ...withInterval(arms.a) }, b: { ...armName(b), ...withInterval(arms.b) } };
  const plan = planFor(
    counted.map(({ delta }) => delta),
    [...trialsIn(a), ...trialsIn(b)],
    Math.max(a.group.trials, b.group.trials),
    bands,
    wanted,
  );
  const found = { ...named, difference: test.difference, confidence, words, worse, causes, tasks: counted };
  return {
    ...named,
    tasks: counted,
    refused: [...refused, ...empty],
    environments: byEnvironment(counted),
    flips: counted.filter(flipped).sort((x, y) => Math.abs(y.delta) - Math.abs(x.delta) || x.index - y.index),
    difference: test.difference,
    p: test.p,
    confidence,
    words,
    bands,
    ...(smallest === undefined ? {} : { smallest }),
    ...(worse === undefined ? {} : { worse }),
    causes,
    verdict: verdictOf(found),
    ...(plan === undefined ? {} : { plan }),
    tier: [a, b].some(({ group }) => group.tier === "llm-derived") ? "llm-derived" : "deterministic",
  };
}

function trialsIn({ runs }: GroupData): TrialRow[] {
  return runs.flatMap(({ trials }) => [...trials]);
}

/** The same agent version on both sides, or versions of one surface agent: then the tools are what is being compared. */
function samePlayer(a: GroupData, b: GroupData): boolean {
  const [x, y] = [a.group.player, b.group.player];
  // Players of imported runs are known by name alone.
  const named = x.agent !== null || x.harness !== null || x.name === y.name;
  const version = x.version === y.version || (x.surface !== undefined && x.surface === y.surface);
  return named && x.agent === y.agent && version && x.harness === y.harness;
}

function sides(data: GroupData): Side[] {
  return data.runs.flatMap(({ run, trials }) => {
    const byTask = Map.groupBy(trials, (trial) => trial.task);
    return run.tasks.map((task) => ({ run, task, trials: byTask.get(task.id) ?? [] }));
  });
}

/** Pairs by the task's record, else by its digest on the same rows; what has no partner or other terms is refused. */
function pairUp(a: readonly Side[], b: readonly Side[], toolsCompared: boolean) {
  const byRecord = new Map(b.map((side) => [side.task.id, side]));
  const byDigest = new Map(b.map((side) => [`${side.task.digest}|${side.run.terms.base}`, side]));
  const taken = new Set<Side>();
  const paired: [Side, Side][] = [];
  const refused: RefusedTask[] = [];
  for (const left of a) {
    const right = byRecord.get(left.task.id) ?? byDigest.get(`${left.task.digest}|${left.run.terms.base}`);
    if (!right || taken.has(right)) {
      refused.push({ ...placeOf(left), reason: "Only a ran it." });
      continue;
    }
    taken.add(right);
    const reason = otherTerms(left, right, toolsCompared);
    if (reason === undefined) paired.push([left, right]);
    else refused.push({ ...placeOf(left), reason });
  }
  for (const right of b) if (!taken.has(right)) refused.push({ ...placeOf(right), reason: "Only b ran it." });
  return { paired, refused };
}

function otherTerms(a: Side, b: Side, toolsCompared: boolean): string | undefined {
  if (a.task.checks !== b.task.checks) return "Its checks were others.";
  if (a.task.digest !== b.task.digest) return "The task itself was another.";
  if (a.run.terms.base !== b.run.terms.base) return "The drawn rows were others.";
  if (a.run.timeout_seconds !== b.run.timeout_seconds) return "The time limit was another.";
  if (a.run.terms.limits !== b.run.terms.limits) return "Its limits were others.";
  if (!toolsCompared && a.run.terms.tools !== b.run.terms.tools) return "The tools were others.";
  return undefined;
}

function compareTask(a: Side, b: Side): ComparedTask {
  const arms = { a: armOf(a.trials), b: armOf(b.trials) };
  return {
    ...placeOf(a),
    family: a.task.family,
    request: a.task.request,
    ...arms,
    delta: rate(arms.b) - rate(arms.a),
    causes: { a: causesOf(a.trials), b: causesOf(b.trials) },
    calls: compareCalls(a.trials, b.trials),
  };
}

function placeOf({ run, task }: Side) {
  return { environment: run.environment, label: run.label, task: task.id, index: task.index };
}

function place({ environment, label, task, index }: ComparedTask) {
  return { environment, label, task, index };
}

function armOf(trials: readonly TrialRow[]): Arm {
  const { met, failed, infra, invalid } = endsOf(trials);
  return { met, valid: met + failed, infra, invalid };
}

function rate(arm: Arm): number {
  return arm.valid === 0 ? 0 : arm.met / arm.valid;
}

function sum(arms: readonly Arm[]): Arm {
  const total = { met: 0, valid: 0, infra: 0, invalid: 0 };
  for (const arm of arms) for (const key of ["met", "valid", "infra", "invalid"] as const) total[key] += arm[key];
  return total;
}

function withInterval(arm: Arm): Totals {
  return { ...arm, ...wilson(arm.met, arm.valid) };
}

function armName({ group }: GroupData): ArmName {
  return { group: group.id, name: group.player.name, version: group.player.version };
}

function byEnvironment(tasks: readonly ComparedTask[]) {
  return [...Map.groupBy(tasks, (task) => task.environment)].map(([environment, of]) => ({
    environment,
    label: of[0]?.label ?? "",
    tasks: of.length,
    a: sum(of.map((task) => task.a)),
    b: sum(of.map((task) => task.b)),
    delta: of.reduce((total, task) => total + task.delta, 0) / of.length,
  }));
}

/** Whether most trials of the task went one way in one arm and the other way in the other. */
function flipped(task: ComparedTask): boolean {
  return rate(task.a) >= 0.5 !== rate(task.b) >= 0.5;
}

function causesOf(trials: readonly TrialRow[]): CauseCount[] {
  const failed = trials.filter((trial) => trial.end === "failed");
  return ranked(failed.map((trial) => ({ cause: trial.root_cause ?? "other", trials: 1 })));
}

function newFailures(tasks: readonly ComparedTask[], worse: "a" | "b"): CauseCount[] {
  const lost = tasks.filter((task) => (worse === "b" ? task.delta < 0 : task.delta > 0));
  return ranked(lost.flatMap((task) => [...task.causes[worse]]));
}

function ranked(counts: readonly CauseCount[]): CauseCount[] {
  const total = new Map<RootCause, number>();
  for (const { cause, trials } of counts) total.set(cause, (total.get(cause) ?? 0) + trials);
  return [...total]
    .map(([cause, trials]) => ({ cause, trials }))
    .sort((x, y) => y.trials - x.trials || (x.cause < y.cause ? -1 : 1));
}

/** One line: which arm met less and by how much, how sure that is, and why it failed. */
function verdictOf(
  found: Pick<Comparison, "difference" | "confidence" | "words" | "tasks" | "causes"> & {
    readonly a: Arm;
    readonly b: Arm;
    readonly worse: "a" | "b" | undefined;
  },
): string {
  const { a, b, difference, confidence, words, worse, causes } = found;
  const tasks = found.tasks.length;
  if (tasks === 0) return "Cannot tell: no task was run by both under the same terms.";
  const counts = `a met ${a.met} of ${a.valid}, b ${b.met} of ${b.valid}, over ${tasks} tasks`;
  // Rounded down, so that a confidence never reads as a band it did not reach.
  const sure = `confidence ${Math.floor(confidence)}`;
  if (worse === undefined) return `No difference shown: ${counts} (${sure}).`;
  const points = `${(100 * Math.abs(difference)).toFixed(1)} points`;
  const [first] = causes;
  const why = first === undefined ? "" : `; first root cause of its new failures: ${first.cause} (${first.trials})`;
  if (words === "no difference shown") return `No difference shown: ${counts}; ${worse} met ${points} less (${sure}).`;
  const how = words === "shown" ? `${worse} is worse` : `Leaning towards ${worse} being worse`;
  return `${how}: ${points} less met, ${counts} (${sure}, ${words})${why}.`;
}
