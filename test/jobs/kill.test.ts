import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openStore } from "../../store/open.ts";
import { TRIALS } from "./kill-worker.ts";
import { ORG } from "./kit.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "jobs-kill-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** Runs the process until it has written `writes` more trials, then kills it; undefined lets it end. */
function live(path: string, writes: number | undefined): Promise<{ wrote: number[]; ended: boolean }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [fileURLToPath(new URL("./kill-worker.ts", import.meta.url)), path]);
    let output = "";
    let errors = "";
    child.stdout.on("data", (chunk) => {
      output += chunk;
      if (writes !== undefined && output.split("wrote").length - 1 >= writes) child.kill("SIGKILL");
    });
    child.stderr.on("data", (chunk) => {
      errors += chunk;
    });
    child.on("close", (code, signal) => {
      if (code !== 0 && signal !== "SIGKILL") return reject(new Error(errors));
      const wrote = [...output.matchAll(/wrote (\d+)\n/g)].map((match) => Number(match[1]));
      resolve({ wrote, ended: output.includes("ended") });
    });
  });
}

test("a process killed in the middle of a run loses nothing it wrote, and nothing is counted twice", async () => {
  const path = join(folder, "store.db");
  const told: number[] = [];
  for (const writes of [7, 9, 4]) told.push(...(await live(path, writes)).wrote);
  const last = await live(path, undefined);
  told.push(...last.wrote);
  expect(last.ended).toBe(true);
  expect(new Set(told).size).toBe(told.length);
  const store = await openStore({ path });
  const org = store.forOrg(ORG.id);
  expect(await org.trials.tally("run_1")).toEqual({ met: TRIALS });
  const { items } = await org.jobs.list();
  expect(items).toHaveLength(1);
  expect(items[0]).toMatchObject({ status: "landed", attempt: 4, result: { trials: TRIALS } });
  await store.close();
});
