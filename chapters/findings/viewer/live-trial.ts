import type { Ctx } from "../../context.ts";
import { notFound } from "../../errors.ts";
import { findRun } from "../../runs/groups/group-data.ts";
import { flightsOf } from "../../runs/play/in-flight.ts";
import { trialsOfRun } from "../../runs/trials/trial-rows.ts";
import type { PageSection } from "../pages/page-doc.ts";
import { counted, cut, minuteOf } from "../pages/words.ts";
import { callSteps } from "./steps.ts";

/** A trial of a run that works, by its group, run, task and try. */
export interface LiveTrialRef {
  readonly group: string;
  readonly run: string;
  readonly task: string;
  readonly n: number;
}

/** A trial as far as it is. */
export interface LiveTrial {
  readonly request: string;
  readonly text: string;
  readonly steps: Extract<PageSection, { show: "timeline" }>;
}

/** What a trial under way has called so far, read from its world's journal; else how it stands. Of no run of the group: 404. */
export async function liveTrial(
  ctx: Ctx,
  { group, run: id, task, n }: LiveTrialRef,
): Promise<LiveTrial | "ended" | "not under way"> {
  const run = await findRun(ctx, id);
  const planned = run.tasks.find((each) => each.id === task);
  if (run.group !== group || planned === undefined) throw notFound("trial");
  const job = await ctx.store.jobs.get(id);
  const flights = job?.status === "running" ? flightsOf(job.state) : [];
  const flight = flights.find((each) => each.task === task && each.n === n);
  // A checkpoint lags: what is written has ended.
  const ended = (await trialsOfRun(ctx, run)).find((row) => row.task === task && row.n === n);
  if (ended !== undefined && (flight === undefined || ended.attempt >= flight.attempt)) return "ended";
  if (flight === undefined) return "not under way";
  const calls = (await ctx.store.journals.read(flight.world)).map((entry) => ({
    ...entry,
    changes: [...entry.changes],
    changed: entry.changes.length > 0,
  }));
  return {
    request: planned.request,
    text: `Under way since ${minuteOf(flight.started_at)} UTC: ${calls.length === 0 ? "it has called no tool yet" : `${counted(calls.length, "call")} so far, the last ${cut(calls.at(-1)?.tool ?? "", 80)}`}.`,
    steps: {
      show: "timeline",
      caption: "Every call with the world's answer and what it changed, as the world wrote it down.",
      tier: "deterministic",
      steps: callSteps(planned.request, calls, flight.started_at),
    },
  };
}
