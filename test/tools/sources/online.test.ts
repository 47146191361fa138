import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { QUIET_SECONDS } from "../../../chapters/evidence/rolling/close.ts";
import { Incident } from "../../../chapters/records/online/online.ts";
import { SourceLabel } from "../../../chapters/records/sources/sources.ts";
import { bothSurfaces, FakeClock, invoker, startApp, type TestApp, type TestOrg } from "../../helpers/app.ts";
import { type ChatTool, startChatTool } from "../../helpers/vendors/chat.ts";
import { type MailServer, startMailServer } from "../../helpers/vendors/mail.ts";
import { type FakeProvider, startProvider } from "../../helpers/vendors/models.ts";
import { memberOf } from "../exports/delivery-kit.ts";
import { ended } from "./kit.ts";
import { session, sessions } from "./online-sessions.ts";

const NOW = 1_790_000_000;
const HOUR = 3600;

bothSurfaces("terms that cannot be judged or told are refused with the way out", async (invoke, { org }) => {
  const refused = async (input: object) => {
    const { status, body } = await invoke("schedules_post", { ...input }, org.push);
    expect(status, JSON.stringify(body)).toBe(400);
    const { path, message } = body.fields[0];
    return `${path}: ${message}`;
  };
  const loop = { detectors: ["loop"] };
  expect(await refused({ kind: "evaluate" })).toContain("terms: is needed");
  expect(await refused({ kind: "derive", terms: loop })).toContain("terms: belongs to schedules of kind evaluate");
  expect(await refused({ kind: "evaluate", terms: {} })).toContain("terms.checks: is needed, or detectors: one of");
  expect(await refused({ kind: "evaluate", terms: { ...loop, colour: "red" } })).toMatch(
    /^terms\.colour: unknown field; there are: .*detectors/,
  );
  expect(await refused({ kind: "evaluate", terms: { ...loop, filter: { tol: "x" } } })).toBe(
    "terms.filter.tol: unknown field. Did you mean tool?",
  );
  expect(await refused({ kind: "evaluate", terms: { ...loop, share: 0 } })).toContain("terms.share");
  expect(await refused({ kind: "evaluate", terms: { ...loop, threshold: 0.1 } })).toBe(
    "terms.threshold: belongs to schedules of kind alert",
  );
  expect(await refused({ kind: "alert", terms: loop })).toContain("name either threshold or change");
  expect(await refused({ kind: "alert", terms: { ...loop, threshold: 0.1, change: 0.1 } })).toContain("either");
  expect(await refused({ kind: "evaluate", terms: { detectors: ["loop", "looop"] } })).toMatch(
    /^terms\.detectors\.1: is no detector: name one of false_no_data, .*failure mode/,
  );
  expect(await refused({ kind: "evaluate", terms: { detectors: ["wrong_tool"] } })).toContain("is no detector");
  expect(await refused({ kind: "evaluate", terms: { checks: [{ kind: "state", changes: [] }] } })).toContain(
    "is no check that a stored trace decides: use answer_includes",
  );
  expect(await refused({ kind: "evaluate", anchor: "on_version", terms: loop })).toContain("use after_ingest");
  // Nobody here can judge it: no model is set.
  const judged = { kind: "evaluate", terms: { checks: [{ kind: "judged", criterion: "It is polite." }] } };
  expect((await invoke("schedules_post", judged)).body).toMatchObject({
    error: "conflict",
    reason: expect.stringContaining("SVC_MODELS"),
  });
  const chat = { kind: "alert", terms: { ...loop, threshold: 0.1, chat: { channel: "C1", confirm: "dcf_x" } } };
  expect((await invoke("schedules_post", chat)).body.reason).toContain("No chat workspace is connected");
  const modes = await invoke("failure_modes_post", {
    modes: [{ title: "Calls the wrong one", behaviour: "wrong_tool" }],
  });
  const mode = JSON.stringify(modes.body).match(/fm_[A-Za-z0-9]+/)?.[0];
  expect(await refused({ kind: "evaluate", terms: { detectors: [mode] } })).toBe(
    "terms.detectors.0: no rule tells wrong_tool: say reader model",
  );
  expect((await invoke("schedules_list")).body.schedules).toEqual([]);
});

