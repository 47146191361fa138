import { afterAll, beforeAll, expect, it } from "vitest";
import { logDelivery } from "../../../../chapters/exports/delivery/delivery.ts";
import { useConfirm } from "../../../../chapters/exports/delivery/delivery-confirm.ts";
import { putSecret } from "../../../../chapters/organization/secrets.ts";
import { Agent } from "../../../../chapters/records/agents/agents.ts";
import { Evidence } from "../../../../chapters/records/evidence/evidence.ts";
import { Surface } from "../../../../chapters/records/sandboxes/sandboxes.ts";
import {
  bothSurfaces,
  FakeClock,
  type Invoke,
  invoker,
  startApp,
  type TestApp,
  type TestOrg,
} from "../../../helpers/app.ts";
import { ctxOf } from "../../../helpers/ctx.ts";
import { type ChatTool, startChatTool } from "../../../helpers/vendors/chat.ts";
import { connect, runToEnd, shopIn } from "../../runs/kit.ts";

let tool: ChatTool;
beforeAll(async () => {
  tool = await startChatTool();
  tool.grant({ id: "T0ACME", name: "acme-team", token: "xoxb-1", channels: ["C1"] }, "https://svc.example/");
  tool.grant(
    { id: "T0READ", name: "reader", token: "xoxb-read", channels: [], scopes: ["channels:read"] },
    "https://svc.example/",
  );
});
afterAll(() => tool.close());

/** App options whose settings are read when the app starts, after the chat tool has. */
const withVendors = () => ({
  jobs: false,
  get config() {
    const nothing = { clientId: undefined, clientSecret: undefined, signingSecret: undefined, botToken: undefined };
    return {
      chat: { apiUrl: tool.apiUrl, ...nothing },
      mail: { url: "smtp://svc:x@127.0.0.1:1", from: "svc@example.com" },
    };
  },
});

const states = async (invoke: Invoke) => {
  const { channels } = (await invoke("delivery_get")).body as { channels: { channel: string; state: string }[] };
  return Object.fromEntries(channels.map(({ channel, state }) => [channel, state]));
};

bothSurfaces(
  "delivery_get computes each channel's state from what is installed now",
  async (invoke, { app, org }) => {
    const first = await invoke("delivery_get", {}, org.read);
    expect(first.body).toMatchObject({ org: "acme", finding: null, recommended: "download", tier: "deterministic" });
    expect(first.body.channels.map((row: { channel: string }) => row.channel)).toEqual([
      "chat",
      "pr_comment",
      "obs",
      "email",
      "download",
    ]);
    for (const row of first.body.channels) {
      expect(row).toMatchObject({ on: false, target: null, last_send: null });
      expect(row.recommended).toBe(row.channel === "download");
      expect(row.reason).not.toBe("");
    }
    expect(await states(invoke)).toEqual({
      chat: "not_connected",
      pr_comment: "not_connected",
      obs: "not_connected",
      email: "not_connected",
      download: "ready",
    });

    await invoke("members_post", { email: "ann@example.com", name: "Ann", email_opt_out: true });
    expect((await states(invoke)).email).toBe("not_connected");
    await invoke("members_post", { email: "bob@example.com", name: "Bob" });
    expect((await states(invoke)).email).toBe("ready");

    await invoke("chat_post", { team_id: "T0ACME" });
    expect((await states(invoke)).chat).toBe("no_key");
    await invoke("chat_post", { team_id: "T0READ", bot_token: "xoxb-read" });
    expect((await states(invoke)).chat).toBe("read_only");
    await invoke("chat_post", { team_id: "T0ACME", bot_token: "xoxb-nobody" });
    expect((await states(invoke)).chat).toBe("no_key");
    await invoke("chat_post", { team_id: "T0ACME", bot_token: "xoxb-1" });
    expect((await states(invoke)).chat).toBe("ready");
    expect((await invoke("delivery_get")).body.recommended).toBe("chat");

    await putSecret(ctxOf(app.service, org), "obs_write", "write-key", "ann");
    expect((await states(invoke)).obs).toBe("ready");
  },
  withVendors(),
);

