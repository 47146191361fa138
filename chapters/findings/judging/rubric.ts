import { z } from "zod";
import type { Check } from "../../../worlds/tasks/schema.ts";
import type { Ctx } from "../../context.ts";
import { notFound } from "../../errors.ts";
import { orgRef } from "../../fields.ts";
import { getJudge } from "../../organization/judge.ts";
import { everyRow } from "../../page.ts";
import type { Doc } from "../../record.ts";
import { DimensionValue } from "../../records/ontology/dimension.ts";
import { Environment, type TaskRecord } from "../../records/sandboxes/sandboxes.ts";
import { environmentTasks } from "../../sandboxes/tasks/task-records.ts";
import { type Tier, weakestTier } from "../../tier.ts";
import { standingSets } from "./calibration.ts";
import { CHECK_KINDS, type CheckKind, DECIDES, shownAgreement } from "./scorers.ts";

type TaskDoc = Doc<typeof TaskRecord>;

/** Checks that look at what the agent did; the others look at what it said. */
const OF_TRACE: ReadonlySet<CheckKind> = new Set([
  "calls_required",
  "calls_forbidden",
  "call_order",
  "state",
  "no_state_change",
  "max_calls",
]);

/** Tasks that are named of each criterion. */
const NAMED = 50;

/** What `rubric_get` takes. */
export const RubricInput = z.object({
  ...orgRef,
  persona: z.string().min(1).max(200).optional().describe("By name; that of most tasks when absent."),
  use_case: z.string().min(1).max(500).optional().describe("The job."),
});
export type RubricInput = z.output<typeof RubricInput>;

/**
 * What one persona's tasks of one job are held to, by the checks of the certified tasks: what the agent does and what it
 * says apart. What is left out of the question is the persona and the job with most tasks.
 */
export async function getRubric(ctx: Ctx, input: RubricInput) {
  const tasks = await certifiedTasks(ctx);
  const personas = jobsByPersona(tasks);
  await addPersonas(ctx, personas);
  const persona = input.persona ?? mostOf(personas, (jobs) => [...jobs.values()].reduce((sum, n) => sum + n, 0));
  const jobs = persona === undefined ? undefined : personas.get(persona);
  if (input.persona !== undefined && !jobs) throw notFound("persona");
  const job = input.use_case ?? mostOf(jobs ?? new Map<string, number>(), (n) => n);
  if (input.use_case !== undefined && !jobs?.has(input.use_case)) throw notFound("use case of this persona");
  const own = tasks.filter(({ task }) => task.voice.persona === persona && jobOf(task) === job);
  const criteria = await criteriaOf(ctx, own);
  return {
    org: ctx.org.tag,
    persona: persona ?? null,
    use_case: job ?? null,
    tasks: own.length,
    trace_checks: criteria.filter(({ kind }) => OF_TRACE.has(kind)),
    output_checks: criteria.filter(({ kind }) => !OF_TRACE.has(kind)),
    personas: [...personas].map(([name, of]) => ({
      persona: name,
      use_cases: [...of].map(([use_case, n]) => ({ use_case, tasks: n })),
    })),
    tier: weakestTier(criteria.map(({ tier }) => tier)) ?? ("deterministic" as const),
  };
}

async function certifiedTasks(ctx: Ctx): Promise<TaskDoc[]> {
  const found: TaskDoc[] = [];
  for await (const environment of everyRow((page) => ctx.store.records.list(Environment, page))) {
    if (environment.retired_at !== undefined) continue;
    const rows = await environmentTasks(ctx, environment.id);
    found.push(...rows.filter(({ status }) => status === "certified"));
  }
  return found;
}

function jobOf({ cell, family }: TaskDoc["task"]): string {
  return cell.use_case ?? family;
}

type Personas = Map<string, Map<string, number>>;

function jobsByPersona(tasks: readonly TaskDoc[]): Personas {
  const personas: Personas = new Map();
  for (const { task } of tasks) {
    const jobs = personas.get(task.voice.persona) ?? new Map<string, number>();
    const job = jobOf(task);
    jobs.set(job, (jobs.get(job) ?? 0) + 1);
    personas.set(task.voice.persona, jobs);
  }
  return personas;
}

/** Personas that the org accepted, with their jobs, are there also while no task is theirs. */
async function addPersonas(ctx: Ctx, personas: Personas): Promise<void> {
  const where = { field: "persona", status: "accepted" };
  for await (const { value, jobs } of everyRow((page) => ctx.store.records.list(DimensionValue, { ...page, where }))) {
    const known = personas.get(value) ?? new Map<string, number>();
    for (const job of jobs ?? []) if (!known.has(job)) known.set(job, 0);
    personas.set(value, known);
  }
}

function mostOf<T>(of: ReadonlyMap<string, T>, size: (value: T) => number): string | undefined {
  return [...of].sort(([a, x], [b, y]) => size(y) - size(x) || (a < b ? -1 : 1))[0]?.[0];
}

async function criteriaOf(ctx: Ctx, tasks: readonly TaskDoc[]) {
  const [{ judge }, sets] = await Promise.all([getJudge(ctx), standingSets(ctx)]);
  const carried = tasks.flatMap((row) => row.task.checks.map((check) => ({ row, check, name: nameOf(check) })));
  const byName = Map.groupBy(carried, ({ name }) => name);
  return [...byName.values()]
    .map((of) => {
      const [{ check }] = of as [(typeof of)[number]];
      const rows = [...new Set(of.map(({ row }) => row))];
      const criterion = check.kind === "judged" ? check.criterion : undefined;
      const model = judge.scorers.find(({ scorer }) => scorer === criterion);
      return {
        kind: check.kind,
        ...(criterion === undefined ? {} : { criterion }),
        decides: DECIDES[check.kind],
        tasks: rows.length,
        of: tasks.length,
        /** Where it comes from: the tasks that carry it, and who wrote them. */
        from: rows.slice(0, NAMED).map(({ id, environment, index }) => ({ task: id, environment, index })),
        written_by: weakestTier(rows.map(({ task }) => task.tier)) ?? ("deterministic" as const),
        tier: (check.kind === "judged" ? "llm-derived" : "deterministic") as Tier,
        ...(criterion === undefined
          ? {}
          : { judge: { model: model?.model ?? null, source: model?.source ?? ("default" as const) } }),
        ...shownAgreement(sets.get(criterion ?? check.kind)),
      };
    })
    .sort((a, b) => CHECK_KINDS.indexOf(a.kind) - CHECK_KINDS.indexOf(b.kind) || b.tasks - a.tasks);
}

function nameOf(check: Check): string {
  return check.kind === "judged" ? `judged\n${check.criterion}` : check.kind;
}
