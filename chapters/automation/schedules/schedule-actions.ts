import { primaryAgent } from "../../agents/versions/primary.ts";
import { versionBlocked } from "../../agents/views.ts";
import type { Ctx } from "../../context.ts";
import { evaluateOnlineJob, onlineBlocked } from "../../online/evaluate.ts";
import { everyRow } from "../../page.ts";
import { Agent } from "../../records/agents/agents.ts";
import { Evidence } from "../../records/evidence/evidence.ts";
import { RunGroup } from "../../records/runs/runs.ts";
import { Environment } from "../../records/sandboxes/sandboxes.ts";
import { type ScheduleKind, Source } from "../../records/sources/sources.ts";
import { Reply } from "../../reply.ts";
import { startRun } from "../../runs/start/start-run.ts";
import { surfaceNamed } from "../../sandboxes/surfaces/surfaces.ts";
import { environmentTasks } from "../../sandboxes/tasks/task-records.ts";
import type { ScheduleDoc } from "../../sources/schedule-times.ts";
import { isPullable, type SourceDoc, syncBlocked } from "../../sources/source-view.ts";
import { startSync } from "../../sources/sync.ts";
import { scanBlocked, startScan } from "../onboarding/scan.ts";
import { startPipeline } from "../run-pipeline.ts";
import { weeklyReport } from "../weekly/weekly.ts";

/** What came of a firing: the job that was started, and what it does, in words. */
export interface Fired {
  readonly job?: string | undefined;
  readonly note: string;
}

/** What a kind of schedule does. */
interface Act {
  /** Why it could not do it now, in words; null when it could. */
  readonly blocked: (ctx: Ctx, schedule: ScheduleDoc) => Promise<string | null>;
  /** `lost` is when a process that went away began to do it. */
  readonly fire: (ctx: Ctx, schedule: ScheduleDoc, lost: number | undefined) => Promise<Fired>;
}

const isListing = (kind: SourceDoc["kind"]) => kind === "mcp_server" || kind === "vcs";

/** What each kind does. */
const ACTS: Readonly<Record<ScheduleKind, Act>> = {
  sync: {
    blocked: (ctx, schedule) => pullBlocked(ctx, schedule, isPullable),
    fire: (ctx, s) => pull(ctx, s, isPullable),
  },
  scan: {
    blocked: (ctx, s) => (s.agent === undefined ? pullBlocked(ctx, s, isListing) : agentScanBlocked(ctx, s.agent)),
    fire: (ctx, s) => (s.agent === undefined ? pull(ctx, s, isListing) : agentScan(ctx, s.agent)),
  },
  derive: { blocked: deriveBlocked, fire: derive },
  run: { blocked: runBlocked, fire: run },
  weekly: { blocked: async () => null, fire: writeWeek },
  evaluate: { blocked: onlineBlocked, fire: evaluate },
  alert: { blocked: onlineBlocked, fire: evaluate },
};

/** Why a schedule could not fire now, in words; null when it could. */
export async function fireBlocked(ctx: Ctx, schedule: ScheduleDoc): Promise<string | null> {
  const surface = await surfaceNamed(ctx, schedule.surface);
  if (surface?.retired_at !== undefined) return "Its surface is retired; restore it first.";
  return ACTS[schedule.kind].blocked(ctx, schedule);
}

/**
 * Does what the schedule is for. Throws what the act refuses. After a firing that was `lost` (unix seconds when it began)
 * what that one had started already is not started again.
 */
export async function fire(ctx: Ctx, schedule: ScheduleDoc, lost?: number): Promise<Fired> {
  return ACTS[schedule.kind].fire(ctx, schedule, lost);
}

async function sourcesOf(ctx: Ctx, schedule: ScheduleDoc, wanted: (kind: SourceDoc["kind"]) => boolean) {
  if (schedule.source !== undefined) return ctx.store.records.getMany(Source, [schedule.source]);
  const found: SourceDoc[] = [];
  const where = { surface: schedule.surface };
  for await (const source of everyRow((page) => ctx.store.records.list(Source, { ...page, where })))
    if (wanted(source.kind)) found.push(source);
  return found;
}

async function pullBlocked(ctx: Ctx, schedule: ScheduleDoc, wanted: (kind: SourceDoc["kind"]) => boolean) {
  const sources = await sourcesOf(ctx, schedule, wanted);
  if (sources.length === 0)
    return schedule.source === undefined
      ? "Its surface has no source that this could pull."
      : "Its source was disconnected.";
  const reasons = await Promise.all(sources.map((source) => syncBlocked(ctx, source)));
  return reasons.some((reason) => reason === null) ? null : (reasons[0] ?? null);
}

