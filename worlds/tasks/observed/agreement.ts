import type { BaseState, Bundle } from "../../bundle.ts";
import { onDay, sessionDaysOf } from "../../floor/session-days.ts";
import type { ObservedTrace } from "../../observation.ts";
import { Starts } from "../../starts.ts";
import type { World } from "../../world-api.ts";
import { answerIncludes } from "../checks/answer-facts.ts";
import { Reading } from "../checks/facts.ts";
import type { Judgement } from "../checks/judgement.ts";
import type { Fact } from "../schema.ts";
import { acceptedEnds } from "./accepted.ts";
import { goalValues, isGoalOf, probed, probesOf, reached, type Shown } from "./goal-values.ts";
import { type Replayed, Replayer } from "./replay.ts";
import { requestedSums } from "./requested-sums.ts";
import { Strength } from "./strength.ts";
import { comparedRuns, TaskKey } from "./task-key.ts";

/** A recorded trial judged by its task's mined key, beside what its source said of it. */
export interface JudgedTrial {
  readonly trace: ObservedTrace;
  readonly rewarded: boolean;
  readonly verdict: "pass" | "fail" | "undecided";
  /** The check that decided: the one that failed or could not decide; for a pass the state. */
  readonly check: "state" | "answer_includes" | "ended";
  readonly reason: string;
  /** Writes of it whose changes are what its recorded answers show, since the world's were others. */
  readonly corrected: number;
}

/** Trials judged by tasks mined from others. */
export interface Agreement {
  /** Test trials in all. */
  readonly trials: number;
  /** Tasks that a rewarded training run gave a key. */
  readonly tasks: number;
  /** The test trials that carry a reward and whose task has a key, in the given order. */
  readonly judged: readonly JudgedTrial[];
  readonly tier: "deterministic";
}

const isRewarded = (trace: ObservedTrace): boolean => (trace.reward ?? 0) >= 1;

function byGroup(traces: readonly ObservedTrace[]): Map<string, ObservedTrace[]> {
  const groups = new Map<string, ObservedTrace[]>();
  for (const trace of traces) {
    if (trace.group === undefined) continue;
    const list = groups.get(trace.group);
    if (list) list.push(trace);
    else groups.set(trace.group, [trace]);
  }
  return groups;
}

/**
 * Mines a key per task from its rewarded training traces and from what other tasks lend, and judges the test traces of
 * the same tasks by it, each replayed in its order on a fresh fork, as its task starts. Deterministic.
 */
export function measureAgreement(
  compiled: { readonly bundle: Bundle; readonly base: BaseState },
  train: readonly ObservedTrace[],
  test: readonly ObservedTrace[],
): Agreement {
  const days = sessionDaysOf([...train, ...test]);
  const held = (traces: readonly ObservedTrace[], name: string) =>
    onDay(traces, days, compiled.bundle.now).map((trace) => ({ ...trace, id: `${name} ${trace.id}` }));
  const trained = held(train, "train").filter(({ reward }) => reward !== undefined);
  const tested = held(test, "test");
  const replayer = new Replayer(compiled, [...trained, ...tested]);
  const drawn = new Starts(compiled, "drawn");
  const { keys, tasks } = minedKeys(compiled, replayer, drawn, trained);
  const judged = tested.flatMap((trace, i): JudgedTrial[] => {
    const key = keys(trace.group ?? "");
    const given = test[i];
    if (!key || !given || trace.reward === undefined) return [];
    return [{ trace: given, rewarded: isRewarded(trace), ...judgeTrial(key, replayer, trace, drawn) }];
  });
  return { trials: test.length, tasks, judged, tier: "deterministic" };
}

/** What decides a task's trials: its end by state, and what the user had to be told. */
interface MinedKey {
  readonly state: TaskKey;
  readonly facts: readonly Fact[];
}

/** The keys of all tasks that have a rewarded run. */
function minedKeys(
  compiled: { readonly bundle: Bundle; readonly base: BaseState },
  replayer: Replayer,
  drawn: Starts,
  trained: readonly ObservedTrace[],
): { readonly keys: (group: string) => MinedKey | undefined; readonly tasks: number } {
  const otherwise = new Starts(compiled, "otherwise");
  const groups = [...byGroup(trained)].filter(([, traces]) => traces.some(isRewarded));
  const probes = probesOf(trained, (tool) => replayer.isRead(tool));
  const shown = new Map<Replayed, Shown>();
  const replay = (trace: ObservedTrace, world: World): Replayed => {
    const run = replayer.replay(trace, world);
    shown.set(run, probed(world, probes));
    return run;
  };
  const mined = groups.map(([group, traces]) => {
    const rewarded = traces.filter(isRewarded);
    const runs = rewarded.map((trace) => ({
      one: replay(trace, drawn.fresh(group)),
      two: replayer.replay(trace, otherwise.fresh(group)),
    }));
    const facts = requestedSums(rewarded);
    // What a run that was cut off, or that did not tell a sum, failed by is not its state.
    const unrewarded = traces
      .filter((trace) => !isRewarded(trace) && trace.cutOff !== true && told(facts, trace)?.verdict !== "not_met")
      .map((trace) => replay(trace, drawn.fresh(group)));
    const ends = acceptedEnds(runs, compiled.bundle);
    const seen = (run: Replayed): Shown => shown.get(run) as Shown;
    const task = {
      start: probed(drawn.fresh(group), probes),
      rewarded: runs.map(({ one }) => seen(one)),
      unrewarded: unrewarded.map(seen),
    };
    const compared = comparedRuns(
      ends,
      runs.map(({ one }) => one),
      unrewarded,
    );
    const said = rewarded.flatMap(({ request = "", turns = [] }) => [request, ...turns]).join("\n");
    return { group, said, ends, unrewarded, compared, task, facts };
  });
  const strength = new Strength(
    mined.map(({ compared }) => compared),
    JSON.stringify(compiled.bundle.tools),
  );
  const goals = goalValues(
    mined.map(({ task }) => task),
    probes,
  );
  const keys = new Map(
    mined.map(({ group, ends, unrewarded, task, facts, said }): [string, MinedKey] => {
      const own = goals.filter((goal) => isGoalOf(goal, task));
      return [group, { state: new TaskKey(ends, unrewarded, strength, own, said), facts }];
    }),
  );
  return { keys: (group) => keys.get(group), tasks: keys.size };
}

function judgeTrial(
  { state: key, facts }: MinedKey,
  replayer: Replayer,
  trace: ObservedTrace,
  drawn: Starts,
): Pick<JudgedTrial, "verdict" | "check" | "reason" | "corrected"> {
  const world = drawn.fresh(trace.group ?? "");
  const replayed = replayer.replay(trace, world);
  const { corrected } = replayed;
  if (trace.cutOff)
    return { verdict: "fail", check: "ended", reason: "the trial was stopped before it ended", corrected };
  const state = key.judge(replayed, reached(key.goals, world));
  if (state.verdict === "not_met") return { verdict: "fail", check: "state", reason: state.reason, corrected };
  const said = told(facts, trace);
  if (said?.verdict === "not_met") return { verdict: "fail", check: "answer_includes", reason: said.reason, corrected };
  return { verdict: state.verdict === "met" ? "pass" : "undecided", check: "state", reason: state.reason, corrected };
}

/** Whether a trial told the sums that it had to; undefined where there are none. */
function told(facts: readonly Fact[], { answers = [] }: ObservedTrace): Judgement | undefined {
  return facts.length === 0 ? undefined : answerIncludes(facts, false, new Reading(answers.join("\n")));
}
