import { digestOf } from "../../worlds/digest.ts";
import type { ObservedTrace } from "../../worlds/observation.ts";
import type { Selection } from "../../worlds/tasks/generate.ts";
import { type REGISTERS, revoiceTask } from "../../worlds/tasks/revoice.ts";
import type { Family, Task } from "../../worlds/tasks/schema.ts";
import type { Ctx } from "../context.ts";
import { documentTexts } from "../evidence/document-texts.ts";
import { useCaseDemand } from "../ontology/demand.ts";
import { voicedPersonas } from "../ontology/voices.ts";
import { loadEnvironment } from "./blobs.ts";
import { writeTasks } from "./compute-tasks.ts";
import type { EnvironmentDoc } from "./environment-records.ts";
import { Environment, TaskRecord } from "./schema.ts";
import { environmentTasks, type TaskDoc } from "./task-records.ts";

/** What tasks are written with. */
export interface TaskPlan {
  readonly seed: string;
  readonly count: number;
  readonly families?: readonly Family[] | undefined;
  /** Dimension values that the tasks must have. */
  readonly selection?: Selection | undefined;
  /** Cells that the tasks are written for, as many for each; within the selection. */
  readonly situations?: readonly Readonly<Record<string, string>>[] | undefined;
  /** The register that every request is put in, where its words are a rule's. */
  readonly voice?: (typeof REGISTERS)[number] | undefined;
  /** The traces that mined tasks may come from; read only when tasks are to be written. */
  readonly mined: () => Promise<readonly ObservedTrace[]>;
}

/** Writes tasks into an environment that has none yet, as drafts; else answers those it has. */
export async function writeEnvironmentTasks(ctx: Ctx, environment: EnvironmentDoc, plan: TaskPlan): Promise<TaskDoc[]> {
  if (environment.tasks > 0) return environmentTasks(ctx, environment.id);
  const world = await loadEnvironment(ctx, environment);
  const { seed, count, families } = plan;
  const [demand, personas] = [await useCaseDemand(ctx), await voicedPersonas(ctx)];
  const input = {
    ...world,
    seed,
    families,
    demand,
    personas,
    mined: await plan.mined(),
    documents: await documentTexts(ctx),
  };
  const cells = selectionsOf(plan);
  const tasks = new Map<string, Task>();
  for (const [i, selection] of cells.entries()) {
    // What one cell has too little for the next ones have.
    const share = Math.ceil((count - tasks.size) / (cells.length - i));
    const written = await ctx.compute.run(writeTasks, { ...input, count: share, selection }, ctx.signal);
    for (const task of written) tasks.set(task.request, tasks.get(task.request) ?? task);
  }
  return addTasks(ctx, environment, inOneVoice([...tasks.values()], plan));
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

/** Adds tasks to an environment after the ones that stand, as drafts; all or none. */
export async function addTasks(ctx: Ctx, environment: EnvironmentDoc, tasks: readonly Task[]): Promise<TaskDoc[]> {
  const docs = draftsOf(ctx, environment, tasks);
  await ctx.store.records.apply([
    {
      op: "put",
      kind: Environment,
      doc: { ...environment, tasks: environment.tasks + docs.length },
      expect: digestOf(environment),
    },
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
