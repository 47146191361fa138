import { createHmac } from "node:crypto";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { FeedbackNote } from "../../../chapters/records/evidence/feedback.ts";
import { FakeClock, invoker, startApp, type TestApp } from "../../helpers/app.ts";
import { type ChatTool, startChatTool } from "../../helpers/vendors/chat.ts";

const SECRET = "signing-secret-1";
const clock = new FakeClock();
let app: TestApp;
let tool: ChatTool;
const mine = { team_id: "T0ACME", bot_token: "xoxb-acme" };
beforeAll(async () => {
  tool = await startChatTool();
  tool.grant({ id: mine.team_id, name: "acme", token: mine.bot_token, channels: [] }, "https://svc.example/");
});
afterEach(() => app.close());
afterAll(() => tool.close());

const start = (signingSecret: string | undefined = SECRET) =>
  startApp({
    clock,
    jobs: false,
    config: {
      chat: {
        apiUrl: tool.apiUrl,
        clientId: undefined,
        clientSecret: undefined,
        signingSecret,
        botToken: undefined,
      },
    },
  });

/** Sends an event as the chat tool does; `some` spoils the signature. */
async function send(body: unknown, some: { at?: number; secret?: string; headers?: Record<string, string> } = {}) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const at = String(Math.floor(some.at ?? clock.now()));
  const signature = `v0=${createHmac("sha256", some.secret ?? SECRET)
    .update(`v0:${at}:${text}`)
    .digest("hex")}`;
  const headers = {
    "content-type": "application/json",
    "x-slack-request-timestamp": at,
    "x-slack-signature": signature,
    ...some.headers,
  };
  return app.rest("POST", "/v0/chat/events", text, undefined, headers);
}

const said = (text: string, some: object = {}, event: object = {}) => ({
  type: "event_callback",
  team_id: "T0ACME",
  event_id: "Ev1",
  event: { type: "app_mention", user: "U1", text, channel: "C1", ...event },
  ...some,
});

it("what people say to the bot becomes a note of the org that the workspace answers for, once", async () => {
  app = await start();
  const org = await app.org();
  const invoke = invoker(app, "rest", org);
  expect((await invoke("chat_get")).body.events_path).toBe("/v0/chat/events");
  expect((await send({ type: "url_verification", challenge: "abc" })).body).toEqual({ challenge: "abc" });
  expect((await invoke("chat_post", mine)).body.install.token_check).toBe("accepted");
  const { records } = app.service.store.forOrg(org.id);
  const notes = async () => (await records.list(FeedbackNote, { order: "oldest" })).items;

  const answer = await send(said("<@U0BOT> it cancels orders &amp; forgets refunds"));
  expect(answer).toMatchObject({ status: 200, body: {} });
  const taken = await notes();
  expect(taken).toHaveLength(1);
  expect(taken[0]).toMatchObject({
    text: "it cancels orders & forgets refunds",
    origin: "chat",
    author: "chat:U1",
    place: "C1",
    visibility: "org",
  });
  // Sent again, by another's bot, an edit, an empty mention, of a workspace nobody is connected to: nothing more.
  for (const again of [
    said("<@U0BOT> it cancels orders"),
    said("I am a bot", { event_id: "Ev2" }, { bot_id: "B1" }),
    said("edited", { event_id: "Ev3" }, { subtype: "message_changed" }),
    said("<@U0BOT>", { event_id: "Ev4" }),
    said("talk among others", { event_id: "Ev5" }, { type: "message", channel_type: "channel" }),
    said("not ours", { event_id: "Ev6", team_id: "T0NOBODY" }),
  ])
    expect((await send(again)).status).toBe(200);
  expect(await notes()).toEqual(taken);
  await send(said("directly", { event_id: "Ev7" }, { type: "message", channel_type: "im" }));
  expect(await notes()).toHaveLength(2);
});

