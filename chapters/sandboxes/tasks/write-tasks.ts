import { digestOf } from "../../../worlds/digest.ts";
import type { ObservedTrace } from "../../../worlds/observation.ts";
import type { Selection } from "../../../worlds/tasks/generate.ts";
import type { Obstacle } from "../../../worlds/tasks/losses.ts";
import type { Check, Family, Task } from "../../../worlds/tasks/schema.ts";
import { type REGISTERS, revoiceTask } from "../../../worlds/tasks/words/revoice.ts";
import { loadEnvironment } from "../../blobs.ts";
import type { Ctx } from "../../context.ts";
import { useCaseDemand } from "../../dimensions/demand.ts";
import { personasFor } from "../../dimensions/voices.ts";
import { documentTexts } from "../../evidence/documents/document-texts.ts";
import type { Doc } from "../../record.ts";
import { type BundleRecord, Environment, TaskRecord } from "../../records/sandboxes/sandboxes.ts";
import { type DrawPlan, drawUnstored } from "../environments/draw-environment.ts";
import type { EnvironmentDoc } from "../environments/environment-records.ts";
import { writeTasks } from "./compute-tasks.ts";
import { environmentTasks, type TaskDoc } from "./task-records.ts";

/** Tasks of a kind that are written before the rest. */
export interface TaskPart {
  readonly families: readonly Family[];
  readonly count: number;
  /** Kinds of checks of which each task has one. */
  readonly kinds?: readonly Check["kind"][];
}

/** What tasks are written with. */
export interface TaskPlan {
  readonly seed: string;
  readonly count: number;
  readonly families?: readonly Family[] | undefined;
  /** Dimension values that the tasks must have. */
  readonly selection?: Selection | undefined;
  /** Cells that the tasks are written for, as many for each; within the selection. */
  readonly situations?: readonly Readonly<Record<string, string>>[] | undefined;
  /** What is written first, part by part; the rest follows up to `count`. */
  readonly parts?: readonly TaskPart[] | undefined;
  /** Whether nothing else is written than the parts. */
  readonly partsOnly?: boolean | undefined;
  /** The register that every request is put in, where its words are a rule's. */
  readonly voice?: (typeof REGISTERS)[number] | undefined;
  /** The traces that mined tasks may come from; read only when tasks are to be written. */
  readonly mined: () => Promise<readonly ObservedTrace[]>;
}

/** Draws an environment and writes its tasks, as drafts: a new one is stored with its first tasks, and not at all without. */
export async function drawWithTasks(ctx: Ctx, bundle: Doc<typeof BundleRecord>, draw: DrawPlan, plan: TaskPlan) {
  const { environment, stored } = await drawUnstored(ctx, bundle, draw);
  return { environment, ...(await writeEnvironmentTasks(ctx, environment, plan, stored)) };
}

/** An environment's tasks, and what stood in the way of more where fewer were written than were asked for. */
interface OfEnvironment {
  readonly tasks: TaskDoc[];
  readonly lost?: readonly Obstacle[] | undefined;
}

