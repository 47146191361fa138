import { createHash } from "node:crypto";
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { deserialize, serialize } from "node:v8";
import type { ComputeTask } from "../../../chapters/compute.ts";
import { type ComputePool, createComputePool } from "../../../src/jobs/pool.ts";
import { RESULTS } from "./results-folder.ts";

/** The threads of this process, which all of its services share: each new thread imports the engine anew. */
let threads: ComputePool | undefined;

/**
 * What `make` gives for this input, from an earlier test of the same run where one asked the same. For work that is a
 * function of its input alone; what fails is not kept. Each caller has a copy of its own. While another test of the run
 * makes it, waits for that; rejects with the signal's reason once it aborts.
 */
export async function remembered<T>(
  name: string,
  input: unknown,
  make: () => T | Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const folder = process.env[RESULTS];
  if (folder === undefined) return make();
  const place = join(folder, createHash("sha256").update(name).update(written(input)).digest("hex"));
  const claim = `${place}.claim`;
  while (!existsSync(place) && !claimed(claim))
    await sleep(20, undefined, { signal }).catch(() => signal?.throwIfAborted());
  try {
    if (existsSync(place)) return deserialize(readFileSync(place)) as T;
    const made = await make();
    // A reader finds the whole of it or nothing.
    const part = `${place}.${process.pid}`;
    writeFileSync(part, serialize(made));
    renameSync(part, place);
    return made;
  } finally {
    rmSync(claim, { force: true });
  }
}

/** Whether this process now holds the claim: nobody did, or who did has ended. */
function claimed(claim: string): boolean {
  try {
    writeFileSync(claim, String(process.pid), { flag: "wx" });
    return true;
  } catch {
    const holder = existsSync(claim) ? Number(readFileSync(claim, "utf8")) : 0;
    if (holder !== 0 && !isRunning(holder)) rmSync(claim, { force: true });
    return false;
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/**
 * What an input is told from others by. `serialize` does not do: what it writes of a value depends on how the engine holds
 * it (a whole number as a fraction, a text as wide characters, an object that stands in two places).
 */
export function written(input: unknown): string {
  return JSON.stringify(input, (_key, value) => {
    if (value === undefined) return { undefined: true };
    if (value instanceof Map) return { map: [...value] };
    if (value instanceof Set) return { set: [...value] };
    if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString("base64") };
    return typeof value === "number" && !Number.isFinite(value) ? { number: String(value) } : value;
  });
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
    async run<I, O>(
      task: ComputeTask<I, O>,
      input: I,
      signal?: AbortSignal,
      told?: (share: number) => void,
    ): Promise<O> {
      const either = signal === undefined ? closing.signal : AbortSignal.any([signal, closing.signal]);
      const run = () => pool.run(task, input, either, told);
      either.throwIfAborted();
      return task.brief === true || task.handsOver !== undefined ? run() : remembered(task.name, input, run, either);
    },
    async close() {
      closing.abort(new Error("the service under test was ended"));
    },
  };
}
