import type { Check } from "../../worlds/tasks/schema.ts";
import type { Ctx } from "../context.ts";
import { countOf } from "../count-of.ts";
import { notFound } from "../errors.ts";
import { loadEnvironment } from "./blobs.ts";
import { rehearse } from "./compute-tasks.ts";
import { findEnvironment } from "./environment-records.ts";
import { findTask } from "./task-records.ts";

/** What a check decides, in words a person can act on. */
export function describeCheck(check: Check): string {
  const calls = (list: readonly { tool: string }[]) => list.map((call) => call.tool).join(", ");
  switch (check.kind) {
    case "answer_includes":
      return `The answer says ${check.facts.map((fact) => String(fact.value)).join(", ")}.`;
    case "answer_excludes":
      return `The answer does not say ${check.facts.map((fact) => String(fact.value)).join(", ")}.`;
    case "answer_class":
      return `The agent's answer is of class ${check.class}.`;
    case "asks":
      return `The agent asks the user about ${check.about.join(", ")}.`;
    case "calls_required":
      return `The agent calls ${calls(check.calls)}${check.shown ? ", or reads the same in another way" : ""}.`;
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
  const checks = row.task.checks.map((check, n) => ({ n, check, decides: describeCheck(check) }));
  return { environment: row.environment, index: row.index, status: row.status, checks, verdicts: row.verdicts };
}

/** Runs one check against the right answer and the wrong ones, on forks of the drawn world. */
export async function rehearseCheck(
  ctx: Ctx,
  input: { readonly env_id: string; readonly index: number; readonly n: number },
) {
  const row = await findTask(ctx, input.env_id, input.index);
  const check = row.task.checks[input.n];
  if (!check) throw notFound("check");
  const world = await loadEnvironment(ctx, await findEnvironment(ctx, input.env_id));
  const rows = await ctx.compute.run(rehearse, { ...world, task: row.task, check }, ctx.signal);
  return {
    environment: row.environment,
    index: row.index,
    n: input.n,
    check: check.kind,
    decides: describeCheck(check),
    rows,
    tier: "deterministic" as const,
  };
}
