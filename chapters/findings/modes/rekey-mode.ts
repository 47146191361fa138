import { z } from "zod";
import type { BoardRow } from "../../../worlds/tasks/grading/harden.ts";
import { loadEnvironment } from "../../blobs.ts";
import type { Ctx } from "../../context.ts";
import { countOf } from "../../count-of.ts";
import { badField, conflict } from "../../errors.ts";
import { byField, words } from "../../fields.ts";
import { keptHold } from "../../sandboxes/authoring/author-environment.ts";
import { withTask } from "../../sandboxes/authoring/author-tasks.ts";
import { liveEnvironment } from "../../sandboxes/environments/environment-records.ts";
import { refuseWhileLive } from "../../sandboxes/environments/live-work.ts";
import { revise } from "../../sandboxes/environments/revise.ts";
import { judgeTasks, reviewed } from "../../sandboxes/review/review-tasks.ts";
import { hardenTasks } from "../../sandboxes/tasks/failure-tasks.ts";
import { environmentTasks, type TaskDoc } from "../../sandboxes/tasks/task-records.ts";
import { modeRef } from "./fields.ts";
import { findMode } from "./find-modes.ts";

/** Why a task keeps the key it had. */
const LEFT_REASONS = ["leads_nowhere", "no_facts", "no_other_rows", "not_rejected", "does_not_pass"] as const;
export const SkippedTask = z.object({ index: z.number().int(), reason: z.enum(LEFT_REASONS) });
type SkippedTask = z.infer<typeof SkippedTask>;

/** What `failure_mode_rekey` takes. */
export const RekeyInput = z.object({
  ...modeRef,
  environment: words(200).optional().describe("The mode's own sandbox when absent."),
  ...byField,
  dry_run: z.boolean().optional().describe("Answers what would change and writes nothing."),
});
export type RekeyInput = z.output<typeof RekeyInput>;

/**
 * Makes the keys of a false no-data mode's tasks reject a sprayed or padded list: each gains what its answer must not say,
 * tried on the right answer and five wrong ones, and is certified with it; one revision holds the keys as they were.
 * Requests and scripts stay; a task whose new key does not hold keeps the old one.
 */
export async function rekeyMode(ctx: Ctx, input: RekeyInput) {
  const mode = await findMode(ctx, input.mid);
  if (mode.behaviour !== "false_no_data")
    throw conflict("Only the tasks of a false no-data mode are rekeyed so; say its behaviour first.", {
      by: "failure_modes_patch",
    });
  const id = input.environment ?? mode.bucket;
  if (id === undefined) throw badField("environment", "name one: the mode has no sandbox of its own");
  const environment = await liveEnvironment(ctx, id);
  await refuseWhileLive(ctx, environment);
  const own = new Set(mode.tasks.map(({ task }) => task));
  const due = (await environmentTasks(ctx, environment.id)).filter(
    (row) => own.has(row.id) && row.status !== "retired",
  );
  if (due.length === 0) throw conflict("This sandbox has no task of this mode.", { by: "failure_modes" });
  const world = await loadEnvironment(ctx, environment);
  const made = await ctx.compute.run(hardenTasks, { ...world, tasks: due.map((row) => row.task) }, ctx.signal);
  const drafts = made.flatMap((one, i) =>
    one.kind === "hardened" ? [{ before: due[i]!, draft: withTask(due[i]!, one.task) }] : [],
  );
  const reviews = await judgeTasks(
    ctx,
    world,
    drafts.map(({ draft }) => draft),
  );
  const left: SkippedTask[] = made.flatMap((one, i) =>
    one.kind === "left" ? [{ index: due[i]!.index, reason: one.reason }] : [],
  );
  const changed: { before: TaskDoc; after: TaskDoc }[] = [];
  drafts.forEach(({ before, draft }, i) => {
    const after = reviewed(draft, reviews[i]!, true, ctx.now());
    if (after.status === "certified") changed.push({ before, after: keptHold(before, after) });
    else left.push({ index: before.index, reason: "does_not_pass" });
  });
  const dry = input.dry_run ?? false;
  const revision =
    changed.length > 0 && !dry
      ? (await revise(ctx, environment, { act: "rekey", by: input.by, changed })).revision.id
      : null;
  return {
    org: ctx.org.tag,
    failure_mode: mode.id,
    environment: environment.id,
    dry_run: dry,
    rekeyed: changed.map(({ before }) => ({ index: before.index, task: before.id })),
    rekeyed_as: revision,
    stands: made.flatMap((one, i) => (one.kind === "stands" ? [due[i]!.index] : [])),
    left: left.sort((a, b) => a.index - b.index),
    board: made.map((one, i) => ({ index: due[i]!.index, rows: one.board as BoardRow[] })),
    note: noteOf(changed.length, due.length, dry),
    model_calls: 0,
    usd: 0,
    tier: "deterministic" as const,
  };
}

function noteOf(changed: number, of: number, dry: boolean): string {
  if (changed === 0) return `None of ${countOf(of, "task")} needs another key, or could be given one that holds.`;
  return dry
    ? `${changed} of ${countOf(of, "task")} would be rekeyed; nothing was written.`
    : `${changed} of ${countOf(of, "task was", "tasks were")} rekeyed; runs before this one were graded with the keys they had.`;
}
