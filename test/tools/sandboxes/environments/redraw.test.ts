import { beforeEach, describe, expect, it } from "vitest";
import { BundleRecord, Environment, Surface, TaskRecord } from "../../../../chapters/records/sandboxes/sandboxes.ts";
import { canonicalJson } from "../../../../worlds/digest.ts";
import type { Answer } from "../../../helpers/app.ts";
import { shopRows } from "../../../worlds/fixtures/shop.ts";
import { shopIn } from "../../runs/kit.ts";
import { buildDesk, deskTraces, ended, ok, sharedApp } from "../kit.ts";

const shared = sharedApp();

describe("re-draws", () => {
  const { org, invoke, store } = shared.over();
  let plain: string;
  let label = "";
  let n = 0;
  beforeEach(async () => {
    label = `redraw ${++n}`;
    const { environment } = await shopIn(shared.app.service, org.id, 4, label);
    await ok(invoke("environment_retire", { env_id: environment }));
    plain = await drawn({ tasks: 4 });
  });
  const on = (tool: string, args: Record<string, unknown> = {}, as?: string): Promise<Answer> =>
    invoke(tool, { env_id: plain, ...args }, as);
  const records = () => store().records;
  const drawn = async (how: Record<string, unknown>): Promise<string> => {
    const { body } = await ok(invoke("generate_environments", { surface: label, ...how }));
    return (await ended(invoke, body.job)).result.environments[0].id;
  };
  /** An environment with drawn rows beside the observed ones. */
  const fitted = () => drawn({ tasks: 3, augment: true });
  /** Serves another version of the shop, in which orders are gone from the observed rows but for a few. */
  const serveNewer = async () => {
    const environment = (await records().get(Environment, plain))!;
    const before = (await records().get(BundleRecord, environment.bundle))!;
    const tables = {
      ...shopRows.tables,
      orders: Object.fromEntries(Object.entries(shopRows.tables.orders!).slice(0, 30)),
    };
    const base = { ...shopRows, tables };
    const id = shared.app.service.id("bd");
    const base_blob = await store().blobs.put(new TextEncoder().encode(canonicalJson(base)));
    await records().insert(BundleRecord, { ...before, id, base_blob });
    await records().update(Surface, environment.surface, (row) => ({ ...row, bundle: id }));
    return id;
  };

  it("surface_world_redraw draws anew what was drawn, certifies its tasks there, and surface_world_revert takes it back", async () => {
    const env_id = await fitted();
    const before = (await ok(invoke("environment_get", { env_id }))).body;
    const tasks = (await ok(invoke("environment_tasks", { env_id }))).body.tasks;
    expect((await invoke("surface_world_redraw", { surface: label }, org.read)).status).toBe(403);
    expect((await invoke("surface_world_redraw", { surface: "nothing" })).status).toBe(404);
    expect((await invoke("surface_world_redraw", { surface: label, model: "x" })).status).toBe(422);
    expect((await invoke("surface_world_revert", { surface: label })).status).toBe(409);
    const { body } = await ok(
      invoke("surface_world_redraw", { surface: label, seed: "other", reason: "Again" }, org.push),
    );
    expect(body).toMatchObject({
      surface: label,
      seed: "other",
      resolved_by: "seed",
      redrawn: true,
      unchanged: [plain],
      observed_changed: false,
      reobserved: false,
      reverted: false,
      regated: 3,
      tier: "deterministic",
    });
    expect(body.environments_refreshed).toMatchObject([{ environment: env_id, revision: body.previous_kept[0] }]);
    const after = (await ok(invoke("environment_get", { env_id }))).body;
    expect(after.world_snapshot).not.toBe(before.world_snapshot);
    expect(after).toMatchObject({ seed: "other", revision: 2, hypothesis: "fitted" });
    expect(after.counts.certified + after.counts.refused).toBe(3);
    const key = (await ok(invoke("environment_surface_key", { env_id }))).body;
    const checks = await invoke("environment_review", { env_id });
    expect(checks.body.tasks.every((task: { reviewed_at: number }) => task.reviewed_at > 0)).toBe(true);
    expect(key.base_rows).toBe(after.world_snapshot);
    const back = await ok(invoke("surface_world_revert", { surface: label, reason: "No" }, org.push));
    expect(back.body).toMatchObject({ reverted: true, record: body.record, resolved_by: "revert", redrawn: true });
    const now = (await ok(invoke("environment_get", { env_id }))).body;
    expect(now).toMatchObject({ world_snapshot: before.world_snapshot, seed: before.seed, counts: before.counts });
    expect((await ok(invoke("environment_tasks", { env_id }))).body.tasks).toEqual(tasks);
    expect((await invoke("surface_world_revert", { surface: label })).status).toBe(409);
    const { revisions, n: count } = (await ok(invoke("environment_revisions", { env_id }, org.read))).body;
    expect(count).toBe(2);
    expect(revisions.map((row: { kind: string; state: string }) => [row.kind, row.state])).toEqual([
      ["revert", "applied"],
      ["redraw", "restored"],
    ]);
  });

  it("a re-draw without regate lets certificates lapse: no task counts until it is certified again", async () => {
    const env_id = await fitted();
    const { body } = await ok(invoke("surface_world_redraw", { surface: label, regate: false }));
    expect(body).toMatchObject({ regated: 0, resolved_by: "next_seed" });
    const { counts } = (await ok(invoke("environment_get", { env_id }))).body;
    expect(counts).toMatchObject({ certified: 0 });
    expect(counts.draft).toBeGreaterThan(0);
    expect((await invoke("start_run", { environment: env_id, harness: "reference" })).status).toBe(409);
    const again = await ok(invoke("environment_review_post", { env_id, force: true }));
    expect((await ended(invoke, again.body.job)).result.counts.certified).toBeGreaterThan(0);
  });

  it("a live run keeps the world from changing under it", async () => {
    const env_id = await fitted();
    const run = await ok(invoke("start_run", { environment: env_id, harness: "rule", trials: 50 }));
    const refused = await invoke("surface_world_redraw", { surface: label });
    await ok(invoke("job_stop", { job_id: run.body.job }));
    await ended(invoke, run.body.job);
    expect(refused).toMatchObject({ status: 409, body: { reason: expect.stringContaining("run") } });
    expect((await ok(invoke("environment_get", { env_id }))).body.revision).toBe(1);
  });

  it("restoring a task from before a re-draw certifies it on the world drawn since, and leaves that world be", async () => {
    const env_id = await fitted();
    const stored = async () =>
      (await records().list(TaskRecord, { where: { environment: env_id, index: 0 } })).items[0]!;
    const before = await stored();
    const { revision } = (await ok(invoke("environment_task_turns", { env_id, index: 0, turns: ["Thanks."] }))).body;
    await ok(invoke("surface_world_redraw", { surface: label, seed: "other" }));
    const drawn = (await ok(invoke("environment_get", { env_id }))).body.world_snapshot;
    await ok(invoke("environment_revision_restore", { env_id, rev: revision }));
    const key = (await ok(invoke("environment_surface_key", { env_id }))).body;
    expect(key.base_rows).toBe(drawn);
    const after = await stored();
    expect(after.task).toEqual(before.task);
    expect(after.certificate!.world).toBe(key.tasks[0].world);
    expect(after.certificate!.world).not.toBe(before.certificate!.world);
    expect(after.status).toBe(after.certificate!.passed ? "certified" : "refused");
  });

  it("a task that was certified when it was retired comes back as a draft where the world was drawn anew since", async () => {
    const env_id = await fitted();
    const stored = async (index: number) =>
      (await records().list(TaskRecord, { where: { environment: env_id, index } })).items[0]!;
    await ok(invoke("environment_tasks_retire", { env_id, indexes: [0] }));
    await ok(invoke("surface_world_redraw", { surface: label, seed: "other" }));
    expect(await stored(0)).toMatchObject({ status: "retired", was: { status: "draft" } });
    await ok(invoke("environment_tasks_restore", { env_id, indexes: [0] }));
    expect(await stored(0)).toMatchObject({ status: "draft", reason: expect.stringContaining("lapsed") });
    await ok(invoke("surface_world_revert", { surface: label }));
    expect(await stored(0)).toMatchObject({ status: "retired", was: { status: "certified" } });
  });

  it("taking a re-draw back leaves a version be that came to be served since", async () => {
    await ok(invoke("surface_world_redraw", { surface: label, description_overrides: { get_order: "Looks it up." } }));
    const before = (await records().get(Environment, plain))!;
    const newer = await serveNewer();
    const { body } = await ok(invoke("surface_world_revert", { surface: label }));
    expect(body.reverted).toBe(true);
    expect((await records().get(Environment, plain))!.bundle).not.toBe(before.bundle);
    expect((await records().get(Surface, before.surface))!.bundle).toBe(newer);
  });

  it("of two re-draws at once an environment takes one, and is told as refused or in conflict by the other", async () => {
    const env_id = await fitted();
    const answers = await Promise.all(
      ["a", "b"].map((seed) => invoke("surface_world_redraw", { surface: label, seed })),
    );
    for (const answer of answers) expect([200, 409]).toContain(answer.status);
    const made = answers.flatMap(({ status, body }) =>
      status === 200 ? body.environments_refreshed.map((row: { environment: string }) => row.environment) : [],
    );
    expect(made.length).toBeGreaterThan(0);
    const { revision, seed } = (await ok(invoke("environment_get", { env_id }))).body;
    expect(revision).toBe(1 + made.length);
    expect(["a", "b"]).toContain(seed);
    const { revisions } = (await ok(invoke("environment_revisions", { env_id }))).body;
    expect(new Set(revisions.map((row: { n: number }) => row.n)).size).toBe(made.length);
  });

  it("surface_world_redraw with reauthor writes tasks again that the new world does not bear out", async () => {
    const env_id = await fitted();
    const all = records();
    const [row] = (await all.list(TaskRecord, { where: { environment: env_id, index: 0 } })).items;
    // A task that stands on the draw of now alone: no other has the row that it asks for.
    const gone = {
      ...row!.task,
      script: { ...row!.task.script, calls: [{ tool: "get_order", args: { order_id: "#W0" } }] },
    };
    await all.put(TaskRecord, { ...row!, task: gone });
    const { body } = await ok(invoke("surface_world_redraw", { surface: label, seed: "other", reauthor: true }));
    expect(body.reauthor.asked).toBe(true);
    expect(body.reauthor.rewritten).toBeGreaterThanOrEqual(1);
    expect(body.environments_refreshed[0].after).toMatchObject({ certified: 3, refused: 0 });
    const tasks = (await ok(invoke("environment_tasks", { env_id }))).body.tasks;
    expect(tasks[0]).toMatchObject({ status: "certified", family: row!.task.family });
    expect(tasks[0].request).not.toBe(row!.task.request);
    await ok(invoke("surface_world_revert", { surface: label }));
    expect((await all.get(TaskRecord, row!.id))!.task).toEqual(gone);
  });

  it("surface_world_redraw declares tools on the way, names the words that are wrong, and the revert takes them back", async () => {
    const tool = (behaviour: string) => ({
      name: "order_status",
      description: "Tells how an order stands.",
      input_schema: { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] },
      behaviour,
    });
    const wrong = await invoke("surface_world_redraw", {
      surface: label,
      added_tools: [tool('read nothing by order_id else error "no"')],
      removed_tools: ["fly"],
    });
    expect(wrong).toMatchObject({ status: 400 });
    expect(wrong.body.fields.map((field: { path: string }) => field.path)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^added_tools.0..behaviour/),
        expect.stringMatching(/^removed_tools/),
      ]),
    );
    expect(wrong.body.fields[1].message + wrong.body.fields[0].message).toMatch(/line 1, column \d+: expected/);
    expect((await ok(on("environment_get"))).body.revision).toBe(1);
    const before = (await ok(on("environment_get"))).body;
    const [order, row] = Object.entries(shopRows.tables.orders!)[0]!;
    const { body } = await ok(
      invoke("surface_world_redraw", {
        surface: label,
        added_tools: [tool('read orders by order_id as {status} else error "order not found"')],
        removed_tools: ["cancel_order"],
        description_overrides: { get_order: "Looks an order up." },
      }),
    );
    expect(body.declared).toEqual({
      tools_added: ["order_status"],
      tools_redeclared: [],
      tools_removed: ["cancel_order"],
      descriptions_changed: ["get_order"],
    });
    expect(body.environments_refreshed.map((one: { environment: string }) => one.environment)).toEqual([plain]);
    const { tools } = (await ok(on("environment_tools"))).body;
    const names = tools.map((one: { name: string }) => one.name);
    expect(names).toContain("order_status");
    expect(names).not.toContain("cancel_order");
    expect(tools.find((one: { name: string }) => one.name === "get_order").description).toBe("Looks an order up.");
    const { body: world } = await ok(invoke("worlds_post", { environment: plain }));
    const at = { bundle_id: world.bundle_id, world: world.world, tool: "order_status" };
    const said = (await ok(invoke("world_call", { ...at, args: { order_id: order } }))).body;
    expect(said.answer).toEqual({ status: row.status });
    expect((await ok(invoke("world_call", { ...at, args: { order_id: "#W0" } }))).body).toMatchObject({
      is_error: true,
    });
    const minted = await ok(invoke("sandboxes_post", { surface: label, hypothesis: "declared" }));
    const { result } = await ended(invoke, minted.body.job);
    expect((await ok(invoke("sandbox_get", { sid: result.sandbox }))).body.hypothesis).toBe("declared");
    await ok(invoke("surface_world_revert", { surface: label }));
    const after = (await ok(on("environment_get"))).body;
    expect(after).toMatchObject({
      bundle: before.bundle,
      world_snapshot: before.world_snapshot,
      counts: before.counts,
    });
    expect((await invoke("sandboxes_post", { surface: label, hypothesis: "declared" })).status).toBe(409);
  });

  it("environment_world_refresh draws from what the surface serves now, resets minted worlds, and says when nothing is newer", async () => {
    expect((await on("environment_world_refresh", {}, org.read)).status).toBe(403);
    expect((await invoke("environment_world_refresh", { env_id: "env_none" })).status).toBe(404);
    const idle = (await ok(on("environment_world_refresh"))).body;
    expect(idle).toMatchObject({ refreshed: false, revision: null, worlds_reset: 0 });
    const { body: world } = await ok(invoke("worlds_post", { environment: plain }));
    const ref = { bundle_id: world.bundle_id, world: world.world };
    const [pending] = Object.entries(shopRows.tables.orders!).find(([, row]) => row.status === "pending")!;
    await ok(
      invoke("world_call", { ...ref, tool: "cancel_order", args: { order_id: pending, reason: "no longer needed" } }),
    );
    const newer = await serveNewer();
    const { body } = await ok(on("environment_world_refresh", { by: "ann", reason: "New rows" }, org.push));
    expect(body).toMatchObject({
      refreshed: true,
      bundle: { after: newer },
      regated: 4,
      worlds_reset: 1,
      revision: { kind: "refresh", by: "ann", reason: "New rows", n: 2 },
    });
    const peek = (await ok(invoke("world_peek", { ...ref, bundle_id: newer }))).body;
    expect(peek.changed).toEqual([]);
    expect(peek.tables.orders).toBe(30);
    expect((await ok(on("environment_get"))).body.rows.orders).toEqual({ rows: 30, drawn: 0 });
    // Finding B7.
    // The address that was handed out before, by either bundle and over either surface, before and after an undo.
    const knock = (url: string) =>
      fetch(url, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          authorization: `Bearer ${world.token}`,
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
      });
    const addresses = [world.url, world.url.replace(world.bundle_id, newer)];
    const reached = async () => [
      ...(await Promise.all(addresses.map(async (url) => (await knock(url)).status))),
      (await invoke("world_peek", ref)).status,
      (await invoke("world_peek", { ...ref, bundle_id: newer })).status,
    ];
    expect(await reached()).toEqual([200, 200, 200, 200]);
    expect((await knock(world.url.replace(world.bundle_id, "bd_other"))).status).toBe(404);
    await ok(on("environment_revision_restore", { rev: body.revision.id }));
    expect(await reached()).toEqual([200, 200, 200, 200]);
  });
});

const { invoke } = shared.over();
it("surface_world_redraw with reobserve compiles the evidence of now, and the revert serves the version before", async () => {
  const built = await buildDesk(invoke, "desk", 24);
  const env_id = built.environments[0].id;
  await ok(invoke("evidence_post", { surface: "desk", content: deskTraces(40) }));
  const { body } = await ok(invoke("surface_world_redraw", { surface: "desk", reobserve: true }));
  expect(body).toMatchObject({ reobserved: true, observed_changed: true, redrawn: true });
  const after = (await ok(invoke("environment_get", { env_id }))).body;
  expect(after.bundle).not.toBe(built.bundle);
  await ok(invoke("surface_world_revert", { surface: "desk" }));
  expect((await ok(invoke("environment_get", { env_id }))).body.bundle).toBe(built.bundle);
  const served = (await ok(invoke("surface_representation", { surface: "desk" }))).body;
  expect(served.version).toBe(built.bundle);
});