it("an org that merely names a chat workspace reads nothing of what is said there", async () => {
  app = await start();
  const org = await app.org();
  const invoke = invoker(app, "rest", org);
  const notes = () => app.service.store.forOrg(org.id).records.count(FeedbackNote);
  for (const claimed of [{ team_id: mine.team_id }, { team_id: mine.team_id, bot_token: "xoxb-nobody" }]) {
    expect((await invoke("chat_post", claimed)).status).toBe(200);
    expect((await send(said("for somebody else"))).status).toBe(200);
    expect(await notes()).toBe(0);
  }
  await invoke("chat_post", mine);
  await send(said("for us"));
  expect(await notes()).toBe(1);
});

it("nothing is taken that is not signed by the chat tool, or was signed too long ago", async () => {
  app = await start();
  const org = await app.org();
  const invoke = invoker(app, "rest", org);
  expect((await invoke("chat_post", mine)).body.install.token_check).toBe("accepted");
  const event = said("hello");
  for (const some of [
    { secret: "another" },
    { at: clock.now() - 301 },
    { at: clock.now() + 301 },
    { headers: { "x-slack-signature": "v0=short" } },
    { headers: { "x-slack-request-timestamp": "soon" } },
  ]) {
    expect(await send(event, some), JSON.stringify(some)).toMatchObject({
      status: 401,
      body: { error: "unauthenticated" },
    });
  }
  expect((await app.rest("POST", "/v0/chat/events", event)).status).toBe(401);
  expect((await send("not json")).status).toBe(400);
  expect((await send({ type: "other" })).status).toBe(400);
  expect((await send(`"${"x".repeat(1024 * 1024)}"`)).status).toBe(413);
  expect(await app.service.store.forOrg(org.id).records.count(FeedbackNote)).toBe(0);
});

it("there is no such page without a signing secret", async () => {
  app = await startApp({ clock, jobs: false });
  const org = await app.org();
  expect((await invoker(app, "rest", org)("chat_get")).body.events_path).toBeNull();
  expect((await send(said("hello"))).status).toBe(401);
  expect((await app.rest("POST", "/v0/chat/events", said("hello"), app.operator)).status).toBe(404);
});

it("an event is taken with its note or not at all: what breaks off in between is taken when it is sent again", async () => {
  app = await start();
  const org = await app.org();
  await invoker(app, "rest", org)("chat_post", mine);
  const { records } = app.service.store.forOrg(org.id);
  const forOrg = app.service.store.forOrg.bind(app.service.store);
  // The process ends after its first write: whatever would be written next is not.
  let writes = 0;
  const dies = <T>(write: () => Promise<T>): Promise<T> => {
    writes += 1;
    return writes > 1 ? Promise.reject(new Error("killed")) : write();
  };
  const broken = vi.spyOn(app.service.store, "forOrg").mockImplementation((id) => {
    const store = forOrg(id);
    const { records: real, audit } = store;
    for (const name of ["insert", "put", "update", "delete", "apply"] as const) {
      const write = real[name].bind(real) as (...given: unknown[]) => Promise<never>;
      Object.assign(real, { [name]: (...given: unknown[]) => dies(() => write(...given)) });
    }
    const append = audit.append.bind(audit);
    return Object.assign(store, {
      audit: Object.assign(audit, { append: (...line: Parameters<typeof append>) => dies(() => append(...line)) }),
    });
  });
  await send(said("it forgets refunds"));
  broken.mockRestore();
  await send(said("it forgets refunds"));
  const notes = (await records.list(FeedbackNote)).items;
  expect(notes.map(({ text }) => text)).toEqual(["it forgets refunds"]);
});

it("two servers that are sent one event at once make one note of it", async () => {
  app = await start();
  const org = await app.org();
  await invoker(app, "rest", org)("chat_post", mine);
  const sent = await Promise.all(Array.from({ length: 8 }, () => send(said("at once"))));
  expect(sent.map(({ status }) => status)).toEqual(sent.map(() => 200));
  expect(await app.service.store.forOrg(org.id).records.count(FeedbackNote)).toBe(1);
});
