import { createHash } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deserialize, serialize } from "node:v8";
import type { ComputeTask } from "../../../chapters/compute.ts";
import { type ComputePool, createComputePool } from "../../../src/jobs/pool.ts";
import { RESULTS } from "./results-folder.ts";

/** The threads of this process, which all of its services share: each new thread imports the engine anew. */
let threads: ComputePool | undefined;

/**
 * What `make` gives for this input, from an earlier test of the same run where one asked the same. For work that is a
 * function of its input alone; what fails is not kept. Each caller has a copy of its own.
 */
export async function remembered<T>(name: string, input: unknown, make: () => T | Promise<T>): Promise<T> {
  const folder = process.env[RESULTS];
  if (folder === undefined) return make();
  const place = join(folder, createHash("sha256").update(name).update(serialize(input)).digest("hex"));
  if (existsSync(place)) return deserialize(readFileSync(place)) as T;
  const made = await make();
  // The other process of the run may be writing the same.
  const part = `${place}.${process.pid}`;
  writeFileSync(part, serialize(made));
  renameSync(part, place);
  return made;
}

/**
 * The compute of a service under test: threads that all services of this process share, and what one test of the run had
 * computed is answered to the next that asks the same, such as the same test on the other surface. Brief tasks and those
 * that take their input's buffers are always run. `close` ends what this service has under way.
 */
export async function sharedCompute(): Promise<ComputePool> {
  threads ??= createComputePool();
  const pool = threads;
  const closing = new AbortController();
  return {
    async run<I, O>(task: ComputeTask<I, O>, input: I, signal?: AbortSignal): Promise<O> {
      const either = signal === undefined ? closing.signal : AbortSignal.any([signal, closing.signal]);
      const run = () => pool.run(task, input, either);
      either.throwIfAborted();
      return task.brief === true || task.handsOver !== undefined ? run() : remembered(task.name, input, run);
    },
    async close() {
      closing.abort(new Error("the service under test was ended"));
    },
  };
}
