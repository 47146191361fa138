import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { bothSurfaces, type Invoke, invoker, startApp } from "../../../helpers/app.ts";
import { connectKnowing, householdKey, householdSessions } from "../../agents/kit.ts";
import { endOf, shopIn } from "../../runs/kit.ts";

interface StageSeen {
  readonly name: string;
  readonly state: string;
  // biome-ignore lint/suspicious/noExplicitAny: each stage has fields of its own; a wrong name fails the expectation.
  readonly output: any;
}

async function onboarded(invoke: Invoke, args: Record<string, unknown>) {
  const started = await invoke("onboard_agent", args);
  if (started.status !== 202) throw new Error(JSON.stringify(started.body));
  const status = await endOf(invoke, started.body.job);
  const job = (await invoke("job_status", { job_id: started.body.job })).body;
  const stages: StageSeen[] = job.result?.stages ?? [];
  const states = Object.fromEntries(stages.map(({ name, state }) => [name, state]));
  const output = (name: string) => stages.find((stage) => stage.name === name)?.output;
  return { started, status, job, states, output };
}

const ALONE = { build: "not_due", against: "not_due", compare: "not_due" };

bothSurfaces(
  "one job brings a version from connected to compared with the last; what is unchanged is not made again: onboard_agent",
  async (invoke, { app, org }) => {
    const shop = await shopIn(app.service, org.id, 3);
    const key = householdKey(shop.key);
    const aid = await connectKnowing(invoke, "bot", key);
    expect((await invoke("onboard_agent", { aid }, org.read)).status).toBe(403);
    const first = await onboarded(invoke, { aid });
    expect(first.started.body).toMatchObject({
      agent: aid,
      version: "1",
      against: null,
      environments: [shop.environment],
    });
    expect(first.started.body.stages).toEqual(["probe", "smoke", "build", "tasks", "against", "run", "compare"]);
    expect(first.status).toBe("landed");
    expect(first.states).toEqual({ probe: "made", smoke: "made", tasks: "made", run: "made", ...ALONE });
    expect(first.output("probe")).toMatchObject({ answered: true });
    expect(first.output("smoke")).toMatchObject({ answered: true, end: "met" });
    expect(first.output("tasks")).toMatchObject({ shared: [{ environment: shop.environment }], cannot: [] });
    expect(first.output("run")).toMatchObject({ met: 3, valid: 3 });

    await invoke("agent_versions_post", { aid, version: "2", env: { KEY: key, FAULT: "skip" } });
    const second = await onboarded(invoke, { aid });
    expect(second.started.verdict).toBe("Onboarding version 2 against 1.");
    expect(second.started.body).toMatchObject({ version: "2", against: "1" });
    // The last version's run is the one that it was onboarded with.
    expect(second.states).toEqual({
      probe: "made",
      smoke: "made",
      build: "not_due",
      tasks: "made",
      against: "unchanged",
      run: "made",
      compare: "made",
    });
    expect(second.output("against").group).toBe(first.output("run").group);
    // Three tasks can show nothing: the verdict says so, and names no loser.
    expect(second.output("compare").verdict).toMatch(
      /^Cannot tell .*: 3 tasks .* met 3 of 3 trials, .* 2 of 3, over 3 tasks\.( Of |$)/,
    );
    expect(second.output("compare").worse).toBeUndefined();
    const compared = await invoke("compare_runs", { a: second.output("against").group, b: second.output("run").group });
    expect(compared.body.verdict).toBe(second.output("compare").verdict);

    const again = await onboarded(invoke, { aid });
    expect(new Set(Object.values(again.states))).toEqual(new Set(["unchanged", "not_due"]));
    expect(again.output("run").group).toBe(second.output("run").group);
    expect((await invoke("agents_get", { aid })).body.groups).toHaveLength(2);

    // A task that goes changes what both versions are run on, and nothing before it.
    await invoke("environment_tasks_retire", { env_id: shop.environment, indexes: [0] });
    const changed = await onboarded(invoke, { aid });
    expect(changed.states).toMatchObject({
      probe: "unchanged",
      smoke: "unchanged",
      tasks: "made",
      against: "made",
      run: "made",
    });
    expect(changed.output("run").valid).toBe(2);
    const audit = (await invoke("job_audit", { job_id: changed.started.body.job })).body;
    expect(JSON.stringify(audit)).toContain('"against"');
  },
);

