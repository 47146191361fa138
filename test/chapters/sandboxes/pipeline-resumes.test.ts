import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { PipelineResult } from "../../../chapters/automation/run-pipeline.ts";
import { BundleRecord, Environment, TaskRecord } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { invoker, startApp } from "../../helpers/app.ts";
import { buildDesk, ended, ok, sendDesk } from "../../tools/sandboxes/kit.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "resumes-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const EVERY = 24;

it("a pipeline whose service goes away while it reviews goes on where it was, and ends as one that was never disturbed", async () => {
  const first = await startApp({ dataDir: folder, anew: true });
  const org = await first.org();
  const invoke = invoker(first, "rest", org);
  await sendDesk(invoke, "desk", EVERY);
  const { job } = (await ok(invoke("pipeline_post", { surface: "desk" }))).body;
  const reviewed = async () => {
    const { items } = await first.service.store.forOrg(org.id).records.list(TaskRecord, { limit: 500 });
    return items.filter((task) => task.reviewed_at !== undefined);
  };
  while ((await reviewed()).length === 0) await sleep(10);
  await first.close();

  const second = await startApp({ dataDir: folder, anew: true });
  const undisturbed = await startApp();
  try {
    const records = second.service.store.forOrg(org.id).records;
    const before = (await records.list(TaskRecord, { limit: 500 })).items;
    const done = before.filter((task) => task.reviewed_at !== undefined);
    expect(done.length).toBeGreaterThan(0);
    const again = invoker(second, "rest", org);
    const landed = await ended(again, job);
    expect(landed).toMatchObject({ id: job, status: "landed" });
    const { environments, bundle } = landed.result as PipelineResult;
    expect(await records.count(BundleRecord)).toBe(1);
    expect(await records.count(Environment)).toBe(1);
    const tasks = (await records.list(TaskRecord, { limit: 500, order: "oldest" })).items;
    expect(tasks.map((task) => task.id).sort()).toEqual(before.map((task) => task.id).sort());
    expect(tasks.filter((task) => task.status === "draft")).toEqual([]);
    const byId = new Map(tasks.map((task) => [task.id, task]));
    for (const task of done) expect(byId.get(task.id)).toEqual(task);
    expect(environments[0]).toMatchObject({
      tasks: tasks.length,
      certified: tasks.filter((task) => task.status === "certified").length,
    });

    const other = await undisturbed.org();
    const whole = (await buildDesk(invoker(undisturbed, "rest", other), "desk", EVERY)) as PipelineResult;
    const beta = undisturbed.service.store.forOrg(other.id).records;
    const digests = (rows: readonly { index: number; digest: string; status: string }[]) =>
      [...rows].sort((a, b) => a.index - b.index).map(({ digest, status }) => [digest, status]);
    expect(digests(tasks)).toEqual(digests((await beta.list(TaskRecord, { limit: 500 })).items));
    expect((await records.get(BundleRecord, bundle))?.digest).toBe(
      (await beta.get(BundleRecord, whole.bundle))?.digest,
    );
  } finally {
    await undisturbed.close();
    await second.close();
  }
});
