import { expect } from "vitest";
import type { OrgStore } from "../../../../chapters/ports/store.ts";
import { RunRegrade } from "../../../../chapters/records/runs/grading.ts";
import { TaskRecord } from "../../../../chapters/records/sandboxes/sandboxes.ts";
import { bothSurfaces } from "../../../helpers/app.ts";
import { connect, runToEnd, shopIn } from "../kit.ts";

/** Writes another verdict over a stored try, as a grader of an earlier day might have given. */
async function misgraded(store: OrgStore, run: string): Promise<{ task: string; n: number }> {
  const { items } = await store.trials.list(run, { limit: 500 });
  const row = items.find(({ end, checks }) => end === "met" && checks.length > 0);
  if (!row) throw new Error("no trial was met");
  const checks = row.checks.map((check, i) => (i === 0 ? { ...check, verdict: "not_met" as const } : check));
  await store.trials.insert({
    ...row,
    attempt: row.attempt + 1,
    end: "failed",
    cause: "checks",
    root_cause: "other",
    checks,
  });
  return { task: row.task, n: row.n };
}

bothSurfaces(
  "a group is graded again as a new version: what moved is told, and what is read is the newest",
  async (invoke, t) => {
    const shop = await shopIn(t.app.service, t.org.id, 6);
    const { group } = await runToEnd(invoke, { harness: "reference", environment: shop.environment });
    const { run } = (await invoke("run_group", { gid: group })).body.environments[0];
    expect((await invoke("run_group_regrades", { gid: group })).body).toMatchObject({
      versions: 0,
      runs: [],
      moved: [],
    });
    const store = t.app.service.store.forOrg(t.org.id);
    const wrong = await misgraded(store, run);
    const met = shop.tasks.length;
    expect((await invoke("run_group", { gid: group })).body.rates).toMatchObject({ met: met - 1, valid: met });

    expect((await invoke("regrade_group", { gid: group }, t.org.read)).status).toBe(403);
    const graded = await invoke("regrade_group", { gid: group });
    expect(graded).toMatchObject({
      status: 200,
      body: {
        versions: 1,
        model_calls: 0,
        trials_started: 0,
        changed: [{ run, ...wrong, from: "failed", to: "met" }],
        moved: [{ run, ...wrong, check: 0, from: "not_met", to: "met" }],
        skipped: [],
      },
    });
    expect(graded.verdict).toContain("1 check moved, 1 try ends");
    for (const read of [invoke("run_group", { gid: group }), invoke("run_group_levels", { gid: group })])
      expect(JSON.stringify((await read).body)).toContain(`"met":${met}`);
    expect((await invoke("run_get", { rid: run })).body.summary).toMatchObject({ met, valid: met });
    expect((await invoke("run_groups_list")).body.groups[0].counts).toMatchObject({ met, failed: 0 });
    expect((await invoke("regrade_group", { gid: group })).body).toMatchObject({ versions: 2, changed: [], moved: [] });
    expect((await invoke("run_group_regrades", { gid: group, version: 9 })).status).toBe(404);
    const first = (await invoke("run_group_regrades", { gid: group, version: 1 })).body;
    expect(first.tries[0].tries).toHaveLength(met);
    expect(first.moved).toHaveLength(1);
    expect((await invoke("run_group_regrades", { gid: group })).body).toMatchObject({ versions: 2, moved: [] });
    expect((await store.trials.list(run, { limit: 500 })).items).toHaveLength(met + 1);

    const [row] = (await store.records.list(TaskRecord, { where: { environment: shop.environment, index: 0 } })).items;
    if (row) await store.records.put(TaskRecord, { ...row, digest: "0".repeat(64) });
    expect((await invoke("regrade_group", { gid: group })).body.skipped).toEqual([
      { run, task: row?.id, reason: "The task changed since; run it again." },
    ]);
    expect((await invoke("regrade_group", { gid: "rg_none" })).status).toBe(404);
  },
);

