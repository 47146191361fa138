import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startApp } from "../../helpers/app.ts";
import { OPEN_AGENTS } from "../../helpers/isolation.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "killed-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A service that is killed when so many trials are written. */
function live(start: boolean, until: number): Promise<{ group: string; org: string }> {
  return new Promise((resolve, reject) => {
    const entry = fileURLToPath(new URL("./killed-service.ts", import.meta.url));
    const child = spawn(process.execPath, [entry, folder, String(until), ...(start ? ["start"] : [])]);
    let output = "";
    let errors = "";
    child.stdout.on("data", (chunk) => {
      output += chunk;
    });
    child.stderr.on("data", (chunk) => {
      errors += chunk;
    });
    child.on("close", (_code, signal) => {
      if (signal !== "SIGKILL") return reject(new Error(errors));
      const [, group = "", org = ""] = /group (\S+) (\S+)/.exec(output) ?? [];
      resolve({ group, org });
    });
  });
}

test("a service killed twice in the middle of a run of 60 trials: every trial is there once, no agent outlives it", async () => {
  const { group, org } = await live(true, 12);
  await live(false, 30);
  const app = await startApp({ dataDir: folder, ...OPEN_AGENTS });
  try {
    const store = app.service.store.forOrg(org);
    while ((await store.jobs.get(group))?.ended_at == null) await sleep(100);
    const job = await store.jobs.get(group);
    expect(job).toMatchObject({ status: "landed" });
    const { items } = await store.jobs.list({ kind: "run" });
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({ status: "landed", attempt: 3 });
    const trials = (await store.trials.list(items[0]?.id ?? "", { limit: 500 })).items;
    expect(trials).toHaveLength(60);
    expect(new Set(trials.map((row) => `${row.task} ${row.n}`)).size).toBe(60);
    // The kills are not told as the agent's fault, nor as anything else: their attempts were made again.
    expect(new Set(trials.map((row) => row.cause)).has("killed")).toBe(false);
    expect(trials.every((row) => row.attempt === 1 && row.end !== "infra")).toBe(true);
    const pids = readFileSync(join(folder, "pids"), "utf8").trim().split("\n").map(Number);
    const ends = trials.map(({ end, cause, log }) => `${end} ${cause} ${log ?? ""}`);
    expect(pids.length, [...new Set(ends)].join("\n")).toBeGreaterThan(60);
    while (pids.some((pid) => running(pid))) await sleep(50);
  } finally {
    await app.close();
  }
});

function running(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("pids");
  } catch {
    return false;
  }
}
