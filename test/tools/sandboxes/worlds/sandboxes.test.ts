import { describe, expect, it } from "vitest";
import { EnvironmentRevision } from "../../../../chapters/records/sandboxes/revision.ts";
import { TaskRecord, WorldRecord } from "../../../../chapters/records/sandboxes/sandboxes.ts";
import { exportedRows } from "../../../../chapters/sandboxes/surfaces/hypotheses.ts";
import { shop, shopRows } from "../../../worlds/fixtures/shop.ts";
import { runToEnd } from "../../runs/kit.ts";
import { buildDesk, ended, ok, sharedApp, shopEachTest } from "../kit.ts";

const shared = sharedApp();

describe("sandboxes", () => {
  const { org, invoke, made, store } = shopEachTest(shared, 4, "sandbox");
  const mint = async (args: Record<string, unknown>) => {
    const started = await ok(invoke("sandboxes_post", { surface: made.label, ...args }, org.push));
    expect(started.status).toBe(202);
    const job = await ended(invoke, started.body.job);
    expect(job.status).toBe("landed");
    return job.result.sandbox as string;
  };

  it("sandboxes_post mints from a named representation, the same once, and says what a surface lacks for others", async () => {
    expect((await invoke("sandboxes_post", { surface: made.label, hypothesis: "observed" }, org.read)).status).toBe(
      403,
    );
    expect((await invoke("sandboxes_post", { surface: made.label, hypothesis: "dreamt" })).body.fields[0].path).toBe(
      "hypothesis",
    );
    expect((await invoke("sandboxes_post", { surface: "nothing", hypothesis: "fitted" })).status).toBe(404);
    const lacking = await invoke("sandboxes_post", { surface: made.label, hypothesis: "export" });
    expect(lacking).toMatchObject({ status: 409, body: { reason: expect.stringContaining("database export") } });
    const fitted = await mint({ hypothesis: "fitted", seed: "7", label: "mine" });
    expect(await mint({ hypothesis: "fitted", seed: "7", label: "mine" })).toBe(fitted);
    const other = await mint({ hypothesis: "fitted", seed: "8", label: "mine" });
    expect(other).not.toBe(fitted);
    const { body } = await ok(invoke("sandbox_get", { sid: fitted }, org.read));
    expect(body).toMatchObject({
      label: "mine",
      hypothesis: "fitted",
      seed: "7",
      surface: made.label,
      tasks: 0,
      runs: 0,
      worlds: [],
    });
    expect(body.rows.orders.drawn).toBeGreaterThan(0);
    const observed = (await ok(invoke("sandbox_get", { sid: await mint({ hypothesis: "observed" }) }))).body;
    expect(observed.rows.orders).toEqual({ rows: Object.keys(shopRows.tables.orders!).length, drawn: 0 });
    const table = async (env_id: string) =>
      (await ok(invoke("environment_world_table", { env_id, table: "orders", limit: 500 }))).body.rows;
    expect(await table(other)).not.toEqual(await table(fitted));
  });

  it("sandboxes_list tells what made each, and what may be minted now", async () => {
    const { body } = await ok(invoke("sandboxes_list", { limit: 500 }, org.read));
    expect(body.hypotheses.map((row: { hypothesis: string }) => row.hypothesis)).toEqual([
      "observed",
      "fitted",
      "export",
      "declared",
    ]);
    const mine = body.mint.find((row: { surface: string }) => row.surface === made.label);
    expect(mine.hypotheses).toMatchObject([
      { hypothesis: "observed", available: true },
      { hypothesis: "fitted", available: true },
      { hypothesis: "export", available: false, missing: expect.any(String) },
      { hypothesis: "declared", available: false },
    ]);
    const listed = body.sandboxes.find((row: { id: string }) => row.id === made.environment);
    expect(listed).toMatchObject({
      surface: made.label,
      hypothesis: "observed",
      representation: { tools: shop.tools.length, evidence: 0 },
    });
    expect(body.realism).toMatchObject({ verdict: "too_few", tier: "human" });
    await ok(invoke("environment_retire", { env_id: made.environment }));
    const after = (await ok(invoke("sandboxes_list", { limit: 500 }))).body.sandboxes;
    expect(after.map((row: { id: string }) => row.id)).not.toContain(made.environment);
  });

  it("sandbox_delete removes the draw with its tasks and worlds, ends their tokens, and keeps the runs", async () => {
    const sid = made.environment;
    const { group } = await runToEnd(invoke, { environment: sid, harness: "reference" });
    const { body: world } = await ok(invoke("worlds_post", { environment: sid }));
    await ok(invoke("environment_task_turns", { env_id: sid, index: 0, turns: ["Thanks."] }));
    const got = (await ok(invoke("sandbox_get", { sid }))).body;
    expect(got).toMatchObject({ runs: 1, worlds: [{ world: world.world, live: true, url: world.url }] });
    const knock = () =>
      fetch(world.url, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          authorization: `Bearer ${world.token}`,
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
      });
    expect((await knock()).status).toBe(200);
    expect((await invoke("sandbox_delete", { sid }, org.read)).status).toBe(403);
    const { body } = await ok(invoke("sandbox_delete", { sid, by: "ann" }, org.push));
    expect(body).toMatchObject({ deleted: sid, by: "ann", runs_kept: 1 });
    expect((await knock()).status).toBe(401);
    for (const [tool, args] of Object.entries({
      sandbox_get: { sid },
      sandbox_delete: { sid },
      environment_get: { env_id: sid },
      world_peek: { bundle_id: world.bundle_id, world: world.world },
    }))
      expect((await invoke(tool, args)).status, tool).toBe(404);
    const { records } = store();
    for (const kind of [TaskRecord, WorldRecord, EnvironmentRevision])
      expect(await records.count(kind, { environment: sid }), kind.kind).toBe(0);
    const kept = (await ok(invoke("run_group", { gid: group }))).body;
    expect(JSON.stringify(kept)).toContain(sid);
    const runs = (await ok(invoke("runs_list", { group }))).body.runs;
    expect(runs).toMatchObject([{ environment: sid, by_state: { met: 4 } }]);
    const line = (await store().audit.list({ limit: 1 })).items[0];
    expect(line).toMatchObject({ act: "sandbox_deleted", fields: { sandbox: sid, said_by: "ann" } });
  });
});

