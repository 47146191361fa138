import { z } from "zod";
import { digestOf } from "../../../worlds/digest.ts";
import { auditAct } from "../../audit.ts";
import { actor, type Ctx } from "../../context.ts";
import { AppError, conflict } from "../../errors.ts";
import { byField } from "../../fields.ts";
import { HeldSet } from "../../records/findings/findings.ts";
import { Reply } from "../../reply.ts";
import { type GroupData, groupData } from "../../runs/groups/group-data.ts";
import { type HeldSetDoc, newestSet } from "../../runs/start/held-set.ts";
import { groupRef } from "./fields.ts";

/** What `held_set_pickout` takes. */
export const PickoutInput = z.object({
  ...groupRef,
  tasks: z
    .array(z.string().min(1).max(200))
    .min(1)
    .max(2_000)
    .optional()
    .describe("Ids of task records of the group; indexes too where it has one environment."),
  outcome: z.enum(["met", "failed"]).optional().describe("Only tasks with a trial that ended so."),
  ...byField,
});
export type PickoutInput = z.output<typeof PickoutInput>;

/**
 * Freezes tasks of a run group as a held set, with the terms they ran under: all of them, those named, those with a
 * trial of an end, or both. The same pick again answers the set that stands; another becomes the newest of the group.
 */
export async function pickOut(ctx: Ctx, input: PickoutInput) {
  const data = await groupData(ctx, input.gid);
  if (["queued", "running", "held"].includes(data.status))
    throw conflict("The group has not ended yet; its tasks can be frozen when it has.", { by: "run_group" });
  if (data.runs.some(({ run }) => run.imported !== undefined))
    throw conflict("The group was imported: its tasks are kept elsewhere and cannot be frozen here.");
  const tasks = picked(data, input);
  if (tasks.length === 0) throw conflict("No task of the group fits, so there is no set to freeze.");
  const newest = await newestSet(ctx, data.group.id);
  if (newest && digestOf(newest.tasks) === digestOf(tasks))
    return new Reply(200, { ...viewOf(ctx, newest), already: true });
  const by = actor(ctx, input.by);
  const set: HeldSetDoc = {
    id: ctx.id(HeldSet.prefix),
    created_at: ctx.now(),
    by,
    group: data.group.id,
    picked: input.tasks !== undefined ? "named" : (input.outcome ?? "all"),
    trials: data.group.trials,
    timeout_seconds: data.group.timeout_seconds,
    tasks,
  };
  await ctx.store.records.insert(HeldSet, set);
  await auditAct(ctx, "held_set_picked", { set: set.id, group: set.group, tasks: tasks.length }, by);
  return new Reply(201, { ...viewOf(ctx, set), already: false });
}

function picked({ runs }: GroupData, { tasks: names, outcome }: PickoutInput): HeldSetDoc["tasks"] {
  const all = runs.flatMap(({ run, trials }) =>
    run.tasks.map((task) => ({
      ends: new Set(trials.filter((row) => row.task === task.id).map((row) => row.end)),
      held: {
        task: task.id,
        environment: run.environment,
        index: task.index,
        digest: task.digest,
        checks: task.checks,
        base: run.terms.base,
        tools: run.terms.tools,
      },
    })),
  );
  // An index says which task only where the group has one environment.
  const fits = ({ held }: (typeof all)[number], name: string) =>
    held.task === name || (runs.length === 1 && String(held.index) === name);
  const unknown = names?.filter((name) => !all.some((row) => fits(row, name))) ?? [];
  if (unknown.length > 0)
    throw new AppError("not_found", "No such task in this group.", { names: unknown, missing: "task" });
  return all
    .filter((row) => names === undefined || names.some((name) => fits(row, name)))
    .filter(({ ends }) => outcome === undefined || ends.has(outcome))
    .map(({ held }) => held);
}

/** A held set as it is shown, with what `start_run` takes to run it again. */
export function setView({ id, group, picked: how, created_at, by, trials, timeout_seconds, tasks }: HeldSetDoc) {
  return { id, group, picked: how, created_at, by, trials, timeout_seconds, tasks: tasks.length };
}

function viewOf(ctx: Ctx, set: HeldSetDoc) {
  const byEnvironment = Map.groupBy(set.tasks, ({ environment }) => environment);
  return {
    org: ctx.org.tag,
    set: setView(set),
    tasks: set.tasks,
    run: {
      tasks_by_environment: Object.fromEntries(
        [...byEnvironment].map(([environment, of]) => [environment, of.map(({ task }) => task)]),
      ),
      trials: set.trials,
      timeout_seconds: set.timeout_seconds,
    },
    tier: "deterministic" as const,
  };
}
