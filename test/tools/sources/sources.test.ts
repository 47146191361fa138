import { expect } from "vitest";
import { bothSurfaces } from "../../helpers/app.ts";
import { inFiles } from "../../helpers/stores/data-folder.ts";

const SECRETS = [
  "pk-planted-1111",
  "sk-planted-2222",
  "token-planted-3333",
  "header-planted-4444",
  "anon-key-planted-5555",
];

bothSurfaces("sources of every kind are connected, read, changed and disconnected", async (invoke, { app, org }) => {
  const empty = (await invoke("sources_list", {}, org.read)).body;
  expect(empty).toMatchObject({
    kinds: ["upload", "otlp", "obs", "trace_store", "mcp_server", "http_json", "vcs"],
    cadences: ["manual", "hourly", "daily", "weekly"],
    pullable: ["obs", "trace_store", "mcp_server", "http_json", "vcs"],
    sources: [],
  });
  expect(Object.keys(empty.consent_questions).sort()).toEqual([...empty.kinds].sort());

  const made = await invoke(
    "sources_post",
    {
      kind: "trace_store",
      surface: "shop",
      external_id: "https://traces.example.com",
      auth: { public_key: SECRETS[0], secret_key: SECRETS[1] },
      cadence: "daily",
      label: "Tracing",
      import: { days: 3 },
      by: "mei",
    },
    org.push,
  );
  expect(made.status).toBe(201);
  expect(made.body).toMatchObject({
    kind: "trace_store",
    surface: "shop",
    consent: "unset",
    consent_question: empty.consent_questions.trace_store,
    data_access: "anonymized",
    anonymize: true,
    anonymize_default: true,
    auth_mode: "keys",
    pullable: true,
    next_sync: null,
    span_resume: null,
    last_sync: null,
    stats: { evidence: 0, traces: 0, tier: "deterministic" },
    by: "mei",
  });
  expect(made.body.sync_blocked).toContain("consented");
  expect(made.body.key_location).toContain("sealed in this workspace's store");
  const sid = made.body.id;

  const refused = await invoke("sources_sync", { sid }, org.push);
  expect(refused).toMatchObject({ status: 409, body: { error: "conflict", reason: made.body.sync_blocked } });
  const declined = await invoke("sources_patch", { sid, consent: "declined", by: "ana" }, org.push);
  expect(declined.body).toMatchObject({ consent: "declined", consent_by: "ana" });
  expect(declined.body.sync_blocked).toContain("declined");

  const others = [
    { kind: "upload", external_id: "files", auth_mode: "none", pullable: false, data_access: "full" },
    { kind: "otlp", external_id: "collector", auth_mode: "none", pullable: false, data_access: "anonymized" },
    {
      kind: "mcp_server",
      external_id: "https://tools.example.com/mcp",
      auth: { token: SECRETS[2] },
      auth_mode: "token",
      data_access: "full",
    },
    {
      kind: "http_json",
      external_id: "https://data.example.com/x",
      auth: { headers: { "X-Key": SECRETS[3] } },
      auth_mode: "headers",
    },
    { kind: "vcs", external_id: "acme/shop", auth_mode: "none", pullable: true },
    { kind: "obs", external_id: "shop-bot", scope: { site: "datadoghq.eu", ml_app: "shop-bot" }, auth_mode: "none" },
  ];
  for (const { auth_mode, pullable, data_access, ...input } of others) {
    const { status, body } = await invoke("sources_post", input, org.push);
    expect(status, input.kind).toBe(201);
    expect(body).toMatchObject({
      kind: input.kind,
      auth_mode,
      ...(pullable === undefined ? {} : { pullable }),
      ...(data_access === undefined ? {} : { data_access }),
    });
  }
  const patched = await invoke("sources_patch", {
    sid,
    anon_key: SECRETS[4],
    cadence: "hourly",
    data_access: "shapes",
  });
  expect(patched.body.changes.sort()).toEqual(["anon_key", "cadence", "data_access", "own_anon_key"]);
  expect(patched.body).toMatchObject({ data_access: "shapes", anonymize: true, cadence: "hourly", forgotten: false });
  expect(patched.body.key_location).toContain("key of its own");
  const forgotten = await invoke("sources_patch", { sid, forget_anon_key: true });
  expect(forgotten.body).toMatchObject({ forgotten: true });
  expect(forgotten.body.key_location).toContain("forgotten");
  expect((await invoke("sources_patch", { sid, forget_anon_key: true })).body.forgotten).toBe(false);

  const opened = await invoke("sources_patch", { sid, auth: {} });
  expect(opened.body).toMatchObject({ auth_mode: "none", changes: ["auth_mode", "auth"] });
  expect(opened.body.key_location).toContain("no credential");
  const listed = await invoke("sources_list", {}, org.read);
  expect(listed.body.sources).toHaveLength(7);
  expect((await invoke("sources_list", { surface: "shop" })).body.sources.map((row: { id: string }) => row.id)).toEqual(
    [sid],
  );
  const page = (await invoke("sources_list", { limit: 4 })).body;
  expect((await invoke("sources_list", { limit: 4, cursor: page.next })).body.sources).toHaveLength(3);
  for (const answer of [made, declined, patched, forgotten, listed, await invoke("sources_get", { sid }, org.read)])
    for (const secret of SECRETS) expect(JSON.stringify(answer.body)).not.toContain(secret);
  expect(inFiles(app.dataDir, SECRETS), "secrets are sealed at rest").toEqual([]);

  expect((await invoke("sources_delete", { sid }, org.push)).status).toBe(403);
  expect((await invoke("sources_delete", { sid, by: "ana" })).body).toEqual({ deleted: sid, evidence_kept: 0 });
  expect((await invoke("sources_get", { sid })).status).toBe(404);
  expect((await invoke("sources_delete", { sid })).status).toBe(404);
});

