import type { Ctx } from "../../context.ts";
import { badRequest } from "../../errors.ts";
import { everyRow, type PageInput } from "../../page.ts";
import type { JobRow } from "../../ports/store.ts";
import { Run, type TrialRow } from "../../records/runs/runs.ts";
import { FileAnswer } from "../../reply.ts";
import { flightsOf } from "../play/in-flight.ts";
import { endsOf } from "../trials/rates.ts";
import { trialsOf } from "../trials/trial-rows.ts";
import { findJob, runsOf, statusView } from "./jobs.ts";

/** How long an ended run still counts as live, seconds. */
export const LIVE_RECENT_S = 900;
const SHOWN_TRIALS = 100;

/** A run or group while it works: trials as they end, what those under way have called so far, n of N, and an estimate. */
export async function watchJob(ctx: Ctx, input: { readonly job_id: string }) {
  const row = await findJob(ctx, input.job_id);
  const runs = await runJobs(ctx, row);
  const rows = (await Promise.all(runs.map(({ run }) => trialsOf(ctx, run)))).flat();
  const of = runs.reduce((sum, { planned }) => sum + planned, 0);
  const ended = new Set(rows.map(({ run, task, n, attempt }) => `${run}.${task}.${n}.${attempt}`));
  const inFlight = (await Promise.all(runs.map(({ run }) => flying(ctx, run, ended)))).flat();
  const left = row.ended_at === null ? estimate(ctx.now(), rows, of) : undefined;
  const shown = [...rows].sort((a, b) => b.started_at - a.started_at).slice(0, SHOWN_TRIALS);
  return {
    ...(await statusView(ctx, row)),
    now: ctx.now(),
    n: rows.length,
    of,
    tally: endsOf(rows),
    trials: shown.map(({ run, task, n, attempt, end, cause, started_at, ms, trial }) => ({
      run,
      task,
      n,
      attempt,
      end,
      cause,
      started_at,
      ended_at: started_at + ms / 1000,
      calls: trial.calls.length,
    })),
    in_flight: inFlight,
    ...(left === undefined ? {} : { estimate_seconds: left }),
  };
}

async function runJobs(ctx: Ctx, row: JobRow) {
  const runs = await runsOf(ctx, row);
  if (!runs) throw badRequest("This job is neither a run nor a run group.");
  return runs;
}

/** The attempts under way with the tools they called so far. A checkpoint lags: attempts that are written have ended. */
async function flying(ctx: Ctx, run: string, ended: ReadonlySet<string>) {
  const job = await ctx.store.jobs.get(run);
  if (job?.status !== "running") return [];
  return Promise.all(
    flightsOf(job.state)
      .filter(({ task, n, attempt }) => !ended.has(`${run}.${task}.${n}.${attempt}`))
      .map(async ({ world, task, n, attempt, started_at }) => {
        const entries = await ctx.store.journals.read(world);
        return {
          run,
          task,
          n,
          attempt,
          started_at,
          calls: entries.map(({ tool, answer_class }) => ({ tool, answer_class })),
        };
      }),
  );
}

/** Seconds to the end at the pace since the first trial began; undefined before any has ended. */
function estimate(now: number, rows: readonly TrialRow[], of: number): number | undefined {
  if (rows.length === 0) return undefined;
  const since = now - Math.min(...rows.map((row) => row.started_at));
  return Math.max(0, (since / rows.length) * (of - rows.length));
}

/** Every live run and group, and those that ended within LIVE_RECENT_S, newest first. */
export async function liveRuns(ctx: Ctx) {
  const now = ctx.now();
  const found: JobRow[] = [];
  for (const kind of ["run_group", "run"]) {
    const live = await ctx.store.jobs.list({ kind, live: true, limit: 500 });
    const recent = await ctx.store.jobs.list({ kind, limit: 500 });
    const ended = recent.items.filter((row) => row.ended_at !== null && row.ended_at > now - LIVE_RECENT_S);
    found.push(...live.items, ...ended);
  }
  const runs = await Promise.all(found.map((row) => statusView(ctx, row)));
  return { org: ctx.org.tag, now, runs: runs.sort((a, b) => b.created_at - a.created_at) };
}

