import { z } from "zod";
import { loadEnvironment } from "../../blobs.ts";
import type { Ctx } from "../../context.ts";
import { byField } from "../../fields.ts";
import { keptHold } from "../authoring/author-environment.ts";
import { withTask } from "../authoring/author-tasks.ts";
import { rekeyTasks } from "../authoring/authoring-tasks.ts";
import { envRef, someTasks, whyField } from "../fields.ts";
import { judgeTasks, reviewed } from "../review/review-tasks.ts";
import { environmentTasks, findTask, statusCounts, type TaskDoc } from "../tasks/task-records.ts";
import { liveEnvironment } from "./environment-records.ts";
import { refuseWhileLive } from "./live-work.ts";
import { drawBefore, revise } from "./revise.ts";

/** What `environment_rekey` takes. */
export const RekeyInput = z.object({
  ...envRef,
  ...someTasks("every one"),
  dry_run: z.boolean().optional().describe("Answer what would change, and change nothing."),
  ...whyField,
  ...byField,
});
export type RekeyInput = z.output<typeof RekeyInput>;

/** Why a task keeps the keys it had. */
const LEFT_REASONS = ["leads_nowhere", "changes_nothing", "facts_unplaced", "does_not_pass"] as const;
export const SkippedTask = z.object({ index: z.number().int(), reason: z.enum(LEFT_REASONS) });
type SkippedTask = z.infer<typeof SkippedTask>;

/**
 * Recomputes what tasks expect from the world served now, each by its own script, and certifies them with that; one
 * revision holds the keys as they were. A task whose new keys do not pass review keeps the old ones.
 */
export async function rekeyEnvironment(ctx: Ctx, input: RekeyInput) {
  const environment = await liveEnvironment(ctx, input.env_id);
  for (const index of input.indexes ?? []) await findTask(ctx, environment.id, index);
  await refuseWhileLive(ctx, environment);
  const world = await loadEnvironment(ctx, environment);
  const earlier = await drawBefore(ctx, environment);
  const before = earlier && (await loadEnvironment(ctx, earlier));
  const due = (await environmentTasks(ctx, environment.id)).filter(
    (row) => row.status !== "retired" && (input.indexes === undefined || input.indexes.includes(row.index)),
  );
  const made = await ctx.compute.run(rekeyTasks, { ...world, before, tasks: due.map((row) => row.task) }, ctx.signal);
  const left: SkippedTask[] = made.flatMap((one, i) =>
    one.kind === "lost" ? [{ index: due[i]!.index, reason: one.reason }] : [],
  );
  const drafts = made.flatMap((one, i) =>
    one.kind === "rekeyed" ? [{ row: due[i]!, draft: withTask(due[i]!, one.task), checks: one.checks }] : [],
  );
  const reviews = await judgeTasks(
    ctx,
    world,
    drafts.map(({ draft }) => draft),
  );
  const changed: { before: TaskDoc; after: TaskDoc; checks: readonly number[] }[] = [];
  drafts.forEach(({ row, draft, checks }, i) => {
    const after = reviewed(draft, reviews[i]!, true, ctx.now());
    if (after.status === "certified") changed.push({ before: row, after: keptHold(row, after), checks });
    else left.push({ index: row.index, reason: "does_not_pass" });
  });
  const { by, reason } = input;
  const apply = changed.length > 0 && input.dry_run !== true;
  const revision = apply ? (await revise(ctx, environment, { act: "rekey", by, reason, changed })).revision.id : null;
  return {
    environment: environment.id,
    dry_run: input.dry_run ?? false,
    rekeyed: changed.map(({ before: row, checks }) => ({ index: row.index, checks: [...checks] })),
    agrees: made.filter((one) => one.kind === "agrees").length,
    left: left.sort((a, b) => a.index - b.index),
    revision,
    counts: statusCounts(await environmentTasks(ctx, environment.id)),
    model_calls: 0,
    tier: "deterministic" as const,
  };
}