bothSurfaces("a version that does not answer comes no further than its probe", async (invoke, { app, org }) => {
  const shop = await shopIn(app.service, org.id, 4);
  const aid = await connectKnowing(invoke, "mute", householdKey(shop.key), "silent");
  const { status, job } = await onboarded(invoke, { aid });
  expect(status).toBe("failed");
  expect(job.note).toContain("did not answer the probe");
  expect((await invoke("runs_list")).body.runs).toEqual([]);
});

bothSurfaces("what cannot be onboarded is refused at once", async (invoke, { app, org }) => {
  const made = await invoke("agents_post", { kind: "command", name: "bot", command: "true" });
  const { id: aid } = made.body.agent;
  expect(await invoke("onboard_agent", { aid })).toMatchObject({ status: 409 });
  await shopIn(app.service, org.id, 2);
  const fields = async (args: Record<string, unknown>) => (await invoke("onboard_agent", { aid, ...args })).body.fields;
  expect(await fields({ against: "1" })).toMatchObject([{ path: "against" }]);
  expect(await fields({ removed_tools: ["get_order"] })).toMatchObject([{ path: "removed_tools" }]);
  expect(await fields({ origin: { kind: "declared" } })).toMatchObject([{ path: "origin" }]);
  expect((await invoke("onboard_agent", { aid, version: "9" })).status).toBe(404);
  expect((await invoke("onboard_agent", { aid, against: "9" })).status).toBe(404);
  expect((await invoke("onboard_agent", { aid, environments: ["env_none"] })).status).toBe(404);
  expect((await invoke("jobs_list")).body.jobs).toEqual([]);
});

bothSurfaces(
  "tools that are declared over a surface become a version that is run beside main",
  async (invoke, { app, org }) => {
    const shop = await shopIn(app.service, org.id, 9);
    const made = await invoke("agents_post", { kind: "surface", name: "shop tools", surface: "shop" });
    const { id: aid } = made.body.agent;
    expect(
      await invoke("onboard_agent", { aid, redeclared_tools: [{ name: "nothing", behaviour: "recorded" }] }),
    ).toMatchObject({
      status: 400,
      body: { fields: [{ path: "redeclared_tools[0].name" }] },
    });
    expect((await invoke("agents_get", { aid })).body.agent.versions).toHaveLength(1);

    const broken = { name: "get_order", behaviour: 'answer error("Error: order not found")' };
    const { started, status, states, output } = await onboarded(invoke, {
      aid,
      version: "broken",
      redeclared_tools: [broken],
      tasks: 9,
    });
    expect(started.body).toMatchObject({ version: "broken", against: "1" });
    expect(status).toBe("landed");
    expect(states).toMatchObject({ probe: "not_due", smoke: "not_due", against: "made", run: "made", compare: "made" });
    const calling = shop.tasks.filter(({ script }) => script.calls.some(({ tool }) => tool === "get_order"));
    expect(output("tasks").cannot.length).toBeGreaterThan(0);
    expect(output("tasks").cannot.length).toBeLessThanOrEqual(calling.length);
    expect(output("tasks").shared[0].tasks).toHaveLength(9 - output("tasks").cannot.length);
    const versions = (await invoke("agents_get", { aid })).body.agent.versions;
    expect(versions[1]).toMatchObject({ version: "broken", declared: true, origin: { kind: "declared" } });

    // The same tools again are the same version; with allow_cannot the lost tasks are run too, and lost.
    const all = await onboarded(invoke, { aid, redeclared_tools: [broken], allow_cannot: true });
    expect(all.started.body.version).toBe("broken");
    expect(all.output("tasks").shared[0].tasks).toHaveLength(9);
    expect(all.output("run").met).toBeLessThan(all.output("against").met);
    // One task of nine is nothing that could be told from chance: no loser is named.
    expect(all.output("compare").verdict).toMatch(
      /^No difference shown: .* met 7 of 9 trials, .* 6 of 9, over 9 tasks\.$/,
    );
    expect(all.output("compare").worse).toBeUndefined();
    expect((await invoke("agents_get", { aid })).body.agent.versions).toHaveLength(2);
    expect((await invoke("agent_probe", { aid })).status).toBe(409);
  },
);