it("says that a stored token cannot be opened where its key was given up", async () => {
  const first = await startApp(withVendors());
  const org = await first.org();
  await invoker(first, "rest", org)("chat_post", { team_id: "T0ACME", bot_token: "xoxb-1" });
  const other = await startApp({
    dataDir: first.dataDir,
    config: { ...withVendors().config, key: Buffer.alloc(32, 7), keyLost: true },
    jobs: false,
  });
  const { channels } = (await invoker(other, "rest", org)("delivery_get")).body;
  expect(channels[0]).toMatchObject({ channel: "chat", state: "unknown" });
  const { install } = (await invoker(other, "rest", org)("chat_get")).body;
  expect(install.token.held).toBe(false);
  await other.close();
  await first.close();
});

bothSurfaces(
  "delivery_put turns a channel on when it is ready, and off always",
  async (invoke, { app, org }) => {
    const refused = await invoke("delivery_put", { channel: "chat", on: true, target: "C1" });
    expect(refused).toMatchObject({ status: 409, body: { error: "conflict" } });
    expect(refused.body.reason).toContain("No chat workspace is connected");
    await invoke("chat_post", { team_id: "T0ACME", bot_token: "xoxb-1" });
    for (const target of [undefined, "general", "D123", "c1"]) {
      const wrong = await invoke("delivery_put", { channel: "chat", on: true, target });
      expect(wrong, String(target)).toMatchObject({ status: 400, body: { fields: [{ path: "target" }] } });
    }
    expect((await invoke("delivery_put", { channel: "fax", on: true })).status).toBe(400);
    expect((await invoke("delivery_put", { channel: "chat", on: true, target: "C1" }, org.read)).status).toBe(403);
    const on = await invoke("delivery_put", { channel: "chat", on: true, target: "C1", by: "ann" }, org.push);
    expect(on.body).toMatchObject({ org: "acme", channel: { channel: "chat", on: true, target: "C1", by: "ann" } });
    expect((await invoke("delivery_get")).body.channels[0]).toEqual(on.body.channel);
    // What was turned on goes with its connection, and may be turned off again.
    await invoke("chat_delete");
    const lost = (await invoke("delivery_get")).body.channels[0];
    expect(lost).toMatchObject({ on: false, state: "not_connected" });
    const off = await invoke("delivery_put", { channel: "chat", on: false });
    expect(off.body.channel).toMatchObject({ on: false });
    expect((await invoke("delivery_put", { channel: "obs", on: false })).status).toBe(200);
    const acts = (await app.service.store.forOrg(org.id).audit.list()).items.map(({ act }) => act);
    expect(acts.filter((act) => act.startsWith("delivery"))).toEqual(["delivery_off", "delivery_off", "delivery_on"]);
  },
  withVendors(),
);

bothSurfaces("delivery_log lists every send, newest first", async (invoke, { app, org }) => {
  expect((await invoke("delivery_log", {}, org.read)).body).toEqual({ org: "acme", log: [], tier: "deterministic" });
  const ctx = ctxOf(app.service, org);
  for (const [channel, reference] of [
    ["chat", { ts: "1.2", permalink: "https://team.example/p1" }],
    ["email", { message: "<m@x>" }],
    ["chat", { ts: "1.3" }],
  ] as const)
    await logDelivery(ctx, { by: "ann", channel, group: "rg_1", target: "C1", reference });
  const page = (await invoke("delivery_log", { limit: 2 })).body;
  expect(page.log).toMatchObject([
    { channel: "chat", by: "ann", reference: { ts: "1.3" } },
    { channel: "email", reference: { message: "<m@x>" } },
  ]);
  const rest = (await invoke("delivery_log", { limit: 2, cursor: page.next })).body;
  expect(rest.log).toMatchObject([{ reference: { permalink: "https://team.example/p1" } }]);
  expect(rest.next).toBeUndefined();
  const { channels } = (await invoke("delivery_get")).body;
  expect(channels[0].last_send).toMatchObject({ by: "ann", group: "rg_1", reference: { ts: "1.3" } });
  await app.org("beta");
  expect((await invoke("delivery_log", { orgtag: "beta" }, app.operator)).body.log).toEqual([]);
});

