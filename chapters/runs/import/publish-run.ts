import { auditAct } from "../../audit.ts";
import type { Ctx } from "../../context.ts";
import { countOf } from "../../count-of.ts";
import { AppError, conflict } from "../../errors.ts";
import type { DatasetTool } from "../../ports/vendors.ts";
import { tracingTool } from "../../sources/tracing-tool.ts";
import { findGroup, findRun, type RunDoc } from "../groups/group-data.ts";
import { runStatus } from "../groups/group-status.ts";
import { trialTree } from "../trials/trace-run.ts";
import { trialsOfRun } from "../trials/trial-rows.ts";
import { scoreId, trialSpans } from "../trials/trial-spans.ts";

/** Trials on their way at once. */
const AT_ONCE = 4;

/**
 * Sends a finished run's transcripts to the tracing tool, a trace a trial, and whether each valid one was met as its
 * score. The tool is the org's own where it connected one, else the operator's. Ids are made of the run's, so doing it
 * again changes nothing there. Where the tool asks to be called less the rest is left for the next call.
 */
export async function publishRun(ctx: Ctx, input: { readonly rid: string }) {
  const run = await findRun(ctx, input.rid);
  const [job, leader] = await Promise.all([ctx.store.jobs.get(run.id), ctx.store.jobs.get(run.group)]);
  if (["queued", "held", "running"].includes(runStatus(run, job, leader)))
    throw conflict("The run has not ended; publish it when it has.", { by: "watch_job" });
  const base = { org: ctx.org.tag, run: run.id, tier: run.tier };
  const none = { traces: 0, spans: 0, scores: 0, left: 0 };
  const found = await toolOf(ctx);
  if (!("tool" in found)) return { ...base, ...none, status: "not configured" as const, ...found };
  const sent = await send(ctx, run, found.tool);
  const { refusal, ...counts } = sent;
  await auditAct(ctx, "run_published", { run: run.id, ...counts });
  const wait = refusal?.details.retryAfter;
  const status = sent.left === 0 ? "published" : sent.traces === 0 ? "failed" : "partial";
  return {
    ...base,
    ...counts,
    status: status as "published" | "failed" | "partial",
    note: refusal?.reason ?? `${countOf(sent.traces, "trial is", "trials are")} in the tracing tool.`,
    missing: [],
    ...(wait === undefined ? {} : { retry_after: wait }),
  };
}

async function toolOf(ctx: Ctx): Promise<{ tool: DatasetTool } | { note: string; missing: string[] }> {
  const own = await tracingTool(ctx);
  if ("tool" in own) return own;
  // An org that connected a tool of its own and holds its use back is not sent elsewhere.
  if (own.connected) return { note: own.refusal, missing: [] };
  const tool = ctx.vendors.traces.tool();
  if (tool) return { tool };
  const missing = ctx.vendors.traces.settings.filter(({ set }) => !set).map(({ env }) => env);
  return { note: `${own.refusal} Or the operator sets the workspace's own.`, missing };
}

async function send(ctx: Ctx, run: RunDoc, tool: DatasetTool) {
  const group = await findGroup(ctx, run.group);
  const { traces } = ctx.vendors;
  const rows = await trialsOfRun(ctx, run);
  const done = { traces: 0, spans: 0, scores: 0 };
  let refusal: AppError | undefined;
  const queue = [...rows];
  const worker = async () => {
    for (let row = queue.shift(); row !== undefined && !refusal; row = queue.shift()) {
      ctx.signal.throwIfAborted();
      try {
        const made = trialSpans(run, group, await trialTree(ctx, run, row));
        await traces.spans(tool, made.resourceSpans, ctx.signal);
        if (row.end === "met" || row.end === "failed") {
          const { traceId } = made;
          const comment = `${run.tier}, ${countOf(row.checks.length, "check")}`;
          const value = row.end === "met";
          await traces.score(tool, { id: scoreId(traceId), traceId, name: "met", value, comment }, ctx.signal);
          done.scores += 1;
        }
        done.traces += 1;
        done.spans += made.spans;
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        refusal ??= error;
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return { ...done, left: rows.length - done.traces, refusal };
}
