import { z } from "zod";
import type { BaseState, Bundle } from "../../../worlds/bundle.ts";
import { digestOf } from "../../../worlds/digest.ts";
import type { NoRegression } from "../../../worlds/tasks/families/regression.ts";
import { Task } from "../../../worlds/tasks/schema.ts";
import { loadEnvironment } from "../../blobs.ts";
import type { Ctx } from "../../context.ts";
import { badField, conflict, unprocessable } from "../../errors.ts";
import { byField } from "../../fields.ts";
import { audited } from "../../retirement.ts";
import { liveEnvironment } from "../environments/environment-records.ts";
import { revise } from "../environments/revise.ts";
import { envRef } from "../fields.ts";
import type { Review } from "../review/judged-review.ts";
import { judgeTasks, reviewed } from "../review/review-tasks.ts";
import { writeStated } from "./failure-tasks.ts";
import { environmentTasks, statusCounts } from "./task-records.ts";
import { taskView } from "./tasks.ts";
import { draftsOf } from "./write-tasks.ts";

const calls = z.array(z.object({ tool: z.string().min(1), args: z.record(z.string(), z.unknown()) })).max(50);

/** A task in a person's own words: script and checks are written from what is right. */
const Stated = z.object({
  request: z.string().min(1).max(100_000).describe("What the user says."),
  turns: z.array(z.string().max(100_000)).max(50).default([]).describe("What the user says after, in order."),
  right: z
    .discriminatedUnion("kind", [
      z.object({
        kind: z.literal("answer"),
        calls,
        answer: z.string().min(1).describe("A right answer, in full."),
        facts: z
          .array(z.union([z.string(), z.number()]))
          .min(1)
          .describe("Values that any right answer says."),
      }),
      z.object({ kind: z.literal("change"), calls }),
      z.object({ kind: z.literal("no_data"), calls }),
      z.object({ kind: z.literal("refuse"), calls }),
      z.object({
        kind: z.literal("ask"),
        about: z.array(z.string().min(1)).min(1).describe("What must be asked about."),
      }),
    ])
    .describe("answer: calls that find it, values it must say; change: calls that make it."),
});

/** What `environment_tasks_post` takes. */
export const PostInput = z.object({
  ...envRef,
  tasks: z.array(Task).min(1).max(100).optional().describe("Whole tasks, each with its script and checks."),
  stated: z.array(Stated).min(1).max(20).optional().describe("Or tasks in plain words with what is right."),
  ...byField,
});
export type PostInput = z.output<typeof PostInput>;

/** Adds tasks through the usual review; held where there is no judge. One failing task is named, and then nothing is stored. */
export async function postTasks(ctx: Ctx, input: PostInput) {
  const environment = await liveEnvironment(ctx, input.env_id);
  const known = new Set((await environmentTasks(ctx, environment.id)).map((row) => row.digest));
  const world = await loadEnvironment(ctx, environment);
  const tasks = [...(input.tasks ?? []), ...(await statedTasks(ctx, world, input.stated ?? []))];
  if (tasks.length === 0) throw badField("stated", "is needed where tasks is absent");
  const digests = tasks.map(digestOf);
  const twice = digests.findIndex((digest, i) => known.has(digest) || digests.indexOf(digest) < i);
  if (twice >= 0) throw conflict(`Task ${twice} of the list is a task that exists already.`);
  const drafts = draftsOf(ctx, environment, tasks);
  const reviews = await judgeTasks(ctx, world, drafts, undefined, { ask: true });
  const whole = input.tasks?.length ?? 0;
  const failed = reviews.flatMap((review, i) =>
    review.certificate.passed || review.open !== undefined
      ? []
      : [{ path: i < whole ? `tasks.${i}` : `stated.${i - whole}`, message: `does not pass: ${failedNames(review)}` }],
  );
  if (failed.length > 0) throw unprocessable("Some tasks do not pass review; nothing was stored.", { fields: failed });
  const added = drafts.map((draft, i) => reviewed(draft, reviews[i]!, true, ctx.now()));
  await revise(ctx, environment, { act: "tasks_added", by: input.by, changed: [], added });
  await audited(ctx, input, "tasks_added", { environment: environment.id, tasks: added.length });
  return { environment: environment.id, tasks: added.map(taskView), counts: statusCounts(added) };
}

/** Why what is stated gives no task, as its sender can mend it. */
const WHY: Readonly<Record<NoRegression, string>> = {
  leads_nowhere: "one of its calls cannot be made as given on this world; world_call tries one",
  changes_nothing: "its calls change nothing on this world",
  changes_something: "its calls change the world; kind change is for that",
  not_met: "its own right answer does not say the facts; each fact is a value that the calls answer",
  failure_passes: "its checks let the failing trial pass",
};

async function statedTasks(
  ctx: Ctx,
  world: { readonly bundle: Bundle; readonly base: BaseState },
  stated: readonly z.output<typeof Stated>[],
): Promise<Task[]> {
  if (stated.length === 0) return [];
  const made = await ctx.compute.run(writeStated, { bundle: world.bundle, base: world.base, stated }, ctx.signal);
  const fields = made.flatMap((task, i) =>
    typeof task === "string" ? [{ path: `stated.${i}.right`, message: WHY[task] }] : [],
  );
  if (fields.length > 0) throw unprocessable("Some tasks cannot be written; nothing was stored.", { fields });
  return made.filter((task): task is Task => typeof task !== "string");
}

/** The verdicts that failed, each with its reason. */
function failedNames(review: Review): string {
  return review.certificate.verdicts
    .filter((verdict) => !verdict.passed)
    .map(({ name, reason }) => `${name} (${reason})`)
    .join("; ");
}