bothSurfaces("ending an onboarding ends what it waits for", async (invoke, { app, org }) => {
  const shop = await shopIn(app.service, org.id, 4);
  const slow = await invoke("agents_post", { kind: "command", name: "slow", command: "sleep 600" });
  const { body } = await invoke("onboard_agent", { aid: slow.body.agent.id, environments: [shop.environment] });
  const live = async () =>
    (await invoke("jobs_list", { live: true })).body.jobs.map(({ kind }: { kind: string }) => kind);
  while (!(await live()).includes("agent_probe")) await sleep(20);
  expect(
    (await invoke("onboard_agent", { aid: slow.body.agent.id, environments: [shop.environment] })).body,
  ).toMatchObject({
    job: body.job,
    deduplicated: true,
  });
  expect((await invoke("job_stop", { job_id: body.job })).status).toBe(409);
  await invoke("job_cancel", { job_id: body.job });
  expect(await endOf(invoke, body.job)).toBe("cancelled");
  while ((await live()).length > 0) await sleep(20);
});

test("an onboarding goes on in the next process where it was: no stage and no run is made twice", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "onboard-"));
  let app = await startApp({ dataDir });
  try {
    const org = await app.org();
    let invoke = invoker(app, "rest", org);
    const shop = await shopIn(app.service, org.id, 12);
    const aid = await connectKnowing(invoke, "bot", householdKey(shop.key));
    const { body } = await invoke("onboard_agent", { aid });
    for (;;) {
      const { jobs } = (await invoke("jobs_list", { live: true })).body;
      if (jobs.length === 0) throw new Error("the onboarding ended before it was looked at");
      if (jobs.some(({ kind }: { kind: string }) => kind === "run_group" || kind === "run")) break;
      await sleep(1);
    }
    await app.close();
    app = await startApp({ dataDir });
    invoke = invoker(app, "rest", org);
    expect(await endOf(invoke, body.job)).toBe("landed");
    const { result } = (await invoke("job_status", { job_id: body.job })).body;
    expect(result.stages.map(({ name }: { name: string }) => name)).toEqual(body.stages);
    expect((await invoke("agents_get", { aid })).body.groups).toHaveLength(1);
    expect(
      (await invoke("jobs_list", { live: false })).body.jobs.filter(
        ({ kind }: { kind: string }) => kind === "agent_probe",
      ),
    ).toHaveLength(1);
  } finally {
    await app.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
});

test("a surface that was never built is built first, from its evidence", async () => {
  const app = await startApp();
  try {
    const invoke = invoker(app, "rest", await app.org());
    const aid = await connectKnowing(invoke, "bot", householdKey());
    await invoke("evidence_post", { content: householdSessions(), surface: "home" });
    const { started, status, states, output } = await onboarded(invoke, { aid, surface: "home", tasks: 1 });
    expect(started.body).toMatchObject({ environments: [], note: expect.stringContaining("built first") });
    expect(status).toBe("landed");
    expect(states).toMatchObject({ build: "made", tasks: "made", run: "made", compare: "not_due" });
    expect(output("tasks").shared).toMatchObject([
      { environment: output("build").environments[0], tasks: [expect.any(String)] },
    ]);
    expect(output("run").group).toBeDefined();
    // Now that it stands, it is not built again.
    const again = await onboarded(invoke, { aid, surface: "home", tasks: 1 });
    expect(again.states).toMatchObject({ build: "not_due", run: "unchanged" });
  } finally {
    await app.close();
  }
});