/** Per try: its calls by tool and answer class, its answer's class, the checks it failed. No argument, value or text. */
export async function jobCalls(ctx: Ctx, input: { readonly job_id: string }) {
  const row = await findJob(ctx, input.job_id);
  const runs = await runJobs(ctx, row);
  const tries: ReturnType<typeof tryOf>[] = [];
  let running = 0;
  const tally: Record<string, ReturnType<typeof endsOf>> = {};
  for (const { run } of runs) {
    const doc = await ctx.store.records.get(Run, run);
    const rows = await trialsOf(ctx, run);
    const version = doc?.player.version ?? doc?.player.name ?? "unknown";
    tally[version] = added(tally[version], endsOf(rows));
    tries.push(...rows.map(tryOf));
    const ended = new Set(rows.map(({ task, n, attempt }) => `${run}.${task}.${n}.${attempt}`));
    if (row.ended_at === null) running += (await flying(ctx, run, ended)).length;
  }
  const view = await statusView(ctx, row);
  return {
    id: row.id,
    kind: row.kind,
    status: view.status,
    tier: "deterministic" as const,
    landed: tries.length,
    running,
    tally,
    tries,
  };
}

function tryOf({ run, task, n, attempt, end, trial, answer_class, checks, egress, isolation }: TrialRow) {
  return {
    run,
    task,
    n,
    attempt,
    end,
    calls: trial.calls.map((call) => ({ tool: call.tool, answer_class: call.answer_class })),
    answer_class,
    failed_checks: checks.filter((check) => check.verdict === "not_met").map((check) => check.kind),
    ...(egress === undefined ? {} : { egress }),
    ...(isolation === undefined ? {} : { isolation }),
  };
}

function added(a: ReturnType<typeof endsOf> | undefined, b: ReturnType<typeof endsOf>) {
  if (!a) return b;
  return { met: a.met + b.met, failed: a.failed + b.failed, infra: a.infra + b.infra, invalid: a.invalid + b.invalid };
}

/** A job's audit trail, oldest first, a group's with its runs', or as a text file: kinds, ids, counts, times and callers. */
export async function auditJob(
  ctx: Ctx,
  input: { readonly job_id: string; readonly format?: "json" | "text" | undefined },
) {
  const row = await findJob(ctx, input.job_id);
  const events = row.kind === "run_group" ? await groupEvents(ctx, row.id) : await ctx.store.jobs.events(row.id);
  const data = { id: row.id, kind: row.kind, events };
  if (input.format !== "text") return data;
  const lines = events.map(({ at, kind, fields }) => {
    const rest = Object.entries(fields).map(([name, value]) => ` ${name}=${value}`);
    return `${new Date(at * 1000).toISOString()} ${kind}${rest.join("")}`;
  });
  return new FileAnswer(`audit-${row.id}.txt`, "text/plain", `${lines.join("\n")}\n`, data);
}

/** What happened to a group and to each of its runs, in the order of time; a line of a run names it. */
async function groupEvents(ctx: Ctx, group: string) {
  const own = (await ctx.store.jobs.events(group)).map((event) => ({ ...event, rank: 0 }));
  const list = (page: PageInput) => ctx.store.jobs.list({ ...page, parent: group });
  for await (const { id } of everyRow(list))
    for (const event of await ctx.store.jobs.events(id))
      own.push({ ...event, fields: { run: id, ...event.fields }, rank: 1 });
  // Of one moment a group's begin comes before its runs', and its end after theirs.
  const ends = ({ kind }: { readonly kind: string }) => ENDINGS.has(kind);
  own.sort((a, b) => a.at - b.at || (ends(a) || ends(b) ? b.rank - a.rank : a.rank - b.rank) || a.seq - b.seq);
  return own.map(({ rank: _rank, ...event }, i) => ({ ...event, seq: i + 1 }));
}

const ENDINGS = new Set(["landed", "failed", "stopped", "cancelled", "finished"]);
