import { z } from "zod";
import type { Family } from "../../../worlds/tasks/schema.ts";
import { REGISTERS } from "../../../worlds/tasks/words/revoice.ts";
import { loadBundle } from "../../blobs.ts";
import type { Ctx } from "../../context.ts";
import { countOf } from "../../count-of.ts";
import { badRequest, conflict } from "../../errors.ts";
import { orgRef, words } from "../../fields.ts";
import { everyRow } from "../../page.ts";
import type { Doc } from "../../record.ts";
import { DEFAULT_SURFACE } from "../../records/evidence/evidence.ts";
import { Environment, Surface } from "../../records/sandboxes/sandboxes.ts";
import { refuseModel } from "../authoring/author-tasks.ts";
import { startGeneration } from "../environments/generate-environments.ts";
import { modelField } from "../fields.ts";
import { findSurface, liveSurface } from "../surfaces/surfaces.ts";
import { Criterion, FAMILIES_OF } from "./criterion-families.ts";
import { environmentTasks } from "./task-records.ts";

/** A criterion is ready from this many certified tasks. */
const READY_TASKS = 5;
const MOST_NEW = 10;

/** What `environments_for_criteria` takes. */
export const CriteriaRequest = z.object({
  ...orgRef,
  criteria: z.array(Criterion).min(1).max(20).describe("Kinds of checks that the tasks must carry."),
  surface: words(200).optional().describe("The surface's name or id; `main` or the only compiled one when absent."),
  tasks: z
    .number()
    .int()
    .min(1)
    .max(500)
    .optional()
    .describe("Tasks for each; as many as are missing, twice, when absent."),
  max_new: z.number().int().min(1).max(20).optional().describe("How many environments at most; 10 when absent."),
  voice: z.enum(REGISTERS).optional().describe("The register of every request; every one in turn when absent."),
  dry_run: z.boolean().optional().describe("Answer what would be started, and start nothing."),
  ...modelField,
});
type CriteriaRequest = z.output<typeof CriteriaRequest>;

/** A criterion that no environment was started for, and why. */
export const RefusedCriterion = z.object({ criterion: Criterion, reason: z.string() });

/** Starts an environment for each criterion with too few certified tasks; refuses, with the reason, what rules cannot write. */
export async function environmentsForCriteria(ctx: Ctx, request: CriteriaRequest) {
  refuseModel(request.model);
  const { surface, why } = await chosenSurface(ctx, request.surface);
  const certified = await certifiedPerCriterion(ctx, surface.id);
  const refused: z.infer<typeof RefusedCriterion>[] = [];
  const jobs = [];
  const left = request.max_new ?? MOST_NEW;
  for (const criterion of new Set(request.criteria)) {
    const families = FAMILIES_OF[criterion];
    const have = certified.get(criterion) ?? 0;
    const refuse = (reason: string) => refused.push({ criterion, reason });
    if (families.length === 0) refuse("Rules write no task with this check; add tasks of your own.");
    else if (have >= READY_TASKS && request.tasks === undefined)
      refuse(`It has ${countOf(have, "certified task")}: enough to be ready.`);
    else if (jobs.length >= left) refuse("The most environments asked for are planned already.");
    else jobs.push(await planned(ctx, request, surface.name, { criterion, families, have }));
  }
  return {
    dry_run: request.dry_run ?? false,
    surface: surface.name,
    jobs,
    refused,
    note: `${why}${
      request.dry_run === true
        ? "Nothing was started."
        : "Each job's result names its environment and how many of its tasks are certified."
    }`,
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

/** The named surface, else `main`, else the only one whose worlds were called. Several candidates are named, none is chosen. */
async function chosenSurface(ctx: Ctx, named: string | undefined): Promise<{ surface: SurfaceDoc; why: string }> {
  if (named !== undefined) {
    const surface = liveSurface(await findSurface(ctx, named));
    if (surface.bundle === undefined)
      throw conflict("The surface has not been compiled; run its pipeline first.", { by: "pipeline_post" });
    if (await isUnobserved(ctx, surface)) throw conflict(UNOBSERVED);
    return { surface, why: "" };
  }
  const found: SurfaceDoc[] = [];
  for await (const row of everyRow((page) => ctx.store.records.list(Surface, page))) {
    if (row.retired_at !== undefined || row.superseded_by !== undefined || row.bundle === undefined) continue;
    if (!(await isUnobserved(ctx, row))) found.push(row);
  }
  const main = found.find(({ name }) => name === DEFAULT_SURFACE);
  const surface = main ?? (found.length === 1 ? found[0] : undefined);
  if (surface)
    return { surface, why: main ? "" : `Of the surfaces only ${surface.name} is compiled from calls: it was taken. ` };
  if (found.length > 1)
    throw badRequest("Several surfaces are compiled, and none is called main; name one of them.", {
      fields: [{ path: "surface", message: "is missing: several surfaces are compiled" }],
      names: found.map(({ name }) => name),
    });
  throw conflict("No surface has been compiled from calls; send traces and run a pipeline first.", {
    by: "pipeline_post",
  });
}

type SurfaceDoc = Doc<typeof Surface>;

const UNOBSERVED =
  "No call of this surface has been observed: rules write no task on it. Send traces and run its pipeline first.";

/** Whether nothing but a listing is known of what a surface serves. */
async function isUnobserved(ctx: Ctx, { bundle }: SurfaceDoc): Promise<boolean> {
  return bundle === undefined || (await loadBundle(ctx, bundle)).bundle.unobserved === true;
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
