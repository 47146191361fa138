import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { tickOrg } from "../../../../chapters/automation/schedules/tick.ts";
import { QUIET_SECONDS } from "../../../../chapters/evidence/rolling/close.ts";
import { Evidence } from "../../../../chapters/records/evidence/evidence.ts";
import { RunGroup } from "../../../../chapters/records/runs/runs.ts";
import { Schedule, ScheduleFiring } from "../../../../chapters/records/sources/sources.ts";
import { createTicker } from "../../../../src/schedules/ticker.ts";
import { bothSurfaces, FakeClock, invoker, startApp, type TestApp, type TestOrg } from "../../../helpers/app.ts";
import { ctxOf } from "../../../helpers/ctx.ts";
import { type ObsTool, sessionSpans, startObs } from "../../../helpers/vendors/obs.ts";
import { shopIn } from "../../runs/kit.ts";
import { ended, obsSource } from "../../sources/kit.ts";

const NOW = 1_790_000_000;
const HOUR = 3600;
let clock: FakeClock;
const options = {
  get clock() {
    clock = new FakeClock(NOW);
    return clock;
  },
};

bothSurfaces(
  "schedules are made, listed, changed and ended, and say when they are due and what is in the way",
  async (invoke, { org, app }) => {
    const listed = await invoke("schedules_list", {}, org.read);
    expect(listed.body).toEqual({
      kinds: ["sync", "run", "derive", "scan", "weekly", "evaluate", "alert"],
      anchors: ["clock", "after_ingest", "on_version"],
      cadences: ["hourly", "daily", "weekly"],
      tick_seconds: 30,
      schedules: [],
    });
    const derive = await invoke(
      "schedules_post",
      { kind: "derive", surface: "shop", cadence: "hourly", label: "Build", by: "mei" },
      org.push,
    );
    expect(derive).toMatchObject({
      status: 201,
      body: { kind: "derive", anchor: "clock", start_at: NOW + HOUR, due_in: HOUR, label: "Build", by: "mei" },
    });
    expect(derive.body.fire_blocked).toContain("no evidence");
    const sid = derive.body.id;
    clock.advance(600);
    expect((await invoke("schedules_get", { sid }, org.read)).body.due_in).toBe(HOUR - 600);
    const moved = await invoke("schedules_patch", { sid, start_at: NOW + 700, label: "Sooner" }, org.push);
    expect(moved.body).toMatchObject({ start_at: NOW + 700, due_in: 100, label: "Sooner", cadence: "hourly" });
    expect((await invoke("schedules_patch", { sid, cadence: "weekly" })).body).toMatchObject({
      cadence: "weekly",
      due_in: 604_800,
    });

    const after = await invoke("schedules_post", { kind: "run", anchor: "after_ingest", harness: "reference" });
    expect(after.body).toMatchObject({ due_in: null, surface: "main", harness: "reference" });
    expect(after.body.fire_blocked).toContain("no certified task");
    expect((await invoke("schedules_post", { kind: "run" })).body.fire_blocked).toContain("no primary agent");
    expect((await invoke("schedules_post", { kind: "sync" })).body.fire_blocked).toContain("no source");
    expect((await invoke("schedules_post", { kind: "weekly" })).body.fire_blocked).toBeNull();
    expect((await invoke("schedules_list", { surface: "shop" })).body.schedules).toHaveLength(1);
    const page = (await invoke("schedules_list", { limit: 3 })).body;
    expect((await invoke("schedules_list", { limit: 3, cursor: page.next })).body.schedules).toHaveLength(2);

    const refused = async (input: object) => (await invoke("schedules_post", { ...input })).body.fields?.[0]?.path;
    expect(await refused({ kind: "sync", harness: "rule" })).toBe("harness");
    expect(await refused({ kind: "sync", anchor: "after_ingest" })).toBe("anchor");
    expect(await refused({ kind: "run", agent: "a", harness: "rule" })).toBe("harness");
    expect(await refused({ kind: "derive", source: "src_x" })).toBe("source");
    expect(await refused({ kind: "derive", cadence: "yearly" })).toBe("cadence");
    expect((await invoke("schedules_post", { kind: "sync", source: "src_x" })).status).toBe(404);
    expect((await invoke("schedules_post", { kind: "run", agent: "nobody" })).status).toBe(404);
    expect((await invoke("schedules_post", { kind: "derive" }, org.read)).status).toBe(403);
    const upload = (await invoke("sources_post", { kind: "upload", external_id: "x" })).body.id;
    expect(await refused({ kind: "sync", source: upload })).toBe("source");

    const other = await app.org("other");
    expect((await invoke("schedules_get", { sid, orgtag: other.tag }, other.read)).status).toBe(404);
    expect((await invoke("schedules_delete", { sid }, org.push)).body).toEqual({ deleted: sid, runs_kept: 0 });
    expect((await invoke("schedules_get", { sid })).status).toBe(404);
  },
  options,
);

