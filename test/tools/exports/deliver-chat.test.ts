import { afterAll, beforeAll, expect } from "vitest";
import { bothSurfaces, FakeClock, type Invoke, type SurfaceTest } from "../../helpers/app.ts";
import { type ChatTool, startChatTool } from "../../helpers/vendors/chat.ts";
import { memberOf, twoGroups } from "./delivery-kit.ts";

let tool: ChatTool;
beforeAll(async () => {
  tool = await startChatTool();
});
afterAll(() => tool.close());

const withChat = (clock?: FakeClock) => ({
  ...(clock ? { clock } : {}),
  get config() {
    const nothing = { clientId: undefined, clientSecret: undefined, signingSecret: undefined, botToken: undefined };
    return { chat: { apiUrl: tool.apiUrl, ...nothing } };
  },
});

let next = 0;
/** The org with a chat workspace of its own, whose channel C1 is on. */
async function connected(invoke: Invoke): Promise<string> {
  next += 1;
  const token = `xoxb-deliver-${next}`;
  const team = { id: `T0D${next}`, name: "acme-team", token, channels: ["C1", "C2"] };
  tool.grant(team, "https://svc.example/");
  expect((await invoke("chat_post", { team_id: team.id, bot_token: token })).status).toBeLessThan(300);
  expect((await invoke("delivery_put", { channel: "chat", on: true, target: "C1" })).status).toBe(200);
  return token;
}

const logOf = async (invoke: Invoke) => (await invoke("delivery_log")).body.log;

bothSurfaces(
  "a finding is posted once for one confirm, and written down",
  async (invoke, t) => {
    const { main, group } = await twoGroups(invoke, t);
    const args = { group, against: main };
    const posted = tool.posted.length;
    const dry = await invoke("deliver_chat", { ...args, dry_run: true }, t.org.push);
    expect(dry).toMatchObject({
      status: 200,
      body: { posted: false, dry_run: true, main: { group: main, met: 4, valid: 4 }, tested: { group, met: 0 } },
    });
    expect(dry.body.blocks[0].type).toBe("header");
    expect(JSON.stringify(dry.body.blocks)).toContain(`/console/compare?a=${main}&b=${group}&via=chat`);
    expect((await invoke("deliver_chat", { ...args, dry_run: true }, t.org.read)).status).toBe(403);
    for (const bad of [{ group: "rg_none" }, { against: "rg_none" }])
      expect((await invoke("deliver_chat", { ...args, ...bad, dry_run: true })).status).toBe(404);
    for (const bad of [{ against: group }, { channel: "general" }, { thread_ts: "x" }, { main: "a" }])
      expect((await invoke("deliver_chat", { ...args, ...bad, dry_run: true })).status).toBe(400);

    expect(await invoke("deliver_chat", args)).toMatchObject({
      status: 409,
      body: { reason: expect.stringContaining("No chat workspace is connected") },
    });
    await connected(invoke);
    await invoke("delivery_put", { channel: "chat", on: false });
    expect((await invoke("deliver_chat", args)).body.reason).toContain("off");
    await invoke("delivery_put", { channel: "chat", on: true });
    expect((await invoke("deliver_chat", args)).status).toBe(403);
    expect([tool.posted.length, await logOf(invoke)]).toEqual([posted, []]);

    const { member, confirm } = await memberOf(invoke, t);
    const once = await confirm("chat", group, "C1");
    expect((await invoke("deliver_chat", { ...args, channel: "C2", confirm: once })).status).toBe(403);
    const sent = await invoke("deliver_chat", { ...args, confirm: once, thread_ts: "1790000000.000001" }, t.org.push);
    expect(sent).toMatchObject({ status: 200, body: { channel: "C1", posted: true, ts: expect.any(String) } });
    expect(sent.body.permalink).toContain("/archives/C1/");
    expect(tool.posted.slice(posted)).toMatchObject([
      { channel: "C1", ts: sent.body.ts, thread_ts: "1790000000.000001", blocks: dry.body.blocks },
    ]);
    expect((await invoke("deliver_chat", { ...args, confirm: once })).status).toBe(403);
    expect(tool.posted).toHaveLength(posted + 1);
    expect(await logOf(invoke)).toMatchObject([
      {
        id: sent.body.log,
        by: member,
        channel: "chat",
        group,
        target: "C1",
        reference: { ts: sent.body.ts, permalink: sent.body.permalink },
      },
    ]);
  },
  withChat(),
);

