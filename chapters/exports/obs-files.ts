import { z } from "zod";
import { canonicalJson, sha256 } from "../../worlds/digest.ts";
import type { Check } from "../../worlds/tasks/schema.ts";
import type { Ctx } from "../context.ts";
import { countOf } from "../count-of.ts";
import { conflict } from "../errors.ts";
import { playerName, type TrialRow } from "../records/runs/runs.ts";
import { FileAnswer } from "../reply.ts";
import { findGroup, groupState, type RunDoc } from "../runs/groups/group-data.ts";
import { ratesOf } from "../runs/trials/rates.ts";
import { trialsOf } from "../runs/trials/trial-rows.ts";
import { describeCheck } from "../sandboxes/tasks/checks.ts";
import { encoded, type ZipFile, zipped } from "../zip.ts";
import { csvLines, datasetNames, datasetRecord } from "./dataset-records.ts";
import { chosenTasks, exportedTasks } from "./tasks.ts";

/** The sets of tasks that a dataset is made of. */
export const ExportSet = z.enum(["ci-10", "smoke-20", "full"]);

const ZIP = "application/zip";
const json = (value: unknown) => `${JSON.stringify(value, null, 1)}\n`;

/** Folder names for names, none given twice: one that stands already, in whatever case, gets `id` behind it. */
function folders(): (name: string, id: string) => string {
  const taken = new Set<string>();
  return (name, id) => {
    const plain = name.replace(/[^\w.-]+/g, "-");
    let folder = plain;
    for (let n = 1; taken.has(folder.toLowerCase()); n += 1) folder = `${plain}-${id}${n === 1 ? "" : `-${n}`}`;
    taken.add(folder.toLowerCase());
    return folder;
  };
}

/**
 * The org's tasks as datasets of the observability vendor, one folder per environment: `dataset.json`, the body that
 * makes it, and `records.csv`, its import file.
 */
export async function exportObs(
  ctx: Ctx,
  input: { readonly set: z.infer<typeof ExportSet>; readonly environment?: string | undefined },
): Promise<FileAnswer> {
  const chosen = (await chosenTasks(ctx, input)).filter(({ count }) => count > 0);
  if (chosen.length === 0)
    throw conflict("Nothing that was requested has a certified task.", { by: "environment_review_post" });
  const nameOf = await datasetNames(ctx);
  const folder = folders();
  const files = async function* (): AsyncGenerator<ZipFile> {
    for (const { environment, read } of chosen) {
      const tasks = await read();
      const name = nameOf(environment);
      const place = folder(name, environment.id);
      const attributes = {
        name,
        description: `${countOf(tasks.length, "certified task")} of ${environment.label}, set ${input.set}.`,
        metadata: { environment: environment.id, set: input.set, tier: "deterministic" },
      };
      yield { name: `${place}/dataset.json`, content: json({ data: { type: "datasets", attributes } }) };
      const records = tasks.map((task) => datasetRecord(environment, task));
      yield { name: `${place}/records.csv`, content: encoded(csvLines(records)) };
    }
  };
  const count = chosen.reduce((sum, one) => sum + one.count, 0);
  const data = { datasets: chosen.length, records: count };
  return new FileAnswer(`${ctx.org.tag}-${input.set}.zip`, ZIP, zipped(files(), ctx.now()), data);
}

/** Spans and metrics of a body at most: the vendor takes bodies of a few megabytes. */
const EVENTS_A_BODY = 200;

/**
 * A landed run group as experiments of the observability vendor, one folder per environment: `experiment.json`, the body
 * that makes it, and `events-N.json`, bodies with a span per trial and a metric per check.
 */
export async function exportObsExperiment(ctx: Ctx, input: { readonly group: string }): Promise<FileAnswer> {
  const state = await groupState(ctx, await findGroup(ctx, input.group));
  if (state.status !== "landed" && state.status !== "partial")
    throw conflict("The group has not landed; export it when it has.", { by: "run_group" });
  const { player } = state.group;
  const folder = folders();
  const files = async function* (): AsyncGenerator<ZipFile> {
    for (const { run } of state.runs) {
      const trials = await trialsOf(ctx, run.id);
      const { met, valid } = ratesOf(trials, run.trials);
      const attributes = {
        name: `${playerName(player)} on ${run.label}`,
        description: `${met} of ${valid} valid trials met; graded ${run.tier === "deterministic" ? "deterministically" : "with a model as judge"}.`,
        config: { agent: player.name, version: player.version, harness: player.harness, trials: run.trials },
        metadata: { group: state.group.id, run: run.id, environment: run.environment, terms: run.terms },
        run_count: run.trials,
      };
      const place = folder(run.label, run.environment);
      yield { name: `${place}/experiment.json`, content: json({ data: { type: "experiments", attributes } }) };
      for (let i = 0; i * EVENTS_A_BODY < trials.length; i += 1) {
        const part = trials.slice(i * EVENTS_A_BODY, (i + 1) * EVENTS_A_BODY);
        yield { name: `${place}/events-${i + 1}.json`, content: json(eventsOf(run, part)) };
      }
    }
  };
  return new FileAnswer(`${state.group.id}.zip`, ZIP, zipped(files(), ctx.now()), { experiments: state.runs.length });
}