/** Two versions of one agent, the first labelled main, each with a landed group on the same tasks. */
async function twoVersions(invoke: Invoke, app: TestApp, org: TestOrg): Promise<{ main: string; tested: string }> {
  const shop = await shopIn(app.service, org.id, 4);
  const agent = await connect(invoke, shop, "bot");
  const { body } = await invoke("agents_get", { aid: agent });
  const [first] = body.agent.versions;
  await invoke("agent_primary", { aid: agent });
  const main = await runToEnd(invoke, { agent, environment: shop.environment });
  await invoke("version_labels_put", { version: first.version, label: "main" });
  const worse = { aid: agent, version: "worse", env: { KEY: shop.key, FAULT: "silent" } };
  const added = await invoke("agent_versions_post", worse);
  if (added.status !== 201) throw new Error(JSON.stringify(added.body));
  const tested = await runToEnd(invoke, { agent, environment: shop.environment });
  return { main: main.group, tested: tested.group };
}

bothSurfaces("delivery_preview renders the org's own finding for each channel", async (invoke, { app, org }) => {
  const none = await invoke("delivery_preview", { channel: "chat" }, org.read);
  expect(none.body).toMatchObject({ finding: null, preview: null, why: "The org has no primary agent." });
  const { main, tested } = await twoVersions(invoke, app, org);
  const chat = (await invoke("delivery_preview", { channel: "chat" })).body;
  expect(chat.why).toContain("main version");
  expect(chat.finding).toMatchObject({
    main: { group: main, met: 4, valid: 4 },
    tested: { group: tested },
    n: 4,
    example: false,
    tier: "deterministic",
  });
  expect(chat.preview.blocks[0].type).toBe("header");
  expect(JSON.stringify(chat.preview)).toContain("n = 4");
  const of = async (channel: string) => (await invoke("delivery_preview", { channel })).body.preview;
  expect((await of("pr_comment")).body).toContain("<!-- svc:finding -->");
  expect(Object.keys(await of("obs"))).toEqual(["event", "notebook", "experiment"]);
  expect(await of("email")).toMatchObject({ subject: expect.stringContaining("acme"), html: expect.any(String) });
  expect(await of("download")).toMatchObject({ type: "text/markdown", content: expect.stringContaining("n = 4") });
  expect((await invoke("delivery_get")).body.finding.tested.group).toBe(tested);
  expect((await invoke("delivery_log")).body.log).toEqual([]);

  // Without the org's label, main is what the agent itself calls so.
  const store = app.service.store.forOrg(org.id);
  const [label] = (await invoke("version_labels_get")).body.labels;
  await invoke("version_labels_put", { version: label.version, label: null });
  expect((await invoke("delivery_preview", { channel: "chat" })).body).toMatchObject({ finding: null });
  const [primary] = (await store.records.list(Agent, { where: { primary: true } })).items;
  await store.records.update(Agent, primary?.id ?? "", (row) => ({ ...row, main: label.version }));
  expect((await invoke("delivery_preview", { channel: "chat" })).body.finding).toMatchObject({ main: { group: main } });

  // Traces that were made up make it stand-in data, and every rendering says so.
  const { records } = app.service.store.forOrg(org.id);
  const content = JSON.stringify({
    messages: [
      { role: "user", content: "hi" },
      { role: "assistant", content: "ho" },
    ],
  });
  const posted = await invoke("evidence_post", { content, kind: "traces", provenance: "synthetic" });
  expect(await records.get(Evidence, posted.body.id)).toMatchObject({ provenance: "synthetic" });
  const [surface] = (await records.list(Surface)).items.filter(({ name }) => name === "shop");
  if (!surface) throw new Error("no surface");
  await records.update(Surface, surface.id, (doc) => ({ ...doc, evidence: [posted.body.id] }));
  for (const channel of ["chat", "pr_comment", "obs", "email", "download"]) {
    const { preview, finding, why } = (await invoke("delivery_preview", { channel })).body;
    expect(finding.example).toBe(true);
    expect(why).toContain("invented example data");
    expect(JSON.stringify(preview).toLowerCase(), channel).toContain("invented example data");
  }
});