bothSurfaces("what cannot be said of a source is refused with its field", async (invoke, { org }) => {
  const refused = async (input: object) =>
    (await invoke("sources_post", { ...input }, org.push)).body.fields?.[0]?.path;
  const http = { kind: "http_json", external_id: "https://x.example.com" };
  expect(await refused({ kind: "fax", external_id: "x" })).toBe("kind");
  expect(await refused({ kind: "http_json", external_id: "ftp://x.example.com" })).toBe("external_id");
  expect(await refused({ kind: "mcp_server", external_id: "not a url" })).toBe("external_id");
  expect(await refused({ kind: "http_json", external_id: "https://me:secret@x.example.com" })).toBe("external_id");
  expect(await refused({ kind: "vcs", external_id: "https://github.com/a/b" })).toBe("external_id");
  expect((await invoke("sources_post", { kind: "obs", external_id: "x" })).body.scope).toEqual({
    site: "datadoghq.com",
  });
  expect(await refused({ kind: "obs", external_id: "x", scope: { site: "evil.example.com" } })).toBe("scope.site");
  expect(
    await refused({ kind: "obs", external_id: "x", scope: { site: "datadoghq.com" }, auth: { api_key: "a" } }),
  ).toBe("auth.app_key");
  expect(await refused({ kind: "trace_store", external_id: "https://x.example.com", auth: { token: "t" } })).toBe(
    "auth.token",
  );
  expect(await refused({ kind: "upload", external_id: "x", auth: { token: "t" } })).toBe("auth.token");
  expect(await refused({ kind: "upload", external_id: "x", cadence: "daily" })).toBe("cadence");
  expect(await refused({ kind: "upload", external_id: "x", scope: { ref: "main" } })).toBe("scope");
  expect(await refused({ ...http, scope: { site: "datadoghq.com" } })).toBe("scope.site");
  expect(await refused({ ...http, data_access: "full", anonymize: true })).toBe("anonymize");
  expect(await refused({ ...http, data_access: "none" })).toBe("data_access");
  expect(await refused({ ...http, import: { days: 400 } })).toBe("import.days");
  expect(await refused({ ...http, consent: "maybe" })).toBe("consent");
  expect((await invoke("sources_post", { ...http, agent: "nobody" })).status).toBe(404);

  const { id: sid } = (
    await invoke("sources_post", { kind: "obs", external_id: "x", scope: { site: "datadoghq.com" } })
  ).body;
  const patch = async (input: object) => (await invoke("sources_patch", { sid, ...input })).body.fields?.[0]?.path;
  expect(await patch({ scope: { site: "datadoghq.eu" } })).toBe("scope.site");
  expect(await patch({ evidence: ["ev_unknown"] })).toBe("evidence.0");
  expect(await patch({ anon_key: "a".repeat(20), forget_anon_key: true })).toBe("forget_anon_key");
  expect((await invoke("sources_patch", { sid }, org.read)).status).toBe(403);
});

bothSurfaces("an agent's own traces are where the tracing tool that names it is", async (invoke) => {
  const agent = (await invoke("agents_post", { kind: "http", name: "bot", url: "https://bot.example.com" })).body.agent
    .id;
  const where = async () => (await invoke("agents_get", { aid: agent })).body.trace_store;
  expect(await where()).toBeNull();
  const connect = (external_id: string, over: object = {}) =>
    invoke("sources_post", { kind: "trace_store", external_id, ...over });
  await connect("https://all.example.com");
  expect(await where()).toBe("https://all.example.com");
  const { id: sid } = (await connect("https://own.example.com", { agent: "bot" })).body;
  expect(await where()).toBe("https://own.example.com");
  await invoke("sources_delete", { sid });
  expect(await where()).toBe("https://all.example.com");
});

bothSurfaces("a pull made elsewhere is recorded, with its evidence", async (invoke, { org }) => {
  const { id: sid } = (await invoke("sources_post", { kind: "upload", external_id: "files", consent: "unset" })).body;
  expect((await invoke("sources_pulled", { sid }, org.push)).status).toBe(409);
  await invoke("sources_patch", { sid, consent: "granted", pull_pending: true });
  const content = [
    {
      messages: [
        { role: "user", content: "hello" },
        { role: "assistant", content: "hi" },
      ],
    },
  ];
  const evidence = (await invoke("evidence_post", { content })).body.id;
  const linked = await invoke("sources_patch", { sid, evidence: [evidence] });
  expect(linked.body).toMatchObject({ pull_pending: true, changes: ["evidence"], stats: { evidence: 1, traces: 1 } });
  const recorded = (await invoke("sources_pulled", { sid }, org.push)).body;
  expect(recorded.pull_pending).toBe(false);
  expect(recorded.last_sync).toBeGreaterThan(1e9);
  expect((await invoke("sources_sync", { sid })).body.reason).toContain("sent");
  expect((await invoke("sources_pulled", { sid }, org.read)).status).toBe(403);
  expect((await invoke("sources_delete", { sid })).body.evidence_kept).toBe(1);
  expect((await invoke("evidence_get", { eid: evidence })).status).toBe(200);
});
