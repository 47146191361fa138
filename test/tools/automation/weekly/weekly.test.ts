import { afterAll, beforeAll, expect } from "vitest";
import { lastCompleteWeek } from "../../../../chapters/iso-week.ts";
import { bothSurfaces, FakeClock, type Invoke } from "../../../helpers/app.ts";
import { type ChatTool, startChatTool } from "../../../helpers/vendors/chat.ts";
import { type MailServer, startMailServer } from "../../../helpers/vendors/mail.ts";
import { memberOf, twoGroups } from "../../exports/delivery-kit.ts";

const WEEK = 604_800;
const nothing = { clientId: undefined, clientSecret: undefined, signingSecret: undefined, botToken: undefined };
let tool: ChatTool;
let mail: MailServer;
beforeAll(async () => {
  [tool, mail] = await Promise.all([startChatTool(), startMailServer()]);
});
afterAll(() => Promise.all([tool.close(), mail.close()]));

/** Moved by every test: what is expected is told by the week it stands in. */
const clock = new FakeClock();
const lastWeek = (back = 0) => lastCompleteWeek(clock.now() - back * WEEK);
const connected = {
  clock,
  get config() {
    return {
      chat: { apiUrl: tool.apiUrl, ...nothing },
      mail: { url: mail.url, from: "svc <svc@example.com>" },
    };
  },
};

const report = (invoke: Invoke) => invoke("weekly_report", {});
const put = (invoke: Invoke, args: object) => invoke("reports_weekly_delivery_put", { ...args });
const urlIn = (blocks: unknown) => /"url":"([^"]+)"/.exec(JSON.stringify(blocks))?.[1] ?? "";

let next = 0;

bothSurfaces(
  "the week's page counts what landed in it, is written again under one id, and goes out once",
  async (invoke, t) => {
    const { main, group } = await twoGroups(invoke, t);
    await invoke("record_feedback", { text: "It said no.", polarity: "negative", author: "ann" });
    await invoke("failure_modes_post", { modes: [{ title: "Says no data too soon", behaviour: "false_no_data" }] });
    const before = await report(invoke);
    expect(before).toMatchObject({
      status: 201,
      body: { week: lastWeek(), counts: { groups: 0, valid: 0, notes: 0 } },
    });
    expect(before.body.page.verdict.text).toBe("No run ended.");

    clock.advance(WEEK);
    const written = await invoke("weekly_report", { by: "ann" }, t.org.push);
    expect(written).toMatchObject({
      status: 201,
      body: {
        kind: "weekly",
        source: lastWeek(),
        week: lastWeek(),
        made_by: "ann",
        replaced: false,
        shared: false,
        counts: { groups: 2, met: 4, valid: 8, graded: "deterministic", new_modes: 1, spent_usd: 0 },
        delivery: { state: "off", email: { state: "off" } },
      },
    });
    expect(written.body.counts.notes).toBe(2);
    expect(written.verdict).toContain(`${lastWeek()}: 2 runs ended: 4 of 8 valid trials met`);
    const { id } = written.body;
    expect((await invoke("weekly_report", {}, t.org.read)).status).toBe(403);

    // The two groups become the org's finding: what flipped is told first.
    const member = await memberOf(invoke, t);
    for (const [bad, status] of [
      [{ a: main, b: main }, 400],
      [{ a: main, b: "rg_none" }, 404],
    ] as const)
      expect((await put(invoke, { email: { on: true, finding: bad } })).status).toBe(status);
    const set = await put(invoke, { email: { on: true, finding: { a: main, b: group } }, by: "ann" });
    expect(set.body).toMatchObject({
      delivery: { on: false, email: { on: true, by: "ann", finding: { a: main, b: group } } },
      slack_installed: false,
    });
    const again = await report(invoke);
    expect(again).toMatchObject({ status: 200, body: { id, replaced: true, shared: false } });
    const told = again.body.page.sections.find(({ heading }: { heading?: string }) => heading?.includes(" against "));
    expect(told).toMatchObject({ show: "table", of: 4 });
    expect(again.body.delivery.email).toMatchObject({ state: "sent", sent: 1, already: 0, failed: 0 });
    const [sent] = mail.mails.filter(({ to }) => to.includes("ann@example.com")).slice(-1);
    expect(sent?.mail.subject).toContain(`${lastWeek()}: 2 runs ended`);
    expect(sent?.mail.text).toContain("Tasks that changed:");
    expect((await report(invoke)).body.delivery.email).toMatchObject({ state: "sent", sent: 0, already: 1 });

    next += 1;
    const team = { id: `T0W${next}`, name: "acme-team", token: `xoxb-weekly-${next}`, channels: ["C1", "C2"] };
    tool.grant(team, "https://svc.example/");
    await invoke("chat_post", { team_id: team.id, bot_token: team.token });
    expect((await put(invoke, { on: true })).status).toBe(400);
    expect((await put(invoke, { on: true, channel: "general" })).status).toBe(400);
    expect((await put(invoke, { on: true, channel: "C1" })).status).toBe(403);
    const confirm = await member.confirm("chat", "weekly", "C1");
    expect((await put(invoke, { on: true, channel: "C2", confirm })).status).toBe(403);
    expect((await put(invoke, { on: true, channel: "C1", confirm })).body.delivery).toMatchObject({
      on: true,
      channel: "C1",
      email: { on: true },
    });
    expect((await put(invoke, { on: true, channel: "C1", confirm })).status).toBe(403);
    expect((await put(invoke, {})).status).toBe(400);

    const posts = tool.posted.length;
    const delivered = await report(invoke);
    expect(delivered.body).toMatchObject({
      id,
      shared: true,
      delivery: { state: "posted", already: false, channel: "C1" },
    });
    const [post] = tool.posted.slice(posts);
    expect(JSON.stringify(post?.blocks)).toContain("2 runs ended: 4 of 8 valid trials met");
    const link = urlIn(post?.blocks);
    const shown = await t.app.rest("GET", new URL(link).pathname);
    expect([shown.status, shown.text.includes("Says no data too soon")]).toEqual([200, true]);
    expect((await report(invoke)).body.delivery).toMatchObject({ state: "posted", already: true });
    expect(tool.posted).toHaveLength(posts + 1);
    const log = (await invoke("delivery_log")).body.log;
    expect(log.map((line: { channel: string }) => line.channel)).toEqual(["chat", "email"]);

    // A channel is of one workspace: another in its place is not posted to before a member turned it on with a confirm.
    clock.advance(WEEK);
    next += 1;
    const other = { id: `T0W${next}`, name: "other-team", token: `xoxb-weekly-${next}`, channels: ["C1"] };
    tool.grant(other, "https://svc.example/");
    await invoke("chat_post", { team_id: other.id, bot_token: other.token });
    const moved = (await report(invoke)).body;
    expect(moved).toMatchObject({ shared: false, delivery: { state: "off" } });
    expect(tool.posted).toHaveLength(posts + 1);
    const leave = await member.confirm("chat", "weekly", "C1");
    expect((await put(invoke, { on: true, channel: "C1", confirm: leave })).status).toBe(200);
    expect((await report(invoke)).body).toMatchObject({ shared: true, delivery: { state: "posted", channel: "C1" } });

    const off = await put(invoke, { on: false });
    expect(off.body.delivery).toMatchObject({ on: false, channel: "C1", email: { on: true } });
    expect((await t.app.rest("GET", new URL(link).pathname)).status).toBe(200);
    expect((await report(invoke)).body).toMatchObject({ shared: true, delivery: { state: "off" } });
    const listed = await invoke("reports_list", { kind: "weekly" });
    expect(listed.body.reports.map((row: { source: string }) => row.source)).toEqual([
      lastWeek(),
      lastWeek(1),
      lastWeek(2),
    ]);
  },
  connected,
);

