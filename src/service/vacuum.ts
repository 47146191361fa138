import { once } from "node:events";
import { Worker } from "node:worker_threads";

const WORKER = new URL(import.meta.url.endsWith(".ts") ? "./vacuum-worker.ts" : "./scrub-worker.js", import.meta.url);

/** `vacuumFile` in a thread of its own, so that calls are answered meanwhile. */
export async function vacuumInThread(path: string): Promise<void> {
  await once(new Worker(WORKER, { workerData: path }), "exit");
}
