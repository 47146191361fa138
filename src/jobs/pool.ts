import { availableParallelism } from "node:os";
import { Piscina } from "piscina";
import type { Compute, ComputeTask } from "../../chapters/compute.ts";
import { AppError } from "../../chapters/errors.ts";
import type { WorkReply, WorkRequest } from "./worker.ts";

/** The compute pool with its end. */
export interface ComputePool extends Compute {
  /** Ends the threads; work under way is lost. */
  close(): Promise<void>;
}

/** How large the pool is and what its threads run. */
export interface PoolOptions {
  /** How many threads at most for long tasks; one less than the processors, at least one, when absent. */
  readonly threads?: number;
  /** How many threads at most for brief tasks; as many as there are processors, at most four, when absent. */
  readonly briefThreads?: number;
  /** The module the threads run; the service's own when absent. */
  readonly worker?: URL;
}

const IDLE_MS = 60_000;
const WORKER = new URL(import.meta.url.endsWith(".ts") ? "./worker.ts" : "./worker.js", import.meta.url);

type Threads = Piscina<WorkRequest, WorkReply>;

/** Worker threads for heavy pure work, started on first use and put away when idle; brief tasks have their own. Aborting ends the thread's work at once. */
export function createComputePool(options: PoolOptions = {}): ComputePool {
  const processors = availableParallelism();
  const most = {
    long: options.threads ?? Math.max(1, processors - 1),
    // The serving thread writes what they made: more than four would wait for it.
    brief: options.briefThreads ?? Math.min(4, processors),
  };
  const open: { long?: Threads; brief?: Threads } = {};
  const threads = (kind: "long" | "brief"): Threads => {
    open[kind] ??= new Piscina<WorkRequest, WorkReply>({
      filename: (options.worker ?? WORKER).href,
      minThreads: 0,
      maxThreads: most[kind],
      idleTimeout: IDLE_MS,
    });
    return open[kind];
  };
  return {
    async run<I, O>(task: ComputeTask<I, O>, input: I, signal?: AbortSignal) {
      signal?.throwIfAborted();
      const given = { transferList: [...(task.handsOver?.(input) ?? [])], ...(signal === undefined ? {} : { signal }) };
      const reply = await threads(task.brief === true ? "brief" : "long").run({ task: task.name, input }, given);
      if (reply.ok) return reply.value as O;
      if ("refused" in reply) throw new AppError(reply.refused.code, reply.refused.reason, reply.refused.details);
      throw Object.assign(new Error(`compute task ${task.name}: ${reply.fault.message}`), { stack: reply.fault.stack });
    },
    async close() {
      const ended = [open.long?.destroy(), open.brief?.destroy()];
      delete open.long;
      delete open.brief;
      await Promise.all(ended);
    },
  };
}