/** The body of trials as the vendor takes them: times in nanoseconds, ids as the trial's own. */
function eventsOf(run: RunDoc, trials: readonly TrialRow[]) {
  const tasks = new Map(run.tasks.map((task) => [task.id, task]));
  const spans = trials.map((row) => ({
    ...idsOf(row),
    name: tasks.get(row.task)?.family ?? "task",
    start_ns: Math.round(row.started_at * 1e9),
    duration: Math.round(row.ms * 1e6),
    status: row.end === "met" || row.end === "failed" ? "ok" : "error",
    tags: [`end:${row.end}`, `task:${row.task}`, `try:${row.n}`],
    meta: {
      input: { request: tasks.get(row.task)?.request ?? "" },
      output: { answer: row.trial.answers.map(({ text }) => text).join("\n") },
      ...(row.cause === null ? {} : { error: { type: row.cause, message: row.root_cause ?? row.cause } }),
    },
  }));
  const metrics = trials.flatMap((row) => {
    const at = { ...idsOf(row), timestamp_ms: Math.round(row.started_at * 1000 + row.ms), tags: [] };
    const met = { ...at, label: "met", metric_type: "boolean", boolean_value: row.end === "met" };
    // What did not end valid has no verdict: a false would count as the agent's.
    const whole =
      row.end === "met" || row.end === "failed" ? [{ ...met, assessment: row.end === "met" ? "pass" : "fail" }] : [];
    const checks = row.checks.map(({ kind, verdict, reason }) => ({
      ...at,
      label: kind,
      metric_type: "categorical",
      categorical_value: verdict,
      reasoning: reason,
    }));
    return [...whole, ...checks];
  });
  return { data: { type: "events", attributes: { spans, metrics } } };
}

function idsOf({ run, task, n, attempt }: TrialRow) {
  const name = sha256(canonicalJson([run, task, n, attempt]));
  return { span_id: BigInt(`0x${name.slice(0, 15)}`).toString(), trace_id: name.slice(0, 32) };
}

/** Judge definitions that say what the dataset's checks decide, one file per kind of check, for tools that only know judges. */
export async function exportObsJudges(
  ctx: Ctx,
  input: { readonly environment?: string | undefined },
): Promise<FileAnswer> {
  const kinds = new Map<Check["kind"], { tasks: number; example: string }>();
  for await (const { tasks } of exportedTasks(ctx, input))
    for (const { task } of tasks)
      for (const check of task.checks) {
        const known = kinds.get(check.kind) ?? { tasks: 0, example: describeCheck(check, task) };
        kinds.set(check.kind, { ...known, tasks: known.tasks + 1 });
      }
  if (kinds.size === 0)
    throw conflict("Nothing that was requested has a certified task.", { by: "environment_review_post" });
  const files = [...kinds]
    .sort()
    .map(
      ([kind, { tasks, example }]): ZipFile => ({ name: `${kind}.json`, content: json(judgeOf(kind, tasks, example)) }),
    );
  return new FileAnswer(`${ctx.org.tag}-judges.zip`, ZIP, zipped(files, ctx.now()), { judges: files.length });
}

function judgeOf(kind: Check["kind"], tasks: number, example: string) {
  return {
    name: kind,
    output: { type: "boolean", pass_when: true },
    prompt: {
      system:
        "Decide whether the agent's answer and calls meet the requirement. Answer true or false with one sentence why.",
      user: "Request: {{input.request}}\nExpected: {{expected_output}}\nAnswer: {{output.answer}}\nCalls: {{output.calls}}",
    },
    metadata: {
      // A judge that mirrors a check is a model's reading of it: the check itself decides by code.
      tier: "llm-derived",
      mirrors: { check: kind, tier: kind === "judged" ? "llm-derived" : "deterministic" },
      tasks,
      example,
    },
  };
}
