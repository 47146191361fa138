import { expect } from "vitest";
import { Environment, TaskRecord } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { Worldplan } from "../../../chapters/records/sandboxes/worldplan.ts";
import { bothSurfaces } from "../../helpers/app.ts";
import { endOf, refusedStart, runToEnd, shopIn } from "./kit.ts";

bothSurfaces("start_run runs what another group ran, by its player or another", async (invoke, { app, org }) => {
  const { environment } = await shopIn(app.service, org.id, 6);
  const other = await shopIn(app.service, org.id, 2, "second");
  const first = await runToEnd(invoke, {
    harness: "null",
    tasks_by_environment: { [environment]: ["1", "4"], [other.environment]: ["0"] },
    trials: 2,
    timeout_seconds: 33,
  });
  const again = await runToEnd(invoke, { group: first.group });
  expect(again.started.body).toMatchObject({ tasks: 3, trials: 6, player: { harness: "null" } });
  const right = await runToEnd(invoke, { group: first.group, harness: "reference", trials: 1 });
  const [a, b] = await Promise.all(
    [first.group, right.group].map(async (gid) => (await invoke("run_group", { gid })).body),
  );
  expect(b.tasks.map(({ task }: { task: string }) => task)).toEqual(a.tasks.map(({ task }: { task: string }) => task));
  expect(b).toMatchObject({ timeout_seconds: 33, trials: 1, selection: `group ${first.group}`, rates: { met: 3 } });
  for (const more of [{ environment }, { selection: "full" }, { tasks: ["1"] }, { worldplan: "wp_x" }])
    expect(await refusedStart(invoke, { group: first.group, ...more })).toMatchObject({
      status: 400,
      path: Object.keys(more)[0],
    });
  expect(await refusedStart(invoke, { group: "rg_unknown" })).toMatchObject({ status: 404 });
  expect(await refusedStart(invoke, { resume: first.group, group: first.group })).toMatchObject({
    status: 400,
    path: "group",
  });
});

bothSurfaces("start_run runs a minted world while it is what was minted", async (invoke, { app, org }) => {
  const { environment } = await shopIn(app.service, org.id, 4);
  const { records } = app.service.store.forOrg(org.id);
  const drawn = await records.get(Environment, environment);
  const rows = (await records.list(TaskRecord, { where: { environment }, order: "oldest", limit: 50 })).items;
  const id = app.service.id("wp");
  const { surface = "", bundle = "", base_blob = "", seed = "" } = drawn ?? {};
  const tasks = rows.map(({ index, digest, task }) => {
    return { index, digest, task, status: index === 0 ? ("held" as const) : ("certified" as const) };
  });
  const base = { id, created_at: 1, by: "test", label: "plan", surface, bundle, environment, base_blob, seed };
  await records.insert(Worldplan, { ...base, dimensions: {}, tasks });
  const ran = await runToEnd(invoke, { worldplan: id, harness: "reference" });
  expect(ran.started.body).toMatchObject({ environment, worldplan: id, tasks: 3 });
  expect((await invoke("run_group", { gid: ran.group })).body).toMatchObject({ rates: { met: 3, valid: 3 } });
  expect(await refusedStart(invoke, { worldplan: id, harness: "null", environment: "env_other" })).toMatchObject({
    status: 400,
    path: "environment",
  });
  expect(await refusedStart(invoke, { worldplan: "wp_none", harness: "null" })).toMatchObject({ status: 404 });
  await records.update(Worldplan, id, (plan) => ({
    ...plan,
    tasks: plan.tasks.map((row) => (row.index === 2 ? { ...row, digest: "f".repeat(64) } : row)),
  }));
  expect(await refusedStart(invoke, { worldplan: id, harness: "null" })).toMatchObject({ status: 409, names: ['"2"'] });
  await records.update(Environment, environment, (row) => ({ ...row, seed: "another" }));
  expect(await refusedStart(invoke, { worldplan: id, harness: "null" })).toMatchObject({ status: 409 });
});

bothSurfaces("start_run starts another of the same plan only when forced", async (invoke, { app, org }) => {
  const { environment } = await shopIn(app.service, org.id, 2);
  const made = await invoke("agents_post", { kind: "command", name: "slow", command: "sleep 600" });
  const plan = { agent: made.body.agent.id, environment, timeout_seconds: 3_600 };
  const [first, same] = [await invoke("start_run", plan), await invoke("start_run", plan)];
  expect([first.status, same.status, same.body.job]).toEqual([202, 200, first.body.job]);
  const other = await invoke("start_run", { ...plan, force: true });
  expect(other).toMatchObject({ status: 202, body: { deduplicated: false } });
  expect(other.body.job).not.toBe(first.body.job);
  for (const { body } of [first, other]) await invoke("job_stop", { job_id: body.job });
  for (const { body } of [first, other]) expect(await endOf(invoke, body.job)).toBe("stopped");
});

