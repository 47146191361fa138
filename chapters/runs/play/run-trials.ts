import { Beginnings } from "../../../worlds/starts.ts";
import type { Task } from "../../../worlds/tasks/schema.ts";
import { openTarget } from "../../agents/targets.ts";
import { loadEnvironment } from "../../blobs.ts";
import { AppError } from "../../errors.ts";
import { findAgent, findVersion } from "../../find-agent.ts";
import { type JobCtx, WaitsForBudget } from "../../job.ts";
import { BudgetSpent } from "../../models/spend.ts";
import type { Doc } from "../../record.ts";
import type { CanonicalTrace } from "../../records/evidence/evidence.ts";
import { Run, type RunHarness, type TrialRow } from "../../records/runs/runs.ts";
import { Surface, TaskRecord } from "../../records/sandboxes/sandboxes.ts";
import { findEnvironment } from "../../sandboxes/environments/environment-records.ts";
import { surfaceEvidence } from "../../sandboxes/surfaces/surface-evidence.ts";
import { endsOf } from "../trials/rates.ts";
import { trialSpan } from "../trials/trace-run.ts";
import { everyAttempt, newestAttempts, tryKey } from "../trials/trial-rows.ts";
import { beforeNextAttempt, isLastAttempt } from "./attempts.ts";
import { finishTrial, type Played } from "./finish-trial.ts";
import { flightsOf, InFlight } from "./in-flight.ts";
import { judgeTrial } from "./judged.ts";
import { harnessPlayer, type TracesByRequest } from "./players.ts";
import { playReact } from "./react.ts";
import { abandonWorld, playInWorld } from "./world-trial.ts";

type RunDoc = Doc<typeof Run>;

/** Attempts of connected agents that a run has under way at most; the launcher lets in fewer where it must. */
const AT_ONCE = 64;
/** Trials of the tool loop at once: a provider's limits are the narrow place. */
const MODELS_AT_ONCE = 8;
/** Harnesses play in this thread, one after another; what they wrote waits for the disk together. */
const WRITES_AT_ONCE = 32;

interface Try {
  /** Absent when the task is not what it was when the run was planned. */
  readonly task: Task | undefined;
  readonly id: string;
  readonly n: number;
  /** Attempts made before. */
  readonly made: number;
}

/** `own` is the run's context as this attempt spends in it. */
type Player = (task: Task, next: Try, attempt: number, own: JobCtx) => Promise<Played>;

const CHANGED: Played = {
  trial: { calls: [], answers: [], diff: [] },
  cause: "task",
  ms: 0,
  log: "The task changed after the run was planned.",
};

/**
 * Plays what is left of a run: tries whose newest attempt counts are not played again, however often the run is begun.
 * Each attempt is written as it ends. Answers the counts by end.
 */
export async function playRun(ctx: JobCtx, input: { readonly run: string }) {
  const run = await ctx.store.records.get(Run, input.run);
  if (!run) throw new AppError("not_found", "The run's record is gone.");
  const place = await worldSourceOf(ctx, run);
  const env = { ...(await loadEnvironment(ctx, place)), seed: place.seed };
  for (const left of flightsOf(ctx.job.state)) await abandonWorld(ctx, left);
  const counted = newestAttempts(await everyAttempt(ctx, run.id));
  const flights = new InFlight(ctx);
  const { player, atOnce } = await playerOf(ctx, run, env, place, flights);
  const queue = await remainingTries(ctx, run, counted);
  const ends = new Map(counted.map((row) => [tryKey(row.task, row.n), row.end]));
  const total = run.tasks.length * run.trials;
  const told = () => ctx.progress([...ends.values()].filter((end) => end !== "infra").length, total, "trials");
  told();
  const worker = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const row = await playTry(ctx, run, env, next, player);
      ends.set(tryKey(row.task, row.n), row.end);
      told();
      await new Promise((resolve) => setImmediate(resolve));
      ctx.signal.throwIfAborted();
    }
  };
  const workers = Array.from({ length: Math.min(atOnce, queue.length) }, worker);
  // Every attempt under way comes to its end before the run does.
  const settled = await Promise.allSettled(workers);
  await flights.close();
  const failed = settled.filter((result) => result.status === "rejected");
  const [first] = failed.sort((a, b) => Number(waits(a.reason)) - Number(waits(b.reason)));
  if (first) throw waits(first.reason) ? new WaitsForBudget(first.reason.reason) : first.reason;
  return { run: run.id, ...endsOf(newestAttempts(await everyAttempt(ctx, run.id))) };
}

/** What is left of a run whose org has nothing left of its day is played when it has. */
const waits = (reason: unknown): reason is BudgetSpent => reason instanceof BudgetSpent;

/** Where a run is played: on the tools and rows that it was planned with, drawn anew since or not. */
async function worldSourceOf(ctx: JobCtx, { environment: id, bundle, terms, seed }: RunDoc) {
  const environment = await findEnvironment(ctx, id);
  return { id, bundle, base_blob: terms.base, seed: seed ?? environment.seed };
}

/** What is not decided yet, all tasks' first try before any second. */
async function remainingTries(ctx: JobCtx, run: RunDoc, counted: readonly TrialRow[]): Promise<Try[]> {
  const known = new Map(counted.map((row) => [tryKey(row.task, row.n), row]));
  const docs = await ctx.store.records.getMany(
    TaskRecord,
    run.tasks.map((task) => task.id),
  );
  const standing = new Map(docs.map((doc) => [doc.id, doc]));
  const tries: Try[] = [];
  for (let n = 1; n <= run.trials; n++)
    for (const { id, digest } of run.tasks) {
      const row = known.get(tryKey(id, n));
      if (row && isDecided(row)) continue;
      const doc = standing.get(id);
      tries.push({ task: doc?.digest === digest ? doc.task : undefined, id, n, made: row?.attempt ?? 0 });
    }
  return tries;
}

