import { describe, expect, it } from "vitest";
import { Environment, TaskRecord } from "../../../../chapters/records/sandboxes/sandboxes.ts";
import { reviewEnvironment } from "../../../../chapters/sandboxes/review/review-tasks.ts";
import { ctxOf } from "../../../helpers/ctx.ts";
import { shopIn } from "../../runs/kit.ts";
import { ended, ok, sharedApp, shopEachTest } from "../kit.ts";

const shared = sharedApp();

describe("revisions", () => {
  const { org, invoke, made, on, store } = shopEachTest(shared, 4, "revisions");
  const turns = (index: number, text: string, by = "ann") =>
    ok(on("environment_task_turns", { index, turns: [text], by }, org.push));
  const task = async (index: number) => (await ok(on("environment_tasks", { retired: true }))).body.tasks[index];

  it("environment_revisions lists changes newest first, none where nothing changed", async () => {
    const none = (await ok(on("environment_revisions", {}, org.read))).body;
    expect(none).toEqual({ environment: made.environment, n: 0, revisions: [], tier: "deterministic" });
    await turns(0, "Thanks.");
    await turns(1, "And thank you again.");
    const { body } = await ok(on("environment_revisions", { limit: 1 }));
    expect(body).toMatchObject({
      n: 2,
      revisions: [{ kind: "turns", n: 3, changed: [1], by: "ann", state: "applied" }],
    });
    const rest = (await ok(on("environment_revisions", { cursor: body.next }))).body;
    expect(rest.revisions).toMatchObject([{ kind: "turns", n: 2, changed: [0] }]);
    expect((await invoke("environment_revisions", { env_id: "env_none" })).status).toBe(404);
  });

  it("environment_revision_get tells both sides, and only to the environment that has it", async () => {
    await turns(0, "Thanks.");
    const { id } = (await ok(on("environment_revisions"))).body.revisions[0];
    const { body } = await ok(on("environment_revision_get", { rev: id }, org.read));
    expect(body).toMatchObject({
      id,
      before: { tasks: { certified: 4 } },
      after: { tasks: { certified: 4 } },
      worse: {},
      held: true,
      kept: { draw: false, tasks: [0] },
      jobs: [],
    });
    expect(body.undo).toBe(`/v0/orgs/${org.tag}/environments/${made.environment}/revisions/${id}/restore`);
    expect(JSON.stringify(body)).not.toContain(made.tasks[0]!.request);
    const other = await shopIn(shared.app.service, org.id, 4, `${made.label} other`);
    expect((await invoke("environment_revision_get", { env_id: other.environment, rev: id })).status).toBe(404);
    expect((await on("environment_revision_get", { rev: "rv_none" })).body.reason).toBe(
      "No such revision. See environment_revisions.",
    );
  });

  it("environment_revision_restore puts back what it replaced, once, and can itself be undone", async () => {
    const before = await task(0);
    await turns(0, "Thanks.");
    const changed = await task(0);
    expect(changed.turns).toEqual(["Thanks."]);
    const { id } = (await ok(on("environment_revisions"))).body.revisions[0];
    expect((await on("environment_revision_restore", { rev: id }, org.read)).status).toBe(403);
    const { body } = await ok(on("environment_revision_restore", { rev: id, by: "bob", reason: "Not so" }, org.push));
    expect(body).toMatchObject({ error: null, revision: { kind: "restore", undoes: id, by: "bob", reason: "Not so" } });
    expect(await task(0)).toEqual(before);
    expect((await ok(on("environment_revision_get", { rev: id }))).body).toMatchObject({
      state: "restored",
      restored_by: "bob",
      undo: null,
    });
    expect(await on("environment_revision_restore", { rev: id })).toMatchObject({
      status: 409,
      body: { reason: "This revision has been restored already." },
    });
    await ok(on("environment_revision_restore", { rev: body.revision.id }));
    expect(await task(0)).toEqual(changed);
    const lines = (await store().audit.list({ limit: 50 })).items;
    expect(lines.filter((line) => line.act === "environment_revised")).not.toEqual([]);
  });

  it("adding, holding, retiring and restoring tasks are revisions too, each undone alone", async () => {
    const starter = (await ok(on("environment_scripts_starter", { index: 0 }))).body.scripts[0];
    const copy = { ...made.tasks[0]!, id: "task_more", turns: ["Thanks."], script: starter.script };
    await ok(on("environment_tasks_post", { tasks: [copy], by: "ann" }));
    await ok(on("environment_review_hold", { index: 1, reason: "Odd", grader: "bob" }));
    await ok(on("environment_tasks_retire", { indexes: [2, 3], by: "cy" }));
    await ok(on("environment_tasks_retire", { indexes: [2] }));
    await ok(on("environment_tasks_restore", { indexes: [3], by: "cy" }));
    const statuses = async () =>
      (await ok(on("environment_tasks", { retired: true }))).body.tasks.map((row: { status: string }) => row.status);
    expect(await statuses()).toEqual(["certified", "held", "retired", "certified", "certified"]);
    const { revisions } = (await ok(on("environment_revisions"))).body;
    expect(revisions.map((row: { kind: string; by: string }) => [row.kind, row.by])).toEqual([
      ["tasks_restored", "cy"],
      ["tasks_retired", "cy"],
      ["held", "bob"],
      ["tasks_added", "ann"],
    ]);
    await ok(on("environment_revision_restore", { rev: revisions[2].id }));
    expect(await statuses()).toEqual(["certified", "certified", "retired", "certified", "certified"]);
    await ok(on("environment_revision_restore", { rev: revisions[3].id }));
    expect(await statuses()).toEqual(["certified", "certified", "retired", "certified", "retired"]);
  });

  it("of two changes at once one stands and the other is told so, with nothing half done", async () => {
    const change = (text: string) => on("environment_task_turns", { index: 0, turns: [text] });
    const answers = await Promise.all([change("Thanks."), change("Thank you."), change("Cheers.")]);
    const won = answers.filter((answer) => answer.status === 200);
    expect(won.length).toBeGreaterThan(0);
    for (const answer of answers) expect([200, 409]).toContain(answer.status);
    const { body } = await ok(on("environment_revisions"));
    expect(body.n).toBe(won.length);
    expect((await ok(on("environment_get"))).body.revision).toBe(1 + won.length);
    expect((await task(0)).turns).toHaveLength(1);
  });

  it("a review of a world that was drawn again meanwhile certifies nothing, and one of a task written anew leaves it", async () => {
    const ctx = ctxOf(shared.app.service, org);
    const { records } = store();
    const then = (await records.get(Environment, made.environment))!;
    const rows = (await records.list(TaskRecord, { where: { environment: then.id } })).items;
    await turns(rows[0]!.index, "Thanks.");
    const [after] = await reviewEnvironment(ctx, { ...then, revision: 2 }, rows.slice(0, 1), false);
    expect(after).toMatchObject({ status: "certified", task: { turns: ["Thanks."] } });
    await records.update(Environment, then.id, (row) => ({ ...row, base_blob: "drawn again" }));
    await expect(reviewEnvironment(ctx, then, rows.slice(1), false)).rejects.toMatchObject({ code: "conflict" });
    for (const row of rows.slice(1)) expect(await records.get(TaskRecord, row.id)).toEqual(row);
  });

  it("a restore waits for live work on the environment", async () => {
    await turns(0, "Thanks.");
    const { id } = (await ok(on("environment_revisions"))).body.revisions[0];
    const run = await ok(invoke("start_run", { environment: made.environment, harness: "rule", trials: 50 }));
    const refused = await on("environment_revision_restore", { rev: id });
    await ok(invoke("job_stop", { job_id: run.body.job }));
    await ended(invoke, run.body.job);
    expect(refused.status).toBe(409);
    expect((await on("environment_revision_restore", { rev: id })).status).toBe(200);
  });
});
