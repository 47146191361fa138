import type { RootCause, TrialRow } from "../../records/runs/runs.ts";
import type { ConfidenceBands } from "../../statistics/bands.ts";
import { confidenceOf, confidenceWords } from "../../statistics/bands.ts";
import { clusteredInterval } from "../../statistics/clustered.ts";
import { pairedPermutation } from "../../statistics/permutation.ts";
import { smallestShown } from "../../statistics/smallest-shown.ts";
import { endedAtOnce } from "../ended-at-once.ts";
import type { GroupData, RewardedTrial } from "../groups/group-data.ts";
import { isolationOf } from "../isolation.ts";
import { planFor, WANTED } from "../start/plan.ts";
import { endsOf } from "../trials/rates.ts";
import { compareCalls } from "./compare-calls.ts";
import { countedAs, plannedOf, rewardsOf } from "./compare-missing.ts";
import { chosenByOutcome } from "./compare-outcome.ts";
import { pairTasks, startAgain, taskPosition } from "./compare-pairs.ts";
import type { Arm, ArmName, CauseCount, ComparedTask, Comparison, Side, Totals } from "./compare-types.ts";
import { cannotTell, verdictOf } from "./compare-verdict.ts";

/** Above this p a difference is as likely chance as not: no arm is called worse. */
const AS_LIKELY_AS_NOT = 0.5;

/** Compares two groups: pure, over what was stored when they ran. The plan is for the `wanted` difference of rates, 0 to 1. */
export function compareGroups(a: GroupData, b: GroupData, bands: ConfidenceBands, wanted = WANTED): Comparison {
  const { paired, refused } = pairTasks(a, b);
  const both = paired.map((sides) => ({ sides, task: compareTask(...sides) }));
  const kept = both.filter(({ task }) => task.a.valid > 0 && task.b.valid > 0);
  const tasks = kept.map(({ task }) => task);
  const empty = both
    .filter(({ task }) => task.a.valid === 0 || task.b.valid === 0)
    .map(({ sides: [left], task }) => {
      const arm = task.a.valid === 0 ? "a" : "b";
      const again = startAgain(a, arm === "a" ? a : b);
      return {
        ...taskPosition(left),
        reason: `No valid trial in ${arm}.`,
        ...(again === undefined ? {} : { way_out: again }),
      };
    });
  const pairs = countedAs(
    kept.map(({ sides }) => sides),
    "left out",
  );
  const chosen = chosenByOutcome(a, b);
  const test = pairedPermutation(pairs);
  // Tasks that were chosen by outcome differ by the choice alone: the test says nothing of the arms.
  const p = chosen === undefined ? test.p : 1;
  const confidence = confidenceOf(p);
  const named = {
    a: {
      ...armName(a),
      ...totals(
        tasks,
        paired.map(([side]) => side),
        "a",
      ),
    },
    b: {
      ...armName(b),
      ...totals(
        tasks,
        paired.map(([, side]) => side),
        "b",
      ),
    },
  };
  const smallest = smallestShown(pairs, bands.high);
  const untold = cannotTell({ a, b, named, paired, refused, chosen, bands, compared: tasks.length });
  const told = untold === undefined && p <= AS_LIKELY_AS_NOT;
  // Of too few tasks the band has its word, which can not be "shown"; whatever else forbids a verdict forbids the word too.
  const worded = told || (smallest === undefined && p <= AS_LIKELY_AS_NOT);
  const words = worded ? confidenceWords(confidence, bands) : "no difference shown";
  const worse = !told || test.difference === 0 ? undefined : test.difference < 0 ? "b" : "a";
  const causes = worse === undefined ? [] : newFailures(tasks, worse);
  // The power of a plan is that of trials which are met or not: of rewards between it says nothing.
  const rewarded = named.a.rewards !== undefined || named.b.rewards !== undefined;
  const plan = rewarded
    ? undefined
    : planFor(
        tasks.map(({ delta }) => delta),
        [...trialsIn(a), ...trialsIn(b)],
        Math.max(a.group.trials, b.group.trials),
        bands,
        wanted,
      );
  return {
    ...named,
    tasks,
    refused: [...refused, ...empty],
    environments: byEnvironment(tasks),
    flips: tasks.filter(flipped).sort((x, y) => Math.abs(y.delta) - Math.abs(x.delta) || x.index - y.index),
    difference: test.difference,
    p,
    confidence,
    words,
    bands,
    ...(smallest === undefined ? {} : { smallest }),
    ...(worse === undefined ? {} : { worse }),
    causes,
    verdict: verdictOf({
      ...named,
      untold,
      chosen,
      difference: test.difference,
      confidence,
      words,
      worse,
      causes,
      tasks,
    }),
    ...(untold === undefined ? {} : { cannot_tell: untold }),
    ...(chosen === undefined ? {} : { chosen_by_outcome: chosen }),
    ...(plan === undefined ? {} : { plan }),
    tier: [a, b].some(({ group }) => group.tier === "llm-derived") ? "llm-derived" : "deterministic",
  };
}

