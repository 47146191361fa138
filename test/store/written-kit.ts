import { expect } from "vitest";
import type { OrgStore } from "../../chapters/ports/store.ts";
import { TaskRecord } from "../../chapters/records/sandboxes/sandboxes.ts";
import { ENGINE, lapse } from "../../worlds/tasks/grading/certificate.ts";
import { type Invoke, invoker, type TestApp } from "../helpers/app.ts";
import { reviews, said, storedTasks, type WrittenStore } from "../helpers/stores/written-store.ts";
import { ended, ok } from "../tools/sandboxes/kit.ts";

/** An earlier version's store, open in this one. */
export interface Opened {
  readonly invoke: Invoke;
  readonly written: WrittenStore;
  readonly store: OrgStore;
}

/** The store's org, called with the token that was made when it was written. */
export async function openedOn(app: TestApp, written: WrittenStore): Promise<Opened> {
  const org = await app.service.store.orgByTag("acme");
  if (!org) throw new Error("the store has no org");
  const { token } = written;
  const invoke = invoker(app, "rest", { id: org.id, tag: org.tag, read: token, push: token, admin: token });
  return { invoke, written, store: app.service.store.forOrg(org.id) };
}

const ORDER = { tool: "get_order", args: { order_id: "SO-10122" } };

/** It answers what it answered when it was written, and a world of it is served. */
export async function holdsWhatItDid({ invoke, written }: Opened): Promise<void> {
  expect(await said(invoke, written.ids)).toEqual(written.said);
  const { environment } = written.ids;
  const fresh = (await ok(invoke("worlds_post", { environment }))).body;
  const at = { bundle_id: fresh.bundle_id, world: fresh.world };
  expect((await ok(invoke("world_call", { ...at, ...ORDER }))).body).toMatchObject({
    text: written.said.world.text,
    served_by: "behaviour",
  });
}

/**
 * Tasks are reviewed today as they were when they were written. Where they are not, worlds, checks or reviews say
 * something else than the version that certified them: then `ENGINE` must have been raised since.
 */
export async function reviewsAlike({ store, written }: Opened): Promise<void> {
  expect(Object.keys(written.reviews).length).toBeGreaterThan(10);
  if (written.engine !== ENGINE) return;
  expect(
    await reviews(store, written.ids),
    "tasks are judged otherwise than before: raise ENGINE in worlds/tasks/grading/certificate.ts",
  ).toEqual(written.reviews);
}

/** Each certificate that no longer holds is told where tasks are read and where a run is started; a review makes it hold. */
export async function saysWhatLapsed(opened: Opened): Promise<void> {
  const { invoke, written, store } = opened;
  const { environment } = written.ids;
  const view = async () => (await ok(invoke("environment_tasks", { env_id: environment }))).body;
  const stale = async () =>
    ((await view()).tasks as { index: number; stale?: string }[]).filter((row) => row.stale !== undefined);
  const review = async () => {
    const { job } = (await ok(invoke("environment_review_post", { env_id: environment }))).body;
    return (await ended(invoke, job)).result.reviewed as number;
  };
  const start = (more: object) => invoke("start_run", { environment, harness: "reference", ...more });

  const lapsed = (await storedTasks(store, written.ids)).filter(
    ({ status, certificate, task }) => status === "certified" && lapse(certificate!, task) !== undefined,
  );
  expect((await stale()).map(({ index }) => index)).toEqual(lapsed.map(({ index }) => index));
  expect(await review()).toBe(lapsed.length);
  expect(await stale()).toEqual([]);

  const certified = (await storedTasks(store, written.ids)).filter(({ status }) => status === "certified");
  const [older, edited, good] = certified as [TaskRow, TaskRow, TaskRow];
  const alter = (row: TaskRow, change: object) =>
    store.records.update(TaskRecord, row.id, (doc) => ({ ...doc, certificate: { ...doc.certificate!, ...change } }));
  const spoil = async () => {
    await alter(older, { engine: ENGINE - 1 });
    await alter(edited, { checks: "0".repeat(64) });
  };
  await spoil();
  expect(await stale()).toEqual([
    expect.objectContaining({
      index: older.index,
      status: "certified",
      stale: expect.stringMatching(/^Another version .* environment_review_post/),
    }),
    expect.objectContaining({
      index: edited.index,
      stale: expect.stringMatching(/^It was changed .* environment_review_post/),
    }),
  ]);
  const seen = await view();
  expect(seen.chosen).toEqual(certified.slice(2).map(({ index }) => index));
  expect(seen.caveat).toContain("Another version of the checks certified it");

  const names = [older, edited].map(({ index }) => String(index));
  for (const more of [{}, { selection: "ci-4" }, { tasks: [names[0]!, String(good.index)] }]) {
    const refused = await start(more);
    expect(refused).toMatchObject({
      status: 409,
      body: { reason: expect.stringContaining("environment_review_post") },
    });
    const told = "tasks" in more ? names.slice(0, 1) : names;
    expect(refused.body.details.names).toEqual(told.map((name) => JSON.stringify(name)));
  }
  const group = async (started: Awaited<ReturnType<Invoke>>) => {
    expect((await ended(invoke, started.body.job)).status).toBe("landed");
    return (await ok(invoke("run_group", { gid: started.body.group }))).body.rates;
  };
  expect(await group(await ok(start({ tasks: [String(good.index)] })))).toMatchObject({ met: 1, valid: 1 });
  const mended = await ok(start({ tasks: [...names, String(good.index)], autofix: true }));
  expect(mended.body).toMatchObject({ tasks: 3, fixed: { reviewed: 2, certified: 2 } });
  expect(await group(mended)).toMatchObject({ met: 3, valid: 3 });
  expect(await stale()).toEqual([]);

  await spoil();
  expect(await review()).toBe(2);
  expect(await stale()).toEqual([]);
  expect((await view()).chosen).toEqual(certified.map(({ index }) => index));
}

type TaskRow = Awaited<ReturnType<typeof storedTasks>>[number];
