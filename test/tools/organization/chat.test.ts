import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { bothSurfaces } from "../../helpers/app.ts";
import { inFiles } from "../../helpers/stores/data-folder.ts";
import { type ChatTool, startChatTool } from "../../helpers/vendors/chat.ts";

const REDIRECT = "https://svc.example/chat/done";
const TOKEN = "xoxb-acme-secret-token-1";
let tool: ChatTool;
beforeAll(async () => {
  tool = await startChatTool();
});
afterAll(() => tool.close());
beforeEach(() => {
  tool.seen.length = 0;
});

const team = { id: "T0ACME", name: "acme-team", token: TOKEN, channels: ["C1"] };
/** Settings that are read when each app starts, after the chat tool has. */
const config = (some: object = {}) => ({
  get config() {
    const { id, secret } = tool.client;
    return {
      chat: {
        apiUrl: tool.apiUrl,
        clientId: id,
        clientSecret: secret,
        signingSecret: undefined,
        botToken: undefined,
        ...some,
      },
    };
  },
});

bothSurfaces(
  "chat_oauth exchanges the code, seals the token and connects one workspace to one org",
  async (invoke, { app, org }) => {
    const none = await invoke("chat_get", {}, org.read);
    expect(none.body).toEqual({
      org: "acme",
      configured: false,
      install: null,
      oauth: {
        ready: true,
        client_id: { env: "SVC_CHAT_CLIENT_ID", set: true },
        client_secret: { env: "SVC_CHAT_CLIENT_SECRET", set: true },
        scopes: ["chat:write"],
      },
      signing_secret: { env: "SVC_CHAT_SIGNING_SECRET", set: false },
      deployment_token: { env: "SVC_CHAT_BOT_TOKEN", set: false },
      events_path: null,
    });
    const code = tool.grant(team, REDIRECT);
    const wrong = await invoke("chat_oauth", { code, redirect_uri: "https://other.example/" });
    expect(wrong).toMatchObject({ status: 422, body: { error: "unprocessable" } });
    expect((await invoke("chat_get")).body.install).toBeNull();
    expect((await invoke("chat_oauth", { code, redirect_uri: REDIRECT }, org.push)).status).toBe(403);

    const connected = await invoke("chat_oauth", { code, redirect_uri: REDIRECT, by: "ann" });
    expect(connected).toMatchObject({
      status: 200,
      body: {
        org: "acme",
        install: {
          team_id: "T0ACME",
          team_name: "acme-team",
          app_id: "A0APP",
          scopes: ["chat:write"],
          token: { place: "secret", name: "chat_bot_token", held: true },
          token_check: "accepted",
          via: "oauth",
          by: "ann",
        },
      },
    });
    expect((await invoke("chat_get", {}, org.read)).body).toMatchObject({
      configured: true,
      install: connected.body.install,
    });
    expect(inFiles(app.dataDir, ["T0ACME"])).not.toEqual([]);
    expect(inFiles(app.dataDir, [TOKEN])).toEqual([]);
    expect(JSON.stringify((await invoke("org_records")).body)).not.toContain("sec_");
    expect((await invoke("org_record_get", { kind: "org_secret", rid: "sec_chat_bot_token" })).status).toBe(404);

    // Its code is used; another org is refused and told whose it is, and the token it was just given is not kept.
    const beta = await app.org("beta");
    const again = tool.grant({ ...team, token: "xoxb-second-mint" }, REDIRECT);
    const refused = await invoke("chat_oauth", { orgtag: "beta", code: again, redirect_uri: REDIRECT }, beta.admin);
    expect(refused).toMatchObject({ status: 409, body: { error: "conflict", details: { names: ['"acme"'] } } });
    expect((await invoke("chat_get", { orgtag: "beta" }, beta.read)).body.install).toBeNull();
    expect(await app.service.store.forOrg(beta.id).records.kinds()).toEqual([]);

    expect((await invoke("chat_delete", {}, org.push)).status).toBe(403);
    expect((await invoke("chat_delete")).body).toEqual({ org: "acme", deleted: true });
    expect((await invoke("chat_delete")).body).toEqual({ org: "acme", deleted: false });
    expect((await invoke("chat_get")).body).toMatchObject({ configured: false, install: null });
    const free = tool.grant(team, REDIRECT);
    const theirs = await invoke("chat_oauth", { orgtag: "beta", code: free, redirect_uri: REDIRECT }, beta.admin);
    expect(theirs.body.install.team_id).toBe("T0ACME");
    const acts = (await app.service.store.forOrg(org.id).audit.list()).items.filter(({ act }) => /^chat/.test(act));
    const caller_token = expect.stringMatching(/^tok_/);
    expect(acts.map(({ act, fields }) => [act, fields])).toEqual([
      ["chat_removed", { team: "T0ACME", caller_token }],
      ["chat_connected", { team: "T0ACME", via: "oauth", token: "secret", said_by: "ann", caller_token }],
    ]);
  },
  config(),
);

