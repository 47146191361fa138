import { expect } from "vitest";
import { AgentName } from "../../../chapters/records/agents/agents.ts";
import { bothSurfaces } from "../../helpers/app.ts";
import { connect, runToEnd, shopIn } from "../runs/kit.ts";

bothSurfaces("agents are connected, changed by new versions, retired and removed", async (invoke, { org }) => {
  const made = await invoke(
    "agents_post",
    { kind: "command", name: "bot", command: ["node", "bot.mjs"], env: { KEY: "s3cret-value" }, notes: "first" },
    org.push,
  );
  expect(made).toMatchObject({
    status: 201,
    body: { job: null, agent: { name: "bot", kind: "command", primary: false, available: true } },
  });
  expect(made.body.agent.versions).toMatchObject([
    { version: "1", command: ["node", "bot.mjs"], env: ["KEY"], adapter: "svc" },
  ]);
  expect(JSON.stringify(made.body)).not.toContain("s3cret");
  const { id } = made.body.agent;
  expect((await invoke("agents_post", { kind: "command", name: "bot", command: "x" })).status).toBe(409);
  expect((await invoke("agents_post", { kind: "command", name: "reference", command: "x" })).status).toBe(400);
  expect(await invoke("agents_post", { kind: "http", name: "h" })).toMatchObject({
    status: 400,
    body: { fields: [{ path: "url" }] },
  });
  expect(await invoke("agents_post", { kind: "http", name: "h", url: "ftp://x/" })).toMatchObject({
    status: 400,
    body: { fields: [{ path: "url" }] },
  });
  expect(
    await invoke("agents_post", { kind: "command", name: "h", command: "x", adapter: "openai-chat" }),
  ).toMatchObject({ status: 400, body: { fields: [{ path: "adapter" }] } });

  const cut = "x\0--bind\0/\0/mnt";
  for (const [field, value] of Object.entries({ command: cut, cwd: cut, env: { KEY: cut } })) {
    const refused = await invoke("agents_post", { kind: "command", name: "h", command: "x", [field]: value });
    expect(refused.status, field).toBe(400);
    expect(refused.body.fields[0].path, field).toMatch(field);
  }
  expect((await invoke("agent_env_put", { name: "KEY", value: cut })).status).toBe(400);

  const second = await invoke("agent_versions_post", { aid: id, version: "v2", env: { OTHER: "x" } });
  expect(second).toMatchObject({
    status: 201,
    body: { version: { version: "v2", command: ["node", "bot.mjs"], env: ["OTHER"] } },
  });
  expect((await invoke("agent_versions_post", { aid: "bot", version: "v2" })).status).toBe(409);
  expect(await invoke("agents_patch", { aid: id, command: "node other.mjs" })).toMatchObject({
    status: 400,
    body: { fields: [{ path: "env" }] },
  });
  const env = { OTHER: "x" };
  const changed = await invoke("agents_patch", { aid: id, name: "bot2", command: "node other.mjs", env });
  expect(changed.body).toMatchObject({
    name: "bot2",
    versions: [
      { version: "1" },
      { version: "v2" },
      { version: "3", command: ["/bin/sh", "-c", "node other.mjs"], env: ["OTHER"] },
    ],
  });
  const renamed = await invoke("agents_patch", { aid: id, notes: "only words" });
  expect(renamed.body.versions).toHaveLength(3);

  const retired = await invoke("agent_version_patch", { aid: id, version: "3", retired: true });
  expect(retired.body.retired_at).toBeGreaterThan(0);
  expect((await invoke("agent_version_patch", { aid: id, version: "3", retired: true })).body.retired_at).toBe(
    retired.body.retired_at,
  );
  expect(
    (await invoke("agent_version_patch", { aid: id, version: "3", retired: false })).body.retired_at,
  ).toBeUndefined();
  expect((await invoke("agent_version_patch", { aid: id, version: "9", retired: true })).status).toBe(404);

  expect((await invoke("agent_primary", { aid: "reference" })).status).toBe(409);
  expect((await invoke("agent_primary", { aid: id })).body.primary_agent).toMatchObject({ id, primary: true });
  const other = (
    await invoke("agents_post", {
      kind: "http",
      name: "web",
      url: "https://agent.example/turn",
      headers: { "x-key": "h3ader" },
    })
  ).body.agent;
  expect(other.versions[0]).toMatchObject({ url: "https://agent.example/turn", headers: ["x-key"] });
  await invoke("agent_primary", { aid: other.id });
  const list = (await invoke("agents_list", {}, org.read)).body;
  expect(list.agents.map((agent: { name: string; primary: boolean }) => [agent.name, agent.primary])).toEqual([
    ["web", true],
    ["bot2", false],
    ...["reference", "null", "replay", "rule", "react"].map((name) => [name, false]),
  ]);
  expect(list.agents.find((agent: { name: string }) => agent.name === "react")).toMatchObject({ available: false });
  expect(list.behind).toBe(0);

  await invoke("agent_retire", { aid: id, retired: true });
  expect((await invoke("agents_list")).body.agents[1].name).toBe("reference");
  expect((await invoke("agents_list", { retired: true })).body.agents[1]).toMatchObject({
    name: "bot2",
    available: false,
  });
  expect((await invoke("agent_primary", { aid: id })).status).toBe(409);
  expect((await invoke("agent_retire", { aid: id, retired: false })).body.agent.retired_at).toBeUndefined();
  expect(await invoke("agents_delete", { aid: id })).toMatchObject({
    status: 200,
    body: { deleted: id, kept: { groups: 0 } },
  });
  expect((await invoke("agents_get", { aid: id })).status).toBe(404);
  expect((await invoke("agents_get", { aid: other.id })).body).toMatchObject({
    agent: { name: "web" },
    groups: [],
    trace_store: null,
  });
});