bothSurfaces(
  "what keeps the week's page from going out is told, and a schedule writes it",
  async (invoke, t) => {
    expect((await invoke("reports_weekly_delivery_get", {}, t.org.read)).body).toEqual({
      org: "acme",
      delivery: {
        on: false,
        channel: null,
        by: null,
        at: null,
        email: { on: false, by: null, at: null, finding: null },
      },
      slack_installed: false,
      tier: "deterministic",
    });
    expect((await invoke("reports_weekly_delivery_put", { on: true }, t.org.read)).status).toBe(403);
    await put(invoke, { on: true });
    await put(invoke, { email: { on: true } });
    expect((await report(invoke)).body).toMatchObject({
      shared: true,
      delivery: { state: "no_install", email: { state: "no_members" } },
    });
    await memberOf(invoke, t);
    await invoke("chat_post", { team_id: "T0NONE" });
    expect((await report(invoke)).body.delivery).toMatchObject({ state: "no_token", email: { state: "no_key" } });

    const { id: sid } = (await invoke("schedules_post", { kind: "weekly", cadence: "weekly" })).body;
    clock.advance(WEEK + 60);
    await t.app.service.schedules.tick();
    expect((await invoke("schedules_get", { sid })).body.last).toMatchObject({
      status: "fired",
      note: `The page of ${lastWeek()} was written; chat: no_token, mail: no_key.`,
    });
    const { reports } = (await invoke("reports_list", { kind: "weekly" })).body;
    expect(reports[0]).toMatchObject({ source: lastWeek(), made_by: `schedule ${sid}` });
  },
  { clock },
);

bothSurfaces(
  "the weekly post that was turned on before a chat workspace was connected goes out once a member has confirmed it",
  async (invoke, t) => {
    const member = await memberOf(invoke, t);
    expect((await invoke("reports_weekly_delivery_put", { on: true, channel: "C1" }, t.org.push)).status).toBe(200);
    clock.advance(60);
    next += 1;
    const team = { id: `T0W${next}`, name: "acme-team", token: `xoxb-weekly-${next}`, channels: ["C1"] };
    tool.grant(team, "https://svc.example/");
    await invoke("chat_post", { team_id: team.id, bot_token: team.token });
    const posts = tool.posted.length;
    const refused = (await report(invoke)).body;
    expect(refused).toMatchObject({ shared: false, delivery: { state: "error" } });
    expect(refused.delivery.reason).toContain("turn it on again");
    expect(tool.posted).toHaveLength(posts);
    const confirm = await member.confirm("chat", "weekly", "C1");
    expect((await put(invoke, { on: true, channel: "C1", confirm })).status).toBe(200);
    expect((await report(invoke)).body).toMatchObject({ shared: true, delivery: { state: "posted" } });
    expect(tool.posted).toHaveLength(posts + 1);
  },
  connected,
);
