import type { BaseState, Bundle } from "../../bundle.ts";
import type { ObservedTrace } from "../../observation.ts";
import { Starts } from "../../starts.ts";
import { answerIncludes } from "../checks/answer-facts.ts";
import { Reading } from "../checks/facts.ts";
import type { Fact } from "../schema.ts";
import { acceptedEnds, type End, heldTo } from "./accepted.ts";
import { askedSums } from "./asked.ts";
import { Replayer } from "./replay.ts";

/** What the rewarded runs of one task have in common: where they may end, and what the user had to be told. */
export interface MinedKey {
  readonly ends: readonly End[];
  readonly facts: readonly Fact[];
}

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

/** Mines a key per task from the rewarded training traces, and judges the test traces of the same tasks by it, each replayed in its order on a fresh fork, as its task starts. Deterministic. */
export function measureAgreement(
  compiled: { readonly bundle: Bundle; readonly base: BaseState },
  train: readonly ObservedTrace[],
  test: readonly ObservedTrace[],
): Agreement {
  const trained = train.filter(isRewarded).map((trace) => ({ ...trace, id: `train ${trace.id}` }));
  const tested = test.map((trace) => ({ ...trace, id: `test ${trace.id}` }));
  const replayer = new Replayer(compiled, [...trained, ...tested]);
  const drawn = new Starts(compiled, "drawn");
  const otherwise = new Starts(compiled, "otherwise");
  const keys = new Map<string, MinedKey>();
  for (const [group, traces] of byGroup(trained)) {
    const runs = traces.map((trace) => ({
      one: replayer.replay(trace, drawn.fresh(group)),
      two: replayer.replay(trace, otherwise.fresh(group)),
    }));
    keys.set(group, { ends: acceptedEnds(runs), facts: askedSums(traces) });
  }
  const judged = tested.flatMap((trace, i): JudgedTrial[] => {
    const key = keys.get(trace.group ?? "");
    const given = test[i];
    if (!key || !given || trace.reward === undefined) return [];
    return [{ trace: given, rewarded: isRewarded(trace), ...judgeTrial(key, replayer, trace, drawn) }];
  });
  return { trials: test.length, tasks: keys.size, judged, tier: "deterministic" };
}

function judgeTrial(
  { ends, facts }: MinedKey,
  replayer: Replayer,
  trace: ObservedTrace,
  drawn: Starts,
): Pick<JudgedTrial, "verdict" | "check" | "reason" | "corrected"> {
  const replayed = replayer.replay(trace, drawn.fresh(trace.group ?? ""));
  const { corrected } = replayed;
  if (trace.cutOff)
    return { verdict: "fail", check: "ended", reason: "the trial was stopped before it ended", corrected };
  const state = heldTo(ends, replayed);
  if (state.verdict === "not_met") return { verdict: "fail", check: "state", reason: state.reason, corrected };
  if (facts.length > 0) {
    const said = answerIncludes(facts, false, new Reading((trace.answers ?? []).join("\n")));
    if (said.verdict === "not_met")
      return { verdict: "fail", check: "answer_includes", reason: said.reason, corrected };
  }
  return { verdict: state.verdict === "met" ? "pass" : "undecided", check: "state", reason: state.reason, corrected };
}
