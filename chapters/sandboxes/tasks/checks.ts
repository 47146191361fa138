import type { AnswerClass, Check, Task } from "../../../worlds/tasks/schema.ts";
import { loadEnvironment } from "../../blobs.ts";
import type { Ctx } from "../../context.ts";
import { countOf } from "../../count-of.ts";
import { orNotFound } from "../../errors.ts";
import { judgeOf } from "../../organization/judge.ts";
import { findEnvironment } from "../environments/environment-records.ts";
import { askJudge } from "../review/judged-check.ts";
import { openTrials, rehearse } from "./compute-tasks.ts";
import { findTask } from "./task-records.ts";

const ANSWERS: Readonly<Record<AnswerClass, string>> = {
  answered: "The agent answers: it neither refuses nor says that there is no data.",
  said_no_data: "The agent says that there is no data.",
  refused: "The agent refuses.",
  none: "The agent says nothing.",
};

/** What a check decides of trials of a task, in words a person can act on. */
export function describeCheck(check: Check, { user }: Partial<Pick<Task, "user">> = {}): string {
  const calls = (list: readonly { tool: string }[]) => list.map((call) => call.tool).join(", ");
  switch (check.kind) {
    case "answer_includes":
      return `The answer says ${check.facts.map((fact) => String(fact.value)).join(", ")}.`;
    case "answer_excludes":
      return `The answer does not say ${check.facts.map((fact) => String(fact.value)).join(", ")}.`;
    case "answer_class":
      return [check.class, ...(check.or ?? [])].map((each) => ANSWERS[each]).join(" Or: ");
    case "asks":
      // Of one who answers, whatever settles the request counts: the row's name, or what finds it.
      return `The agent asks the user about ${check.about.join(", ")}${user ? ", or anything else that the request leaves out, and is told" : ""}.`;
    case "calls_required":
      return `The agent calls ${calls(check.calls)}${check.done ? " with success" : ""}${check.shown ? ", or reads the same in another way" : ""}.`;
    case "calls_forbidden":
      return `The agent does not call ${calls(check.calls)}.`;
    case "call_order":
      return `The agent calls ${calls(check.calls)} in this order.`;
    case "state":
      return `The world ends with the ${countOf(check.changes.length, "change")} allowed and no other${check.alternatives?.length ? `, or as one of ${check.alternatives.length} other accepted ends` : ""}.`;
    case "no_state_change":
      return "The world ends as it was drawn.";
    case "max_calls":
      return `The agent makes at most ${countOf(check.n, "call")}.`;
    case "judged":
      return "A judge decides; without one it stays undecided.";
  }
}

/** A task's checks whole, each with what it decides on the right answer. */
export async function taskChecks(ctx: Ctx, input: { readonly env_id: string; readonly index: number }) {
  const row = await findTask(ctx, input.env_id, input.index);
  const checks = row.task.checks.map((check, n) => ({ n, check, decides: describeCheck(check, row.task) }));
  return { environment: row.environment, index: row.index, status: row.status, checks, verdicts: row.verdicts };
}

/** What the judge says of the trials that the task's other checks leave open. */
async function rehearseJudged(
  ctx: Ctx,
  world: Awaited<ReturnType<typeof loadEnvironment>>,
  task: Task,
  criterion: string,
) {
  const trials = await ctx.compute.run(openTrials, { ...world, task }, ctx.signal);
  const open = { kind: "judged", verdict: "not_decided" as const, reason: "no judge was asked" };
  const rows = [];
  for (const { name, right, trial } of trials) {
    const { verdict, reason } = await askJudge(ctx, criterion, task, trial, open);
    rows.push({ name, right, verdict, reason });
  }
  return rows;
}

/** Runs one check against the right answer and the wrong ones, on forks of the drawn world; a judged one by its judge, where one is set. */
export async function rehearseCheck(
  ctx: Ctx,
  input: { readonly env_id: string; readonly index: number; readonly n: number },
) {
  const row = await findTask(ctx, input.env_id, input.index);
  const check = orNotFound(row.task.checks[input.n], "check");
  const world = await loadEnvironment(ctx, await findEnvironment(ctx, input.env_id));
  const judge = check.kind === "judged" ? await judgeOf(ctx, check.criterion) : undefined;
  const rows =
    check.kind === "judged" && judge !== undefined
      ? await rehearseJudged(ctx, world, row.task, check.criterion)
      : await ctx.compute.run(rehearse, { ...world, task: row.task, check }, ctx.signal);
  return {
    environment: row.environment,
    index: row.index,
    n: input.n,
    check: check.kind,
    decides: describeCheck(check, row.task),
    rows,
    tier: judge === undefined ? ("deterministic" as const) : ("llm-derived" as const),
  };
}