bothSurfaces(
  "agent environment values go in once and never come out: agent_env_put, agent_env_list, agent_env_delete",
  async (invoke, { app, org }) => {
    const shop = await shopIn(app.service, org.id, 4);
    expect((await invoke("agent_env_put", { name: "PLANTED", value: "planted-value" }, org.push)).status).toBe(403);
    // Finding C29, names that trials have from the service.
    for (const name of ["PATH", "HOME", "SVC_TRIAL_ID", "svc_url"])
      expect(await invoke("agent_env_put", { name, value: "x" })).toMatchObject({
        status: 400,
        body: { fields: [{ path: "name" }] },
      });
    expect(await invoke("agent_env_put", { name: "PLANTED", value: "planted-value", by: "ann" })).toMatchObject({
      status: 200,
      body: { name: "PLANTED", by: "ann" },
    });
    expect((await invoke("agent_env_list")).body.env).toMatchObject([{ name: "PLANTED", by: "ann" }]);
    expect(JSON.stringify((await invoke("agent_env_list")).body)).not.toContain("planted-value");
    const records = app.service.store.forOrg(org.id).records;
    const kinds = await records.kinds();
    expect(kinds.find((row) => row.kind === "agent_env")?.count).toBe(1);

    // The agent answers what it was given: the value reaches it, and only through token_env.
    const line = `read turn; echo "{\\"answer\\": \\"got $PLANTED\\"}"`;
    const agent = (
      await invoke("agents_post", { kind: "command", name: "teller", command: line, token_env: "PLANTED" })
    ).body.agent;
    const { group } = await runToEnd(invoke, { agent: agent.id, environment: shop.environment, selection: "ci-1" });
    const { run } = (await invoke("run_group", { gid: group })).body.environments[0];
    expect((await invoke("run_trace", { rid: run })).body.tree.answers).toEqual([{ text: "got planted-value" }]);

    expect(await invoke("agent_env_delete", { name: "PLANTED" })).toMatchObject({
      status: 200,
      body: { deleted: "PLANTED" },
    });
    expect((await invoke("agent_env_delete", { name: "PLANTED" })).status).toBe(404);
    const failed = await runToEnd(invoke, { agent: agent.id, environment: shop.environment, selection: "ci-1" });
    expect(failed.status).toBe("failed");
  },
);