describe("traces that come are judged", () => {
  let clock: FakeClock;
  let app: TestApp;
  let org: TestOrg;
  let tool: ChatTool;
  let mail: MailServer;
  let provider: FakeProvider;
  const nothing = { clientId: undefined, clientSecret: undefined, signingSecret: undefined, botToken: undefined };
  beforeAll(async () => {
    [tool, mail, provider] = await Promise.all([startChatTool(), startMailServer(), startProvider()]);
  });
  afterAll(() => Promise.all([tool.close(), mail.close(), provider.close()]));
  beforeEach(async () => {
    clock = new FakeClock(NOW);
    const config = {
      ...provider.config,
      chat: { apiUrl: tool.apiUrl, ...nothing },
      mail: { url: mail.url, from: "svc <svc@example.com>" },
    };
    app = await startApp({ clock, config });
    org = await app.org();
  });
  afterEach(() => app.close());
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const answer = await invoker(app, "rest", org)(name, args);
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    return answer.body;
  };
  const store = () => app.service.store.forOrg(org.id);
  const labels = async () => (await store().records.list(SourceLabel, { limit: 500 })).items;
  const incidents = async () => (await store().records.list(Incident)).items;
  const schedule = (kind: string, terms: object, more: object = {}) => call("schedules_post", { kind, terms, ...more });
  const send = (content: object[], more: object = {}) => call("evidence_post", { content, ...more });
  /** Fires what is due and waits for what it began. */
  const fire = async () => {
    await app.service.schedules.tick();
    const [job] = (await store().jobs.list({ kind: "evaluate_online", limit: 1 })).items;
    return (await ended({ app, org }, String(job?.id))).result as Record<string, unknown>;
  };
  const nextHour = () => clock.advance(HOUR);

  it("once each, by every check and detector, and kept as labels with their tier", async () => {
    await send([session(4)]);
    const checks = [
      { kind: "max_calls", n: 2 },
      { kind: "calls_forbidden", calls: [{ tool: "drop_table" }] },
    ];
    const made = await schedule("evaluate", { checks, detectors: ["loop"] });
    expect(made).toMatchObject({ anchor: "after_ingest", cadence: "hourly", fire_blocked: null, terms: { checks } });
    await app.service.schedules.tick();
    expect(await labels()).toEqual([]);
    await send([session(1), session(4), session(3, "drop_table")]);
    await send([session(4)], { surface: "elsewhere" });
    expect(await fire()).toMatchObject({
      judged: 3,
      failed: 2,
      undecided: 0,
      usd: 0,
      stopped: null,
      tier: "deterministic",
    });
    const kept = await labels();
    expect(kept).toHaveLength(9);
    expect(new Set(kept.map(({ tier }) => tier))).toEqual(new Set(["deterministic"]));
    expect(new Set(kept.map(({ source }) => source))).toEqual(new Set([made.id]));
    const bad = kept.filter(({ polarity }) => polarity === "bad").map(({ name }) => name);
    expect(bad.sort()).toEqual(["calls_forbidden", "loop", "max_calls", "max_calls"]);
    expect(kept.every(({ trace }) => trace?.startsWith("tr_"))).toBe(true);
    nextHour();
    await app.service.schedules.tick();
    expect(await labels()).toHaveLength(9);
    await send([session(1)]);
    nextHour();
    expect(await fire()).toMatchObject({ judged: 1, failed: 0 });
    const { online } = await call("schedules_get", { sid: made.id });
    expect(online).toMatchObject({
      judged: 4,
      failed: 2,
      window: { judged: 4, failed: 2 },
      stopped: null,
      incident: null,
    });
    expect(online.interval.low).toBeCloseTo(0.15, 2);
    expect(online.by).toContainEqual({ name: "loop", good: 3, bad: 1, unclear: 0, tier: "deterministic" });
    expect(await call("labels_get")).toMatchObject({ labels: [] });
    expect(online.failures).toHaveLength(4);
    expect(online.failures[0]).toMatchObject({ at: NOW, tier: "deterministic", trace: expect.stringMatching(/^tr_/) });
    const [{ ids }] = (await call("org_records", { kind: "source_label", limit: 1 })).kinds;
    const [id] = ids;
    const { record } = await call("org_record_get", { kind: "source_label", rid: id });
    expect(record).toMatchObject({ source: made.id, tier: "deterministic", trace: expect.stringMatching(/^tr_/) });
  });

  it("of the filter and the share alone, the same traces whoever looks", async () => {
    const some = await schedule("evaluate", { detectors: ["loop"], share: 0.5 });
    const filtered = await schedule("evaluate", { detectors: ["loop"], filter: { tool: "drop_table" } });
    await send([...sessions(60, 0), session(1, "drop_table")]);
    await app.service.schedules.tick();
    for (const { id } of (await store().jobs.list({ kind: "evaluate_online" })).items) await ended({ app, org }, id);
    const of = async (id: string) => (await labels()).filter(({ source }) => source === id);
    expect(await of(filtered.id)).toHaveLength(1);
    const sampled = await of(some.id);
    expect(sampled.length).toBeGreaterThan(15);
    expect(sampled.length).toBeLessThan(46);
  });

  it("an incident is told once as it opens and once as it closes, with its interval, and not while it lasts", async () => {
    const invoke = invoker(app, "rest", org);
    const team = { id: "T0ONLINE", name: "acme-team", token: "xoxb-online", channels: ["C1", "C2"] };
    tool.grant(team, "https://svc.example/");
    await call("chat_post", { team_id: team.id, bot_token: team.token });
    const member = await memberOf(invoke, { app, org });
    await call("delivery_put", { channel: "email", on: true });
    const terms = { detectors: ["loop"], threshold: 0.1, window_hours: 1 };
    const chat = async () => ({ channel: "C1", confirm: await member.confirm("chat", "alerts", "C1") });
    const other = { channel: "C2", confirm: await member.confirm("chat", "alerts", "C1") };
    expect((await invoke("schedules_post", { kind: "alert", terms: { ...terms, chat: other } })).status).toBe(403);
    const { id } = await schedule("alert", { ...terms, chat: await chat() }, { label: "Loops <!channel>" });
    const [posts, mails] = [() => tool.posted.length, () => mail.mails.length];
    const [postsBefore, mailsBefore] = [posts(), mails()];
    await send(sessions(38, 2));
    expect(await fire()).toMatchObject({ judged: 40, failed: 2, incident: null });
    nextHour();
    await send(sessions(20, 20));
    expect(await fire()).toMatchObject({ incident: { status: "open" } });
    nextHour();
    await send(sessions(20, 21));
    expect(await fire()).toMatchObject({ incident: { status: "open" } });
    expect([posts() - postsBefore, mails() - mailsBefore]).toEqual([1, 1]);
    const opened = JSON.stringify(tool.posted.at(-1));
    expect(opened).toContain("Alert opened: Loops");
    expect(opened).toContain("20 of 40 judged traces failed (50 %, 95 % interval 35.2 % to 64.8 %) in the last hour.");
    expect(opened).not.toContain("<!channel>");
    expect(mail.mails.at(-1)?.mail.text).toContain("At most 10 % may fail.");
    expect((await call("schedules_get", { sid: id })).online.incident).toMatchObject({
      sent: [
        { channel: "chat", state: "sent" },
        { channel: "email", state: "sent" },
      ],
    });
    nextHour();
    await send(sessions(40, 0));
    expect(await fire()).toMatchObject({ incident: { status: "closed" } });
    expect([posts() - postsBefore, mails() - mailsBefore]).toEqual([2, 2]);
    expect(JSON.stringify(tool.posted.at(-1))).toContain("Alert closed: Loops");
    nextHour();
    await send(sessions(40, 0));
    await fire();
    expect([posts() - postsBefore, (await incidents()).length]).toEqual([2, 1]);
    nextHour();
    await send(sessions(10, 30));
    await fire();
    expect([posts() - postsBefore, (await incidents()).length]).toEqual([3, 2]);
    await call("schedules_delete", { sid: id });
    expect((await incidents()).map(({ status }) => status)).toEqual(["closed", "closed"]);
    const { log } = await call("delivery_log");
    expect(log.filter((line: { channel: string }) => line.channel === "chat")).toHaveLength(3);
  });

  it("an incident that nobody could be told of stands, says why, and is told once it can be", async () => {
    const { id } = await schedule("alert", { detectors: ["loop"], threshold: 0.1, window_hours: 2 });
    await call("delivery_put", { channel: "email", on: false });
    await send(sessions(0, 30));
    await fire();
    expect(await incidents()).toMatchObject([{ status: "open", sent: [] }]);
    const { member } = await memberOf(invoker(app, "rest", org), { app, org });
    expect(member).toBeDefined();
    await call("delivery_put", { channel: "email", on: true });
    const before = mail.mails.length;
    nextHour();
    await send(sessions(0, 1));
    await fire();
    expect(mail.mails.length - before).toBe(1);
    expect((await call("schedules_get", { sid: id })).online.incident.sent).toEqual([
      { channel: "email", state: "sent" },
    ]);
  });

  it("by a judge, until what one firing may spend is used up, and says so", async () => {
    const criterion = "The answer names the day.";
    const { id } = await schedule("evaluate", {
      checks: [
        { kind: "judged", criterion },
        { kind: "max_calls", n: 1 },
      ],
      usd_cap: 0.02,
    });
    await send(sessions(4, 0));
    const say = (met: boolean) => ({
      text: JSON.stringify({ met, reason: "It names none." }),
      tokens: [500, 800] as const,
    });
    provider.say(say(false), say(true), say(true), say(true), say(true), say(true));
    const asked = provider.requests.length;
    const first = await fire();
    expect(first).toMatchObject({ tier: "llm-derived", stopped: expect.stringContaining("usd_cap") });
    expect(Number(first.usd)).toBeLessThanOrEqual(0.02);
    expect(Number(first.judged)).toBe(provider.requests.length - asked);
    expect([1, 2, 3]).toContain(first.judged);
    expect(Number(first.usd)).toBeCloseTo(Number(first.judged) * 0.0085, 6);
    const label = (await labels()).find(({ name, polarity }) => name.startsWith("judged") && polarity === "bad");
    expect(label).toMatchObject({
      name: `judged: ${criterion}`,
      tier: "llm-derived",
      note: "It names none.",
    });
    expect((await call("schedules_get", { sid: id })).online.stopped).toContain("wait for the next time");
    // The rest waits and is not forgotten.
    await send([session(1)]);
    nextHour();
    await fire();
    expect((await call("schedules_get", { sid: id })).online.judged).toBeGreaterThan(Number(first.judged));
  });

  it("by a judge, until the day's budget is used up, and says so", async () => {
    const { id } = await schedule("evaluate", { checks: [{ kind: "judged", criterion: "It is right." }] });
    await call("budget_put", { usd_per_day: 0 });
    await send(sessions(2, 0));
    const before = provider.requests.length;
    expect(await fire()).toMatchObject({ judged: 0, usd: 0, stopped: expect.stringContaining("Raise the budget") });
    expect(provider.requests.length).toBe(before);
    expect((await call("schedules_get", { sid: id })).online).toMatchObject({ judged: 0, interval: null });
    expect(await labels()).toEqual([]);
  });

  it("of a record that exporters add to, those alone that close from then on", async () => {
    const exported = async (n: number) => {
      const text = (fields: Record<string, string>) =>
        Object.entries(fields).map(([key, stringValue]) => ({ key, value: { stringValue } }));
      const span = {
        traceId: `0af7651916cd43dd8448eb211c8031${n.toString(16).padStart(2, "0")}`,
        spanId: "b7ad6b7169203300",
        name: "work",
        startTimeUnixNano: `${BigInt(clock.now()) * 1_000_000_000n}`,
        endTimeUnixNano: `${BigInt(clock.now() + 1) * 1_000_000_000n}`,
        attributes: text({ "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "find" }),
      };
      const resource = { attributes: text({ "service.name": "shop" }) };
      const body = JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans: [span] }] }] });
      const headers = { "content-type": "application/json" };
      expect((await app.rest("POST", "/v0/evidence", body, org.push, headers)).status).toBe(200);
      clock.advance(QUIET_SECONDS + 1);
      await app.service.schedules.tick();
    };
    await exported(1);
    await schedule("evaluate", { checks: [{ kind: "max_calls", n: 0 }] });
    nextHour();
    await exported(2);
    expect(await fire()).toMatchObject({ judged: 1, failed: 1 });
    nextHour();
    await exported(3);
    await exported(4);
    nextHour();
    expect(await fire()).toMatchObject({ judged: 1 });
    expect(await labels()).toHaveLength(3);
  });

  it("a failure mode is a detector, and one that is gone says so before it fires", async () => {
    const modes = await call("failure_modes_post", { modes: [{ title: "Asks over and over", behaviour: "loop" }] });
    const mode = String(JSON.stringify(modes).match(/fm_[A-Za-z0-9]+/)?.[0]);
    await schedule("evaluate", { detectors: [mode] });
    await send(sessions(1, 1));
    expect(await fire()).toMatchObject({ judged: 2, failed: 1 });
    expect((await labels()).map(({ name }) => name)).toEqual([mode, mode]);
  });
});
