import { digestOf } from "../../../worlds/digest.ts";
import {
  type ForeignResults,
  type ForeignTrial,
  type Raw,
  rawList,
  rawName,
  rawNumber,
  rawObject,
  rawReward,
  rawTime,
} from "./raw-results.ts";

const GRADES: Readonly<Record<string, number>> = { C: 1, P: 0.5, I: 0, N: 0 };

/**
 * An Inspect evaluation log (JSON). Every scorer must give full marks for a sample to be met. Terms are what it tells:
 * the dataset and sandbox, each sample's input and target, its scorers, its limits. It is graded by a model where a scorer is one.
 */
export function inspectResults(log: Raw): ForeignResults {
  const { task, model, created, dataset, sandbox, config, scorers } = rawObject(log.eval);
  const domain = rawName(task) ?? "unknown";
  const { message_limit, token_limit, time_limit, working_limit } = rawObject(config);
  const samples = rawList(log.samples).map(rawObject);
  const names = [...rawList(scorers).map((one) => rawName(rawObject(one).name)), ...samples.flatMap(scoreNames)];
  const solver = rawList(rawObject(log.plan).steps).map((step) => rawName(rawObject(step).solver));
  return {
    domain,
    agent: solver.findLast((name) => name !== undefined) ?? "solver",
    model: rawName(model) ?? null,
    tier: names.some((name) => name?.startsWith("model_graded")) ? "llm-derived" : "deterministic",
    terms: {
      base: digestOf(["inspect", domain, rawName(rawObject(dataset).name) ?? null, sandbox ?? null]),
      tools: digestOf(["inspect", domain]),
      limits: digestOf([message_limit ?? null, token_limit ?? null, time_limit ?? null, working_limit ?? null]),
    },
    created_at: rawTime(created),
    brokenOff: ["started", "cancelled", "error"].includes(String(log.status)),
    trials: samples.map(trialOf),
  };
}

function scoreNames(sample: Raw): string[] {
  return Object.keys(rawObject(sample.scores)).sort();
}

function trialOf(sample: Raw, index: number): ForeignTrial {
  const epoch = rawNumber(sample.epoch);
  const common = {
    task: rawName(sample.id) ?? `sample ${index + 1}`,
    ...(epoch === undefined ? {} : { trial: epoch }),
    asks: sample.input ?? null,
    checkedBy: [sample.target ?? null, scoreNames(sample)],
    ms: 1000 * (rawNumber(sample.working_time) ?? rawNumber(sample.total_time) ?? 0),
    usd: undefined,
    hasMessages: rawList(sample.messages).length > 0,
  };
  // One that broke off was not scored: its scorers are not known.
  if (sample.error !== undefined && sample.error !== null)
    return { ...common, checkedBy: null, end: "infra", cause: "service", checks: [] };
  const values = scoreNames(sample).map((name) => [name, rawObject(rawObject(sample.scores)[name]).value] as const);
  const checks = values.map(([name, value]) => checkOf(name, value));
  if (checks.length === 0 || checks.some(({ verdict }) => verdict === "not_decided"))
    return { ...common, end: "invalid", cause: "undecided", checks };
  // Every scorer has to give full marks: the least of them is what the sample is worth.
  const reward = Math.min(...values.map(([, value]) => gradeOf(value) ?? 0));
  return checks.every(({ verdict }) => verdict === "met")
    ? { ...common, reward, end: "met", cause: null, checks }
    : { ...common, reward, end: "failed", cause: "checks", checks };
}

function gradeOf(value: unknown): number | undefined {
  return typeof value === "boolean" ? Number(value) : typeof value === "string" ? GRADES[value] : rawReward(value);
}

/** Letter grades, booleans and numbers of 0 to 1; any other value decides nothing. */
function checkOf(name: string, value: unknown): ForeignTrial["checks"][number] {
  const kind = `inspect_${name.replace(/[^\w]+/g, "_").slice(0, 60)}`;
  const mark = gradeOf(value);
  if (mark === undefined) return { kind, verdict: "not_decided", reason: "The source's score is no grade." };
  return { kind, verdict: mark >= 1 ? "met" : "not_met", reason: `The source's score is ${mark}.` };
}
