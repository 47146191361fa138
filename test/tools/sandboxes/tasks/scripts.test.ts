import { describe, expect, it } from "vitest";
import { Environment, TaskRecord } from "../../../../chapters/records/sandboxes/sandboxes.ts";
import { ok, sharedApp, shopEachTest } from "../kit.ts";

const shared = sharedApp();

describe("scripts", () => {
  const { org, made, on, store } = shopEachTest(shared, 6, "scripts");
  const lookup = () => made.tasks.findIndex((task) => task.family === "lookup");
  const write = () => made.tasks.findIndex((task) => task.checks.some((check) => check.kind === "state"));

  it("environment_scripts_starter answers the reference scripts, by pages or one", async () => {
    const page = (await ok(on("environment_scripts_starter", { limit: 4 }, org.read))).body;
    const rest = (await ok(on("environment_scripts_starter", { cursor: page.next }, org.read))).body;
    const all = [...page.scripts, ...rest.scripts];
    expect(all.map((row: { script: unknown }) => row.script)).toEqual(made.tasks.map((task) => task.script));
    expect(rest.next).toBeUndefined();
    const one = (await ok(on("environment_scripts_starter", { index: 2 }))).body;
    expect(one.scripts).toMatchObject([{ index: 2, request: made.tasks[2]!.request, source: "reference" }]);
    expect((await on("environment_scripts_starter", { index: 99 })).body.reason).toBe(
      "No such task. See environment_tasks.",
    );
    expect((await on("environment_scripts_starter", { cursor: "x" })).body.fields[0].path).toBe("cursor");
  });

  it("environment_scripts_dry_run tells each call's answer and what the checks decide, and stores nothing", async () => {
    const index = write();
    const { script, checks } = made.tasks[index]!;
    expect((await on("environment_scripts_dry_run", { script, index }, org.read)).status).toBe(403);
    const right = (await ok(on("environment_scripts_dry_run", { script, index }, org.push))).body;
    expect(right).toMatchObject({ end: "met", cause: "", index, tier: "deterministic" });
    expect(right.calls.map((call: { tool: string }) => call.tool)).toEqual(script.calls.map((call) => call.tool));
    expect(right.calls.at(-1)).toMatchObject({ is_error: false, changed: true });
    expect(right.changes.length).toBeGreaterThan(0);
    expect(right.checks.map((check: { kind: string }) => check.kind)).toEqual(checks.map((check) => check.kind));
    const idle = (await ok(on("environment_scripts_dry_run", { script: { ...script, calls: [] }, index }))).body;
    expect(idle).toMatchObject({ end: "failed", calls: [], changes: [] });
    const free = (await ok(on("environment_scripts_dry_run", { script, checks: [{ kind: "no_state_change" }] }))).body;
    expect(free).toMatchObject({ end: "failed", checks: [{ kind: "no_state_change", verdict: "not_met" }] });
    const broken = {
      ...script,
      calls: [...script.calls, { tool: script.calls[0]!.tool, args: { order_id: "$9.nothing" } }],
    };
    const stuck = (await ok(on("environment_scripts_dry_run", { script: broken, index }))).body;
    expect(stuck).toMatchObject({ end: "did_not_run", failed_at: broken.calls.length, answer: null, checks: [] });
    expect(stuck.calls).toHaveLength(script.calls.length);
    expect((await ok(on("environment_scripts_get"))).body.scripts).toEqual([]);
    expect((await on("environment_scripts_dry_run", { script: { calls: [] } })).status).toBe(400);
  });

  it("environment_scripts_post stores what passes, keeps the rest as drafts, and keeps the same script once", async () => {
    const index = lookup();
    const { script } = made.tasks[index]!;
    const longer = { ...script, calls: [...script.calls, script.calls[0]!] };
    const wrong = { ...script, answer: "I have no idea." };
    const scripts = [
      { index, script: longer, name: "looks twice" },
      { index, script: wrong },
    ];
    expect((await on("environment_scripts_post", { scripts }, org.read)).status).toBe(403);
    expect((await on("environment_scripts_post", { scripts: [{ index: 99, script }] })).status).toBe(404);
    const { status, body } = await ok(on("environment_scripts_post", { scripts, by: "ann" }, org.push));
    expect(status).toBe(201);
    expect(body).toMatchObject({ stored: 1, drafts: 1, tier: "human" });
    expect(body.scripts).toMatchObject([
      { index, name: "looks twice", status: "stored", by: "ann", lapsed: false, dry_run: { end: "met", cause: "" } },
      { index, status: "draft", dry_run: { end: "failed", cause: expect.stringContaining("answer_includes") } },
    ]);
    await ok(on("environment_scripts_post", { scripts: [scripts[0]] }));
    const listed = (await ok(on("environment_scripts_get", { index }, org.read))).body.scripts;
    expect(listed).toHaveLength(2);
    expect((await ok(on("environment_scripts_get", { index: index + 1 }))).body.scripts).toEqual([]);
    const records = store().records;
    const { items } = await records.list(TaskRecord, { where: { environment: made.environment, index } });
    const rechecked = { ...items[0]!.task, checks: [...items[0]!.task.checks, { kind: "max_calls" as const, n: 1 }] };
    await records.put(TaskRecord, { ...items[0]!, task: rechecked });
    const lapsed = (await ok(on("environment_scripts_get"))).body.scripts;
    expect(lapsed.map((row: { lapsed: boolean }) => row.lapsed)).toEqual([true, true]);
    await records.put(TaskRecord, items[0]!);
    const stands = (await ok(on("environment_scripts_get"))).body.scripts;
    expect(stands.map((row: { lapsed: boolean }) => row.lapsed)).toEqual([false, false]);
    await records.update(Environment, made.environment, (row) => ({ ...row, base_blob: `${row.base_blob}0` }));
    const after = (await ok(on("environment_scripts_get"))).body.scripts;
    expect(after.map((row: { lapsed: boolean }) => row.lapsed)).toEqual([true, true]);
  });
});