describe("what is scheduled", () => {
  let app: TestApp;
  let org: TestOrg;
  let vendor: ObsTool;
  const obs = { apiUrl: "", appUrl: undefined, clientId: undefined, clientSecret: undefined };
  beforeEach(async () => {
    clock = new FakeClock(NOW);
    vendor = await startObs();
    obs.apiUrl = vendor.url;
    app = await startApp({ clock, config: { sources: { obs, vcsApiUrl: undefined, traceStoreUrl: undefined } } });
    org = await app.org();
  });
  afterEach(async () => {
    await app.close();
    await vendor.close();
  });
  const call = (tool: string, args: Record<string, unknown> = {}) => invoker(app, "rest", org)(tool, args);
  const store = () => app.service.store.forOrg(org.id);
  const tick = () => app.service.schedules.tick();
  const firings = async () =>
    (await store().records.list(ScheduleFiring)).items.sort((a, b) => a.created_at - b.created_at);
  const addSource = async (over: object = {}) => {
    return (await call("sources_post", obsSource(vendor, over))).body.id as string;
  };

  it("fires at its times, once for each, and once for those that were missed", async () => {
    const source = await addSource();
    const { id } = (await call("schedules_post", { kind: "sync", source, cadence: "hourly" })).body;
    await tick();
    expect(await firings()).toEqual([]);
    clock.advance(HOUR - 1);
    await tick();
    expect(await firings()).toEqual([]);
    vendor.spans.push(...sessionSpans("t1", NOW - 4000));
    clock.advance(1);
    await Promise.all([tick(), tick(), tick()]);
    const [first, ...more] = await firings();
    expect(more).toEqual([]);
    expect(first).toMatchObject({ schedule: id, status: "fired", fired_for: String(NOW + HOUR) });
    expect(await ended({ app, org }, String(first?.job))).toMatchObject({ status: "landed", result: { traces: 1 } });
    const view = (await call("schedules_get", { sid: id })).body;
    expect(view).toMatchObject({ due_in: HOUR, fired_at: NOW + HOUR, last: { status: "fired" }, fire_blocked: null });
    clock.advance(10 * HOUR + 60);
    await tick();
    await tick();
    expect((await firings()).map(({ fired_for }) => fired_for)).toEqual([String(NOW + HOUR), String(NOW + 11 * HOUR)]);
    expect((await call("schedules_delete", { sid: id })).body).toEqual({ deleted: id, runs_kept: 2 });
    clock.advance(HOUR);
    await tick();
    expect(await firings()).toHaveLength(2);
  });

  it("two processes that look at once fire once", async () => {
    const source = await addSource();
    await call("schedules_post", { kind: "sync", source, cadence: "hourly" });
    clock.advance(HOUR);
    const context = (row: { id: string; tag: string }) =>
      ctxOf(app.service, row, { kind: "operator", name: "schedule" });
    const second = createTicker({ store: app.service.store, context, log: app.service.log });
    await Promise.all([tick(), second.tick(), tick(), second.tick()]);
    expect(await firings()).toHaveLength(1);
    const jobs = await store().jobs.list({ kind: "source_sync" });
    expect(jobs.items).toHaveLength(1);
  });

  it("that is in the way of itself says so, and fires at its next time when nothing is", async () => {
    const source = await addSource({ consent: "unset" });
    const { id } = (await call("schedules_post", { kind: "sync", source, cadence: "hourly" })).body;
    clock.advance(HOUR);
    await tick();
    expect(await firings()).toMatchObject([{ status: "blocked", note: expect.stringContaining("consented") }]);
    expect((await call("schedules_get", { sid: id })).body).toMatchObject({
      last: { status: "blocked" },
      due_in: HOUR,
    });
    expect(vendor.searches()).toHaveLength(0);
    await call("sources_patch", { sid: source, consent: "granted" });
    clock.advance(HOUR);
    await tick();
    expect((await firings()).map(({ status }) => status)).toEqual(["blocked", "fired"]);
  });

  it("a firing whose process was lost is made again", async () => {
    const source = await addSource();
    const { id } = (await call("schedules_post", { kind: "sync", source, cadence: "daily" })).body;
    clock.advance(86_400);
    await tick();
    const [done] = await firings();
    // As it is left by a process that died between saying that it begins and beginning.
    const { job: _none, ...begun } = done as NonNullable<typeof done>;
    await store().records.put(ScheduleFiring, { ...begun, status: "firing" });
    await store().records.update(Schedule, id, ({ fired_for: _for, ...doc }) => doc);
    await tick();
    expect(await firings()).toMatchObject([{ status: "firing" }]);
    clock.advance(121);
    await tick();
    expect(await firings()).toMatchObject([{ status: "fired" }]);
  });

  it("a run that was started by a firing which was lost is not started a second time", async () => {
    await shopIn(app.service, org.id, 4);
    const start_at = NOW + 1;
    const made = await call("schedules_post", { kind: "run", surface: "shop", harness: "reference", start_at });
    const { id } = made.body;
    clock.advance(2);
    await tick();
    const [done] = await firings();
    expect(done).toMatchObject({ status: "fired", job: expect.stringMatching(/^rg_/) });
    expect((await ended({ app, org }, String(done?.job))).status).toBe("landed");
    // As it is left by a process that died between starting the run and saying so.
    const { job, ...begun } = done as NonNullable<typeof done>;
    await store().records.put(ScheduleFiring, { ...begun, status: "firing" });
    await store().records.update(Schedule, id, ({ fired_for: _for, ...doc }) => doc);
    clock.advance(121);
    await tick();
    expect(await firings()).toMatchObject([{ status: "fired", job }]);
    expect(await store().records.count(RunGroup)).toBe(1);
  });

  it("after new evidence the surface's pipeline runs, not for what was there before, nor more often than asked", async () => {
    const content = (n: number) => [
      {
        messages: [
          { role: "user", content: `hello ${n}` },
          { role: "assistant", content: "hi" },
        ],
      },
    ];
    await call("evidence_post", { content: content(1), surface: "shop" });
    await call("schedules_post", { kind: "derive", surface: "shop", anchor: "after_ingest", cadence: "hourly" });
    await tick();
    expect(await firings()).toEqual([]);
    clock.advance(60);
    await call("evidence_post", { content: content(2), surface: "other" });
    await tick();
    expect(await firings()).toEqual([]);
    const evidence = (await call("evidence_post", { content: content(3), surface: "shop" })).body.id;
    await tick();
    await tick();
    expect(await firings()).toMatchObject([{ status: "fired", fired_for: expect.stringContaining(evidence) }]);
    expect((await store().jobs.list({ kind: "pipeline" })).items).toHaveLength(1);
    clock.advance(60);
    await call("evidence_post", { content: content(4), surface: "shop" });
    await tick();
    expect(await firings()).toHaveLength(1);
    clock.advance(HOUR);
    await tick();
    expect(await firings()).toHaveLength(2);
    expect((await store().records.list(Evidence)).items).toHaveLength(4);
  });

  it("fires again as exporters add to the record of a day", async () => {
    const attributes = (fields: Record<string, string>) =>
      Object.entries(fields).map(([key, stringValue]) => ({ key, value: { stringValue } }));
    const exported = async (n: number) => {
      const at = (seconds: number) => `${BigInt(Math.round(clock.now() + seconds)) * 1_000_000_000n}`;
      const span = {
        traceId: `0af7651916cd43dd8448eb211c8031${n.toString(16).padStart(2, "0")}`,
        spanId: "b7ad6b7169203300",
        name: "work",
        startTimeUnixNano: at(0),
        endTimeUnixNano: at(1),
        attributes: attributes({
          "gen_ai.operation.name": "execute_tool",
          "gen_ai.tool.name": "find",
          "gen_ai.tool.call.result": "1",
        }),
      };
      const resource = { attributes: attributes({ "service.name": "shop" }) };
      const body = JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans: [span] }] }] });
      const headers = { "content-type": "application/json" };
      expect((await app.rest("POST", "/v0/evidence?surface=shop", body, org.push, headers)).status).toBe(200);
      clock.advance(QUIET_SECONDS + 1);
      await tick();
    };
    await exported(1);
    expect((await store().records.list(Evidence)).items).toMatchObject([{ stats: { traces: 1, refused: 0 } }]);
    await call("schedules_post", { kind: "derive", surface: "shop", anchor: "after_ingest", cadence: "hourly" });
    clock.advance(HOUR);
    await tick();
    expect(await firings(), "nothing came since").toEqual([]);
    await exported(2);
    expect((await store().records.list(Evidence)).items, "into the same record").toHaveLength(1);
    await tick();
    expect(await firings()).toMatchObject([{ status: "fired" }]);
    await tick();
    clock.advance(HOUR);
    await tick();
    expect(await firings()).toHaveLength(1);
    await exported(3);
    await tick();
    expect(await firings()).toHaveLength(2);
  });

  it("on a new version of its agent a run is started, and says why it cannot be", async () => {
    const target = { kind: "http", name: "bot", url: "http://127.0.0.1:9/agent", version: "1" };
    const agent = (await call("agents_post", target)).body.agent.id;
    const { id } = (await call("schedules_post", { kind: "run", agent, anchor: "on_version", cadence: "hourly" })).body;
    await tick();
    expect(await firings()).toEqual([]);
    const added = await call("agent_versions_post", { aid: agent, version: "2" });
    expect(added.status).toBeLessThan(300);
    await tick();
    expect(await firings()).toMatchObject([
      { schedule: id, fired_for: "2", status: "blocked", note: expect.stringContaining("no certified task") },
    ]);
  });

  it("a source with a cadence of its own is pulled by it, where it may be", async () => {
    vendor.spans.push(...sessionSpans("t1", NOW - 5000));
    const sid = await addSource({ cadence: "hourly" });
    const unasked = await addSource({ cadence: "hourly", consent: "unset", external_id: "other" });
    expect((await call("sources_get", { sid })).body.next_sync).toBe(NOW);
    await tick();
    const [job] = (await store().jobs.list({ kind: "source_sync" })).items;
    expect(await ended({ app, org }, String(job?.id))).toMatchObject({
      status: "landed",
      result: { source: sid, traces: 1 },
    });
    expect((await call("sources_get", { sid })).body.next_sync).toBe(NOW + HOUR);
    await tick();
    expect((await store().jobs.list({ kind: "source_sync" })).items).toHaveLength(1);
    clock.advance(HOUR);
    await tick();
    const jobs = (await store().jobs.list({ kind: "source_sync" })).items;
    expect(jobs.map(({ input }) => input)).toEqual([{ source: sid }, { source: sid }]);
    expect((await call("sources_get", { sid: unasked })).body).toMatchObject({ next_sync: null, last_pull: null });
  });

  it("is started whatever is in the way of what is due beside it", async () => {
    const due = { cadence: "hourly" };
    const [first, second] = [await addSource({ ...due }), await addSource({ ...due, external_id: "other" })];
    const [third, fourth] = [await addSource({}), await addSource({ external_id: "fourth" })];
    for (const source of [third, fourth])
      await call("schedules_post", { kind: "sync", source, cadence: "hourly", start_at: NOW + 1 });
    clock.advance(2);
    const ctx = ctxOf(app.service, org, { kind: "operator", name: "schedule" });
    const started: string[] = [];
    const errors: unknown[] = [];
    const start = async (_job: unknown, input: unknown) => {
      const { source } = input as { source: string };
      if (source === second || source === third) throw new TypeError("trouble of one source");
      started.push(source);
      return { job: "job_1", status: "queued" as const, deduplicated: true, poll: "" };
    };
    const log = { ...ctx.log, error: (fields: object) => void errors.push(fields) };
    await tickOrg({ ...ctx, log, jobs: { ...ctx.jobs, start } });
    expect(started.sort()).toEqual([first, fourth].sort());
    expect(errors).toMatchObject([{ err: expect.any(TypeError) }, { source: second, org: org.id }]);
    const [failed] = (await store().records.list(ScheduleFiring, { where: { status: "failed" } })).items;
    expect(failed?.note).toContain("fault of its own");
  });

  it("in one org is started whatever became of another's, and no more once the service closes", async () => {
    const [one, two] = [org.id, (await app.org("two")).id];
    // One that is being restored is let be.
    await app.service.store.createOrg({ id: "org_halfway", tag: "restoring:org_halfway", created_at: NOW });
    const looked: string[] = [];
    const context = (row: { id: string }) => {
      looked.push(row.id);
      throw new Error("one org's trouble");
    };
    const errors: unknown[] = [];
    const log = { ...app.service.log, error: (fields: Record<string, unknown>) => void errors.push(fields.org) };
    const ticker = createTicker({ store: app.service.store, context, log });
    await ticker.tick();
    expect(new Set(looked)).toEqual(new Set([one, two]));
    expect(new Set(errors)).toEqual(new Set([one, two]));
    await ticker.close();
    const before = looked.length;
    await ticker.tick();
    expect(looked).toHaveLength(before);
  });
});
