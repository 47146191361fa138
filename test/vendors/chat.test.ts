import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { chatMessage } from "../../chapters/findings/render/chat.ts";
import { chatVendor } from "../../src/vendors/chat.ts";
import { hostileFinding } from "../chapters/findings/render/kit.ts";
import { type ChatTool, startChatTool } from "../helpers/vendors/chat.ts";

const REDIRECT = "https://svc.example/chat/done";
const { signal } = new AbortController();
let tool: ChatTool;
beforeAll(async () => {
  tool = await startChatTool();
});
afterAll(() => tool.close());
beforeEach(() => {
  tool.seen.length = 0;
});

const team = { id: "T1", name: "acme", token: "xoxb-acme-1", channels: ["C1"] };
const vendor = (some: object = {}) =>
  chatVendor({
    apiUrl: tool.apiUrl,
    clientId: tool.client.id,
    clientSecret: tool.client.secret,
    signingSecret: undefined,
    botToken: undefined,
    ...some,
  });

describe("the OAuth exchange", () => {
  it("sends the app's id and secret with code and redirect as a form, and answers the grant", async () => {
    const code = tool.grant(team, REDIRECT);
    const grant = await vendor().exchangeCode(code, REDIRECT, signal);
    expect(grant).toEqual({
      token: team.token,
      team_id: "T1",
      team_name: "acme",
      app_id: "A0APP",
      bot_user: "U0BOT",
      scopes: ["chat:write"],
    });
    expect(tool.seen).toMatchObject([
      {
        method: "oauth.v2.access",
        authorization: undefined,
        form: { client_id: tool.client.id, client_secret: tool.client.secret, code, redirect_uri: REDIRECT },
      },
    ]);
    await expect(vendor().exchangeCode(code, REDIRECT, signal)).rejects.toMatchObject({ code: "unprocessable" });
  });

  it("refuses with what the person can do, and none of the vendor's text in the reason", async () => {
    const cases = [
      [() => vendor().exchangeCode("no-such-code", REDIRECT, signal), /Begin the connection again/],
      [
        () => vendor().exchangeCode(tool.grant(team, REDIRECT), "https://other.example", signal),
        /Begin the connection again/,
      ],
      [() => vendor({ clientSecret: "wrong" }).exchangeCode("x", REDIRECT, signal), /id or secret is wrong/],
      [() => vendor({ clientId: undefined }).exchangeCode("x", REDIRECT, signal), /SVC_CHAT_CLIENT_ID/],
    ] as const;
    for (const [work, reason] of cases)
      await expect(work()).rejects.toMatchObject({ code: "unprocessable", reason: expect.stringMatching(reason) });
  });
});

describe("posting", () => {
  it("is one message with the token in its header, and its link", async () => {
    tool.grant(team, REDIRECT);
    const message = { channel: "C1", ...chatMessage(hostileFinding({ url: "https://svc.example/f" })) };
    const sent = await vendor().post(team.token, message, signal);
    expect(sent.permalink).toContain(`/archives/C1/p${sent.ts.replace(".", "")}`);
    expect(tool.posted.at(-1)).toMatchObject({
      channel: "C1",
      ts: sent.ts,
      text: message.text,
      blocks: message.blocks,
    });
    expect(tool.seen[0]).toMatchObject({
      method: "chat.postMessage",
      authorization: `Bearer ${team.token}`,
      form: { mrkdwn: "false", link_names: "false", parse: "none", unfurl_links: "false", unfurl_media: "false" },
    });
    const reply = await vendor().post(team.token, { ...message, thread_ts: sent.ts }, signal);
    expect(tool.posted.at(-1)).toMatchObject({ thread_ts: sent.ts, ts: reply.ts });
  });

  it("tells a limit with the vendor's own seconds, and sends nothing twice", async () => {
    tool.grant(team, REDIRECT);
    const message = { channel: "C1", text: "hi", blocks: [] };
    tool.limit(1, 17);
    await expect(vendor().post(team.token, message, signal)).rejects.toMatchObject({
      code: "rate_limited",
      details: { retryAfter: 17 },
    });
    expect(tool.seen).toHaveLength(1);
    tool.seen.length = 0;
    tool.fail(1, 503);
    await expect(vendor().post(team.token, message, signal)).rejects.toMatchObject({ code: "unavailable" });
    expect(tool.seen).toHaveLength(1);
  });

  it("refuses an unknown channel, a missing scope, a revoked token and a dead address", async () => {
    tool.grant(team, REDIRECT);
    tool.grant({ ...team, id: "T2", token: "xoxb-2", scopes: ["channels:read"] }, REDIRECT);
    const message = { channel: "C9", text: "hi", blocks: [] };
    await expect(vendor().post(team.token, message, signal)).rejects.toMatchObject({
      code: "unprocessable",
      reason: expect.stringContaining("invite it"),
      details: { names: ["channel_not_found"] },
    });
    await expect(vendor().post("xoxb-2", { ...message, channel: "C1" }, signal)).rejects.toMatchObject({
      reason: expect.stringContaining("permission"),
    });
    tool.revoke("xoxb-2");
    await expect(vendor().identify("xoxb-2", signal)).rejects.toMatchObject({
      reason: expect.stringContaining("connect the workspace again"),
    });
    await expect(vendor({ apiUrl: "http://127.0.0.1:1/api/" }).identify(team.token, signal)).rejects.toMatchObject({
      code: "unavailable",
    });
  });

  it("ends when its caller goes away", async () => {
    const gone = AbortSignal.abort(new Error("gone"));
    await expect(vendor().identify(team.token, gone)).rejects.toThrow("gone");
  });
});

it("says who a token speaks as, with its scopes", async () => {
  tool.grant(team, REDIRECT);
  expect(await vendor().identify(team.token, signal)).toEqual({
    team_id: "T1",
    team_name: "acme",
    bot_user: "U0BOT",
    scopes: ["chat:write"],
  });
});

it("names its settings and never their values", () => {
  const made = vendor({ botToken: "xoxb-deployment" });
  expect(JSON.stringify(made)).not.toContain("xoxb-deployment");
  expect(JSON.stringify(made)).not.toContain(tool.client.secret);
  expect(made.client.id).toEqual({ env: "SVC_CHAT_CLIENT_ID", set: true });
  expect(made.signingSecret.set).toBe(false);
});
