import { beforeEach, describe, expect, it } from "vitest";
import { Environment } from "../../../../chapters/records/sandboxes/sandboxes.ts";
import { ended, ok, sharedApp, shopEachTest } from "../kit.ts";

const shared = sharedApp();

describe("worldplans", () => {
  const { org, invoke, made, store } = shopEachTest(shared, 2, "plan");
  let bundle = "";
  beforeEach(async () => {
    bundle = (await store().records.get(Environment, made.environment))!.bundle;
  });
  const generate = async (args: Record<string, unknown> = {}) => {
    const { status, body } = await ok(
      invoke("worldplans_from_surface", { bundle, count: 5, label: made.label, ...args }, org.push),
    );
    expect(status).toBe(202);
    const job = await ended(invoke, body.job);
    expect(job.status).toBe("landed");
    return body as { suite: string; environment: string };
  };
  const get = async (wid: string) => (await ok(invoke("worldplan_get", { wid }, org.read))).body;

  it("worldplans_from_surface generates a plan with reviewed tasks; the same request answers the same plan", async () => {
    expect((await invoke("worldplans_from_surface", { bundle }, org.read)).status).toBe(403);
    expect((await invoke("worldplans_from_surface", { bundle: "bd_none" })).body.reason).toBe(
      "No such bundle. See bundles_list.",
    );
    expect((await invoke("worldplans_from_surface", { bundle, model: "m" })).status).toBe(422);
    const first = await generate({ dimensions: { family: ["lookup", "write"] } });
    const plan = await get(first.suite);
    expect(plan).toMatchObject({ label: made.label, bundle, environment: first.environment, owned: false });
    expect(plan.tasks).toHaveLength(5);
    expect(new Set(plan.tasks.map((row: { task: { family: string } }) => row.task.family))).toEqual(
      new Set(["lookup", "write"]),
    );
    expect(plan.tasks.map((row: { status: string }) => row.status)).toEqual(Array(5).fill("certified"));
    const again = await generate({ dimensions: { family: ["lookup", "write"] } });
    expect(again).toMatchObject({ suite: first.suite, environment: first.environment });
    expect((await get(first.suite)).tasks).toEqual(plan.tasks);
    const run = await ok(invoke("start_run", { environment: first.environment, harness: "null" }));
    expect(run.body.worldplan).toBe(first.suite);
    const plain = await ok(invoke("start_run", { environment: made.environment, harness: "null" }));
    expect(plain.body.worldplan).toBeNull();
  });

  // Finding B23.
  it("worldplans_from_surface writes for every axis that tasks have, and refuses others with those that they have", async () => {
    const dimensions = { family: ["lookup"], register: ["terse"], data_condition: ["present"] };
    const { suite } = await generate({ dimensions });
    const plan = await get(suite);
    expect(plan.dimensions).toEqual(dimensions);
    expect(plan.tasks.length).toBeGreaterThan(0);
    for (const { task } of plan.tasks)
      expect(task).toMatchObject({ family: "lookup", cell: { register: "terse", data_condition: "present" } });
    const refused = await invoke("worldplans_from_surface", { bundle, dimensions: { mood: ["sad"] } });
    expect(refused).toMatchObject({ status: 400, body: { fields: [{ path: "dimensions.mood" }] } });
    expect(refused.body.details.names).toContain('"register"');
    const environments = async () =>
      (await store().records.list(Environment, { limit: 500 })).items.map(({ id }) => id);
    const before = await environments();
    const none = { bundle, label: "none", dimensions: { use_case: ["never seen here"] } };
    const { body } = await ok(invoke("worldplans_from_surface", none));
    const job = await ended(invoke, body.job);
    expect(job.status).toBe("failed");
    expect(job.note).toContain("No task fits what was asked (dimensions)");
    expect((await invoke("worldplan_get", { wid: body.suite })).status).toBe(404);
    expect(await environments()).toEqual(before);
  });

  it("worldplan_patch drops and rewrites tasks through review, and who does so owns the plan", async () => {
    const { suite: wid } = await generate();
    const before = await get(wid);
    expect((await invoke("worldplan_patch", { wid, label: "Mine" }, org.read)).status).toBe(403);
    const named = (await ok(invoke("worldplan_patch", { wid, label: "Mine" }, org.push))).body;
    expect(named).toMatchObject({ label: "Mine", owned: false, tasks: before.tasks });
    const [first, second] = before.tasks;
    const empty = await invoke("worldplan_patch", {
      wid,
      tasks: [{ index: 0, checks: [{ kind: "max_calls", n: 9 }] }],
    });
    expect(empty).toMatchObject({
      status: 422,
      body: { fields: [{ path: "tasks.0", message: expect.stringContaining("discriminating") }] },
    });
    const unknown = await invoke("worldplan_patch", { wid, tasks: [{ index: 0 }, { index: 77 }, { index: 0 }] });
    expect(unknown.body.fields.map((field: { path: string }) => field.path)).toEqual([
      "tasks.1.index",
      "tasks.2.index",
    ]);
    expect((await get(wid)).tasks).toEqual(before.tasks);
    const request = `Good evening. ${first.task.request}`;
    const { body } = await ok(
      invoke("worldplan_patch", { wid, tasks: [{ index: 1 }, { index: 0, request }], by: "ann" }, org.push),
    );
    expect(body).toMatchObject({ owned: true, owned_by: "ann", label: "Mine" });
    expect(body.tasks).toMatchObject([second, { index: 0, status: "certified", task: { request, tier: "human" } }]);
    expect(body.tasks).toHaveLength(2);
    const refused = await invoke("worldplans_from_surface", { bundle, count: 5, label: made.label });
    expect(refused).toMatchObject({ status: 409, body: { reason: expect.stringContaining("never generated again") } });
    expect(await get(wid)).toEqual(body);
  });

  it("worldplans_list pages newest first with totals, and hides those of retired surfaces unless asked", async () => {
    const ids = [];
    for (const part of ["a", "b", "c"])
      ids.unshift((await generate({ label: `${made.label} ${part}`, count: 1 })).suite);
    const mine = (body: { worldplans: { id: string; label: string }[] }) =>
      body.worldplans.filter((row) => row.label.startsWith(`${made.label} `)).map((row) => row.id);
    const all = (await ok(invoke("worldplans_list", { limit: 500 }, org.read))).body;
    expect(mine(all)).toEqual(ids);
    expect(all.total).toBe(all.worldplans.length);
    expect(all.worldplans[0]).toMatchObject({ tasks: 1, certified: 1, owned: false });
    const page = (await ok(invoke("worldplans_list", { limit: 2 }))).body;
    expect(page.worldplans.map((row: { id: string }) => row.id)).toEqual(ids.slice(0, 2));
    const rest = (await ok(invoke("worldplans_list", { limit: 1, after: page.next }))).body;
    expect(rest.worldplans.map((row: { id: string }) => row.id)).toEqual(ids.slice(2));
    const third = (await ok(invoke("worldplans_list", { limit: 1, offset: 2 }))).body;
    expect(third.worldplans).toEqual(rest.worldplans);
    await ok(invoke("surface_retire", { surface: made.label }));
    expect(mine((await ok(invoke("worldplans_list", { limit: 500 }))).body)).toEqual([]);
    expect(mine((await ok(invoke("worldplans_list", { limit: 500, all: true }))).body)).toEqual(ids);
  });

  it("worldplan_delete removes the plan and leaves its environment", async () => {
    const { suite: wid, environment } = await generate({ count: 1 });
    expect((await invoke("worldplan_delete", { wid }, org.read)).status).toBe(403);
    expect((await ok(invoke("worldplan_delete", { wid }, org.push))).body).toEqual({ deleted: wid });
    expect((await invoke("worldplan_get", { wid })).body.reason).toBe("No such worldplan. See worldplans_list.");
    expect((await invoke("worldplan_delete", { wid })).status).toBe(404);
    expect((await ok(invoke("environment_get", { env_id: environment }))).body.tasks).toBe(1);
  });
});
