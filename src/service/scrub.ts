import { once } from "node:events";
import { Worker } from "node:worker_threads";

const WORKER = new URL(import.meta.url.endsWith(".ts") ? "./scrub-worker.ts" : "./scrub-worker.js", import.meta.url);

/** `scrubFile` in a thread of its own, so that calls are answered meanwhile. */
export async function scrubInThread(path: string): Promise<void> {
  await once(new Worker(WORKER, { workerData: path }), "exit");
}
