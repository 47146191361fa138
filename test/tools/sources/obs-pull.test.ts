import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Source } from "../../../chapters/records/sources/sources.ts";
import { bothSurfaces, FakeClock, type Invoke, invoker, startApp } from "../../helpers/app.ts";
import { type ObsTool, sessionSpans, startObs } from "../../helpers/vendors/obs.ts";
import { ended, obsSource, pulled, tracesOf } from "./kit.ts";

let vendor: ObsTool;
beforeEach(async () => {
  vendor = await startObs();
  config.sources.obs.apiUrl = vendor.url;
});
afterEach(() => vendor.close());

const NOW = 1_790_000_000;
/** The vendor's address is filled in before each test. */
const config = {
  sources: {
    obs: { apiUrl: "", appUrl: undefined, clientId: undefined, clientSecret: undefined },
    vcsApiUrl: undefined,
  },
};
let clock: FakeClock;
const options = {
  config: config as never,
  get clock() {
    clock = new FakeClock(NOW);
    return clock;
  },
};

const connect = async (invoke: Invoke, over: object = {}) => {
  const scope = { site: "datadoghq.com", ml_app: "shop-bot" };
  const input = obsSource(vendor, { scope, data_access: "full", import: { days: 2 }, ...over });
  return (await invoke("sources_post", input)).body.id as string;
};

bothSurfaces(
  "spans are pulled page by page into whole traces, and the next pull goes on from there",
  async (invoke, t) => {
    vendor.settings.pageSize = 4;
    for (let i = 0; i < 9; i++) vendor.spans.push(...sessionSpans(`t${i}`, NOW - 150_000 + i * 15_000));
    vendor.spans.push(...sessionSpans("other-app", NOW - 5000, { ml_app: "another" }));
    vendor.spans.push(...sessionSpans("before", NOW - 3 * 86_400));
    // One that still runs: its last span is younger than five minutes.
    vendor.spans.push(...sessionSpans("runs", NOW - 100));
    const sid = await connect(invoke);
    const first = await pulled(invoke, t, sid);
    expect(first).toMatchObject({
      status: "landed",
      result: { outcome: "landed", traces: 9, refused: 0, unchanged: 0 },
    });
    const evidence = await invoke("evidence_list", {});
    const traces = await tracesOf(t, evidence);
    expect(traces.map(({ session }) => session)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8].map((i) => `t${i}`));
    for (const trace of traces) {
      expect(trace).toMatchObject({ request: "Where is my order?", final_answer: "It was sent." });
      expect(trace.calls).toMatchObject([{ tool: "get_order", args: { order_id: "W1" }, result: '{"status":"sent"}' }]);
    }
    expect(evidence.body.evidence[0]).toMatchObject({
      kind: "traces",
      format: "obs-spans",
      origin: "pull",
      never_pulled: false,
      source: sid,
    });
    const after = (await invoke("sources_get", { sid })).body;
    expect(after).toMatchObject({
      last_sync: NOW,
      sync_blocked: null,
      stats: { evidence: 1, traces: 9, calls: 9 },
      last_pull: { outcome: "landed" },
    });
    expect(after.span_resume.since, "the trace that still runs is asked for again").toBe(NOW - 100);
    expect(vendor.searches().length).toBeGreaterThan(8);

    const none = await pulled(invoke, t, sid);
    expect(none.result).toMatchObject({ traces: 0, evidence: [] });
    clock.advance(3600);
    vendor.spans.push({ ...(vendor.spans.at(-1) as (typeof vendor.spans)[0]), span: "runs-x", start: NOW - 50 });
    vendor.spans.push(...sessionSpans("later", NOW + 600));
    const second = await pulled(invoke, t, sid);
    expect(second.result).toMatchObject({ traces: 2 });
    const all = await tracesOf(t, await invoke("evidence_list", {}));
    expect(all.map(({ session }) => session).sort()).toEqual(
      ["later", "runs", ...traces.map(({ session }) => session)].sort(),
    );
    const again = await pulled(invoke, t, sid);
    expect(again.result).toMatchObject({ traces: 0 });
  },
  options,
);

// Finding A21.
bothSurfaces(
  "a span that the vendor lists twice, on one page or on two, is one call",
  async (invoke, t) => {
    vendor.settings.pageSize = 4;
    const spans = ["t1", "t2", "t3"].flatMap((name, i) => sessionSpans(name, NOW - 50_000 + i * 10));
    vendor.spans.push(...spans, ...spans.map((span) => ({ ...span })));
    const sid = await connect(invoke);
    expect((await pulled(invoke, t, sid)).result).toMatchObject({ outcome: "landed", traces: 3 });
    const traces = await tracesOf(t, await invoke("evidence_list", {}));
    expect(traces.map(({ calls }) => calls.length)).toEqual([1, 1, 1]);
  },
  options,
);

