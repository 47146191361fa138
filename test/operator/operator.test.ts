import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, describe, expect, it } from "vitest";
import { AgentEnv } from "../../chapters/agents/schema.ts";
import { readRecords } from "../../chapters/evidence/contents.ts";
import { Label } from "../../chapters/evidence/label-schema.ts";
import { Evidence } from "../../chapters/evidence/schema.ts";
import { OrgSecret } from "../../chapters/organization/schema.ts";
import { inputsDigest } from "../../chapters/sandboxes/surface-evidence.ts";
import { KeyRing } from "../../src/seal.ts";
import { FakeClock, invoker, startApp, type TestApp } from "../helpers/app.ts";
import { runSvc } from "../helpers/process.ts";

const DAY = 86_400;
const WRITE = { api_key: "vendor-api-key", app_key: "vendor-app-key", site: "datadoghq.eu" };
let app: TestApp;
afterEach(() => app.close());

const act = (method: string, path: string, body?: unknown, token = app.operator) =>
  app.rest(method, `/v0/operator${path}`, body, token);

/** A conversation in which a person says something. */
const trace = (text: string, at?: number) => ({
  ...(at === undefined ? {} : { created: at }),
  messages: [
    { role: "user", content: text },
    { role: "assistant", content: "done" },
  ],
});

function inFiles(text: string): string[] {
  return readdirSync(app.dataDir, { withFileTypes: true })
    .filter((file) => file.isFile() && readFileSync(join(app.dataDir, file.name)).includes(text))
    .map(({ name }) => name);
}

describe("the operator's routes", () => {
  it("are for the service-wide token alone", async () => {
    app = await startApp({ jobs: false });
    const org = await app.org();
    for (const token of [org.read, org.push, org.admin]) {
      const refused = await act("POST", "/orgs", { tag: "new" }, token);
      expect(refused).toMatchObject({ status: 403, body: { error: "forbidden" } });
      expect(refused.body.reason).toContain("service-wide token");
    }
    expect((await act("POST", "/orgs", { tag: "new" }, "svc_op_wrong")).status).toBe(401);
    expect((await app.rest("POST", "/v0/operator/orgs", { tag: "new" })).status).toBe(401);
    expect((await act("GET", "/nothing")).status).toBe(404);
    expect((await act("GET", "/orgs")).status).toBe(405);
  });

  it("make an org whose token opens it", async () => {
    app = await startApp({ jobs: false });
    const made = await act("POST", "/orgs", { tag: "newco" });
    expect(made).toMatchObject({ status: 201, body: { org: "newco" } });
    const as = await app.rest("GET", "/v0/whoami", undefined, made.body.token);
    expect(as.body).toMatchObject({ org: "newco", scope: "admin", name: "first admin" });
    expect((await act("POST", "/orgs", { tag: "newco" })).status).toBe(409);
    for (const body of [{ tag: "Not A Tag" }, {}, { tag: "x", more: 1 }])
      expect((await act("POST", "/orgs", body)).status).toBe(400);
    const lines = (await app.service.store.audit.list()).items;
    expect(lines).toMatchObject([{ act: "org_created", by: "operator" }]);
    expect(JSON.stringify(lines)).not.toContain("newco");
  });
});

