import { digestOf } from "../../../worlds/digest.ts";
import {
  type ForeignResults,
  type ForeignTrial,
  noReward,
  type Raw,
  rawList,
  rawName,
  rawNumber,
  rawObject,
  rawReward,
  rawTime,
} from "./raw-results.ts";

const CHECKS = ["DB", "COMMUNICATE", "ENV_ASSERTION", "ACTION", "NL_ASSERTION"] as const;

/**
 * A tau2 results file. Terms are what it tells: the domain with its policy and each task's definition, the tools, the
 * limits on steps and errors. It is graded by a model where natural-language assertions are part of the reward.
 */
export function tau2Results(results: Raw): ForeignResults {
  const info = rawObject(results.info);
  const environment = rawObject(info.environment_info);
  const agent = rawObject(info.agent_info);
  const definitions = new Map(rawList(results.tasks).map((task) => [String(rawObject(task).id), rawObject(task)]));
  const domain = rawName(environment.domain_name) ?? rawName(results.domain) ?? "unknown";
  const simulations = rawList(results.simulations).map(rawObject);
  const judged = simulations.some((one) => basisOf(one, definitions).includes("NL_ASSERTION"));
  return {
    domain,
    agent: rawName(agent.implementation) ?? rawName(results.agent) ?? "agent",
    model: rawName(agent.llm) ?? rawName(results.model) ?? null,
    tier: judged ? "llm-derived" : "deterministic",
    terms: {
      base: digestOf(["tau2", domain, environment.policy ?? null]),
      tools: digestOf(["tau2", domain, environment.tool_defs ?? null]),
      limits: digestOf([info.max_steps ?? null, info.max_errors ?? null]),
    },
    created_at: rawTime(results.timestamp),
    trials: simulations.map((one, i) => trialOf(one, i, definitions)),
  };
}

function basisOf(simulation: Raw, definitions: ReadonlyMap<string, Raw>): readonly unknown[] {
  const criteria = rawObject(definitions.get(String(simulation.task_id))?.evaluation_criteria);
  return [...rawList(criteria.reward_basis), ...rawList(rawObject(simulation.reward_info).reward_basis)];
}

function trialOf(simulation: Raw, index: number, definitions: ReadonlyMap<string, Raw>): ForeignTrial {
  const task = rawName(simulation.task_id) ?? `simulation ${index + 1}`;
  const { evaluation_criteria, ...definition } = definitions.get(String(simulation.task_id)) ?? {};
  const { reward, reward_breakdown } = rawObject(simulation.reward_info);
  const full = rawReward(reward);
  const usd = rawNumber(simulation.agent_cost);
  const trial = rawNumber(simulation.trial);
  const common = {
    task,
    ...(trial === undefined ? {} : { trial }),
    asks: definition,
    checkedBy: evaluation_criteria ?? null,
    ms: 1000 * (rawNumber(simulation.duration) ?? 0),
    usd: usd === 0 ? undefined : usd,
    hasMessages: rawList(simulation.messages).length > 0,
  };
  if (simulation.termination_reason === "infrastructure_error")
    return { ...common, end: "infra", cause: "service", checks: [] };
  if (full === undefined) return { ...common, ...noReward(reward) };
  const checks = checksOf(full, rawObject(reward_breakdown));
  if (full >= 1) return { ...common, reward: full, end: "met", cause: null, checks };
  const crashed = simulation.termination_reason === "agent_error";
  return { ...common, reward: full, end: "failed", cause: crashed ? "crash" : "checks", checks };
}

/** The parts of the reward where the file has them, else the reward. */
function checksOf(reward: number, breakdown: Raw): ForeignTrial["checks"] {
  const parts = CHECKS.flatMap((name) => {
    const part = rawNumber(breakdown[name]);
    return part === undefined ? [] : [{ kind: `tau2_${name.toLowerCase()}`, part }];
  });
  const told = parts.length > 0 ? parts : [{ kind: "reward", part: reward }];
  return told.map(({ kind, part }) => {
    return { kind, verdict: part >= 1 ? "met" : "not_met", reason: `The source's reward for it is ${part}.` };
  });
}