bothSurfaces(
  "a source that is busy for a moment is asked again; one that asks to wait long is left where it was",
  async (invoke, t) => {
    for (let i = 0; i < 6; i++) vendor.spans.push(...sessionSpans(`t${i}`, NOW - 160_000 + i * 25_000));
    const sid = await connect(invoke);
    vendor.limit(2, 0);
    expect((await pulled(invoke, t, sid)).result).toMatchObject({ outcome: "landed", traces: 6 });

    for (let i = 6; i < 9; i++) vendor.spans.push(...sessionSpans(`t${i}`, NOW + 1000 * i));
    clock.advance(40_000);
    vendor.limit(1, 900);
    const busy = await pulled(invoke, t, sid);
    expect(busy).toMatchObject({ status: "landed", result: { outcome: "busy", wait: 900 } });
    const source = (await invoke("sources_get", { sid })).body;
    expect(source.sync_blocked).toContain("900 more seconds");
    const blocked = await invoke("sources_sync", { sid });
    expect(blocked).toMatchObject({ status: 409 });
    clock.advance(901);
    const rest = await pulled(invoke, t, sid);
    expect(rest.result).toMatchObject({ outcome: "landed" });
    const traces = await tracesOf(t, await invoke("evidence_list", {}));
    expect(traces.map(({ session }) => session).sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8].map((i) => `t${i}`));
  },
  options,
);

bothSurfaces(
  "keys that open nothing fail the pull in words, and lose nothing",
  async (invoke, t) => {
    vendor.spans.push(...sessionSpans("t1", NOW - 5000));
    const sid = await connect(invoke, { auth: { api_key: "wrong", app_key: "wrong" } });
    const failed = await pulled(invoke, t, sid);
    expect(failed).toMatchObject({ status: "failed", note: expect.stringContaining("refused the credential") });
    expect((await invoke("sources_get", { sid })).body.last_pull).toMatchObject({ outcome: "failed" });
    const patched = await invoke("sources_patch", { sid, auth: vendor.keys });
    expect(patched.body.changes).toEqual(["auth"]);
    expect((await pulled(invoke, t, sid)).result).toMatchObject({ traces: 1 });
  },
  options,
);

bothSurfaces(
  "consent that is taken back ends a pull, and a double start is one job",
  async (invoke, t) => {
    const store = t.app.service.store.forOrg(t.org.id);
    for (let i = 0; i < 40; i++) vendor.spans.push(...sessionSpans(`t${i}`, NOW - 90_000 + i * 2000));
    vendor.settings.pageSize = 1;
    const sid = await connect(invoke);
    const first = await invoke("sources_sync", { sid });
    expect(first).toMatchObject({
      status: 202,
      body: { deduplicated: false, source: sid, poll: `/v0/jobs/${first.body.job}` },
    });
    const second = await invoke("sources_sync", { sid });
    expect(second).toMatchObject({ status: 200, body: { deduplicated: true, job: first.body.job } });
    await store.records.update(Source, sid, (doc) => ({ ...doc, consent: "declined" as const }));
    const end = await ended(t, first.body.job);
    expect(end).toMatchObject({ status: "failed", note: expect.stringContaining("Consent") });
    const searches = vendor.searches().length;
    expect((await invoke("sources_sync", { sid })).status).toBe(409);
    expect(vendor.searches().length).toBe(searches);
  },
  options,
);

it("a pull goes on in the next process where it was when this one went down", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "svc-pull-"));
  const at = new FakeClock(NOW);
  try {
    for (let i = 0; i < 30; i++) vendor.spans.push(...sessionSpans(`t${i}`, NOW - 150_000 + i * 4900));
    vendor.settings.pageSize = 3;
    const first = await startApp({ dataDir, clock: at, config: config as never });
    const org = await first.org();
    const sid = await connect(invoker(first, "rest", org));
    const { job } = (await invoker(first, "rest", org)("sources_sync", { sid })).body;
    while (vendor.searches().length < 5) await new Promise((resolve) => setTimeout(resolve, 2));
    await first.close();
    const asked = vendor.searches().length;
    const second = await startApp({ dataDir, clock: at, config: config as never });
    try {
      const t = { app: second, org };
      expect(await ended(t, job)).toMatchObject({ status: "landed", result: { outcome: "landed" } });
      expect(vendor.searches().length).toBeGreaterThan(asked);
      const call = invoker(second, "rest", org);
      const traces = await tracesOf(t, await call("evidence_list", {}));
      expect(traces.map(({ session }) => session).sort()).toEqual(Array.from({ length: 30 }, (_, i) => `t${i}`).sort());
    } finally {
      await second.close();
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});

bothSurfaces(
  "an interrupted pull stores no trace twice",
  async (invoke, t) => {
    for (let i = 0; i < 12; i++) vendor.spans.push(...sessionSpans(`t${i}`, NOW - 150_000 + i * 12_000));
    const sid = await connect(invoke);
    expect((await pulled(invoke, t, sid)).result).toMatchObject({ traces: 12 });
    // As a process leaves it that dies after the evidence was stored and before it said so.
    const store = t.app.service.store.forOrg(t.org.id);
    await store.records.update(Source, sid, ({ resume: _lost, last_sync: _never, ...doc }) => doc);
    expect((await pulled(invoke, t, sid)).result).toMatchObject({ traces: 0 });
    expect(await tracesOf(t, await invoke("evidence_list", {}))).toHaveLength(12);
  },
  options,
);
