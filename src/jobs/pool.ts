import { availableParallelism } from "node:os";
import { MessageChannel, type MessagePort } from "node:worker_threads";
import PQueue from "p-queue";
import { Piscina } from "piscina";
import type { Compute, ComputeTask } from "../../chapters/compute.ts";
import { AppError } from "../../chapters/errors.ts";
import type { WorkReply, WorkRequest } from "./answer-requests.ts";

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
  /** The module that all threads run; the service's own, one for either kind of task, when absent. */
  readonly worker?: URL;
}

/** Hears the shares that come by a port, which the thread closes after its last one. */
async function hearing<T>(told: (share: number) => void, work: (port: MessagePort) => Promise<T>): Promise<T> {
  const { port1, port2 } = new MessageChannel();
  port1.on("message", told);
  port1.unref();
  try {
    return await work(port2);
  } catch (error) {
    // The work may not have begun, or its thread was ended.
    port1.close();
    throw error;
  }
}

type TransferList = NonNullable<Parameters<Piscina["run"]>[1]>["transferList"];

/** How many threads at most, and how many requests each holds. */
interface Room {
  readonly most: number;
  /** With more than one, a thread has its next task queued; an abort then ends only the wait. */
  readonly holds: number;
}

const IDLE_MS = 60_000;
const HOLDS = { long: 1, brief: 3 };
const SUFFIX = import.meta.url.endsWith(".ts") ? ".ts" : ".js";
const WORKERS = {
  long: new URL(`./worker${SUFFIX}`, import.meta.url),
  brief: new URL(`./brief-worker${SUFFIX}`, import.meta.url),
};

/** Worker threads for pure work, started on first use, ended when idle; brief tasks have their own. An abort ends a long task. */
export function createComputePool(options: PoolOptions = {}): ComputePool {
  const processors = availableParallelism();
  const most = {
    long: options.threads ?? Math.max(1, processors - 1),
    // The serving thread writes what they made: more than four would wait for it.
    brief: options.briefThreads ?? Math.min(4, processors),
  };
  const open: { long?: Threads; brief?: Threads } = {};
  const threads = (kind: "long" | "brief") => {
    open[kind] ??= new Threads((options.worker ?? WORKERS[kind]).href, { most: most[kind], holds: HOLDS[kind] });
    return open[kind];
  };
  return {
    async run<I, O>(task: ComputeTask<I, O>, input: I, signal?: AbortSignal, told?: (share: number) => void) {
      const handed = [...(task.handsOver?.(input) ?? [])];
      const own = threads(task.brief === true ? "brief" : "long");
      const request = { task: task.name, input };
      const reply = await (told === undefined || task.brief === true
        ? own.run(request, handed, signal)
        : hearing(told, (port) => own.run({ ...request, port }, [...handed, port], signal)));
      if (reply.ok) return reply.value as O;
      if ("refused" in reply) throw new AppError(reply.refused.code, reply.refused.reason, reply.refused.details);
      throw Object.assign(new Error(`compute task ${task.name}: ${reply.fault.message}`), { stack: reply.fault.stack });
    },
    async close() {
      const ended = [open.long?.close(), open.brief?.close()];
      delete open.long;
      delete open.brief;
      await Promise.all(ended);
    },
  };
}

/**
 * Threads, and the requests that wait for one. The library starts no thread for what waits when a busy one is ended, and
 * leaves waiting what a thread that cannot start was to do: so it is given no more at once than its threads hold, and
 * what is left without any thread fails.
 */
class Threads {
  readonly #pool: Piscina<WorkRequest, WorkReply>;
  readonly #places: PQueue;
  /** What the library was given and has not answered. */
  readonly #given = new Set<AbortController>();
  readonly #holds: number;
  #closed = false;

  constructor(filename: string, { most, holds }: Room) {
    this.#holds = holds;
    this.#places = new PQueue({ concurrency: most * holds });
    this.#pool = new Piscina({
      filename,
      minThreads: 0,
      maxThreads: most,
      concurrentTasksPerWorker: holds,
      idleTimeout: IDLE_MS,
    });
    this.#pool.on("error", (error) => this.#forsaken(error));
    this.#pool.on("workerDestroy", () => {
      queueMicrotask(() => this.#forsaken(new Error("a worker thread ended before it began to work")));
    });
  }

  /** Rejects with the signal's reason once it aborts, whether the work waits or runs. */
  async run(request: WorkRequest, handed: TransferList, signal?: AbortSignal): Promise<WorkReply> {
    signal?.throwIfAborted();
    const end = new AbortController();
    const aborted = Promise.withResolvers<never>();
    const abort = () => {
      end.abort(signal?.reason);
      aborted.reject(signal?.reason);
    };
    signal?.addEventListener("abort", abort, { once: true });
    try {
      return await Promise.race([this.#places.add(() => this.#work(request, handed, end)), aborted.promise]);
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }

  /** What waits or runs fails. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#fail(closed());
    await this.#pool.destroy();
  }

  async #work(request: WorkRequest, transferList: TransferList, end: AbortController): Promise<WorkReply> {
    const { signal } = end;
    signal.throwIfAborted();
    if (this.#closed) throw closed();
    this.#given.add(end);
    const ended = Promise.withResolvers<never>();
    signal.addEventListener("abort", () => ended.reject(signal.reason), { once: true });
    const given = this.#holds === 1 ? { transferList, signal } : { transferList };
    try {
      return await Promise.race([this.#pool.run(request, given), ended.promise]);
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    } finally {
      this.#given.delete(end);
    }
  }

  #forsaken(why: Error): void {
    if (this.#pool.threads.length === 0) this.#fail(why);
  }

  #fail(why: Error): void {
    for (const end of this.#given) end.abort(why);
  }
}

function closed(): Error {
  return new Error("the worker threads were ended");
}
