import { digestOf } from "../../../worlds/digest.ts";
import {
  type ForeignResults,
  type ForeignTrial,
  noReward,
  type Raw,
  rawName,
  rawNumber,
  rawObject,
  rawReward,
} from "./raw-results.ts";

/** What such files do not tell. */
const UNTOLD = { tier: "deterministic", created_at: undefined } as const;

/** Trials of a tau-bench results file. The file names neither its domain nor its agent; a trial is met at full reward only. */
export function tauBenchResults(trials: readonly Raw[]): ForeignResults {
  const base = digestOf(["tau-bench"]);
  return {
    ...UNTOLD,
    domain: "tau-bench",
    agent: "agent",
    model: null,
    terms: { base, tools: base, limits: base },
    trials: trials.map((one, i): ForeignTrial => {
      const info = rawObject(one.info);
      const reward = rawReward(one.reward);
      return {
        ...common(rawName(one.task_id) ?? `trial ${i + 1}`, rawNumber(one.trial)),
        // What the user is to ask for and the actions that answer it stand in the task.
        asks: rawObject(info.task).instruction ?? null,
        checkedBy: rawObject(info.task).actions ?? null,
        ...(reward === undefined
          ? noReward(one.reward)
          : { reward, ...ended(reward >= 1, "reward", `The source's reward is ${reward}.`) }),
        // A trial that broke off has the error in place of what was graded.
        ...(info.error !== undefined && info.task === undefined ? { end: "infra", cause: "service", checks: [] } : {}),
      };
    }),
  };
}

/** Runs of AgentDojo of one pipeline and suite: met where the user's task was done, with or without an attack beside it. */
export function agentdojoResults(runs: readonly Raw[]): ForeignResults {
  const [first = {}] = runs;
  const suite = rawName(first.suite_name) ?? "unknown";
  const base = digestOf(["agentdojo", suite, rawName(first.benchmark_version) ?? null]);
  return {
    ...UNTOLD,
    domain: suite,
    agent: rawName(first.pipeline_name) ?? "pipeline",
    model: null,
    terms: { base, tools: base, limits: base },
    trials: runs.map((one): ForeignTrial => {
      const parts = [one.user_task_id, one.attack_type ?? "no attack", one.injection_task_id ?? "no injection"];
      const { utility, error } = one;
      return {
        ...common(parts.map((part) => rawName(part) ?? "unknown").join(" / "), undefined),
        asks: null,
        checkedBy: null,
        ms: 1000 * (rawNumber(one.duration) ?? 0),
        ...ended(typeof utility === "boolean" ? utility : undefined, "utility", `The source's utility is ${utility}.`),
        ...(typeof error === "string" && error !== "" && typeof utility !== "boolean"
          ? { end: "infra", cause: "service", checks: [] }
          : {}),
      };
    }),
  };
}

function common(task: string, trial: number | undefined) {
  return { task, ...(trial === undefined ? {} : { trial }), ms: 0, usd: undefined, hasMessages: true };
}

function ended(met: boolean | undefined, kind: string, reason: string): Pick<ForeignTrial, "end" | "cause" | "checks"> {
  if (met === undefined) return { end: "invalid", cause: "undecided", checks: [] };
  const checks: ForeignTrial["checks"] = [{ kind, verdict: met ? "met" : "not_met", reason }];
  return met ? { end: "met", cause: null, checks } : { end: "failed", cause: "checks", checks };
}
