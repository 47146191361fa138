import type { z } from "zod";
import type { Ctx } from "../../context.ts";
import {
  FIGURE_COLUMNS,
  type Figures,
  figureCells,
  figureTables,
  readFigures,
} from "../../evidence/figures/figures-view.ts";
import { budgetToday } from "../../organization/budget.ts";
import { everyRow } from "../../page.ts";
import type { Doc, RecordKind } from "../../record.ts";
import { Agent } from "../../records/agents/agents.ts";
import { Evidence } from "../../records/evidence/evidence.ts";
import { playerName, RunGroup } from "../../records/runs/runs.ts";
import { Environment, Surface, TaskRecord, TaskStatus } from "../../records/sandboxes/sandboxes.ts";
import { FileAnswer } from "../../reply.ts";
import { groupState } from "../../runs/groups/group-data.ts";
import { escapeText } from "../../text/markdown.ts";

type OrgStatus = Awaited<ReturnType<typeof facts>>;
type TaskCounts = Record<z.infer<typeof TaskStatus>, number>;

/** Where the org stands, counted from its records now, as a Markdown or JSON file with the same as data. */
export async function orgStatus(
  ctx: Ctx,
  input: { readonly format?: "md" | "json" | undefined; readonly names?: boolean | undefined },
) {
  const data = await facts(ctx, input.names === true);
  return input.format === "json"
    ? new FileAnswer("status.json", "application/json", JSON.stringify(data), data)
    : new FileAnswer("status.md", "text/markdown", markdown(data), data);
}

async function facts(ctx: Ctx, named: boolean) {
  const [surfaces, environments, agents, evidence, tasks, groups, newest, jobs, today, figures] = await Promise.all([
    live(ctx, Surface, ({ name }) => name),
    live(ctx, Environment, ({ label }) => label),
    live(ctx, Agent, ({ name }) => name),
    ctx.store.records.count(Evidence),
    taskCounts(ctx),
    ctx.store.records.count(RunGroup),
    newestGroup(ctx),
    jobCounts(ctx),
    budgetToday(ctx),
    readFigures(ctx),
  ]);
  return {
    org: ctx.org.tag,
    as_of: ctx.now(),
    evidence,
    surfaces: surfaces.length,
    environments: environments.length,
    tasks,
    agents: agents.length,
    groups,
    ...(newest === undefined ? {} : { newest_group: newest }),
    jobs,
    spent_usd: today.spent_usd,
    usd_per_day: today.usd_per_day,
    ...(figures === undefined ? {} : { figures }),
    ...(named ? { names: { surfaces, environments, agents } } : {}),
    tier: "deterministic" as const,
  };
}

/** The names of a kind's records that are not retired, newest first. */
async function live<K extends RecordKind>(ctx: Ctx, kind: K, name: (doc: Doc<K>) => string): Promise<string[]> {
  const names: string[] = [];
  for await (const doc of everyRow((page) => ctx.store.records.list(kind, page)))
    if (doc.retired_at === undefined) names.push(name(doc));
  return names;
}

async function taskCounts(ctx: Ctx): Promise<TaskCounts> {
  const counted = TaskStatus.options.map(
    async (status) => [status, await ctx.store.records.count(TaskRecord, { status })] as const,
  );
  return Object.fromEntries(await Promise.all(counted)) as TaskCounts;
}

/** Groups among which the newest on all tasks is looked for. */
const LOOKED_AT = 20;

/** The newest group on all tasks that counted; the newest of any where there is none among the last. */
async function newestGroup(ctx: Ctx) {
  const { items } = await ctx.store.records.list(RunGroup, { limit: LOOKED_AT });
  const states = await Promise.all(items.map(async (group) => groupState(ctx, group)));
  const newest = states.find(({ runs }) => runs.every(({ run }) => run.partial !== true)) ?? states[0];
  if (!newest) return undefined;
  const { group, status } = newest;
  return { group: group.id, player: playerName(group.player), status };
}

async function jobCounts(ctx: Ctx) {
  const counts = { queued: 0, running: 0, held: 0 };
  for await (const { status } of everyRow((page) => ctx.store.jobs.list({ ...page, live: true })))
    if (status === "queued" || status === "running" || status === "held") counts[status] += 1;
  return counts;
}

function markdown(status: OrgStatus): string {
  const { tasks, jobs, newest_group: newest, names } = status;
  const row = (what: string, value: string | number) => `| ${what} | ${value} |`;
  return [
    `# ${escapeText(status.org)}`,
    "",
    `As of ${new Date(status.as_of * 1000).toISOString()}. Deterministic: counted from stored records.`,
    "",
    "| what | now |",
    "|---|---|",
    row("evidence records", status.evidence),
    row("surfaces", status.surfaces),
    row("environments", status.environments),
    ...TaskStatus.options.map((one) => row(`tasks, ${one}`, tasks[one])),
    row("agents", status.agents),
    row("run groups", status.groups),
    ...(newest ? [row("newest group", `${escapeText(newest.player)}: ${newest.status} (${newest.group})`)] : []),
    row("jobs", `${jobs.running} running, ${jobs.queued} queued, ${jobs.held} held`),
    row("spent today", `${status.spent_usd.toFixed(2)} of ${status.usd_per_day.toFixed(2)} USD`),
    "",
    ...(status.figures === undefined ? [] : figureLines(status.figures)),
    ...Object.entries(names ?? {}).flatMap(([what, list]) => [
      `## ${what[0]?.toUpperCase()}${what.slice(1)}`,
      "",
      ...(list.length === 0 ? ["None."] : list.map((name) => `- ${escapeText(name)}`)),
      "",
    ]),
  ].join("\n");
}

/** The tables of figures as Markdown, under one heading. */
function figureLines(figures: Figures): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [
    "## Production traces",
    "",
    `Counted over the traces that carry each figure; error rates with their 95 % interval.${figures.whole ? "" : " Not every trace is counted yet; ask again."}`,
    "",
    ...figureTables(figures).flatMap(({ by, rows }) => [
      line([by, ...FIGURE_COLUMNS]),
      line([by, ...FIGURE_COLUMNS].map(() => "---")),
      ...rows.map((row) => line([escapeText(row.name), ...figureCells(row)])),
      "",
    ]),
  ];
}