/** Writes tasks into an environment that has none yet, as drafts; else answers those it has. */
export async function writeEnvironmentTasks(
  ctx: Ctx,
  environment: EnvironmentDoc,
  plan: TaskPlan,
  stored = true,
): Promise<OfEnvironment> {
  if (environment.tasks > 0) return { tasks: await environmentTasks(ctx, environment.id), lost: environment.lost };
  const world = await loadEnvironment(ctx, environment);
  const { seed, count, families } = plan;
  const input = {
    ...world,
    seed,
    families,
    demand: await useCaseDemand(ctx),
    mined: await plan.mined(),
    documents: await documentTexts(ctx),
  };
  const cells = selectionsOf(plan);
  const tasks = new Map<string, Task>();
  for (const part of plan.parts ?? [])
    for (const selection of cells) {
      const room = Math.min(Math.ceil(part.count / cells.length), count - tasks.size);
      if (room <= 0) continue;
      // What stands already may be written again: so many more are asked for.
      const personas = await personasFor(ctx, selection);
      const asked = { ...input, families: part.families, selection, personas, count: room + tasks.size };
      const written = (await ctx.compute.run(writeTasks, asked, ctx.signal)).tasks.filter(
        ({ request, checks }) =>
          !tasks.has(request) && (part.kinds === undefined || checks.some(({ kind }) => part.kinds?.includes(kind))),
      );
      for (const task of written.slice(0, room)) tasks.set(task.request, task);
    }
  if (plan.partsOnly === true)
    return { tasks: await addTasks(ctx, environment, inOneVoice([...tasks.values()], plan), stored) };
  let told: Pick<EnvironmentDoc, "lost" | "unused"> = {};
  for (const [i, selection] of cells.entries()) {
    // What one cell has too little for the next ones have.
    const share = Math.ceil((count - tasks.size) / (cells.length - i));
    const again = plan.parts === undefined ? 0 : tasks.size;
    const asked = { ...input, count: share + again, selection, personas: await personasFor(ctx, selection) };
    const written = await ctx.compute.run(writeTasks, asked, ctx.signal);
    // What a narrowed request lacks says nothing of the evidence.
    if (asksForAll(plan)) told = { unused: written.unused, ...(written.lost && { lost: written.lost }) };
    for (const task of written.tasks) if (tasks.size < count) tasks.set(task.request, tasks.get(task.request) ?? task);
  }
  const docs = await addTasks(ctx, environment, inOneVoice([...tasks.values()], plan), stored, told);
  return { tasks: docs, lost: told.lost };
}

/** Whether tasks of every kind are asked for. */
function asksForAll({ families, selection = {}, situations, parts }: TaskPlan): boolean {
  return (
    families === undefined && Object.keys(selection).length === 0 && situations === undefined && parts === undefined
  );
}

function selectionsOf({ selection, situations = [] }: TaskPlan): (Selection | undefined)[] {
  if (situations.length === 0) return [selection];
  return situations.flatMap((cell) => {
    const narrowed = Object.entries(cell).map(([axis, value]): [string, string[]] => [axis, [value]]);
    const outside = narrowed.some(([axis, [value = ""]]) => selection?.[axis]?.includes(value) === false);
    return outside ? [] : [{ ...selection, ...Object.fromEntries(narrowed) }];
  });
}

function inOneVoice(tasks: readonly Task[], { voice, seed }: TaskPlan): readonly Task[] {
  if (voice === undefined) return tasks;
  const asked = new Set<string>();
  return tasks.map((task) => {
    const said =
      task.voice.register === voice ? undefined : revoiceTask(task, { ...task.voice, register: voice }, seed);
    const kept = said && !asked.has(said.request) ? said : task;
    asked.add(kept.request);
    return kept;
  });
}

/** Adds tasks to an environment after the ones that stand, as drafts; all or none. One not stored yet is stored with them. */
export async function addTasks(
  ctx: Ctx,
  environment: EnvironmentDoc,
  tasks: readonly Task[],
  stored = true,
  told: Pick<EnvironmentDoc, "lost" | "unused"> = {},
): Promise<TaskDoc[]> {
  const docs = draftsOf(ctx, environment, tasks);
  if (docs.length === 0) return docs;
  const tasksNow = environment.tasks + docs.length;
  const doc = { ...environment, tasks: tasksNow, ...told };
  await ctx.store.records.apply([
    stored
      ? { op: "put", kind: Environment, doc, expect: digestOf(environment) }
      : { op: "insert", kind: Environment, doc },
    ...docs.map((doc) => ({ op: "insert" as const, kind: TaskRecord, doc })),
  ]);
  return docs;
}

/** Tasks as drafts of an environment, after the ones that stand; not stored. */
export function draftsOf(ctx: Ctx, environment: EnvironmentDoc, tasks: readonly Task[]): TaskDoc[] {
  return tasks.map((task, i) => ({
    id: ctx.id("tk"),
    created_at: ctx.now(),
    by: ctx.caller.name,
    environment: environment.id,
    index: environment.tasks + i,
    digest: digestOf(task),
    task,
    status: "draft",
    verdicts: [],
  }));
}