const clock = new FakeClock();
bothSurfaces(
  "delivery_confirm holds once, for ten minutes, and is given to the console alone",
  async (invoke, { app, org }) => {
    const shop = await shopIn(app.service, org.id, 1);
    const { group } = await runToEnd(invoke, { harness: "reference", environment: shop.environment });
    const member = (await invoke("members_post", { email: "ann@example.com", name: "Ann" })).body.id;
    const asked = { orgtag: "acme", member, channel: "chat", group, target: "C1" };
    for (const token of [org.push, org.admin]) {
      const refused = await invoke("delivery_confirm", asked, token);
      expect(refused).toMatchObject({ status: 403, body: { error: "forbidden" } });
    }
    const given = await invoke("delivery_confirm", asked, app.operator);
    expect(given).toMatchObject({ status: 200, body: { org: "acme", expires_in: 600, tier: "human" } });
    for (const wrong of [{ member: "mb_none" }, { group: "rg_none" }])
      expect((await invoke("delivery_confirm", { ...asked, ...wrong }, app.operator)).status).toBe(404);
    expect((await invoke("delivery_confirm", { ...asked, channel: "fax" }, app.operator)).status).toBe(400);

    const ctx = ctxOf(app.service, org);
    const { confirm } = given.body;
    const send = { channel: "chat", group, target: "C1" } as const;
    const refused = { code: "forbidden", reason: expect.stringContaining("needs a member's confirm") };
    for (const other of [{ channel: "obs" as const }, { group: "rg_x" }, { target: "C2" }])
      await expect(useConfirm(ctx, confirm, { ...send, ...other })).rejects.toMatchObject(refused);
    for (const none of [undefined, "dcf_made_up"])
      await expect(useConfirm(ctx, none, send)).rejects.toMatchObject(refused);
    const beta = await app.org("beta");
    await expect(useConfirm(ctxOf(app.service, beta), confirm, send)).rejects.toMatchObject(refused);
    const raced = await Promise.allSettled([useConfirm(ctx, confirm, send), useConfirm(ctx, confirm, send)]);
    expect(raced.filter(({ status }) => status === "fulfilled")).toMatchObject([{ value: { member } }]);
    await expect(useConfirm(ctx, confirm, send)).rejects.toMatchObject(refused);

    const late = (await invoke("delivery_confirm", asked, app.operator)).body.confirm;
    clock.advance(600);
    await expect(useConfirm(ctx, late, send)).rejects.toMatchObject(refused);
    // The next one clears away what has ended.
    await invoke("delivery_confirm", { ...asked, target: undefined }, app.operator);
    const counts = await app.service.store.forOrg(org.id).records.kinds();
    expect(counts.find(({ kind }) => kind === "delivery_confirm")).toMatchObject({ count: 1 });
  },
  { clock },
);

bothSurfaces(
  "delivery_opens_post counts once per member, day and channel, and keeps no name",
  async (invoke, { app, org }) => {
    const shop = await shopIn(app.service, org.id, 1);
    const { group } = await runToEnd(invoke, { harness: "reference", environment: shop.environment });
    const open = (some: object) => invoke("delivery_opens_post", { group, via: "chat", ...some }, org.read);
    expect((await open({ member: "ann@example.com" })).body).toEqual({ org: "acme", counted: true });
    expect((await open({ member: " Ann@Example.com" })).body.counted).toBe(false);
    expect((await open({ member: "ann@example.com", via: "email" })).body.counted).toBe(true);
    expect((await open({ member: "bob@example.com" })).body.counted).toBe(true);
    expect((await open({})).body.counted).toBe(true);
    expect((await open({})).body.counted).toBe(false);
    clock.advance(86_400);
    expect((await open({ member: "ann@example.com" })).body.counted).toBe(true);
    const tally = await invoke("delivery_opens_get", { group }, org.read);
    expect(tally.body).toEqual({
      org: "acme",
      group,
      opens: 5,
      members: 2,
      anonymous: 1,
      by_via: { chat: 4, email: 1 },
      line: "Opened 5 times, counted once per member, day and channel: 2 members, and 1 open by nobody known.",
      tier: "deterministic",
    });
    expect((await open({ group: "rg_none" })).status).toBe(404);
    expect((await invoke("delivery_opens_get", { group: "rg_none" })).status).toBe(404);
    expect((await open({ via: "Not A Channel" })).status).toBe(400);
    // The same member has another hash in another org, and none of them is the address.
    const { default: Database } = await import("better-sqlite3");
    const db = new Database(`${app.dataDir}/store.db`, { readonly: true });
    const members = db.prepare("select distinct member from opens where member <> ''").pluck().all() as string[];
    db.close();
    expect(members).toHaveLength(2);
    for (const member of members) expect(member).toMatch(/^[0-9a-f]{64}$/);
  },
  { clock },
);
