import { once } from "node:events";
import { Worker } from "node:worker_threads";

const WORKER = new URL(`./vacuum-worker${import.meta.url.slice(-3)}`, import.meta.url);

/** `vacuumFile` in a thread of its own, so that calls are answered meanwhile. */
export async function vacuumInThread(path: string): Promise<void> {
  await once(new Worker(WORKER, { workerData: path }), "exit");
}
