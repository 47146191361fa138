import { availableParallelism } from "node:os";
import { Piscina } from "piscina";
import type { Compute } from "../../chapters/compute.ts";
import { AppError } from "../../chapters/errors.ts";
import type { WorkReply, WorkRequest } from "./worker.ts";

/** The compute pool with its end. */
export interface ComputePool extends Compute {
  /** Ends the threads; work under way is lost. */
  close(): Promise<void>;
}

/** How large the pool is and what its threads run. */
export interface PoolOptions {
  /** How many threads at most; one less than the processors, at least one, when absent. */
  readonly threads?: number;
  /** The module the threads run; the service's own when absent. */
  readonly worker?: URL;
}

const IDLE_MS = 60_000;
const WORKER = new URL(import.meta.url.endsWith(".ts") ? "./worker.ts" : "./worker.js", import.meta.url);

/** Worker threads for heavy pure work, started on first use and put away when idle. Aborting ends the thread's work at once. */
export function createComputePool(options: PoolOptions = {}): ComputePool {
  let pool: Piscina<WorkRequest, WorkReply> | undefined;
  const threads = options.threads ?? Math.max(1, availableParallelism() - 1);
  const open = () => {
    pool ??= new Piscina<WorkRequest, WorkReply>({
      filename: (options.worker ?? WORKER).href,
      minThreads: 0,
      maxThreads: threads,
      idleTimeout: IDLE_MS,
    });
    return pool;
  };
  return {
    async run<I, O>(
      task: { readonly name: string; readonly run: (input: I) => O | Promise<O> },
      input: I,
      signal?: AbortSignal,
    ) {
      signal?.throwIfAborted();
      const reply = await open().run({ task: task.name, input }, signal === undefined ? {} : { signal });
      if (reply.ok) return reply.value as O;
      if ("refused" in reply) throw new AppError(reply.refused.code, reply.refused.reason, reply.refused.details);
      throw Object.assign(new Error(`compute task ${task.name}: ${reply.fault.message}`), { stack: reply.fault.stack });
    },
    async close() {
      await pool?.destroy();
      pool = undefined;
    },
  };
}
