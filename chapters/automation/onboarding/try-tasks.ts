import { z } from "zod";
import { HOUSEHOLD, household } from "../../../worlds/samples/household/index.ts";
import type { FinishedTrial, Task } from "../../../worlds/tasks/schema.ts";
import { openTarget } from "../../agents/targets.ts";
import type { JobCtx } from "../../job.ts";
import type { ToolUse } from "../../records/agents/probe.ts";
import { beforeNextAttempt, isLastAttempt } from "../../runs/play/attempts.ts";
import type { Played } from "../../runs/play/finish-trial.ts";
import { Flight } from "../../runs/play/in-flight.ts";
import { abandonWorld, playInWorld } from "../../runs/play/world-trial.ts";

/** Which version is tried on which tasks, where. Nothing of it is a run: it counts in no rate. */
export interface TryPlan {
  readonly agent: string;
  readonly version: string;
  readonly environment: { readonly id: string; readonly bundle: string; readonly seed: string };
  readonly tasks: readonly { readonly id: string; readonly task: Task }[];
  /** Seconds per task. */
  readonly timeoutSeconds: number;
}

/** What one task came to. */
export interface Tried {
  readonly id: string;
  readonly task: Task;
  readonly played: Played;
  /** Whether the world's MCP endpoint was reached with the trial's token. */
  readonly connected: boolean;
}

/** Where the built-in household's worlds are made. */
export const householdPlace = () => ({ id: HOUSEHOLD, bundle: HOUSEHOLD, seed: household().seed });

/** Tries at once: these look at an agent, they do not measure it. */
const AT_ONCE = 4;

/**
 * Asks a version each task in a world of its own, and keeps what `read` makes of each: after a restart only what is not
 * read yet is asked again. Answers in the order of the tasks. `read` answers JSON.
 */
export async function tryTasks<R extends z.ZodType>(
  ctx: JobCtx,
  plan: TryPlan,
  schema: R,
  read: (tried: Tried) => z.infer<R> | Promise<z.infer<R>>,
): Promise<z.infer<R>[]> {
  const State = z.object({ in_flight: z.array(Flight), done: z.record(z.string(), schema) });
  const before = State.safeParse(ctx.job.state);
  for (const left of before.success ? before.data.in_flight : []) await abandonWorld(ctx, left);
  const done = new Map<string, z.infer<R>>(before.success ? Object.entries(before.data.done) : []);
  const flights = new Map<string, Flight>();
  let kept: Promise<void> = Promise.resolve();
  // One after another: a later state is never written over by an earlier one.
  const keep = () => {
    const state = { in_flight: [...flights.values()], done: Object.fromEntries(done) };
    kept = kept.then(() => ctx.job.checkpoint(state)).catch(() => undefined);
    return kept;
  };
  const target = await openTarget(ctx, plan.agent, plan.version);
  const queue = plan.tasks.filter(({ id }) => !done.has(id));
  const told = () => ctx.progress(done.size, plan.tasks.length, "tasks");
  told();
  const ask = async ({ id, task }: TryPlan["tasks"][number], attempt: number) => {
    const trial = `${ctx.job.id}.${id}.${ctx.job.attempt}.${attempt}`;
    const played = await playInWorld(ctx, {
      trial,
      target,
      environment: plan.environment,
      task,
      timeoutSeconds: plan.timeoutSeconds,
      opened: (minted) => {
        flights.set(trial, { task: id, n: 1, attempt: ctx.job.attempt, ...minted, started_at: ctx.now() });
        void keep();
      },
    }).finally(() => flights.delete(trial));
    // A stopped try was not finished: it is read by nobody.
    if (played.cause === "stopped") ctx.signal.throwIfAborted();
    return played;
  };
  const worker = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      ctx.signal.throwIfAborted();
      let played = await ask(next, 1);
      // While its world is away an agent shows nothing of itself.
      for (let attempt = 1; played.cause === "service" && !isLastAttempt("service", attempt); attempt++) {
        await beforeNextAttempt("service", attempt, ctx.signal);
        played = await ask(next, attempt + 1);
      }
      done.set(next.id, await read({ ...next, played, connected: played.connected === true }));
      await keep();
      told();
    }
  };
  const settled = await Promise.allSettled(Array.from({ length: Math.min(AT_ONCE, queue.length) }, worker));
  const failed = settled.find((result) => result.status === "rejected");
  if (failed) throw failed.reason;
  return plan.tasks.map(({ id }) => done.get(id) as z.infer<R>);
}

/** The tools that were called, by name. */
export function toolsUsed(calls: FinishedTrial["calls"]): ToolUse[] {
  return [...Map.groupBy(calls, (call) => call.tool)]
    .map(([tool, own]) => ({ tool, calls: own.length, errors: own.filter((call) => call.is_error).length }))
    .sort((a, b) => (a.tool < b.tool ? -1 : 1));
}