bothSurfaces(
  "chat_post takes a bot token once, asks the chat tool whose it is, and reconnects over what was",
  async (invoke, { app }) => {
    tool.grant(team, REDIRECT);
    const mistaken = await invoke("chat_post", { team_id: "T0OTHER", bot_token: TOKEN });
    expect(mistaken).toMatchObject({ status: 400, body: { fields: [{ path: "team_id" }] } });
    const connected = await invoke("chat_post", { team_id: "T0ACME", bot_token: TOKEN });
    expect(connected.body.install).toMatchObject({ team_name: "acme-team", token_check: "accepted", via: "token" });
    expect(JSON.stringify(connected.body)).not.toContain(TOKEN);
    expect(inFiles(app.dataDir, [TOKEN])).toEqual([]);
    const dead = await invoke("chat_post", { team_id: "T0NEXT", team_name: "next", bot_token: "xoxb-nobody" });
    expect(dead.body.install).toMatchObject({ team_id: "T0NEXT", team_name: "next", token_check: "refused" });
    expect(dead.body.install.created_at).toBe(connected.body.install.created_at);
    for (const [args, path] of [
      [{ team_id: "not a team" }, "team_id"],
      [{}, "team_id"],
      [{ team_id: "T0ACME", bot_token: "with\nbreak" }, "bot_token"],
    ] as const)
      expect(await invoke("chat_post", args)).toMatchObject({ status: 400, body: { fields: [{ path }] } });
    // The workspace left behind is free.
    const beta = await app.org("beta");
    const free = await invoke("chat_post", { orgtag: "beta", team_id: "T0ACME", bot_token: TOKEN }, beta.admin);
    expect(free.status).toBe(200);
    // Of two orgs that come at once for one workspace, one gets it.
    const gamma = await app.org("gamma");
    const raced = await Promise.all(
      [beta, gamma].map((each) => invoke("chat_post", { orgtag: each.tag, team_id: "T0RACED" }, each.admin)),
    );
    expect(raced.map(({ status }) => status).sort()).toEqual([200, 409]);
  },
  config(),
);

bothSurfaces(
  "chat_post without a token uses the deployment's own, for one org alone",
  async (invoke, { app }) => {
    const connected = await invoke("chat_post", { team_id: "T0ACME" });
    expect(connected.body.install.token).toEqual({ place: "environment", name: "SVC_CHAT_BOT_TOKEN", held: true });
    // The chat tool is asked whose the deployment's token is, too.
    expect(connected.body.install.token_check).toBe("refused");
    expect((await invoke("chat_get")).body).toMatchObject({ configured: true });
    const beta = await app.org("beta");
    const refused = await invoke("chat_post", { orgtag: "beta", team_id: "T0BETA" }, beta.admin);
    expect(refused).toMatchObject({ status: 409, body: { details: { names: ['"acme"'] } } });
    expect(refused.body.reason).toContain("deployment");
    // The refused connection holds nothing: another org may have that workspace.
    const gamma = await app.org("gamma");
    const other = { orgtag: "gamma", team_id: "T0BETA", bot_token: "xoxb-gamma" };
    expect((await invoke("chat_post", other, gamma.admin)).status).toBe(200);
    await invoke("chat_delete", { orgtag: "gamma" }, gamma.admin);
    // A token of its own gives the deployment's free.
    tool.grant(team, REDIRECT);
    expect((await invoke("chat_post", { team_id: "T0ACME", bot_token: TOKEN })).body.install.token.place).toBe(
      "secret",
    );
    expect((await invoke("chat_post", { orgtag: "beta", team_id: "T0BETA" }, beta.admin)).status).toBe(200);
    expect(inFiles(app.dataDir, ["xoxb-deployment"])).toEqual([]);
  },
  config({ botToken: "xoxb-deployment" }),
);

bothSurfaces(
  "chat_oauth says what the operator has not set, and waits out a limit",
  async (invoke) => {
    const refused = await invoke("chat_oauth", { code: "x", redirect_uri: REDIRECT });
    expect(refused).toMatchObject({ status: 422, body: { reason: expect.stringContaining("SVC_CHAT_CLIENT_ID") } });
    expect((await invoke("chat_get")).body.oauth.ready).toBe(false);
    tool.limit(1, 9);
    // A limit at the chat tool does not keep a token from being stored; it is only not known whose it is.
    const stored = await invoke("chat_post", { team_id: "T0ACME", bot_token: TOKEN });
    expect(stored.body.install).not.toHaveProperty("token_check");
    expect(stored.status).toBe(200);
  },
  config({ clientId: undefined }),
);

bothSurfaces(
  "chat_oauth answers the chat tool's limit with its seconds",
  async (invoke) => {
    tool.limit(1, 9);
    const limited = await invoke("chat_oauth", { code: "x", redirect_uri: REDIRECT });
    expect(limited).toMatchObject({ status: 429, body: { error: "rate_limited", retry_after: 9 } });
  },
  config(),
);

// Finding A13.
bothSurfaces(
  "a channel that was turned on for one chat workspace is off for the next",
  async (invoke) => {
    const chat = async () =>
      (await invoke("delivery_get")).body.channels.find(({ channel }: { channel: string }) => channel === "chat");
    for (const next of ["removed", "replaced"]) {
      tool.grant(team, REDIRECT);
      await invoke("chat_post", { team_id: "T0ACME", bot_token: TOKEN });
      await invoke("delivery_put", { channel: "chat", on: true, target: "C123" });
      expect(await chat()).toMatchObject({ on: true, target: "C123" });
      await invoke("chat_post", { team_id: "T0ACME", bot_token: TOKEN });
      expect(await chat(), "the same workspace again").toMatchObject({ on: true, target: "C123" });
      if (next === "removed") await invoke("chat_delete");
      await invoke("chat_post", { team_id: "T0NEXT", bot_token: "xoxb-nobody" });
      expect(await chat()).toMatchObject({ on: false, target: null });
    }
  },
  config(),
);
