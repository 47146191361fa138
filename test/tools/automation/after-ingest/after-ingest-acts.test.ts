import { expect } from "vitest";
import { BundleRecord, TaskRecord } from "../../../../chapters/records/sandboxes/sandboxes.ts";
import { bothSurfaces, type Invoke } from "../../../helpers/app.ts";
import { fidelityOf, shopSessions } from "../../evidence/kit.ts";
import { shopIn } from "../../runs/kit.ts";
import { deskTraces, ended, ok } from "../../sandboxes/kit.ts";

/** Looks through what is new; answers the open proposals by kind. */
async function offered(invoke: Invoke): Promise<Map<string, { id: string; measure: { value: number } }>> {
  const { body } = await ok(invoke("after_ingest_post", {}));
  expect((await ended(invoke, body.job)).status).toBe("landed");
  const { proposals } = (await ok(invoke("after_ingest_get"))).body;
  return new Map(proposals.map((row: { kind: string; id: string }) => [row.kind, row]));
}

/** Accepts a proposal and waits for the job of its act. */
async function accepted(invoke: Invoke, pid: string, more: Record<string, unknown> = {}) {
  const { status, body } = await ok(invoke("after_ingest_accept", { pid, ...more }));
  expect([status, body.state, body.status]).toEqual([202, "accepted", 202]);
  const job = await ended(invoke, body.job);
  if (job.status !== "landed") throw new Error(`the act ended ${job.status}: ${job.note}`);
  return { body, result: job.result };
}

bothSurfaces(
  "an accepted rebuild serves a version of the new evidence, and is not offered again",
  async (invoke, { app, org }) => {
    await shopIn(app.service, org.id, 1, "shop");
    const { records } = app.service.store.forOrg(org.id);
    const [before] = (await records.list(BundleRecord)).items;
    const fidelity = { all: fidelityOf(50), tools: {}, traces: 10, tier: "deterministic" as const };
    await records.update(BundleRecord, before?.id ?? "", (row) => ({ ...row, fidelity }));
    const sent = await ok(invoke("evidence_post", { surface: "shop", format: "tau-bench", content: shopSessions(24) }));
    const rebuild = (await offered(invoke)).get("rebuild");
    expect(rebuild?.measure.value).toBe(0.25);
    const { body, result } = await accepted(invoke, rebuild?.id ?? "", { by: "mei" });
    expect(body).toMatchObject({ act: { operation: "pipeline_post" }, proposal: { closed_by: "mei", job: body.job } });
    expect(result.environments).toHaveLength(1);
    const { surfaces } = (await ok(invoke("surfaces_list"))).body;
    const shop = surfaces.find((row: { name: string }) => row.name === "shop");
    expect(shop.bundle ?? shop.bundle_id).not.toBe(before?.id);
    const now = (await records.list(BundleRecord)).items.find(({ id }) => id !== before?.id);
    expect(now?.evidence).toEqual([sent.body.id]);
    const after = await offered(invoke);
    expect(after.has("rebuild"), "the new version answers what the evidence shows").toBe(false);
    expect((await invoke("after_ingest_accept", { pid: rebuild?.id })).status).toBe(409);
  },
);

bothSurfaces(
  "accepted tasks are written for what no task covered, certified, and not offered again",
  async (invoke, { app, org }) => {
    await shopIn(app.service, org.id, 1, "shop");
    const content = shopSessions(24).replaceAll('\\"lost\\"', '\\"open\\"');
    await ok(invoke("evidence_post", { surface: "shop", format: "tau-bench", content }));
    const { body } = await ok(invoke("pipeline_post", { surface: "shop" }));
    expect((await ended(invoke, body.job)).status).toBe("landed");
    const { records } = app.service.store.forOrg(org.id);
    const environments = async () =>
      (await ok(invoke("surfaces_list"))).body.surfaces.flatMap((row: { environments: { id: string }[] }) =>
        row.environments.map(({ id }) => id),
      );
    // Every task is taken off again, so that the operation is in none.
    for (const env_id of await environments()) {
      const { tasks } = (await ok(invoke("environment_tasks", { env_id }))).body;
      const indexes = tasks.map((task: { index: number }) => task.index);
      await ok(invoke("environment_tasks_retire", { env_id, indexes, by: "mei" }));
    }
    const fresh = shopSessions(8, 24);
    await ok(invoke("evidence_post", { surface: "shop", format: "tau-bench", content: fresh }));
    const before = await environments();
    const tasks = (await offered(invoke)).get("tasks");
    expect(tasks, "get_order is in no certified task").toBeDefined();
    const { result } = await accepted(invoke, tasks?.id ?? "", { seed: "5" });
    const made = result.environments[0].id;
    const { starters } = (await ok(invoke("after_ingest_get"))).body;
    expect(starters).toMatchObject([
      { proposal: tasks?.id, at: expect.any(Number), job: expect.stringMatching(/^job_/) },
    ]);
    expect(before).not.toContain(made);
    const written = (await ok(invoke("environment_tasks", { env_id: made }))).body;
    expect(written.review_counts.certified).toBeGreaterThan(0);
    const rows = (await records.list(TaskRecord, { where: { environment: made } })).items;
    const called = rows.flatMap(({ task }) => task.script.calls.map(({ tool }) => tool));
    expect(new Set(called)).toEqual(new Set(["get_order"]));
    expect((await offered(invoke)).has("tasks"), "it is covered now").toBe(false);
    expect(await records.count(BundleRecord)).toBeGreaterThan(1);
  },
);

// Finding A33.
bothSurfaces(
  "a served version that cannot be read is offered to be compiled again, and stops no other",
  async (invoke, t) => {
    const { records, blobs } = t.app.service.store.forOrg(t.org.id);
    await ok(invoke("evidence_post", { surface: "desk", content: deskTraces(30) }));
    const run = async () => ended(invoke, (await ok(invoke("pipeline_post", { surface: "desk" }))).body.job);
    const { result } = await run();
    const [desk] = (await records.list(BundleRecord)).items;
    const stored = JSON.parse(new TextDecoder().decode(await blobs.get(desk?.bundle_blob ?? "")));
    const [tool] = Object.values(stored.behaviours) as { behaviour: { steps: unknown[] } }[];
    tool?.behaviour.steps.push({ op: "answer", expr: `'${"x".repeat(5000)}'` });
    const blob = await blobs.put(new TextEncoder().encode(JSON.stringify(stored)));
    await records.update(BundleRecord, desk?.id ?? "", (row) => ({ ...row, bundle_blob: blob }));
    await shopIn(t.app.service, t.org.id, 1, "shop");
    await ok(invoke("evidence_post", { surface: "shop", format: "tau-bench", content: shopSessions(24) }));

    const open = await offered(invoke);
    expect(open.get("rebuild")).toMatchObject({ measure: { name: "unreadable_version", value: 1 } });
    expect(open.has("redraw"), "the other surface was measured").toBe(true);
    const again = await accepted(invoke, open.get("rebuild")?.id ?? "");
    expect(again.result.bundle).not.toBe(result.bundle);
    expect(again.result.environments[0].certified).toBeGreaterThan(0);
    expect((await run()).result.bundle).toBe(again.result.bundle);
    expect((await offered(invoke)).get("rebuild")?.measure).not.toMatchObject({ name: "unreadable_version" });
  },
);
