import type { Ctx } from "../../context.ts";
import { notFound } from "../../errors.ts";
import { everyRow } from "../../page.ts";
import type { Doc } from "../../record.ts";
import { ModelCall } from "../../records/models/models.ts";
import { trialName } from "../../records/runs/run-bundle.ts";
import type { TrialRow } from "../../records/runs/runs.ts";
import { findRun, type RunDoc } from "../groups/group-data.ts";
import { trialsOfRun } from "./trial-rows.ts";

const MICRO = 1_000_000;

/**
 * One trial as a tree of spans: the trial, its exchanges with a model as they were priced when they were made, its calls
 * with arguments and answers, what it said, and what each check decided. A call of a world costs nothing. What a
 * connected agent spends at its own provider is not known here, so its trial has no price.
 */
export async function traceRun(ctx: Ctx, input: { readonly rid: string; readonly trial?: string | undefined }) {
  const run = await findRun(ctx, input.rid);
  const rows = await trialsOfRun(ctx, run);
  const trials = rows.map(({ task, n, end }) => ({ trial: trialName(task, n), end }));
  const row =
    input.trial === undefined
      ? (rows.find(({ end }) => end === "failed") ?? rows[0])
      : rows.find(({ task, n }) => trialName(task, n) === input.trial);
  if (input.trial !== undefined && !row) throw notFound("trial");
  return { run: run.id, tree: row ? await trialTree(ctx, run, row) : null, trials };
}

/** A trial with all that it is made of, as `traceRun` answers it. */
export type TrialTree = Awaited<ReturnType<typeof trialTree>>;

/** Everything stored of one trial: its calls, what models were asked, its checks and what it changed. */
export async function trialTree(ctx: Ctx, run: RunDoc, row: TrialRow) {
  const task = run.tasks.find(({ id }) => id === row.task);
  const exchanges = await exchangesOf(ctx, row);
  const spent = exchanges.reduce((sum, { usd }) => sum + usd, 0);
  const known = exchanges.length > 0 || (run.player.harness !== null && run.imported === undefined);
  const usd = known ? spent : row.usd;
  return {
    name: trialName(row.task, row.n),
    kind: "trial" as const,
    end: row.end,
    cause: row.cause,
    root_cause: row.root_cause,
    request: task?.request ?? "",
    started_at: row.started_at,
    ms: row.ms,
    ...(usd === undefined ? {} : { usd }),
    log: row.log,
    exchanges,
    calls: row.trial.calls.map((call, index) => ({
      name: call.tool,
      kind: "call" as const,
      n: index + 1,
      ...call,
      ...(run.imported === undefined ? { usd: 0 } : {}),
    })),
    answers: row.trial.answers,
    ...(row.trial.said === undefined ? {} : { said: row.trial.said }),
    diff: row.trial.diff,
    checks: row.checks,
  };
}

/** What models were asked for this attempt, the agent's own turns and its judge's, in order. */
async function exchangesOf(ctx: Ctx, row: TrialRow) {
  const where = { trial: trialSpan(row) };
  const calls: Doc<typeof ModelCall>[] = [];
  for await (const call of everyRow((page) => ctx.store.records.list(ModelCall, { ...page, where, order: "oldest" })))
    calls.push(call);
  return calls.map(({ id, pass, model, tokens, tokens_source, micro_usd, outcome, created_at }, index) => ({
    name: pass,
    kind: "exchange" as const,
    n: index + 1,
    call: id,
    model,
    tokens,
    tokens_source,
    outcome,
    ended_at: created_at,
    usd: micro_usd / MICRO,
  }));
}

/** What model calls made for one attempt are written down under. */
export function trialSpan({ run, task, n, attempt }: Pick<TrialRow, "run" | "task" | "n" | "attempt">): string {
  return `${run}.${task}.${n}.${attempt}`;
}