// Finding A16.
bothSurfaces(
  "what the chat tool refuses is told and can be sent again; what may have arrived is logged",
  async (invoke, t) => {
    const { main, group } = await twoGroups(invoke, t);
    await connected(invoke);
    const { confirm } = await memberOf(invoke, t);
    const send = async (channel = "C1") =>
      invoke("deliver_chat", { group, against: main, channel, confirm: await confirm("chat", group) });
    expect((await send("C404")).body.reason).toContain("invite it");
    tool.limit(1, 7);
    expect(await send()).toMatchObject({ status: 429, body: { retry_after: 7 } });
    tool.fail(1, 500);
    expect(await send()).toMatchObject({
      status: 503,
      body: { reason: expect.stringContaining("look in the channel") },
    });
    // The message may be there: the log says that it was tried.
    expect(await logOf(invoke)).toMatchObject([{ channel: "chat", target: "C1", reference: { outcome: "unknown" } }]);
    expect((await send()).body.posted).toBe(true);
    expect(await logOf(invoke)).toHaveLength(2);
  },
  withChat(),
);

const clock = new FakeClock(Date.UTC(2026, 10, 18) / 1000);
bothSurfaces(
  "the week's post goes out once an ISO week",
  async (invoke, t) => {
    const { main, group } = await twoGroups(invoke, t);
    await connected(invoke);
    const { confirm } = await memberOf(invoke, t);
    const send = async () =>
      invoke("deliver_chat", { group, against: main, weekly: true, confirm: await confirm("chat", group) });
    const posted = tool.posted.length;
    tool.limit(1, 3);
    expect((await send()).status).toBe(429);
    const both = [await confirm("chat", group), await confirm("chat", group)].map((leave) =>
      invoke("deliver_chat", { group, against: main, weekly: true, confirm: leave }),
    );
    const ends = (await Promise.all(both)).map(({ status, body }) => status === 200 && body.posted);
    expect(ends.filter(Boolean)).toHaveLength(1);
    expect(tool.posted).toHaveLength(posted + 1);
    expect(await send()).toMatchObject({ status: 409, body: { reason: expect.stringContaining("once a week") } });
    clock.advance(4 * 86_400);
    expect((await send()).status).toBe(409);
    clock.advance(86_400);
    expect((await send()).body.posted).toBe(true);
    clock.advance(-5 * 86_400);
  },
  withChat(clock),
);

bothSurfaces(
  "without one to compare with, a finding is against the main version or none",
  async (invoke: Invoke, t: SurfaceTest) => {
    const { group } = await twoGroups(invoke, t);
    expect(await invoke("deliver_chat", { group, dry_run: true })).toMatchObject({
      status: 409,
      body: { reason: expect.stringContaining("against") },
    });
  },
  withChat(),
);

bothSurfaces(
  "where nothing can be told, a delivery says that and why, not that no difference is shown",
  async (invoke: Invoke, t: SurfaceTest) => {
    const { main, group } = await twoGroups(invoke, t, 1);
    const { body, verdict } = await invoke("deliver_chat", { group, against: main, dry_run: true });
    expect(body.cannot_tell).toMatchObject({ reason: expect.any(String), way_out: expect.any(String) });
    expect(verdict).toContain(`cannot tell ${group} (b) from ${main} (a): ${body.cannot_tell.reason}`);
    expect(verdict).not.toContain("no difference shown");
    const obs = await invoke("deliver_obs", { group, against: main });
    expect(obs.body.cannot_tell).toEqual(body.cannot_tell);
    const comment = await invoke("comment_on_pr", { gid: group, against: main, dry_run: true });
    expect(comment.body.cannot_tell).toEqual(body.cannot_tell);
  },
  withChat(),
);