it("restores an archived org under another tag, over the route and by command", async () => {
  app = await startApp({ jobs: false });
  const org = await app.org();
  const invoke = invoker(app, "rest", org);
  const { invite: _link, ...member } = (await invoke("members_post", { email: "ann@example.com", name: "Ann" })).body;
  const before = app.service.store.forOrg(org.id);
  const sent = { id: "dl_1", at: 1, by: "ann", channel: "chat", group: "rg_1", target: "C1", reference: { ts: "1.2" } };
  await before.deliveries.append(sent);
  await before.opens.count({ group: "rg_1", via: "chat", day: 1, member: "m1" });
  const archived = await fetch(`${app.url}/v0/orgs/acme/archive`, {
    headers: { authorization: `Bearer ${org.admin}` },
  });
  const bytes = Buffer.from(await archived.arrayBuffer());
  const send = (body: Uint8Array, tag: string) =>
    app.rest("POST", `/v0/operator/orgs/restore?tag=${tag}`, body, app.operator, {
      "content-type": "application/gzip",
    });
  expect((await send(bytes, "again")).status).toBe(409);
  await invoke("org_delete", { confirm: "acme" });
  expect((await send(bytes.subarray(0, 200), "again")).status).toBe(422);
  expect((await send(bytes, "Not%20A%20Tag")).status).toBe(400);
  const restored = await send(bytes, "again");
  expect(restored).toMatchObject({ status: 201, body: { org: "again", id: org.id } });
  const members = await app.rest("GET", "/v0/orgs/again/members", undefined, app.operator);
  expect(members.body.members).toEqual([member]);
  const after = app.service.store.forOrg(org.id);
  expect((await after.deliveries.list()).items).toEqual([sent]);
  expect(await after.opens.tally("rg_1")).toEqual({ byVia: [{ via: "chat", opens: 1 }], members: 1, anonymous: 0 });
  await app.rest("DELETE", "/v0/orgs/again?confirm=again", undefined, app.operator);
  const folder = mkdtempSync(join(tmpdir(), "svc-archive-"));
  try {
    writeFileSync(join(folder, "a.tar.gz"), bytes);
    const args = ["operator", "restore_org", "tag=third", `file=${join(folder, "a.tar.gz")}`];
    const run = await runSvc(args, { SVC_URL: app.url, SVC_TOKEN: app.operator });
    expect(JSON.parse(run.stdout)).toMatchObject({ org: "third", id: org.id });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

describe("erasing", () => {
  it("takes one trace out of every table and file", async () => {
    app = await startApp({ jobs: false });
    const org = await app.org();
    const invoke = invoker(app, "rest", org);
    const content = [trace("zqfirstmarker"), trace("zqsecondmarker")].map((one) => JSON.stringify(one)).join("\n");
    const { body } = await invoke("evidence_post", { content, kind: "traces" });
    const [first] = body.ids;
    expect(inFiles("zqfirstmarker")).not.toEqual([]);
    await invoker(
      app,
      "rest",
      org,
    )("labels_post", {
      trace: first,
      polarity: "positive",
      correction: "It should have called quarterlabel.",
    });
    const { records } = app.service.store.forOrg(org.id);
    expect(await records.count(Label)).toBe(1);
    const gone = await act("DELETE", `/orgs/acme/traces/${first}`);
    expect(await records.count(Label)).toBe(0);
    expect(inFiles("quarterlabel")).toEqual([]);
    expect(gone).toMatchObject({ status: 200, body: { erased: first, evidence: body.id, scrubbed: true } });
    expect(inFiles("zqfirstmarker")).toEqual([]);
    expect(inFiles("zqsecondmarker")).not.toEqual([]);
    expect(await app.service.store.forOrg(org.id).traces.count(body.id)).toBe(1);
    expect((await act("DELETE", `/orgs/acme/traces/${first}`)).status).toBe(404);
    expect((await act("DELETE", `/orgs/nobody/traces/${first}`)).status).toBe(404);
    await app.org("beta");
    expect((await act("DELETE", `/orgs/beta/traces/${body.ids[1]}`)).status).toBe(404);
    const [line] = (await app.service.store.forOrg(org.id).audit.list()).items;
    expect(line).toMatchObject({ act: "trace_erased", by: "operator", fields: { trace: first, evidence: body.id } });
  });

  it("takes a person's traces and documents, and names what else still holds them", async () => {
    app = await startApp({ jobs: false });
    const org = await app.org();
    const invoke = invoker(app, "rest", org);
    const content = [trace("I am Zoë Quarterstaff"), trace("I am somebody else")]
      .map((one) => JSON.stringify(one))
      .join("\n");
    const traces = (await invoke("evidence_post", { content, kind: "traces" })).body;
    await invoke("evidence_post", { content: "# Notes\n\nCall ZOË QUARTERSTAFF first.", kind: "document" });
    const people = {
      people: [
        { id: "1", name: "Zoë Quarterstaff" },
        { id: "2", name: "Somebody Else" },
      ],
    };
    const rows = { content: JSON.stringify(people), kind: "document", format: "records" };
    const { body: export_ } = await invoke("evidence_post", rows);
    const caller = { kind: "operator", name: "t", scope: "admin" } as const;
    const { signal } = new AbortController();
    const ctx = app.service.host.orgCtx(caller, org, { credential: { caller }, args: {}, signal });
    const evidence = async (id: string) => {
      const doc = await ctx.store.records.get(Evidence, id);
      if (!doc) throw new Error("no evidence");
      return doc;
    };
    const digest = inputsDigest([await evidence(traces.id)]);
    const member = (await invoke("members_post", { email: "zoe@example.com", name: "Zoë Quarterstaff" })).body;
    for (const values of [[], ["abc"], "Zoë Quarterstaff"])
      expect((await act("POST", "/orgs/acme/erase-person", { values })).status).toBe(400);
    const gone = await act("POST", "/orgs/acme/erase-person", { values: ["zoë quarterstaff", "zoe@example.com"] });
    expect(gone).toMatchObject({ status: 200, body: { traces: 1, parts: 2, scrubbed: true, remaining_total: 1 } });
    expect(gone.body.remaining).toEqual([{ place: "member", id: member.id }]);
    const store = app.service.store.forOrg(org.id);
    expect(await store.traces.count(traces.id)).toBe(1);
    await invoke("members_delete", { mid: member.id });
    const again = await act("POST", "/orgs/acme/erase-person", { values: ["zoë quarterstaff", "zoe@example.com"] });
    expect(again.body).toMatchObject({ traces: 0, parts: 0, remaining: [] });
    expect((await readRecords(ctx, await evidence(export_.id))).people).toEqual([{ id: "2", name: "Somebody Else" }]);
    expect(await evidence(traces.id)).toMatchObject({ erased: 1, stats: { traces: 2 } });
    // What would be compiled of it is another thing now.
    expect(inputsDigest([await evidence(traces.id)])).not.toBe(digest);
    expect(inFiles("Quarterstaff")).toEqual([]);
    const lines = JSON.stringify((await store.audit.list()).items);
    expect(lines).toContain("person_erased");
    expect(lines).not.toMatch(/quarterstaff|zoe@/i);

    // What the logs hold is named too: nobody takes a line out of them, so a person has to know.
    const who = "Zoë Quarterstaff";
    await store.ledger.append({ id: "lg_1", at: 1, job: null, kind: "call", who, micro_usd: 0, note: "" });
    const sent = {
      id: "dl_1",
      at: 1,
      by: who,
      channel: "email",
      group: "rg_1",
      target: "zoe@example.com",
      reference: {},
    };
    await store.deliveries.append(sent);
    await store.audit.append(1, who, "by_hand", {});
    const logged = await act("POST", "/orgs/acme/erase-person", { values: [who] });
    expect(logged.body.remaining.map(({ place }: { place: string }) => place)).toEqual([
      "delivery",
      "ledger",
      "audit line",
    ]);
  });

  it("goes by itself once a retention is set", async () => {
    const clock = new FakeClock();
    app = await startApp({ clock });
    const org = await app.org();
    const invoke = invoker(app, "rest", org);
    const store = app.service.store.forOrg(org.id);
    const post = async (text: string) =>
      (await invoke("evidence_post", { content: JSON.stringify(trace(text)), kind: "traces" })).body.id as string;
    const old = await post("zqoldmarker");
    clock.advance(20 * DAY);
    const young = await post("zqyoungmarker");
    for (const [evidence, correction] of [
      [old, "zqoldmarker was wrong"],
      [young, "stays"],
    ] as const) {
      const [head] = (await store.traces.heads(evidence)).items;
      await invoke("labels_post", { trace: head?.id, polarity: "negative", correction });
    }
    for (const days of [0, 1.5, "x"]) expect((await act("PUT", "/orgs/acme/retention", { days })).status).toBe(400);
    const set = await act("PUT", "/orgs/acme/retention", { days: 10 });
    expect(set.body).toEqual({ org: "acme", days: 10, cleared: false });
    await expect.poll(() => store.traces.count(old), { timeout: 10_000 }).toBe(0);
    await expect.poll(() => inFiles("zqoldmarker"), { timeout: 10_000 }).toEqual([]);
    expect(await store.traces.count(young)).toBe(1);
    expect((await invoke("labels_get")).body.labels).toHaveLength(1);
    clock.advance(11 * DAY);
    // A tick while the day before is still being erased finds that job; the next one starts the new day's.
    const ticked = async () => {
      await app.service.schedules.tick();
      return store.traces.count(young);
    };
    await expect.poll(ticked, { timeout: 10_000 }).toBe(0);
    const acts = async () => (await store.audit.list()).items.filter(({ act: name }) => name === "traces_expired");
    await expect.poll(async () => (await acts()).length, { timeout: 10_000 }).toBe(2);
    // Once a day, however often it is looked at.
    await app.service.schedules.tick();
    const jobs = (await store.jobs.list({ kind: "retention" })).items;
    expect(jobs).toHaveLength(2);
    expect((await act("PUT", "/orgs/acme/retention", { days: null })).body.cleared).toBe(true);
    const kept = await post("kept");
    clock.advance(100 * DAY);
    await app.service.schedules.tick();
    expect(await store.traces.count(kept)).toBe(1);
  });
});

describe("keys", () => {
  it("are rotated: every secret opens under the new one, and the old one is nowhere", async () => {
    app = await startApp({ jobs: false });
    const org = await app.org();
    const invoke = invoker(app, "rest", org);
    await invoke("agent_env_put", { name: "API_KEY", value: "the-agents-own-secret" });
    await act("PUT", "/orgs/acme/obs-write", { credential: WRITE });
    const { records } = app.service.store.forOrg(org.id);
    const path = join(app.dataDir, "key");
    const before = readFileSync(path, "utf8").trim();
    const stored = async () => [
      (await records.list(AgentEnv)).items[0]?.sealed ?? "",
      (await records.list(OrgSecret)).items[0]?.sealed ?? "",
    ];
    const sealed = await stored();
    const rotated = await act("POST", "/keys/rotate", {});
    expect(rotated).toMatchObject({ status: 200, body: { resealed: 2, unreadable: 0 } });
    const after = readFileSync(path, "utf8").trim();
    expect(after).toMatch(/^[0-9a-f]{64}$/);
    expect(after).not.toBe(before);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await stored()).not.toEqual(sealed);
    const [oldRing, newRing] = [before, after].map((hex) => new KeyRing([Buffer.from(hex, "hex")]));
    expect((await stored()).map((one) => newRing?.sealer.open(one))).toEqual([
      "the-agents-own-secret",
      JSON.stringify(WRITE),
    ]);
    for (const one of await stored()) expect(() => oldRing?.sealer.open(one)).toThrow();
    const lines = (await app.service.store.audit.list({ limit: 1 })).items;
    expect(lines).toMatchObject([{ act: "sealing_key_rotated", fields: { resealed: 2, unreadable: 0 } }]);
    expect(readdirSync(app.dataDir).filter((name) => name.startsWith("key"))).toEqual(["key"]);
  });

  it("that a killed rotation left two of both open, and the next rotation ends with one", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "svc-keys-"));
    try {
      app = await startApp({ dataDir, jobs: false });
      await app.org();
      await act("PUT", "/orgs/acme/obs-write", { credential: WRITE });
      await app.close();
      // As it stands when the process dies after the new key is on disk and before any secret is under it.
      const key = readFileSync(join(dataDir, "key"), "utf8");
      writeFileSync(join(dataDir, "key"), `${"ab".repeat(32)}\n${key}`);
      app = await startApp({ dataDir, jobs: false });
      const [secret] = (
        await app.service.store.forOrg((await app.service.store.orgByTag("acme"))?.id ?? "").records.list(OrgSecret)
      ).items;
      const ring = new KeyRing([Buffer.from("ab".repeat(32), "hex"), Buffer.from(key.trim(), "hex")]);
      expect(ring.sealer.open(secret?.sealed ?? "")).toBe(JSON.stringify(WRITE));
      expect((await act("POST", "/keys/rotate", {})).body).toMatchObject({ resealed: 1, unreadable: 0 });
      expect(readFileSync(join(dataDir, "key"), "utf8").trim().split("\n")).toHaveLength(1);
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  });

  it("of the environment are rotated by giving both", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "svc-keys-"));
    try {
      const [old, fresh] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
      app = await startApp({ dataDir, config: { key: old }, jobs: false });
      await app.org();
      await act("PUT", "/orgs/acme/obs-write", { credential: WRITE });
      const refused = await act("POST", "/keys/rotate", {});
      expect(refused).toMatchObject({ status: 409, body: { reason: expect.stringContaining("SVC_KEY_BEFORE") } });
      await app.close();
      app = await startApp({ dataDir, config: { key: fresh, keyBefore: old }, jobs: false });
      expect((await act("POST", "/keys/rotate", {})).body).toMatchObject({ resealed: 1 });
      await app.close();
      app = await startApp({ dataDir, config: { key: fresh }, jobs: false });
      const org = await app.service.store.orgByTag("acme");
      const [secret] = (await app.service.store.forOrg(org?.id ?? "").records.list(OrgSecret)).items;
      expect(new KeyRing([fresh]).sealer.open(secret?.sealed ?? "")).toBe(JSON.stringify(WRITE));
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  });

  it("for writing to the observability vendor go in once and are taken away", async () => {
    app = await startApp({ jobs: false });
    const org = await app.org();
    for (const [credential, path] of [
      ["text", "credential"],
      [{ api_key: "x" }, "credential.app_key"],
      [{ ...WRITE, more: 1 }, "credential.more"],
    ] as const) {
      const refused = await act("PUT", "/orgs/acme/obs-write", { credential });
      expect(refused).toMatchObject({ status: 400, body: { fields: [{ path }] } });
    }
    expect((await act("PUT", "/orgs/acme/obs-write", { credential: WRITE })).body).toMatchObject({ set: true });
    const state = async () => {
      const { channels } = (await invoker(app, "rest", org)("delivery_get")).body;
      return channels.find(({ channel }: { channel: string }) => channel === "obs").state;
    };
    expect(await state()).toBe("ready");
    expect(inFiles("vendor-api-key")).toEqual([]);
    expect((await act("PUT", "/orgs/acme/obs-write", { credential: null })).body).toMatchObject({ set: false });
    expect(await state()).toBe("not_connected");
  });

  it("of pseudonyms are given anew", async () => {
    app = await startApp({ jobs: false });
    const org = await app.org();
    const { AnonKey } = await import("../../chapters/sources/schema.ts");
    const keys = async () => (await app.service.store.forOrg(org.id).records.list(AnonKey)).items;
    expect((await act("POST", "/orgs/acme/anon-key", {})).body).toMatchObject({ rotated: true, had: false });
    const [first] = await keys();
    expect((await act("POST", "/orgs/acme/anon-key", {})).body).toMatchObject({ rotated: true, had: true });
    const [second, ...more] = await keys();
    expect(more).toEqual([]);
    expect(second?.id).toBe(first?.id);
    expect(second?.sealed).not.toBe(first?.sealed);
    expect(inFiles(first?.sealed ?? "none")).toEqual([]);
  });
});