bothSurfaces(
  "the primary agent is what start_run takes and clean_runs tells of; runs_list and jobs_list hold what it ran",
  async (invoke, { app, org }) => {
    const shop = await shopIn(app.service, org.id, 4);
    expect((await invoke("clean_runs")).body).toMatchObject({ agent: null, clean: [] });
    expect(await invoke("start_run", { environment: shop.environment })).toMatchObject({
      status: 400,
      body: { fields: [{ path: "agent" }] },
    });
    const id = await connect(invoke, shop, "good");
    await invoke("agent_primary", { aid: id });
    const { group, started } = await runToEnd(invoke, {
      control: "null",
      environment: shop.environment,
    });
    expect(started.body).toMatchObject({
      player: { agent: id, version: "1" },
      tasks: 4,
      control: { job: expect.any(String) },
    });
    const clean = (await invoke("clean_runs")).body;
    expect(clean.clean).toMatchObject([{ environment: shop.environment, group, met: 4, valid: 4 }]);
    expect((await invoke("agents_get", { aid: id })).body.groups).toMatchObject([{ group, version: "1" }]);
    const runs = (await invoke("runs_list", { group })).body;
    expect(runs.runs).toMatchObject([{ group, status: "landed", by_state: { met: 4 } }]);
    const jobs = (await invoke("jobs_list", { live: false })).body;
    expect(jobs.workspace).toBe("acme");
    expect(jobs.jobs.map((job: { kind: string }) => job.kind).sort()).toEqual(["run", "run", "run_group", "run_group"]);
    const stranger = await app.org("other");
    expect((await invoke("jobs_list", {}, stranger.read)).body.jobs).toEqual([]);
    expect((await invoke("jobs_list", {}, app.operator)).status).toBe(400);
    expect((await invoke("jobs_list", { org: "*" }, app.operator)).body.jobs).toHaveLength(4);
    expect((await invoke("job_status", { job_id: group }, stranger.read)).status).toBe(404);
    expect((await invoke("run_group", { orgtag: "other", gid: group }, stranger.read)).status).toBe(404);
  },
);

bothSurfaces("sealed headers of an http agent do not follow it to another address", async (invoke, { org }) => {
  const { body } = await invoke("agents_post", {
    kind: "http",
    name: "remote",
    url: "https://agent.example/turn",
    headers: { "x-key": "s3cret" },
  });
  const { id: aid } = body.agent;
  const moved = await invoke("agents_patch", { aid, url: "https://elsewhere.example/turn" }, org.push);
  expect(moved).toMatchObject({ status: 400, body: { fields: [{ path: "headers" }] } });
  const added = { aid, version: "x", url: "http://agent.example/turn" };
  expect((await invoke("agent_versions_post", added, org.push)).status).toBe(400);
  expect((await invoke("agents_patch", { aid, url: "https://agent.example/v2" }, org.push)).status).toBe(200);
  expect((await invoke("agents_patch", { aid, url: added.url, headers: {} }, org.push)).status).toBe(200);
});

bothSurfaces("a name is one agent's, whoever comes at once, and is free again when it is given up", async (invoke) => {
  const connect = (name: string) => invoke("agents_post", { kind: "command", name, command: "true" });
  const raced = await Promise.all(["same", "same", "same", "same"].map(connect));
  expect(raced.map((one) => one.status).sort()).toEqual([201, 409, 409, 409]);
  const [a, b] = [(await connect("a")).body.agent, (await connect("b")).body.agent];
  const renamed = await Promise.all([a, b].map(({ id }) => invoke("agents_patch", { aid: id, name: "wanted" })));
  expect(renamed.map((one) => one.status).sort()).toEqual([200, 409]);
  expect((await connect(renamed[0]?.status === 200 ? "a" : "b")).status).toBe(201);
  await invoke("agents_delete", { aid: "wanted" });
  expect((await connect("wanted")).status).toBe(201);
});

bothSurfaces("a page of agents is full while there are more, however many are retired", async (invoke) => {
  for (const name of ["one", "two", "three", "four"])
    await invoke("agents_post", { kind: "command", name, command: "true" });
  await invoke("agent_retire", { aid: "four", retired: true });
  await invoke("agent_retire", { aid: "three", retired: true });
  const first = (await invoke("agents_list", { limit: 1 })).body;
  expect(first.agents).toMatchObject([{ name: "two" }]);
  const second = (await invoke("agents_list", { limit: 1, cursor: first.next })).body;
  expect(second.agents[0]).toMatchObject({ name: "one" });
});

