import type { Task } from "../../../worlds/tasks/schema.ts";
import { madeRightly } from "../../../worlds/tasks/script-calls.ts";
import type { Ctx } from "../../context.ts";
import { countOf } from "../../count-of.ts";
import type { RootCause, TrialRow } from "../../records/runs/runs.ts";
import { TaskRecord } from "../../records/sandboxes/sandboxes.ts";
import { type GroupData, groupData } from "./group-data.ts";

/** What a person can do about each root cause, as the improvement reports say it. */
const ADVICE: Record<RootCause, string> = {
  wrong_tool:
    "Say in the tools' descriptions when each is to be used, and how it differs from the one that was called instead.",
  wrong_argument: "Have the agent take arguments from results it read, and check ids before a write.",
  missing_call: "Have the agent finish every step of the request before it answers.",
  extra_write: "Have the agent change only what it was asked to change, and stop after it.",
  unverified_write: "Have the agent read a row before it changes it.",
  stopped_early: "Find why the agent ends without an answer: a limit, an error it does not report, a lost turn.",
  false_no_data: "Have the agent search again, with other filters, before it says that there is nothing.",
  invented_value: "Have the agent answer from results alone, and say so when a result does not hold the value.",
  padded_answer: "Have the agent answer what was asked and leave other rows' values out.",
  over_refusal: "Say in the policy what is allowed: the agent refused what it may do.",
  policy_breach: "Say in the policy what is forbidden, and have the agent check it before each write.",
  loop: "Stop the agent after a call that is repeated without change, and have it try another way.",
  flood: "Have the agent print less than the contract takes, and end its own tool loop before the limit does.",
  tool_error_unhandled: "Have the agent read an error's text and act on it: correct the call, or tell the user.",
  format: "Have the agent answer in the form of the trial contract.",
  timeout: "Give the agent less to do per turn or more time, and look at its slowest calls.",
  crash: "Read the agent's log of the trial: the process ended on an error of its own.",
  other: "Read the trial: no rule has a name for how it failed.",
};

/** Examples that are told of each cause. */
const EXAMPLES = 3;

/** A group at three levels, each of the trials that can say it; its failures by root cause; and what to do, by rule, per audience. */
export async function groupLevels(ctx: Ctx, input: { readonly gid: string }) {
  const data = await groupData(ctx, input.gid);
  const tasks = await tasksOf(ctx, data);
  const rows = data.runs.flatMap(({ trials }) => trials).filter(({ end }) => end === "met" || end === "failed");
  const calls = rows.flatMap((row) => row.trial.calls);
  const working = calls.filter((call) => !call.is_error && !call.answer_class.startsWith("error:"));
  const compared = rows.flatMap((row) => {
    const task = tasks.get(row.task);
    return task ? [{ row, right: madeRightly(task.script, row.trial.calls) }] : [];
  });
  const met = rows.filter(({ end }) => end === "met").length;
  const causes = causesOf(rows);
  const { tier } = data.group;
  return {
    org: ctx.org.tag,
    group: data.group.id,
    status: data.status,
    player: data.group.player,
    levels: {
      call_works: { met: working.length, of: calls.length, unit: "calls" as const, tier: "deterministic" as const },
      right_call: {
        met: compared.filter(({ right }) => right).length,
        of: compared.length,
        unit: "trials" as const,
        tier: "deterministic" as const,
      },
      job_done: { met, of: rows.length, unit: "trials" as const, tier },
    },
    failures: causes,
    reports: {
      customer: report(causes, met, rows.length),
      ...(ctx.caller.kind === "operator" ? { staff: staffReport(data, causes) } : {}),
    },
    tier,
  };
}

async function tasksOf(ctx: Ctx, { runs }: GroupData): Promise<ReadonlyMap<string, Task>> {
  const planned = runs.flatMap(({ run }) => run.tasks);
  const docs = await ctx.store.records.getMany(
    TaskRecord,
    planned.map(({ id }) => id),
  );
  const digests = new Map(planned.map(({ id, digest }) => [id, digest]));
  return new Map(docs.filter((doc) => digests.get(doc.id) === doc.digest).map((doc) => [doc.id, doc.task]));
}

function causesOf(rows: readonly TrialRow[]) {
  const failed = rows.flatMap((row) =>
    row.end === "failed" ? [{ row, cause: row.root_cause ?? ("other" as const) }] : [],
  );
  return [...Map.groupBy(failed, ({ cause }) => cause)]
    .map(([cause, of]) => ({
      cause,
      trials: of.length,
      advice: ADVICE[cause],
      examples: of.slice(0, EXAMPLES).map(({ row }) => ({ run: row.run, trial: `${row.task}.${row.n}` })),
    }))
    .sort((a, b) => b.trials - a.trials || (a.cause < b.cause ? -1 : 1));
}

type Causes = ReturnType<typeof causesOf>;

function report(causes: Causes, met: number, valid: number): string {
  if (valid === 0) return "No trial is valid yet, so nothing can be said.";
  if (causes.length === 0)
    return `${valid === 1 ? "The one valid trial was" : `All ${valid} valid trials were`} met; there is nothing to improve here.`;
  const lines = causes.map(({ cause, trials, advice }) => `- ${cause} (${trials}): ${advice}`);
  return [`${met} of ${valid} valid trials were met. By what went wrong, most frequent first:`, ...lines].join("\n");
}

function staffReport({ runs }: GroupData, causes: Causes): string {
  const all = runs.flatMap(({ trials }) => trials);
  const of = (end: TrialRow["end"]) => all.filter((row) => row.end === end).length;
  const unnamed = causes.find(({ cause }) => cause === "other")?.trials ?? 0;
  return [
    `${of("infra")} infra and ${of("invalid")} invalid trials do not count in the rate; invalid ones are the service's to fix (gaps, undecided checks).`,
    `${countOf(unnamed, "failure has", "failures have")} no named root cause.`,
  ].join("\n");
}