bothSurfaces(
  "a stored end that was taken for nobody's is graded again by its own evidence, and the first attempt counts",
  async (invoke, t) => {
    const shop = await shopIn(t.app.service, t.org.id, 6);
    const agent = await connect(invoke, shop, "good");
    const { group } = await runToEnd(invoke, { agent, environment: shop.environment });
    const { run } = (await invoke("run_group", { gid: group })).body.environments[0];
    const store = t.app.service.store.forOrg(t.org.id);
    const met = (await store.trials.list(run, { limit: 500 })).items;
    const called = met.filter(({ trial }) => trial.calls.length > 0);
    expect(called.length).toBeGreaterThanOrEqual(4);
    const infra = { end: "infra" as const, root_cause: null, checks: [] };
    const none = { calls: [], answers: [], diff: [] };
    // As an earlier version wrote them: an end of the agent's, and where it was tried again what came of that.
    const [killed, missing, away, alone] = called;
    if (!killed || !missing || !away || !alone) throw new Error("too few trials made a call");
    const put = (row: typeof killed, attempt: number, rest: Partial<typeof killed> = {}) =>
      store.trials.insert({ ...row, n: 2, attempt, ...rest });
    const began = { calls: killed.trial.calls, answers: [], diff: [] };
    await put(killed, 1, { ...infra, cause: "killed", trial: began });
    await put(killed, 2);
    await put(missing, 1, { ...infra, cause: "could_not_start", trial: none });
    await put(missing, 2);
    await put(away, 1, { ...infra, cause: "service", trial: began });
    await put(alone, 1, { ...infra, cause: "provider", trial: none });
    const n = met.length;
    const rates = async () => (await invoke("run_group", { gid: group })).body.rates;
    expect(await rates()).toMatchObject({ met: n + 2, failed: 0, infra: 2 });
    const { changed } = (await invoke("regrade_group", { gid: group })).body;
    expect(changed).toHaveLength(2);
    expect(changed).toContainEqual({ run, task: killed.task, n: 2, from: "met", to: "failed" });
    expect(changed).toContainEqual({ run, task: alone.task, n: 2, from: "infra", to: "failed" });
    expect(await rates()).toMatchObject({ met: n + 1, failed: 2, infra: 1 });
    const trials = (await invoke("run_get", { rid: run })).body.trials as { task: string; n: number }[];
    const of = (task: string) => trials.find((row) => row.task === task && row.n === 2);
    expect(of(killed.task)).toMatchObject({ attempt: 1, end: "failed", cause: "crash", root_cause: "crash" });
    expect(of(missing.task)).toMatchObject({ attempt: 2, end: "met" });
    expect(of(away.task)).toMatchObject({ end: "infra", cause: "service" });
    expect(of(alone.task)).toMatchObject({ end: "failed", cause: "crash" });
    expect((await invoke("regrade_group", { gid: group })).body).toMatchObject({ versions: 2, changed: [], moved: [] });
    expect(await rates()).toMatchObject({ met: n + 1, failed: 2, infra: 1 });
  },
);

bothSurfaces("of two gradings at once each version is one", async (invoke, t) => {
  const shop = await shopIn(t.app.service, t.org.id, 3);
  const { group } = await runToEnd(invoke, {
    harness: "reference",
    environment: shop.environment,
    tier: "deterministic",
  });
  const answers = await Promise.all([1, 2, 3].map(() => invoke("regrade_group", { gid: group })));
  expect(answers.map(({ status }) => status)).toContain(200);
  for (const { status, body } of answers)
    if (status !== 200) expect(body).toMatchObject({ error: "conflict", reason: expect.stringContaining("same time") });
  const stored = (await t.app.service.store.forOrg(t.org.id).records.list(RunRegrade)).items;
  const { versions, tier } = (await invoke("run_group_regrades", { gid: group })).body;
  expect(stored.map(({ version }) => version)).toEqual(Array.from({ length: versions }, (_, i) => versions - i));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(versions);
  expect(tier).toBe("deterministic");
});

bothSurfaces("a group is counted again against the review as it stands", async (invoke, t) => {
  const shop = await shopIn(t.app.service, t.org.id, 5);
  const { group } = await runToEnd(invoke, { harness: "reference", environment: shop.environment });
  expect((await invoke("run_group_recounts", { gid: group })).body.runs).toEqual([]);
  const all = shop.tasks.length;
  expect((await invoke("recount_group", { gid: group })).body).toMatchObject({
    counts: [{ before: { met: all, valid: all }, after: { met: all, valid: all }, left: [] }],
    skipped: [],
    model_calls: 0,
  });
  await invoke("environment_tasks_retire", { env_id: shop.environment, indexes: [0, 1] });
  const counted = (await invoke("recount_group", { gid: group })).body;
  expect(counted.counts[0]).toMatchObject({ before: { met: all }, after: { met: all - 2, trials: all - 2 } });
  expect(counted.counts[0].left.map(({ reason }: { reason: string }) => reason)).toEqual([
    "The task is retired.",
    "The task is retired.",
  ]);
  expect((await invoke("run_group", { gid: group })).body.rates).toMatchObject({ met: all - 2, valid: all - 2 });
  await invoke("environment_tasks_restore", { env_id: shop.environment, indexes: [0, 1] });
  expect((await invoke("recount_group", { gid: group })).body.counts[0].after).toMatchObject({ met: all });
  expect((await invoke("run_group_recounts", { gid: group })).body.runs).toHaveLength(3);
  expect((await invoke("recount_group", { gid: "rg_none" })).status).toBe(404);
});