bothSurfaces(
  "values of a version are kept apart, sealed, and go to the versions after it",
  async (invoke, { app, org }) => {
    const shop = await shopIn(app.service, org.id, 2);
    const line = `read turn; echo "{\\"answer\\": \\"got $KEY\\"}"`;
    await invoke("agents_post", { kind: "command", name: "teller", command: line, env: { KEY: "first-value" } });
    await invoke("agent_versions_post", { aid: "teller", version: "2" });
    const { group } = await runToEnd(invoke, { agent: "teller", environment: shop.environment, selection: "ci-1" });
    const { run } = (await invoke("run_group", { gid: group })).body.environments[0];
    expect((await invoke("run_trace", { rid: run })).body.tree.answers).toEqual([{ text: "got first-value" }]);

    const { records } = app.service.store.forOrg(org.id);
    const stored = async (kind: string) => (await records.kinds()).find((row) => row.kind === kind)?.count;
    expect(await stored("agent_secret")).toBe(2);
    await invoke("agents_delete", { aid: "teller" });
    expect([await stored("agent_secret"), await stored("agent_name")]).toEqual([undefined, undefined]);
  },
);

bothSurfaces("of agents made primary at once one is", async (invoke, { app, org }) => {
  const made = await Promise.all(
    ["a", "b", "c", "d"].map((name) => invoke("agents_post", { kind: "command", name, command: "true" })),
  );
  const ids = made.map(({ body }) => body.agent.id as string);
  const primaries = async () =>
    (await invoke("agents_list")).body.agents.filter(({ primary }: { primary: boolean }) => primary);
  for (let round = 0; round < 3; round++) {
    const answers = await Promise.all(ids.map((aid) => invoke("agent_primary", { aid })));
    expect(answers.some(({ status }) => status === 200)).toBe(true);
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
    expect(await primaries()).toHaveLength(1);
  }
  // One that is removed while it is renamed leaves no name behind.
  await Promise.all([
    invoke("agents_delete", { aid: ids[0] }, org.admin),
    invoke("agents_patch", { aid: ids[0], name: "renamed" }),
  ]);
  await invoke("agents_delete", { aid: ids[0] }, org.admin);
  expect(await app.service.store.forOrg(org.id).records.count(AgentName)).toBe(3);
});

bothSurfaces("an environment value that several set at once is one value", async (invoke) => {
  const set = (value: string) => invoke("agent_env_put", { name: "RACED", value });
  const answers = await Promise.all(["a", "b", "c", "d"].map(set));
  expect(answers.every(({ status }) => status < 300)).toBe(true);
  expect((await invoke("agent_env_list")).body.env).toHaveLength(1);
  await invoke("agent_env_delete", { name: "RACED" });
  expect((await invoke("agent_env_list")).body.env).toEqual([]);
});

bothSurfaces("who changed an agent and its versions is in the audit, and no value is", async (invoke, { app, org }) => {
  const env = { SECRET: "planted-in-audit" };
  const made = await invoke("agents_post", { kind: "command", name: "told", command: "true", env });
  const aid = made.body.agent.id;
  await invoke("agents_patch", { aid, notes: "n", by: "ann" });
  await invoke("agent_versions_post", { aid, version: "2", by: "ann" });
  const off = await invoke("agent_version_patch", { aid, version: "2", retired: true, by: "ann" });
  // Finding C29, who retired a version.
  expect(off.body).toMatchObject({ retired_by: "ann", retired_at: expect.any(Number) });
  const twice = await invoke("agent_version_patch", { aid, version: "2", retired: true, by: "bob" });
  expect(twice.body.retired_by).toBe("ann");
  const on = await invoke("agent_version_patch", { aid, version: "2", retired: false });
  expect(on.body).not.toHaveProperty("retired_by");
  const { items } = await app.service.store.forOrg(org.id).audit.list({ limit: 50, order: "oldest" });
  const own = items.filter(({ fields }) => fields.agent === aid);
  expect(own.map(({ act, fields }) => [act, fields.said_by])).toEqual([
    ["agent_connected", undefined],
    ["agent_changed", "ann"],
    ["agent_version_added", "ann"],
    ["agent_version_retired", "ann"],
    ["agent_version_retired", "bob"],
    ["agent_version_restored", undefined],
  ]);
  expect(JSON.stringify(items)).not.toContain("planted-in-audit");
});