describe("the audit chains", () => {
  it("are verified, and a changed line is found", async () => {
    app = await startApp({ jobs: false });
    const org = await app.org();
    await app.org("beta");
    await act("POST", "/orgs", { tag: "third" });
    const whole = await act("GET", "/audit/verify");
    expect(whole.body).toMatchObject({ intact: true, tier: "deterministic" });
    expect(whole.body.chains.map(({ chain }: { chain: string }) => chain)).toEqual([
      "workspace",
      "acme",
      "beta",
      "third",
    ]);
    expect(whole.body.lines).toBe(3 + 3 + 3 + 1);
    const db = new Database(join(app.dataDir, "store.db"));
    db.prepare("update audit set act = 'nothing' where org = ? and seq = 2").run(org.id);
    db.close();
    const broken = await act("GET", "/audit/verify");
    expect(broken.body).toMatchObject({ intact: false });
    expect(broken.body.chains[1]).toEqual({ chain: "acme", lines: 1, broken: 2 });
  });
});

it("svc operator acts in this machine's workspace, and at a service by its token", async () => {
  app = await startApp({ jobs: false });
  const dataDir = mkdtempSync(join(tmpdir(), "svc-operator-"));
  try {
    const here = { SVC_DATA_DIR: dataDir };
    const made = await runSvc(["operator", "create_org", "tag=newco"], here);
    expect(made).toMatchObject({ code: 0 });
    expect(JSON.parse(made.stdout)).toMatchObject({ org: "newco", token: expect.stringMatching(/^svc_org_/) });
    const verified = await runSvc(["operator", "verify_audit"], here);
    expect(verified.code).toBe(0);
    expect(JSON.parse(verified.stdout).intact).toBe(true);
    const db = new Database(join(dataDir, "store.db"));
    db.prepare("update audit set act = 'nothing' where seq = 1").run();
    db.close();
    expect((await runSvc(["operator", "verify_audit"], here)).code).toBe(1);
    const unknown = await runSvc(["operator"], here);
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain("erase_person");
    expect((await runSvc(["operator", "create_org", "tag"], here)).code).toBe(2);
    const there = { SVC_URL: app.url, SVC_TOKEN: app.operator };
    expect((await runSvc(["operator", "create_org", "tag=remote"], there)).code).toBe(0);
    expect((await runSvc(["operator", "create_org", "tag=remote"], there)).code).toBe(1);
    const erased = ["operator", "erase_person", "orgtag=remote", "values=Smith, John", "values=js@example.com"];
    expect(JSON.parse((await runSvc(erased, there)).stdout)).toMatchObject({ traces: 0, remaining_total: 0 });
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}, 30_000);
