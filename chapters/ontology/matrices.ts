import { z } from "zod";
import { readableBundle } from "../blobs.ts";
import type { Ctx } from "../context.ts";
import { everyValue, type ValueDoc } from "../dimensions/axes.ts";
import { everyRow } from "../page.ts";
import { BundleRecord, Environment } from "../records/sandboxes/sandboxes.ts";
import type { TaskDoc } from "../sandboxes/tasks/task-records.ts";
import { certifiedTasks } from "./live-tasks.ts";

/** A use case, persona and data condition that certified tasks stand in. */
export const Situation = z.object({
  use_case: z.string(),
  persona: z.string(),
  data_condition: z.string(),
  tasks: z.number().int(),
  evidence: z.number().int().optional(),
});

/** A persona's job in the matrix. */
export const Cell = z.object({
  persona: z.string(),
  job: z.string(),
  tasks: z.number().int().describe("Certified ones."),
  checks: z.number().int(),
  marked: z.boolean().describe("Whether a person marked it as a job of this persona."),
  gap: z.boolean().describe("Marked, and no task covers it."),
});
type Cell = z.infer<typeof Cell>;

/** A tool with how often traces call it. */
export const CalledTool = z.object({ tool: z.string(), calls: z.number().int() });

/** Situations with certified tasks, most tasks first, with the evidence records that their values' citations share. */
export async function getSituations(ctx: Ctx) {
  const cells = new Map<string, z.infer<typeof Situation>>();
  let tasks = 0;
  for await (const { task } of certifiedTasks(ctx)) {
    const { use_case, persona, data_condition } = task.cell;
    tasks++;
    if (use_case === undefined || persona === undefined || data_condition === undefined) continue;
    const key = JSON.stringify([use_case, persona, data_condition]);
    const cell = cells.get(key) ?? { use_case, persona, data_condition, tasks: 0 };
    cells.set(key, { ...cell, tasks: cell.tasks + 1 });
  }
  const values = await everyValue(ctx);
  const cites = (field: string, value: string) =>
    values.find((row) => row.field === field && isCalled(row, value))?.cites ?? [];
  const situations = [...cells.values()]
    .map((cell) => {
      const cited = [cites("use_case", cell.use_case), cites("persona", cell.persona)].filter((ids) => ids.length > 0);
      const shared = cited[0]?.filter((id) => cited.every((ids) => ids.includes(id)));
      return { ...cell, ...(shared === undefined ? {} : { evidence: shared.length }) };
    })
    .sort((a, b) => b.tasks - a.tasks || (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  return { org: ctx.org.tag, tasks, situations, tier: "deterministic" as const };
}

/** Whether a value has this name, in whatever spelling of it. */
export function isCalled({ value, spellings }: ValueDoc, name: string): boolean {
  return value === name || spellings.includes(name);
}

/** In which cell of personas by jobs a task stands: the values that its own words are spellings of. */
export function cellOf(values: readonly ValueDoc[], { task }: Pick<TaskDoc, "task">): { persona: string; job: string } {
  const known = (field: string, name: string) =>
    values.find((row) => row.field === field && isCalled(row, name))?.value ?? name;
  return {
    persona: known("persona", task.cell.persona ?? task.voice.persona),
    job: known("use_case", task.cell.use_case ?? task.family),
  };
}

/**
 * The matrix of personas by jobs: what certified tasks and checks each cell holds, and which cells a person marked as a
 * job of that persona and nothing covers. A dismissed value is no row and no column; its tasks are counted beside.
 */
export async function coverageMatrix(ctx: Ctx) {
  const values = (await everyValue(ctx)).filter(({ field }) => field === "persona" || field === "use_case");
  const dismissed = new Set(values.flatMap((row) => (row.status === "dismissed" ? [`${row.field} ${row.value}`] : [])));
  const standing = values.filter(({ status }) => status === "accepted");
  const known = (field: string, name: string) =>
    values.find((row) => row.field === field && isCalled(row, name))?.value ?? name;
  const cells = new Map<string, Omit<Cell, "gap">>();
  const at = (persona: string, job: string) => {
    const key = JSON.stringify([persona, job]);
    const cell = cells.get(key) ?? { persona, job, tasks: 0, checks: 0, marked: false };
    cells.set(key, cell);
    return cell;
  };
  let outside = 0;
  const needed = new Set<string>();
  for await (const row of certifiedTasks(ctx)) {
    for (const { tool } of row.task.script.calls) needed.add(tool);
    const { persona, job } = cellOf(values, row);
    if (dismissed.has(`persona ${persona}`) || dismissed.has(`use_case ${job}`)) {
      outside++;
      continue;
    }
    const cell = at(persona, job);
    cell.tasks++;
    cell.checks += row.task.checks.length;
  }
  for (const row of standing) {
    const mark = (persona: string, job: string) => {
      if (!dismissed.has(`persona ${persona}`) && !dismissed.has(`use_case ${job}`)) at(persona, job).marked = true;
    };
    if (row.field === "persona") for (const job of row.jobs ?? []) mark(row.value, known("use_case", job));
    else for (const persona of row.personas ?? []) mark(known("persona", persona), row.value);
  }
  const all = [...cells.values()]
    .map((cell) => ({ ...cell, gap: cell.marked && cell.tasks === 0 }))
    .sort((a, b) => (a.persona + a.job < b.persona + b.job ? -1 : 1));
  const onAxis = (field: "persona" | "use_case") =>
    standing.flatMap((row) => (row.field === field ? [row.value] : [])).sort();
  const names = (field: "persona" | "use_case", of: readonly string[]) =>
    [...new Set([...standing.filter((row) => row.field === field).map(({ value }) => value), ...of])].sort();
  return {
    org: ctx.org.tag,
    personas: names(
      "persona",
      all.map(({ persona }) => persona),
    ),
    jobs: names(
      "use_case",
      all.map(({ job }) => job),
    ),
    cells: all,
    stated: { personas: onAxis("persona"), jobs: onAxis("use_case") },
    gaps: all.filter(({ gap }) => gap).map(({ persona, job }) => ({ persona, job })),
    outside,
    untested_tools: (await calledTools(ctx)).filter(({ tool }) => !needed.has(tool)),
    tier: "deterministic" as const,
  };
}

/** The tools that the traces behind the standing environments call, with how many calls were seen, the most first. */
async function calledTools(ctx: Ctx): Promise<z.infer<typeof CalledTool>[]> {
  const bundles = new Set<string>();
  for await (const environment of everyRow((page) => ctx.store.records.list(Environment, page)))
    if (environment.retired_at === undefined) bundles.add(environment.bundle);
  const calls = new Map<string, number>();
  for (const record of await ctx.store.records.getMany(BundleRecord, [...bundles])) {
    const { behaviours = {} } = (await readableBundle(ctx, record)) ?? {};
    for (const [tool, { support }] of Object.entries(behaviours))
      calls.set(tool, Math.max(support.seen, calls.get(tool) ?? 0));
  }
  return [...calls]
    .filter(([, seen]) => seen > 0)
    .map(([tool, seen]) => ({ tool, calls: seen }))
    .sort((a, b) => b.calls - a.calls || (a.tool < b.tool ? -1 : 1));
}