bothSurfaces(
  "start_run certifies what has no certificate when asked to, and only that",
  async (invoke, { app, org }) => {
    const { environment } = await shopIn(app.service, org.id, 4);
    const { records } = app.service.store.forOrg(org.id);
    const rows = (await records.list(TaskRecord, { where: { environment }, order: "oldest", limit: 50 })).items;
    await records.update(TaskRecord, rows[0]?.id ?? "", (row) => ({ ...row, status: "draft" as const }));
    await records.update(TaskRecord, rows[1]?.id ?? "", (row) => ({
      ...row,
      status: "refused" as const,
      task: { ...row.task, script: { ...row.task.script, calls: [{ tool: "no_such_tool", args: {} }] } },
    }));
    await records.update(TaskRecord, rows[2]?.id ?? "", (row) => ({ ...row, status: "held" as const }));
    const whole = { harness: "null", environment };
    expect(await refusedStart(invoke, { ...whole, tasks: ["0"] })).toMatchObject({ status: 409, names: ['"0"'] });
    expect(await refusedStart(invoke, { ...whole, tasks: ["1"], autofix: true })).toMatchObject({
      status: 409,
      names: ['"1"'],
    });
    const fixed = await runToEnd(invoke, { ...whole, autofix: true });
    expect(fixed.started.body).toMatchObject({ tasks: 2, fixed: { reviewed: 2, certified: 1 } });
    expect(await records.get(TaskRecord, rows[0]?.id ?? "")).toMatchObject({
      status: "certified",
      reviewed_at: expect.any(Number),
    });
    expect(await records.get(TaskRecord, rows[2]?.id ?? "")).toMatchObject({ status: "held" });
    expect((await runToEnd(invoke, whole)).started.body).not.toHaveProperty("fixed");
  },
);

bothSurfaces("start_run selects by axis, by what a version touches, and a held set", async (invoke, { app, org }) => {
  const shop = await shopIn(app.service, org.id, 12);
  const { environment, tasks } = shop;
  const family = tasks[0]?.family ?? "";
  const { use_case = "" } = tasks[0]?.cell ?? {};
  const of = async (args: Record<string, unknown>) => {
    const { started, group } = await runToEnd(invoke, { environment, harness: "null", ...args });
    return { tasks: started.body.tasks as number, group };
  };
  const byAxis = tasks.filter((task) => task.family === family && task.cell.use_case === use_case).length;
  expect(byAxis).toBeLessThan(tasks.length);
  const axis = await of({ selection: { family: [family], use_case: [use_case, "nobody's"] } });
  expect(axis.tasks).toBe(byAxis);
  expect((await invoke("run_group", { gid: axis.group })).body.selection).toContain(`family: ${family}`);
  expect(await refusedStart(invoke, { environment, harness: "null", selection: { use_case: ["none"] } })).toMatchObject(
    {
      status: 409,
    },
  );
  expect(await refusedStart(invoke, { environment, harness: "null", selection: "touched" })).toMatchObject({
    status: 400,
  });

  const tool = tasks[0]?.script.calls[0]?.tool ?? "";
  const command = `while read line; do echo '{"answer":"x"}'; done`;
  const aid = (await invoke("agents_post", { kind: "command", name: "bot", command })).body.agent.id;
  expect(await refusedStart(invoke, { environment, agent: aid, selection: "touched" })).toMatchObject({ status: 409 });
  const texts = (version: string, text: string) =>
    invoke("agent_version_tool_texts", { aid, version, items: [{ name: tool, text }] });
  await texts("1", "Reads.");
  await invoke("agent_versions_post", { aid, version: "2" });
  await texts("2", "Reads more.");
  const calling = tasks.filter(({ script, alternatives = [] }) =>
    [script, ...alternatives].some(({ calls }) => calls.some((call) => call.tool === tool)),
  ).length;
  expect(calling).toBeLessThan(tasks.length);
  expect((await of({ harness: undefined, agent: aid, selection: "touched" })).tasks).toBe(calling);

  const picked = await invoke("held_set_pickout", { gid: axis.group });
  expect(picked.status).toBe(201);
  const held = await of({ environment: undefined, selection: axis.group });
  expect(held.tasks).toBe(byAxis);
  expect(await refusedStart(invoke, { harness: "null", selection: held.group })).toMatchObject({ status: 404 });
});
