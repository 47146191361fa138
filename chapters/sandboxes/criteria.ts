import type { REGISTERS } from "../../worlds/tasks/revoice.ts";
import type { Check, Family } from "../../worlds/tasks/schema.ts";
import type { Ctx } from "../context.ts";
import { AppError } from "../errors.ts";
import { DEFAULT_SURFACE } from "../evidence/schema.ts";
import { everyRow } from "../page.ts";
import type { Doc } from "../record.ts";
import { refuseModel } from "./author-tasks.ts";
import { startGeneration } from "./generate-environments.ts";
import { Environment, Surface } from "./schema.ts";
import { environmentTasks } from "./task-records.ts";

/** What a success criterion is in this service: a kind of check. */
export type Criterion = Check["kind"];

/** The families whose tasks carry a check of this kind, where rules write any. */
export const FAMILIES_OF: Readonly<Record<Criterion, readonly Family[]>> = {
  answer_includes: ["lookup", "multi_hop", "filter", "aggregate"],
  answer_excludes: ["lookup", "multi_hop", "filter", "aggregate"],
  answer_class: ["lookup", "no_data", "guarded_write"],
  asks: ["ambiguous"],
  state: ["write", "multi_write"],
  no_state_change: ["guarded_write", "no_data", "lookup"],
  calls_required: [],
  calls_forbidden: [],
  call_order: [],
  max_calls: [],
  judged: [],
};

/** A criterion is ready from this many certified tasks. */
const READY_TASKS = 5;
const MOST_NEW = 10;

interface CriteriaRequest {
  readonly criteria: readonly Criterion[];
  readonly tasks?: number | undefined;
  readonly max_new?: number | undefined;
  readonly voice?: (typeof REGISTERS)[number] | undefined;
  readonly dry_run?: boolean | undefined;
  readonly model?: string | undefined;
}

/** Starts an environment for each criterion that has too few certified tasks, written by the families that carry it. What rules cannot write, or needs nothing, is refused with the reason. */
export async function environmentsForCriteria(ctx: Ctx, request: CriteriaRequest) {
  refuseModel(request.model);
  const surface = await compiledSurface(ctx);
  const certified = await certifiedPerCriterion(ctx, surface.id);
  const refused: { criterion: Criterion; reason: string }[] = [];
  const jobs = [];
  const left = request.max_new ?? MOST_NEW;
  for (const criterion of new Set(request.criteria)) {
    const families = FAMILIES_OF[criterion];
    const have = certified.get(criterion) ?? 0;
    const refuse = (reason: string) => refused.push({ criterion, reason });
    if (families.length === 0) refuse("Rules write no task with this check; add tasks of your own.");
    else if (have >= READY_TASKS && request.tasks === undefined)
      refuse(`It has ${have} certified tasks: enough to be ready.`);
    else if (jobs.length >= left) refuse("The most environments asked for are planned already.");
    else jobs.push(await planned(ctx, request, surface.name, { criterion, families, have }));
  }
  return {
    dry_run: request.dry_run ?? false,
    surface: surface.name,
    jobs,
    refused,
    note:
      request.dry_run === true
        ? "Nothing was started."
        : "Each job's result names its environment and how many of its tasks are certified.",
  };
}

async function planned(
  ctx: Ctx,
  request: CriteriaRequest,
  surface: string,
  { criterion, families, have }: { criterion: Criterion; families: readonly Family[]; have: number },
) {
  // A few more than are missing: not every written task passes review.
  const tasks = request.tasks ?? 2 * (READY_TASKS - have);
  const plan = { criterion, certified: have, families: [...families], tasks };
  if (request.dry_run === true) return { ...plan, job: null, poll: null };
  const { job, poll } = await startGeneration(ctx, {
    surface,
    tasks,
    selection: { family: [...families] },
    label: `${surface} for ${criterion}`,
    ...(request.voice === undefined ? {} : { voice: request.voice }),
  });
  return { ...plan, job, poll };
}

/** The default surface where it is compiled, else the newest that is. */
async function compiledSurface(ctx: Ctx): Promise<Doc<typeof Surface>> {
  let newest: Doc<typeof Surface> | undefined;
  for await (const row of everyRow((page) => ctx.store.records.list(Surface, page))) {
    if (row.retired_at !== undefined || row.bundle === undefined) continue;
    if (row.name === DEFAULT_SURFACE) return row;
    newest ??= row;
  }
  if (newest) return newest;
  throw new AppError("conflict", "No surface has been compiled; run a pipeline first.");
}

async function certifiedPerCriterion(ctx: Ctx, surface: string): Promise<Map<Criterion, number>> {
  const counts = new Map<Criterion, number>();
  for await (const environment of everyRow((page) =>
    ctx.store.records.list(Environment, { ...page, where: { surface } }),
  )) {
    if (environment.retired_at !== undefined) continue;
    for (const { status, task } of await environmentTasks(ctx, environment.id)) {
      if (status !== "certified") continue;
      for (const kind of new Set(task.checks.map((check) => check.kind))) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
  }
  return counts;
}