async function pull(ctx: Ctx, schedule: ScheduleDoc, wanted: (kind: SourceDoc["kind"]) => boolean): Promise<Fired> {
  const jobs: string[] = [];
  for (const source of await sourcesOf(ctx, schedule, wanted))
    if ((await syncBlocked(ctx, source)) === null) jobs.push((await startSync(ctx, source)).job);
  return { job: jobs[0], note: `${jobs.length} ${jobs.length === 1 ? "source is" : "sources are"} being pulled.` };
}

async function agentScanBlocked(ctx: Ctx, id: string): Promise<string | null> {
  const agent = await ctx.store.records.get(Agent, id);
  return agent ? scanBlocked(agent) : "Its agent was removed.";
}

async function agentScan(ctx: Ctx, aid: string): Promise<Fired> {
  const { job } = await startScan(ctx, { aid });
  return { job, note: "The agent's repository is being scanned for new versions." };
}

async function deriveBlocked(ctx: Ctx, schedule: ScheduleDoc): Promise<string | null> {
  const held = await ctx.store.records.count(Evidence, { surface: schedule.surface });
  return held === 0 ? "Its surface has no evidence to derive from." : null;
}

async function derive(ctx: Ctx, schedule: ScheduleDoc): Promise<Fired> {
  const { job } = await startPipeline(ctx, { surface: schedule.surface });
  return { job, note: "The pipeline of the surface was started." };
}

async function runBlocked(ctx: Ctx, schedule: ScheduleDoc): Promise<string | null> {
  if (schedule.harness === undefined) {
    const agent =
      schedule.agent === undefined ? await primaryAgent(ctx) : await ctx.store.records.get(Agent, schedule.agent);
    if (!agent) return "It names no agent and no harness, and the org has no primary agent.";
    if (agent.retired_at !== undefined) return "Its agent is retired; restore it first.";
    const version = agent.versions.findLast((each) => each.retired_at === undefined);
    if (!version) return "Every version of its agent is retired; restore one.";
    const unplayable = versionBlocked(version, ctx.settings.commandsAllowed);
    if (unplayable !== undefined) return unplayable;
  }
  const tasks = await certified(ctx, schedule);
  return Object.keys(tasks).length === 0
    ? "Its surface has no certified task; run the pipeline or have its tasks reviewed."
    : null;
}

async function run(ctx: Ctx, schedule: ScheduleDoc, lost: number | undefined): Promise<Fired> {
  const { agent, harness } = schedule;
  const by = `schedule ${schedule.id}`;
  const note = "A run of the surface's certified tasks was started.";
  const before = lost === undefined ? undefined : await groupSince(ctx, by, lost);
  if (before !== undefined) return { job: before, note };
  const started = await startRun(ctx, {
    agent,
    harness,
    tasks_by_environment: await certified(ctx, schedule),
    trigger: "schedule",
    by,
  });
  return { job: started.body.job, note };
}

/** The newest run group that was begun by this name since then; its job has its id. */
async function groupSince(ctx: Ctx, by: string, since: number): Promise<string | undefined> {
  for await (const group of everyRow((page) => ctx.store.records.list(RunGroup, page))) {
    if (group.created_at < since) return undefined;
    if (group.by === by && (await ctx.store.jobs.get(group.id))) return group.id;
  }
  return undefined;
}

async function writeWeek(ctx: Ctx, schedule: ScheduleDoc): Promise<Fired> {
  const answer = await weeklyReport(ctx, { by: `schedule ${schedule.id}` });
  const { week, delivery } = answer instanceof Reply ? answer.body : answer;
  return { note: `The page of ${week} was written; chat: ${delivery.state}, mail: ${delivery.email.state}.` };
}

async function evaluate(ctx: Ctx, { id }: ScheduleDoc): Promise<Fired> {
  const { job } = await ctx.jobs.start(evaluateOnlineJob, { schedule: id });
  return { job, note: "The traces that came since the last time are being judged." };
}

/** The certified tasks of the surface's environments. */
async function certified(ctx: Ctx, schedule: ScheduleDoc): Promise<Record<string, string[]>> {
  const surface = await surfaceNamed(ctx, schedule.surface);
  const tasks: Record<string, string[]> = {};
  if (!surface) return tasks;
  const where = { surface: surface.id };
  for await (const environment of everyRow((page) => ctx.store.records.list(Environment, { ...page, where }))) {
    if (environment.retired_at !== undefined) continue;
    const all = await environmentTasks(ctx, environment.id);
    const ids = all.filter(({ status }) => status === "certified").map(({ id }) => id);
    if (ids.length > 0) tasks[environment.id] = ids;
  }
  return tasks;
}