function trialsIn({ runs }: GroupData): TrialRow[] {
  return runs.flatMap(({ trials }) => [...trials]);
}

function compareTask(a: Side, b: Side): ComparedTask {
  const arms = { a: armOf(a.trials), b: armOf(b.trials) };
  return {
    ...taskPosition(a),
    family: a.task.family,
    request: a.task.request,
    ...arms,
    delta: rate(arms.b) - rate(arms.a),
    causes: { a: causesOf(a.trials), b: causesOf(b.trials) },
    calls: compareCalls(a.trials, b.trials),
  };
}

function armOf(trials: readonly RewardedTrial[]): Arm {
  const { met, failed, infra, invalid } = endsOf(trials);
  const rewards = rewardsOf(trials);
  return { met, valid: met + failed, infra, invalid, ...(rewards === undefined ? {} : { rewards }) };
}

function rate(arm: Arm): number {
  return arm.valid === 0 ? 0 : reached(arm) / arm.valid;
}

function reached({ rewards, met }: Arm): number {
  return rewards ?? met;
}

function sum(arms: readonly Arm[]): Arm {
  const total = { met: 0, valid: 0, infra: 0, invalid: 0 };
  for (const arm of arms) for (const key of ["met", "valid", "infra", "invalid"] as const) total[key] += arm[key];
  const rewarded = arms.some(({ rewards }) => rewards !== undefined);
  return rewarded ? { ...total, rewards: arms.reduce((all, arm) => all + reached(arm), 0) } : total;
}

/** An arm over the compared tasks, with what was planned of it and has no verdict. */
function totals(tasks: readonly ComparedTask[], sides: readonly Side[], arm: "a" | "b"): Totals {
  const own = tasks.map((task) => task[arm]);
  const names = new Map(sides.map(({ task, trials }) => [task.id, trials.find((row) => row.distinct)?.distinct]));
  const clusters = Map.groupBy(own, (_, i) => names.get(tasks[i]!.task) ?? tasks[i]!.task);
  const interval = clusteredInterval([...clusters.values()].map((of) => ({ met: reached(sum(of)), n: sum(of).valid })));
  return { ...sum(own), ...interval, ...plannedOf(sides) };
}

function armName(data: GroupData): ArmName {
  const { id, player } = data.group;
  const isolation = isolationOf(trialsIn(data));
  const atOnce = endedAtOnce(trialsIn(data));
  return {
    ...{ group: id, name: player.name, version: player.version },
    ...(isolation === undefined ? {} : { isolation }),
    ...(atOnce === undefined ? {} : { ended_at_once: atOnce }),
  };
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

/** Whether most trials of the task went one way in one arm and the other way in the other; of rewards, their means. */
function flipped(task: ComparedTask): boolean {
  return rate(task.a) >= 0.5 !== rate(task.b) >= 0.5;
}

function causesOf(trials: readonly TrialRow[]): CauseCount[] {
  const failed = trials.filter((trial) => trial.end === "failed");
  // Results from elsewhere tell no cause.
  return ranked(failed.flatMap(({ root_cause: cause }) => (cause === null ? [] : [{ cause, trials: 1 }])));
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
