import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { FakeClock, invoker, startApp, type TestApp, type TestOrg } from "../../helpers/app.ts";
import { type MailServer, startMailServer } from "../../helpers/vendors/mail.ts";
import { type FakeProvider, startProvider } from "../../helpers/vendors/models.ts";
import { memberOf } from "../exports/delivery-kit.ts";
import { ended } from "./kit.ts";
import { sessions } from "./online-sessions.ts";

const NOW = 1_790_000_000;
const HOUR = 3600;

describe("an alert over time", () => {
  let clock: FakeClock;
  let app: TestApp;
  let org: TestOrg;
  let mail: MailServer;
  let provider: FakeProvider;
  beforeAll(async () => {
    [mail, provider] = await Promise.all([startMailServer(), startProvider()]);
  });
  afterAll(() => Promise.all([mail.close(), provider.close()]));
  beforeEach(async () => {
    clock = new FakeClock(NOW);
    const config = { ...provider.config, mail: { url: mail.url, from: "svc <svc@example.com>" } };
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
  const schedule = (kind: string, terms: object) => call("schedules_post", { kind, terms });
  const send = (content: object[]) => call("evidence_post", { content });
  /** Fires what is due and waits for what it began. */
  const fire = async () => {
    await app.service.schedules.tick();
    const [job] = (await store().jobs.list({ kind: "evaluate_online", limit: 1 })).items;
    return (await ended({ app, org }, String(job?.id))).result as Record<string, unknown>;
  };
  const nextHour = () => clock.advance(HOUR);

  it("an incident that no trace comes to any more closes by the clock, and says that nothing is known", async () => {
    await memberOf(invoker(app, "rest", org), { app, org });
    await call("delivery_put", { channel: "email", on: true });
    const { id } = await schedule("alert", { detectors: ["loop"], threshold: 0.1, window_hours: 2 });
    await send(sessions(0, 30));
    await fire();
    const jobs = async () => (await store().jobs.list({ kind: "evaluate_online", limit: 50 })).items.length;
    const [before, mails] = [await jobs(), mail.mails.length];
    clock.advance(4 * HOUR - 1);
    await app.service.schedules.tick();
    expect(await jobs()).toBe(before);
    clock.advance(1);
    expect(await fire()).toMatchObject({ judged: 0, incident: { status: "closed" } });
    expect((await call("schedules_get", { sid: id })).online.incident).toBeNull();
    expect(mail.mails.length - mails).toBe(1);
    expect(mail.mails.at(-1)?.mail.text).toContain("No trace was judged in the last 4 hours");
    clock.advance(8 * HOUR);
    await app.service.schedules.tick();
    expect(await jobs()).toBe(before + 1);
    await send(sessions(0, 30));
    expect(await fire()).toMatchObject({ judged: 30, incident: { status: "open" } });
  });

  it("an incident stays open while traces that came wait for a budget", async () => {
    const checks = [{ kind: "judged", criterion: "It is right." }];
    const { id } = await schedule("alert", { checks, threshold: 0.1, window_hours: 1, min_traces: 5 });
    const bad = { text: JSON.stringify({ met: false, reason: "No." }), tokens: [10, 10] as const };
    provider.say(...Array.from({ length: 8 }, () => bad));
    await send(sessions(8, 0));
    expect(await fire()).toMatchObject({ judged: 8, incident: { status: "open" } });
    await call("budget_put", { usd_per_day: 0 });
    await send(sessions(3, 0));
    clock.advance(2 * HOUR);
    expect(await fire()).toMatchObject({ judged: 0, incident: { status: "open" } });
    expect((await call("schedules_get", { sid: id })).online.incident).not.toBeNull();
  });

  it("by new terms: what comes is counted anew where something else is judged, and goes on where it is not", async () => {
    const { id } = await schedule("alert", { detectors: ["loop"], threshold: 0.5 });
    await send(sessions(20, 10));
    await fire();
    const online = async () => (await call("schedules_get", { sid: id })).online;
    const patch = (terms: object) => call("schedules_patch", { sid: id, terms });
    expect(await patch({ detectors: ["loop"], threshold: 0.1 })).toMatchObject({
      terms: { detectors: ["loop"], threshold: 0.1 },
      online: { judged: 30, failed: 10 },
    });
    nextHour();
    await send(sessions(1, 0));
    expect(await fire()).toMatchObject({ judged: 1, incident: { status: "open" } });
    await patch({ checks: [{ kind: "max_calls", n: 9 }], threshold: 0.1 });
    expect(await online()).toMatchObject({ judged: 0, by: [], interval: null });
    nextHour();
    await send(sessions(0, 25));
    expect(await fire()).toMatchObject({ judged: 25, failed: 0, incident: { status: "closed" } });
    expect(await online()).toMatchObject({ judged: 25, failed: 0, by: [{ name: "max_calls", good: 25 }] });
    const refused = async (sid: string, terms: object) =>
      (await invoker(app, "rest", org)("schedules_patch", { sid, terms })).body.fields?.[0]?.path;
    expect(await refused(id, { detectors: ["loop"] })).toBe("terms.threshold");
    const { id: derive } = await call("schedules_post", { kind: "derive" });
    expect(await refused(derive, { detectors: ["loop"] })).toBe("terms");
  });
});