bothSurfaces("failure modes move with a group that is counted and graded again", async (invoke, t) => {
  const shop = await shopIn(t.app.service, t.org.id, 3);
  const agent = await connect(invoke, shop, "good");
  const { group } = await runToEnd(invoke, { agent, environment: shop.environment });
  const { run } = (await invoke("run_group", { gid: group })).body.environments[0];
  const store = t.app.service.store.forOrg(t.org.id);
  const { task } = await misgraded(store, run);
  const posted = await invoke("failure_modes_post", { title: "Gets it wrong", status: "confirmed", tasks: [task] });
  expect(posted.status).toBe(201);
  const mode = async () => (await invoke("failure_modes")).body.failure_modes[0];
  expect(await mode()).toMatchObject({ status: "confirmed" });
  await invoke("recount_group", { gid: group });
  const shown = await mode();
  expect(shown).toMatchObject({ status: "reproduced", reproduced: { agent, group } });
  expect(shown.cites).toHaveLength(1);
  const set = (status: "certified" | "refused") =>
    store.records.update(TaskRecord, task, (row) => ({ ...row, status }));
  await set("refused");
  await invoke("recount_group", { gid: group });
  expect(await mode()).toMatchObject({ status: "confirmed", cites: [] });
  await set("certified");
  await invoke("recount_group", { gid: group });
  expect(await mode()).toMatchObject({ status: "reproduced" });
  expect((await invoke("regrade_group", { gid: group })).body.changed).toHaveLength(1);
  const after = await mode();
  expect(after).toMatchObject({ status: "confirmed", cites: [] });
  expect(after).not.toHaveProperty("reproduced");
  expect(after.history.map(({ status }: { status: string }) => status).slice(-4)).toEqual([
    "reproduced",
    "confirmed",
    "reproduced",
    "confirmed",
  ]);
});

bothSurfaces(
  "levels tell what works, what was right and what got done, and what to do about the rest",
  async (invoke, t) => {
    const shop = await shopIn(t.app.service, t.org.id, 6);
    const run = async (harness: string) => (await runToEnd(invoke, { harness, environment: shop.environment })).group;
    const right = (await invoke("run_group_levels", { gid: await run("reference") })).body;
    const n = shop.tasks.length;
    expect(right).toMatchObject({
      levels: { right_call: { met: n, of: n }, job_done: { met: n, of: n } },
      failures: [],
    });
    expect(right.levels.call_works.met).toBeGreaterThan(0);
    expect(right.reports.customer).toContain(`All ${n}`);
    const none = (await invoke("run_group_levels", { gid: await run("null") })).body;
    expect(none.levels).toMatchObject({ call_works: { met: 0, of: 0 }, job_done: { met: 0, of: n } });
    expect(none.failures[0]).toMatchObject({ advice: expect.any(String), examples: expect.any(Array) });
    expect(none.reports.customer).toContain(none.failures[0].cause);
    expect(none.reports.staff).toBeUndefined();
    const asOperator = await invoke("run_group_levels", { gid: none.group, orgtag: "acme" }, t.app.operator);
    expect(asOperator.body.reports.staff).toContain("invalid");
  },
);

bothSurfaces("versions of a group's agent say whether they could run now", async (invoke, t) => {
  const shop = await shopIn(t.app.service, t.org.id, 3);
  await invoke("agents_post", { kind: "command", name: "bot", command: 'read x; echo \'{"answer":"no"}\'' });
  await invoke("agent_versions_post", { aid: "bot", version: "2" });
  const { group } = await runToEnd(invoke, { agent: "bot", environment: shop.environment, selection: "ci-1" });
  await invoke("agent_version_patch", { aid: "bot", version: "1", retired: true });
  expect((await invoke("run_group_versions", { gid: group })).body).toMatchObject({
    agent: "bot",
    versions: [
      { version: "1", current: false, runnable: false, refusal: expect.stringContaining("retired") },
      { version: "2", current: true, runnable: true, tasks: 1, environments: 1 },
    ],
  });
  const again = await runToEnd(invoke, { group, agent_version: "2" });
  expect(again.started.body).toMatchObject({ tasks: 1, player: { name: "bot", version: "2" } });
  const { records } = t.app.service.store.forOrg(t.org.id);
  const ran = (await invoke("run_group", { gid: group })).body.tasks[0].task;
  await records.update(TaskRecord, ran, (row) => ({ ...row, status: "refused" as const }));
  expect((await invoke("run_group_versions", { gid: group })).body.versions[1]).toMatchObject({
    runnable: false,
    tasks: 0,
    refusal: expect.stringContaining("certificate"),
  });
  expect(await invoke("start_run", { group })).toMatchObject({ status: 409 });
  const harness = await runToEnd(invoke, { harness: "null", environment: shop.environment, selection: "ci-1" });
  expect((await invoke("run_group_versions", { gid: harness.group })).body).toMatchObject({
    versions: [],
    note: expect.stringContaining("harness"),
  });
});
