import type { Ctx } from "../../../chapters/context.ts";
import { RUN_TASK_SORTS, type RunTasks, tasksOfRun } from "../../../chapters/findings/pages/group.ts";
import type { PageDoc } from "../../../chapters/findings/pages/page-doc.ts";
import { differing, versionsOf } from "../../../chapters/findings/pages/versions.ts";
import { confidenceBands } from "../../../chapters/organization/confidence.ts";
import { playerName } from "../../../chapters/records/runs/runs.ts";
import { compareGroups } from "../../../chapters/runs/compare/compare.ts";
import { findGroup, groupData } from "../../../chapters/runs/groups/group-data.ts";
import { Family } from "../../../worlds/tasks/schema.ts";
import type { ConsoleRoute } from "../route.ts";
import type { Visit } from "../visit.ts";
import { csvFile } from "./csv.ts";
import { oneOf, textOf } from "./query.ts";

/** The tasks of a comparison as a file: those that both ran under the same terms, in their order. */
export const comparisonFile: ConsoleRoute = csvFile(
  "/compare",
  "comparison",
  [
    ...["before", "after", "sandbox", "task", "number", "family", "request"],
    ...["met_before", "valid_before", "met_after", "valid_after", "points", "causes_before", "causes_after"],
  ],
  async ({ ctx, query }) => {
    const groups = await Promise.all([groupData(ctx, query.get("a") ?? ""), groupData(ctx, query.get("b") ?? "")]);
    const { tasks, a, b } = compareGroups(...groups, await confidenceBands(ctx));
    const causes = (of: (typeof tasks)[number]["causes"]["a"]) => of.map(({ cause }) => cause).join(", ");
    const rows = tasks.map((task) => [
      ...[playerName(a), playerName(b), task.label, task.task, task.index, task.family, task.request],
      ...[task.a.met, task.a.valid, task.b.met, task.b.valid, Math.round(1000 * task.delta) / 10],
      ...[causes(task.causes.a), causes(task.causes.b)],
    ]);
    return { rows, next: undefined };
  },
);

/** Which tasks of a run the query string asks for, and in which order. */
export function runTasksOf(visit: Visit): RunTasks {
  return {
    q: textOf(visit, "q"),
    end: oneOf(visit, "end", ["met", "failed"]),
    family: oneOf(visit, "family", Family.options),
    sort: oneOf(visit, "sort", RUN_TASK_SORTS),
  };
}

/** The tasks of a run as a file, as its page narrows and orders them. */
export const runTasksFile: ConsoleRoute = csvFile(
  "/groups/:gid/tasks",
  "run-tasks",
  [
    ...["sandbox", "task", "number", "family", "request", "met", "valid", "infra", "invalid"],
    ...["median_ms", "calls", "input_tokens", "output_tokens", "usd", "root_causes"],
  ],
  async (visit) => {
    const found = await tasksOfRun(visit.ctx, visit.param("gid"), runTasksOf(visit));
    const rows = found.map(({ task, took: { ms, steps, tokens, usd } }) => [
      ...[task.environment, task.task, task.index, task.family, task.request],
      ...[task.ends.met, task.ends.met + task.ends.failed, task.ends.infra, task.ends.invalid],
      ...[ms?.p50, steps, tokens?.input, tokens?.output, usd?.mean, task.root_causes.join(", ")],
    ]);
    return { rows, next: undefined };
  },
);

/**
 * A comparison with what its two versions differ in after what flipped. It stands on the org's own page alone: commands and
 * addresses are no part of what is frozen, shared or sent.
 */
export async function withDifferences(ctx: Ctx, doc: PageDoc, a: string, b: string): Promise<PageDoc> {
  const [before, after] = await Promise.all([findGroup(ctx, a), findGroup(ctx, b)]);
  const found = await versionsOf(ctx, [before.player, after.player]);
  if (found === undefined || before.player.version === after.player.version) return doc;
  const [facts, flips] = [doc.sections.slice(0, 2), doc.sections.slice(2)];
  return { ...doc, sections: [...facts, differing(found.versions), ...flips] };
}