/** One try: attempts until one counts or there have been enough. Every attempt is written. */
async function playTry(
  ctx: JobCtx,
  run: RunDoc,
  env: Parameters<typeof finishTrial>[1],
  next: Try,
  player: Player,
): Promise<TrialRow> {
  for (let attempt = next.made + 1; ; attempt++) {
    ctx.signal.throwIfAborted();
    await ctx.job.audit("trial_started", { task: next.id, n: next.n, attempt });
    const { played, finished } = await playAttempt(ctx, run, env, next, attempt, player);
    // A stopped attempt was not finished: it is no row, and is made again if the run goes on.
    if (played.cause === "stopped") ctx.signal.throwIfAborted();
    const started_at = ctx.now() - played.ms / 1000;
    const { usd, tokens } = played;
    const cost = { ...(usd === undefined ? {} : { usd }), ...(tokens === undefined ? {} : { tokens }) };
    const row: TrialRow = { run: run.id, task: next.id, n: next.n, attempt, started_at, ...finished, ...cost };
    const told = { task: next.id, n: next.n, attempt, end: row.end, calls: row.trial.calls.length };
    await Promise.all([ctx.store.trials.insert(row), ctx.job.audit("trial", told)]);
    if (isDecided(row)) return row;
    await beforeNextAttempt(row.cause, attempt, ctx.signal, played.retryAfter);
  }
}

/** Whether a try is not played again: it counts, or there were attempts enough. */
function isDecided({ end, cause, attempt }: TrialRow): boolean {
  return end !== "infra" || isLastAttempt(cause, attempt);
}

/** Plays and grades one attempt. What breaks of ours on the way is told as such: an end `infra`, cause `service`. */
async function playAttempt(
  ctx: JobCtx,
  run: RunDoc,
  env: Parameters<typeof finishTrial>[1],
  next: Try,
  attempt: number,
  player: Player,
): Promise<{ played: Played; finished: ReturnType<typeof finishTrial> }> {
  const trial = trialSpan({ run: run.id, task: next.id, n: next.n, attempt });
  const own: JobCtx = { ...ctx, account: { ...ctx.account, trial } };
  try {
    const played = next.task === undefined ? CHANGED : await player(next.task, next, attempt, own);
    const finished = finishTrial(next.task, env, played);
    return { played, finished: run.tier === "llm-derived" ? await judgeTrial(own, next.task, finished) : finished };
  } catch (error) {
    // What a person must put right ends the run, and so does a stop.
    if (error instanceof AppError || ctx.signal.aborted) throw error;
    ctx.log.error({ err: error, job: ctx.job.id, task: next.id }, "a trial met a fault of the service");
    const played: Played = { trial: { calls: [], answers: [], diff: [] }, cause: "service", ms: 0, log: "" };
    return { played, finished: finishTrial(next.task, env, played) };
  }
}

async function playerOf(
  ctx: JobCtx,
  run: RunDoc,
  env: Parameters<typeof harnessPlayer>[1],
  environment: Awaited<ReturnType<typeof worldSourceOf>>,
  flights: InFlight,
): Promise<{ player: Player; atOnce: number }> {
  const { agent, version } = run.player;
  const { harness, model } = await drivenBy(ctx, run.player);
  if (harness === "react") {
    const worlds = new Beginnings(env);
    const options = { model, timeoutSeconds: run.timeout_seconds, tier: run.tier };
    return {
      player: (task, _next, _attempt, own) => playReact(own, worlds.fresh(task), task, options),
      atOnce: MODELS_AT_ONCE,
    };
  }
  if (harness !== null) {
    const play = harnessPlayer(harness, env, harness === "replay" ? await tracesOf(ctx, run.surface) : new Map());
    return { player: async (task, next) => play(task, next.n), atOnce: WRITES_AT_ONCE };
  }
  const target = await openTarget(ctx, agent ?? "", version ?? "");
  const player: Player = async (task, next, attempt, own) => {
    const trial = trialSpan({ run: run.id, task: next.id, n: next.n, attempt });
    const flight = { task: next.id, n: next.n, attempt };
    try {
      return await playInWorld(own, {
        trial,
        target,
        environment,
        task,
        timeoutSeconds: run.timeout_seconds,
        tier: run.tier,
        opened: (minted) => flights.began(trial, { ...flight, ...minted, started_at: ctx.now() }),
      });
    } finally {
      flights.ended(trial);
    }
  };
  return { player, atOnce: AT_ONCE };
}

/** The built-in harness that plays, and its model: the player itself, or what drives a surface agent's version. */
async function drivenBy(ctx: JobCtx, player: RunDoc["player"]): Promise<{ harness: RunHarness | null; model: string }> {
  const { agent, version, harness, surface } = player;
  if (surface === undefined || agent === null) return { harness, model: version ?? "" };
  const { target } = findVersion(await findAgent(ctx, agent), version ?? undefined);
  if (target.kind !== "surface") throw new Error("a surface agent's version is of another kind");
  return { harness: target.harness, model: target.model ?? "" };
}

/** The stored traces of a surface by what they were asked. */
async function tracesOf(ctx: JobCtx, surface: string): Promise<TracesByRequest> {
  const record = await ctx.store.records.get(Surface, surface);
  const evidence = record ? await surfaceEvidence(ctx, record.name) : [];
  const found = new Map<string, CanonicalTrace[]>();
  for await (const { trace } of ctx.store.traces.stream(evidence.map((row) => row.id)))
    found.set(trace.request, [...(found.get(trace.request) ?? []), trace]);
  return found;
}
