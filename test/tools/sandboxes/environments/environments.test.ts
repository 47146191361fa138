import { describe, expect, it } from "vitest";
import { BundleRecord } from "../../../../chapters/records/sandboxes/sandboxes.ts";
import { drawEnvironment } from "../../../../chapters/sandboxes/environments/draw-environment.ts";
import { digestOf } from "../../../../worlds/digest.ts";
import { ctxOf } from "../../../helpers/ctx.ts";
import { shop, shopRows } from "../../../worlds/fixtures/shop.ts";
import { shopIn } from "../../runs/kit.ts";
import { ended, ok, sharedApp, shopEachTest } from "../kit.ts";

const shared = sharedApp();

describe("environments", () => {
  const { org, invoke, made, on, store } = shopEachTest(shared, 4, "shop");
  const hosted = async () =>
    (await ok(invoke("surfaces_list"))).body.surfaces
      .find((row: { name: string }) => row.name === made.label)
      ?.environments.map((row: { id: string }) => row.id);

  it("environment_get and environment_tools answer what it is drawn from and what its worlds serve", async () => {
    const { body } = await ok(on("environment_get", {}, org.read));
    expect(body).toMatchObject({
      id: made.environment,
      label: made.label,
      hypothesis: "observed",
      seed: "1",
      tasks: 4,
      revision: 1,
      state: "live",
      tasks_state: "reviewed",
    });
    expect(body.counts).toEqual({ draft: 0, certified: 4, held: 0, refused: 0, retired: 0 });
    expect(body.world_snapshot).toBe(digestOf(shopRows));
    const tools = (await ok(on("environment_tools", {}, org.read))).body;
    expect(tools).toEqual({
      environment: made.environment,
      bundle_id: body.bundle,
      tool_count: shop.tools.length,
      tools: JSON.parse(JSON.stringify(shop.tools)),
    });
    for (const tool of ["environment_get", "environment_tools", "environment_surface_key", "environment_fidelity"]) {
      expect(await invoke(tool, { env_id: "env_none" }), tool).toMatchObject({ status: 404 });
    }
  });

  it("environment_surface_key changes with the tasks, and with nothing else", async () => {
    const key = (await ok(on("environment_surface_key", {}, org.read))).body;
    expect(key).toMatchObject({ bundle: digestOf(shop), base_rows: digestOf(shopRows) });
    expect(key.tasks.map((row: { task: string }) => row.task)).toEqual(made.tasks.map((task) => digestOf(task)));
    const other = await shopIn(shared.app.service, org.id, 5, `${made.label} again`);
    const second = (await ok(invoke("environment_surface_key", { env_id: other.environment }))).body;
    expect({ ...second, tasks: [], environment: "" }).toEqual({ ...key, tasks: [], environment: "" });
    expect(second.tasks).toHaveLength(5);
  });

  it("environment_world_table pages through a table in the order of its keys", async () => {
    const keys = Object.keys(shopRows.tables.orders ?? {}).sort();
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { body } = await ok(on("environment_world_table", { table: "orders", limit: 40, cursor }, org.read));
      expect(body.total).toBe(keys.length);
      for (const { key, origin, row } of body.rows) {
        expect(origin).toBe("observed");
        expect(row).toEqual(shopRows.tables.orders?.[key]);
        seen.push(key);
      }
      cursor = body.next;
    } while (cursor !== undefined);
    expect(seen).toEqual(keys);
    const [key = ""] = keys;
    const found = await ok(on("environment_world_table", { table: "orders", q: key.toLowerCase() }, org.read));
    expect(found.body.rows.map((row: { key: string }) => row.key)).toContain(key);
    expect(found.body.total).toBeLessThan(keys.length);
    // Finding B34.
    expect(await on("environment_world_table", { table: "orders", cursor: "zz" })).toMatchObject({
      status: 400,
      body: { fields: [{ path: "cursor" }] },
    });
    expect(await on("environment_world_table", { table: "nothing" })).toMatchObject({
      status: 404,
      body: { reason: "No such table. See sandbox_get.", details: { names: ['"nothing"'] } },
    });
  });

  it("environment_fidelity says that it was not measured rather than zero", async () => {
    const { body, verdict } = await ok(on("environment_fidelity", {}, org.read));
    expect(body).toMatchObject({ exceptions: 0, gaps: [], tier: "deterministic" });
    expect(body).not.toHaveProperty("fidelity");
    expect(verdict).toContain("not measured");
  });

  it("environment_retire takes it off the lists and out of use, environment_restore puts it back", async () => {
    expect(await hosted()).toEqual([made.environment]);
    expect((await on("environment_restore")).status).toBe(409);
    expect((await on("environment_retire", {}, org.read)).status).toBe(403);
    const first = await ok(on("environment_retire", { by: "ann", reason: "Old prices" }, org.push));
    expect(first.body.retired).toMatchObject({
      id: made.environment,
      retired_at: expect.any(Number),
      retired_by: "ann",
      retired_reason: "Old prices",
    });
    const second = await ok(on("environment_retire", { by: "bob", reason: "No" }));
    expect(second.body.retired).toEqual(first.body.retired);
    expect(await hosted()).toEqual([]);
    expect((await ok(on("environment_get"))).body.retired_by).toBe("ann");
    expect((await invoke("worlds_post", { environment: made.environment })).status).toBe(409);
    expect((await on("environment_review_post")).status).toBe(409);
    expect((await on("environment_regate")).status).toBe(409);
    expect((await invoke("start_run", { environment: made.environment, harness: "null" })).status).toBe(409);
    const restored = await ok(on("environment_restore", { by: "bob" }, org.push));
    expect(restored.body.restored).not.toHaveProperty("retired_at");
    expect(restored.body.restored).not.toHaveProperty("retired_reason");
    expect(await hosted()).toEqual([made.environment]);
    expect((await invoke("worlds_post", { environment: made.environment })).status).toBe(201);
    const lines = (await store().audit.list({ limit: 2 })).items;
    const push = expect.stringMatching(/^token:.*-push$/);
    expect(lines).toMatchObject([
      { by: push, act: "environment_restored", fields: { environment: made.environment, said_by: "bob" } },
      { by: push, act: "environment_retired", fields: { environment: made.environment, said_by: "ann" } },
    ]);
  });

  it("surface_retire hides a surface with its environments and refuses work on it, surface_restore brings it back", async () => {
    expect((await invoke("surface_restore", { surface: made.label })).status).toBe(409);
    expect((await invoke("surface_retire", { surface: made.label }, org.read)).status).toBe(403);
    expect((await invoke("surface_retire", { surface: "nothing" })).status).toBe(404);
    const { body } = await ok(invoke("surface_retire", { surface: made.label, by: "ann", reason: "Moved" }, org.push));
    expect(body.retired).toMatchObject({ name: made.label, retired_by: "ann", retired_reason: "Moved" });
    expect(await hosted()).toBeUndefined();
    expect((await ok(invoke("orgs_list"))).body.orgs[0].surfaces).not.toContain(made.label);
    expect((await invoke("generate_environments", { surface: made.label })).status).toBe(409);
    expect((await invoke("pipeline_post", { surface: made.label })).status).toBe(409);
    await ok(invoke("surface_restore", { surface: body.retired.id }, org.push));
    expect(await hosted()).toEqual([made.environment]);
    expect((await ok(invoke("orgs_list"))).body.orgs[0].surfaces).toContain(made.label);
  });

  // Finding B8.
  it("surface_retire takes every state of it off too, and surface_restore puts back those that went with it", async () => {
    const drawn = (await ok(invoke("generate_environments", { surface: made.label, tasks: 1 }))).body;
    const own = (await ended(invoke, drawn.job)).result.environments[0].id as string;
    await ok(invoke("environment_retire", { env_id: own, by: "eve", reason: "Poor" }));
    const { body: world } = await ok(invoke("worlds_post", { environment: made.environment }));
    const listed = async () => ({
      sandbox: (await ok(invoke("sandboxes_list", { limit: 500 }))).body.sandboxes.some(
        (row: { id: string }) => row.id === made.environment,
      ),
      world: (await ok(invoke("worlds_list", { limit: 500 }))).body.worlds.some(
        (row: { id: string }) => row.id === world.world,
      ),
      state: (await ok(on("environment_get"))).body.state,
      mint: (await invoke("worlds_post", { environment: made.environment })).status,
    });
    expect(await listed()).toEqual({ sandbox: true, world: true, state: "live", mint: 201 });
    await ok(invoke("surface_retire", { surface: made.label, by: "ann", reason: "Moved" }));
    expect(await listed()).toEqual({ sandbox: false, world: false, state: "retired", mint: 409 });
    // A job that waited meanwhile draws no new state of it.
    const { bundle } = (await ok(on("environment_get"))).body;
    const record = await store().records.get(BundleRecord, bundle);
    const plan = { label: "late", seed: "9", augment: false, selection: {}, tasks: 1 };
    await expect(drawEnvironment(ctxOf(shared.app.service, org), record!, plan)).rejects.toMatchObject({
      code: "conflict",
      reason: expect.stringContaining("retired"),
    });
    expect((await ok(on("environment_get"))).body).toMatchObject({ retired_by: "ann", retired_reason: "Moved" });
    const named = (await ok(invoke("worlds_list", { environment: made.environment }))).body.worlds;
    expect(named.map((row: { id: string }) => row.id)).toContain(world.world);
    expect(await on("environment_restore")).toMatchObject({
      status: 409,
      body: { reason: expect.stringContaining("surface") },
    });
    await ok(invoke("surface_restore", { surface: made.label }));
    expect(await listed()).toEqual({ sandbox: true, world: true, state: "live", mint: 201 });
    expect((await ok(on("environment_get"))).body).not.toHaveProperty("retired_by");
    expect((await ok(invoke("environment_get", { env_id: own }))).body).toMatchObject({
      state: "retired",
      retired_by: "eve",
    });
  });

  // Finding B12.
  it("another generation of the surface, at work or waiting, keeps no finished environment from being changed", async () => {
    const generate = async (args: Record<string, unknown>) =>
      (await ok(invoke("generate_environments", { surface: made.label, tasks: 2, ...args }))).body.job as string;
    const [first] = (await ended(invoke, await generate({ seed: "one" }))).result.environments;
    // Rows of jobs that wait: what is asked of the environment does not hang on how fast the machine is.
    const { items } = await store().jobs.list({ kind: "generate_environments", limit: 1 });
    const wait = async (key: string, input: object) =>
      store().jobs.start({
        ...items[0]!,
        id: shared.app.service.id("job"),
        key,
        status: "held",
        input,
        ended_at: null,
      });
    const { row: other } = await wait("other", { ...(items[0]!.input as object), seed: "two" });
    const env_id = first.id;
    expect((await invoke("environment_task_turns", { env_id, index: 0, turns: ["Thanks."] })).status).toBe(200);
    const { row: same } = await wait("same", { ...(items[0]!.input as object), count: 2 });
    expect(await invoke("environment_task_turns", { env_id, index: 0, turns: ["Bye."] })).toMatchObject({
      status: 409,
      body: {
        reason: "The generation that draws it works on this environment; wait for it or end it.",
        details: { names: [`"${same.id}"`] },
      },
    });
    for (const { id } of [other, same]) await ok(invoke("job_cancel", { job_id: id }));
    expect((await invoke("environment_task_turns", { env_id, index: 0, turns: ["Bye."] })).status).toBe(200);
  });

  it("generate_environments draws and writes for a selection, the same once; what differs is drawn anew", async () => {
    const ask = { surface: made.label, tasks: 3, selection: { family: ["lookup"] } };
    expect((await invoke("generate_environments", ask, org.read)).status).toBe(403);
    const poem = await invoke("generate_environments", { surface: made.label, selection: { family: ["poem"] } });
    expect(poem).toMatchObject({ status: 400, body: { fields: [{ path: "selection.family.0" }] } });
    expect((await invoke("generate_environments", { surface: "nothing" })).status).toBe(404);
    const generate = async (args: Record<string, unknown>) => {
      const started = await ok(invoke("generate_environments", { ...ask, ...args }, org.push));
      expect(started.status).toBe(202);
      const job = await ended(invoke, started.body.job);
      expect(job.status).toBe("landed");
      return job.result.environments as { id: string; certified: number; refused: number }[];
    };
    const [lookups] = await generate({});
    const tasks = (await ok(invoke("environment_tasks", { env_id: lookups!.id }))).body;
    expect(tasks.selection).toEqual({ family: ["lookup"] });
    expect(tasks.tasks.map((task: { family: string }) => task.family)).toEqual(["lookup", "lookup", "lookup"]);
    expect(lookups).toMatchObject({ certified: tasks.review_counts.certified, refused: tasks.review_counts.refused });
    expect((await generate({})).map((row) => row.id)).toEqual([lookups!.id]);
    const [writes] = await generate({ selection: { family: ["write"] } });
    expect(writes!.id).not.toBe(lookups!.id);
    const { operation } = (await ok(invoke("environment_tasks", { env_id: writes!.id }))).body.tasks[0].cell;
    const cells = { operation: [operation], register: ["terse", "polite"] };
    const [narrow] = await generate({ selection: cells, tasks: 2 });
    const chosen = (await ok(invoke("environment_tasks", { env_id: narrow!.id }))).body;
    expect(chosen.selection).toEqual(cells);
    expect(chosen.tasks.length).toBeGreaterThan(0);
    for (const { cell } of chosen.tasks) {
      expect(cell.operation).toBe(operation);
      expect(cells.register).toContain(cell.register);
    }
    const [seeded] = await generate({ seed: "2" });
    expect([lookups!.id, writes!.id]).not.toContain(seeded!.id);
    const pair = await generate({ count: 2 });
    expect(pair[0]!.id).toBe(lookups!.id);
    expect(pair[1]!.id).not.toBe(lookups!.id);
    await ok(invoke("environment_retire", { env_id: lookups!.id }));
    const [fresh] = await generate({});
    expect(fresh!.id).not.toBe(lookups!.id);
    const again = (await ok(invoke("environment_tasks", { env_id: fresh!.id }))).body;
    expect(again.tasks.map((task: { digest: string }) => task.digest)).toEqual(
      tasks.tasks.map((task: { digest: string }) => task.digest),
    );
  });

  it("generate_environments writes as many tasks for each situation named", async () => {
    const ask = (args: Record<string, unknown>) => invoke("generate_environments", { surface: made.label, ...args });
    const { body: all } = await ok(ask({ tasks: 20, seed: "9" }));
    const [every] = (await ended(invoke, all.job)).result.environments;
    const { tasks } = (await ok(invoke("environment_tasks", { env_id: every.id }))).body;
    type Cell = Record<string, string>;
    const cells: Cell[] = tasks.map(({ cell }: { cell: Cell }) => cell);
    const of = (condition: string) => cells.find(({ data_condition }) => data_condition === condition);
    const situations = [of("present"), of("absent")].map((cell) => ({
      operation: cell?.operation,
      data_condition: cell?.data_condition,
    }));
    const { body: started } = await ok(ask({ tasks: 4, seed: "9", situations }));
    const [narrow] = (await ended(invoke, started.job)).result.environments;
    const chosen = (await ok(invoke("environment_tasks", { env_id: narrow.id }))).body;
    const counts = situations.map(
      (one) =>
        chosen.tasks.filter(
          ({ cell }: { cell: Cell }) => cell.operation === one.operation && cell.data_condition === one.data_condition,
        ).length,
    );
    expect(counts).toEqual([2, 2]);
    expect(chosen.selection.data_condition).toEqual(["present", "absent"]);
    await ok(ask({ tasks: 1, seed: "by", by: "ann" }));
    const lines = (await store().audit.list({ limit: 500 })).items.filter(({ act }) => act === "generation_started");
    expect(lines.map(({ fields }) => fields.said_by)).toContain("ann");
    expect((await ask({ tasks: 1, web: false, history: false, criteria: [], kind_floor: 0 })).status).toBe(202);
    expect((await ask({ situations: [{}] })).status).toBe(400);
  });

  // Findings B16 and, with the next test, E52.
  it("generate_environments writes of the kinds that are asked for, and tells how many", async () => {
    const ask = (args: Record<string, unknown>) => invoke("generate_environments", { surface: made.label, ...args });
    type Written = { family: string; checks: { kind: string }[] };
    const written = async (args: Record<string, unknown>) => {
      const { result } = await ended(invoke, (await ok(ask(args))).body.job);
      const [first] = result.environments;
      const { tasks } = (await ok(invoke("environment_tasks", { env_id: first.id }))).body;
      return { first, tasks: tasks as Written[] };
    };
    const holding = (tasks: readonly Written[], kind: string) =>
      tasks.filter(({ checks }) => checks.some((check) => check.kind === kind)).length;
    const only = await written({ tasks: 8, criteria: ["state", "asks"], criteria_only: true });
    expect(only.tasks).toHaveLength(8);
    for (const { checks } of only.tasks)
      expect(checks.some(({ kind }) => kind === "state" || kind === "asks")).toBe(true);
    expect(only.first.criteria).toEqual({ state: holding(only.tasks, "state"), asks: holding(only.tasks, "asks") });
    expect(only.first.criteria.asks).toBe(4);
    const half = await written({ tasks: 8, criteria: ["asks"] });
    expect(half.tasks).toHaveLength(8);
    expect(holding(half.tasks, "asks")).toBeGreaterThanOrEqual(4);
    expect(holding(half.tasks, "asks")).toBeLessThan(8);
    const floored = await written({ tasks: 9, kind_floor: 3, selection: { family: ["lookup", "no_data", "write"] } });
    expect(floored.first.families).toEqual({ lookup: 3, no_data: 3, write: 3 });

    for (const [args, status, path] of [
      [{ criteria: ["state", "polite"] }, 400, "criteria.1"],
      [{ criteria: ["judged"] }, 400, "criteria.0"],
      [{ criteria: ["state"], selection: { family: ["lookup"] } }, 400, "criteria.0"],
      [{ criteria_only: true }, 400, "criteria_only"],
      [{ tasks: 5, kind_floor: 3, selection: { family: ["lookup", "write"] } }, 400, "kind_floor"],
      [{ exemplars: ["tr_none"] }, 400, "exemplars.0"],
      [{ history: true }, 409, undefined],
      [{ web: true }, 422, undefined],
    ] as const) {
      const refused = await ask(args);
      expect([refused.status, refused.body.fields?.[0].path], JSON.stringify(args)).toEqual([status, path]);
    }
    expect((await ask({ web: true })).body.reason).toContain("evidence_post");
  });

  // Findings B16 and E52.
  it("generate_environments refuses what no task has with what tasks have, and leaves nothing where none was written", async () => {
    const ask = (args: Record<string, unknown>) =>
      invoke("generate_environments", { surface: made.label, tasks: 2, ...args });
    const tools = shop.tools.map(({ name }) => name);
    for (const [args, path, known] of [
      [{ selection: { bogus: ["x"] } }, "selection.bogus", "use_case"],
      [{ selection: { operation: ["no_such_tool"] } }, "selection.operation", tools[0]],
      [{ selection: { data_condition: ["present", "gone"] } }, "selection.data_condition", "absent"],
      [{ selection: { register: ["loud"] } }, "selection.register", "terse"],
      [{ selection: { persona: ["nobody here"] } }, "selection.persona", undefined],
      [{ situations: [{ difficulty: "easy" }, { difficulty: "cruel" }] }, "situations.1.difficulty", "medium"],
    ] as const) {
      const { status, body } = await ask(args);
      expect([status, body.fields?.[0].path]).toEqual([400, path]);
      if (known !== undefined) expect(JSON.stringify(body.details.names)).toContain(known);
    }
    const before = await hosted();
    const { body } = await ok(ask({ selection: { use_case: ["never seen here"] } }));
    const job = await ended(invoke, body.job);
    expect(job.status).toBe("failed");
    expect(job.note).toMatch(
      /^No task fits what was asked \(selection\): none has use_case "never seen here"; there are (?:"[^"]+", )+/,
    );
    // The world is not blamed for what was asked of it.
    expect(job.note).not.toContain("What would help");
    expect(await hosted()).toEqual(before);
    const [known = ""] = /(?<=there are ")[^"]+/.exec(job.note) ?? [];
    const some = await ok(ask({ selection: { use_case: [known, "never seen here"] } }));
    expect(await ended(invoke, some.body.job)).toMatchObject({
      status: "landed",
      note: 'No task has use_case "never seen here".',
    });
  });

  it("generate_environments draws from a named representation and version, and refuses what the surface does not have", async () => {
    const ask = (args: Record<string, unknown>) =>
      invoke("generate_environments", { surface: made.label, tasks: 1, ...args });
    expect((await ask({ representation: "export" })).status).toBe(409);
    expect((await ask({ surface_version: "bd_none" })).status).toBe(404);
    expect((await ask({ model: "m" })).status).toBe(422);
    const { bundle } = (await ok(on("environment_get"))).body;
    const started = (await ok(invoke("generate_environments", { bundle, tasks: 1, representation: "fitted" }))).body;
    expect(started).toMatchObject({ surface: made.label, surface_version: bundle, voice: null, stage: "draw" });
    const { result } = await ended(invoke, started.job);
    const drawn = (await ok(invoke("environment_get", { env_id: result.environments[0].id }))).body;
    expect(drawn).toMatchObject({ hypothesis: "fitted", bundle });
    expect(drawn.rows.orders.drawn).toBeGreaterThan(0);
  });

  it("generate_environments with augment draws rows that fit, and tells them from the observed", async () => {
    const { body } = await ok(invoke("generate_environments", { surface: made.label, tasks: 2, augment: true }));
    const { result } = await ended(invoke, body.job);
    const env_id: string = result.environments[0].id;
    const environment = (await ok(invoke("environment_get", { env_id }))).body;
    expect(environment.hypothesis).toBe("fitted");
    const { rows, drawn } = environment.rows.orders;
    expect(drawn).toBeGreaterThan(0);
    expect(rows).toBe(Object.keys(shopRows.tables.orders ?? {}).length + drawn);
    const page = (await ok(invoke("environment_world_table", { env_id, table: "orders", limit: 500 }))).body;
    expect(page.rows.filter((row: { origin: string }) => row.origin === "drawn")).toHaveLength(drawn);
    const observed = page.rows.filter((row: { origin: string }) => row.origin === "observed");
    for (const { key } of observed) expect(shopRows.tables.orders).toHaveProperty([key]);
  });
});