describe("rows of an export", () => {
  it("stand alone in the table that holds their keys; tables that the export lacks stay", () => {
    const two = Object.values(shopRows.tables.orders!)
      .slice(0, 2)
      .map((row) => ({ ...row, status: "exported" }));
    const base = exportedRows(shop, shopRows, { purchase_orders: two, unrelated: [{ a: 1 }] });
    const key = shop.tables.find((table) => table.name === "orders")!.key[0]!;
    expect(Object.values(base.tables.orders!)).toEqual(two);
    expect(Object.keys(base.tables.orders!)).toEqual(two.map((row) => (row as Record<string, unknown>)[key]));
    for (const name of Object.keys(shopRows.tables))
      if (name !== "orders") expect(base.tables[name]).toEqual(shopRows.tables[name]);
    expect(base.drawn).toEqual({});
  });
});

const { invoke } = shared.over();
it("sandboxes_post with the export hypothesis serves the rows of the database export", async () => {
  const built = await buildDesk(invoke, "desk", 12);
  const tables = (await ok(invoke("environment_get", { env_id: built.environments[0].id }))).body.rows;
  const [name] = Object.entries(tables as Record<string, { rows: number }>).sort((a, b) => b[1].rows - a[1].rows)[0]!;
  const table = { env_id: built.environments[0].id, table: name, limit: 3 };
  const rows = (await ok(invoke("environment_world_table", table))).body.rows.map((row: { row: unknown }) => row.row);
  await ok(
    invoke("evidence_post", { surface: "desk", kind: "document", format: "records", content: { [name]: rows } }),
  );
  const { job: second } = (await ok(invoke("pipeline_post", { surface: "desk" }))).body;
  expect((await ended(invoke, second)).status).toBe("landed");
  const { body } = await ok(invoke("sandboxes_post", { surface: "desk", hypothesis: "export" }));
  const { result } = await ended(invoke, body.job);
  const sandbox = (await ok(invoke("sandbox_get", { sid: result.sandbox }))).body;
  expect(sandbox.hypothesis).toBe("export");
  expect(sandbox.rows[name]).toEqual({ rows: 3, drawn: 0 });
});
