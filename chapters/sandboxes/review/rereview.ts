import { z } from "zod";
import { actor, type Ctx } from "../../context.ts";
import { conflict } from "../../errors.ts";
import { byField } from "../../fields.ts";
import { job } from "../../job.ts";
import { audited } from "../../retirement.ts";
import { refuseModel } from "../authoring/author-tasks.ts";
import { findEnvironment, liveEnvironment } from "../environments/environment-records.ts";
import { envRef, modelField, someTasks } from "../fields.ts";
import { environmentTasks, findTask, statusCounts } from "../tasks/task-records.ts";
import { reviewEnvironment } from "./review-tasks.ts";

const RereviewInput = z.object({ environment: z.string(), indexes: z.array(z.number().int()), by: z.string() });

/** Reviews held tasks on the served world, judged checks by their judge; certifies those that pass and refuses the others. */
export const rereviewJob = job({
  kind: "rereview",
  input: RereviewInput,
  key: ({ environment }) => `rereview:${environment}`,
  attempts: 3,
  ends: "cancel",
  concurrency: 1,
  run: async (ctx, input) => {
    const environment = await findEnvironment(ctx, input.environment);
    const asked = new Set(input.indexes);
    const held = (await environmentTasks(ctx, environment.id)).filter(
      (row) => row.status === "held" && asked.has(row.index),
    );
    const after = await reviewEnvironment(ctx, environment, held, true, { ask: true });
    const moved = after.map(({ index, status, reason }) => ({
      index,
      is: status,
      ...(reason === undefined ? {} : { reason }),
    }));
    const counts = statusCounts(await environmentTasks(ctx, environment.id));
    return { environment: environment.id, rereviewed: moved, counts };
  },
});

/** What `environment_review_rereview` takes. */
export const RereviewRequest = z.object({ ...envRef, ...someTasks("every held one"), ...modelField, ...byField });
export type RereviewRequest = z.output<typeof RereviewRequest>;

/** Starts a review of the held tasks named, or of all that are held; what a person holds is let go where it passes. */
export async function startRereview(ctx: Ctx, request: RereviewRequest) {
  const environment = await liveEnvironment(ctx, request.env_id);
  refuseModel(request.model);
  const rows = request.indexes
    ? await Promise.all(request.indexes.map((index) => findTask(ctx, environment.id, index)))
    : await environmentTasks(ctx, environment.id);
  const held = rows.filter((row) => row.status === "held").map((row) => row.index);
  if (held.length === 0) throw conflict("None of these tasks is held.", { by: "environment_review" });
  const input = { environment: environment.id, indexes: held, by: actor(ctx, request.by) };
  const handle = await ctx.jobs.start(rereviewJob, input);
  if (!handle.deduplicated)
    await audited(ctx, request, "tasks_rereviewed", { environment: environment.id, tasks: held.length });
  return {
    ...handle,
    environment: environment.id,
    surface: environment.surface,
    rereviewed: held,
    stages: ["review"],
    note: "A task that passes is certified and counts again; one that does not is refused with the reason.",
  };
}
