import { afterEach, beforeEach, expect } from "vitest";
import { EvidenceRevision } from "../../../chapters/records/evidence/revision.ts";
import { bothSurfaces, FakeClock, type Invoke } from "../../helpers/app.ts";
import { type ObsTool, sessionSpans, startObs } from "../../helpers/vendors/obs.ts";
import { ok } from "../sandboxes/kit.ts";
import { ended, obsSource, pulled, tracesOf } from "./kit.ts";

const NOW = 1_790_000_000;
const DAY = 86_400;

let vendor: ObsTool;
let clock: FakeClock;
beforeEach(async () => {
  vendor = await startObs();
  config.sources.obs.apiUrl = vendor.url;
});
afterEach(() => vendor.close());

/** The vendor's address is filled in before each test. */
const config = {
  sources: {
    obs: { apiUrl: "", appUrl: undefined, clientId: undefined, clientSecret: undefined },
    vcsApiUrl: undefined,
  },
};
const options = {
  config: config as never,
  get clock() {
    clock = new FakeClock(NOW);
    return clock;
  },
};

async function batch(invoke: Invoke, t: Parameters<typeof pulled>[1], over: object = {}) {
  const scope = { site: "datadoghq.com", ml_app: "shop-bot" };
  const input = obsSource(vendor, { scope, import: { days: 2 }, ...over });
  const sid = (await ok(invoke("sources_post", input))).body.id as string;
  expect((await pulled(invoke, t, sid)).status).toBe("landed");
  const list = await ok(invoke("evidence_list"));
  return { sid, eid: list.body.evidence[0].id as string, list };
}

/** The vendor's tool span of a trace says something else from now on. */
function mend(trace: string, result: unknown): void {
  const at = vendor.spans.findIndex((span) => span.trace === trace && span.kind === "tool");
  vendor.spans[at] = { ...vendor.spans[at]!, output: { value: JSON.stringify(result) } };
}

bothSurfaces(
  "reconvert_evidence writes over what the vendor still has, keeps what was, and counts the rest by place",
  async (invoke, t) => {
    for (const [i, at] of [-140_000, -100_000, -90_000, -50_000].entries())
      vendor.spans.push(...sessionSpans(`t${i}`, NOW + at));
    const { eid, list } = await batch(invoke, t, { data_access: "full" });
    const before = await tracesOf(t, list);
    const heads = (await ok(invoke("evidence_attributes_get", { eid }))).body.attributes;
    await ok(
      invoke("evidence_attributes_post", {
        eid,
        attributes: [{ trace: heads[1].trace, values: { mine: { value: "x" } } }],
      }),
    );
    const read = await ok(invoke("evidence_extract", { eid }));
    expect((await ended(t, read.body.job)).status).toBe("landed");
    clock.advance(13.5 * DAY);
    mend("t1", { status: "lost" });
    vendor.spans.splice(0, vendor.spans.length, ...vendor.spans.filter(({ trace }) => trace !== "t3"));

    expect((await invoke("reconvert_evidence", { eid }, t.org.read)).status).toBe(403);
    expect((await invoke("reconvert_evidence", { eid: "ev_none" })).status).toBe(404);
    const started = await ok(invoke("reconvert_evidence", { eid, by: "ann" }, t.org.push));
    expect(started).toMatchObject({ status: 202, body: { evidence: eid, traces: 4, model_calls: 0 } });
    expect(started.verdict).toBe("Converting 4 stored traces again; no model is asked.");
    const job = await ended(t, started.body.job);
    expect(job).toMatchObject({
      status: "landed",
      result: {
        traces: 4,
        changed: 1,
        unchanged: 1,
        past_retention: 1,
        gone: 1,
        refused: 0,
        calls_before: 4,
        calls_after: 4,
        model_calls: 0,
        left: { past_retention: [0], gone: [3], refused: [] },
      },
    });
    const after = await tracesOf(t, list);
    expect(after[1]?.calls[0]?.result).toBe('{"status":"lost"}');
    expect([after[0], after[2], after[3]]).toEqual([before[0], before[2], before[3]]);
    const now = (await ok(invoke("evidence_attributes_get", { eid }))).body.attributes;
    expect(now.map((row: { trace: string }) => row.trace)).toEqual(heads.map((row: { trace: string }) => row.trace));
    expect(Object.keys(now[1].attributes), "what was filed stays, what was read of it is read again").toEqual(["mine"]);
    expect(job.result.attributes_dropped).toBeGreaterThan(3);
    const again = await ok(invoke("evidence_extract", { eid }));
    expect((await ended(t, again.body.job)).result).toMatchObject({ traces: 1 });

    const store = t.app.service.store.forOrg(t.org.id);
    const revision = await store.records.get(EvidenceRevision, job.result.revision);
    expect(revision).toMatchObject({ state: "landed", by: "ann", evidence: eid, stats: { calls: 4 } });
    const kept = JSON.parse(Buffer.from((await store.blobs.get(revision!.traces[0]!))!).toString());
    expect(kept).toEqual([{ position: 1, id: heads[1].trace, trace: before[1] }]);
    const same = await ended(t, (await ok(invoke("reconvert_evidence", { eid }))).body.job);
    expect(same.result).toMatchObject({ changed: 0, unchanged: 2 });
  },
  options,
);

bothSurfaces(
  "reconvert_evidence finds what was made a pseudonym, under the same key only, and refuses what it is not for",
  async (invoke, t) => {
    for (const [i, access] of (["anonymized", "shapes"] as const).entries()) {
      vendor.spans.push(
        ...sessionSpans(`t${i}`, NOW - 100_000 + i * 100, { user: "I am Ann Smith, ann@example.com.", ml_app: access }),
      );
      const scope = { site: "datadoghq.com", ml_app: access };
      const { eid, sid, list } = await batch(invoke, t, { external_id: access, data_access: access, scope });
      const [before] = await tracesOf(t, { ...list, body: { evidence: [{ id: eid }] } });
      mend(`t${i}`, { status: "lost", count: 4 });
      const job = await ended(t, (await ok(invoke("reconvert_evidence", { eid }))).body.job);
      expect(job.result, access).toMatchObject({ traces: 1, changed: 1, gone: 0 });
      const [after] = await tracesOf(t, { ...list, body: { evidence: [{ id: eid }] } });
      expect(after?.session).toBe(before?.session);
      expect(JSON.stringify(after)).not.toContain("ann@example.com");
      expect(after?.calls[0]?.result).not.toEqual(before?.calls[0]?.result);
      clock.advance(60);
      await ok(invoke("sources_patch", { sid, anon_key: "another key of the org's" }));
      const other = await invoke("reconvert_evidence", { eid });
      expect(other).toMatchObject({ status: 409, body: { reason: expect.stringContaining("pseudonyms") } });
      await ok(invoke("sources_patch", { sid, consent: "declined" }));
      expect((await invoke("reconvert_evidence", { eid })).status).toBe(409);
    }
    const sent = await ok(
      invoke("evidence_post", {
        content: [
          {
            messages: [
              { role: "user", content: "hi" },
              { role: "assistant", content: "ho" },
            ],
          },
        ],
      }),
    );
    expect((await invoke("reconvert_evidence", { eid: sent.body.id })).status).toBe(422);
  },
  options,
);

bothSurfaces(
  "a reconversion that breaks off keeps what it read, and the next start goes on there",
  async (invoke, t) => {
    for (let i = 0; i < 45; i++) vendor.spans.push(...sessionSpans(`t${i}`, NOW - 150_000 + i * 1000));
    const { eid, list } = await batch(invoke, t, { data_access: "full" });
    for (let i = 0; i < 45; i++) mend(`t${i}`, { status: "mended" });
    const from = vendor.searches().length;
    const started = await ok(invoke("reconvert_evidence", { eid }));
    const twice = await invoke("reconvert_evidence", { eid });
    expect(twice).toMatchObject({ status: 409, body: { reason: expect.stringContaining("already") } });
    while (vendor.searches().length < from + 22) await new Promise((resolve) => setTimeout(resolve, 1));
    vendor.limit(1, 900);
    expect((await ended(t, started.body.job)).status).toBe("failed");
    const mended = async () =>
      (await tracesOf(t, list)).filter((trace) => String(trace.calls[0]?.result).includes("mended")).length;
    const half = await mended();
    expect(half).toBeGreaterThanOrEqual(20);
    expect(half).toBeLessThan(45);
    const asked = vendor.searches().length;
    const rest = await ended(t, (await ok(invoke("reconvert_evidence", { eid }))).body.job);
    expect(rest).toMatchObject({ status: "landed", result: { changed: 45, unchanged: 0, gone: 0 } });
    expect(vendor.searches().length - asked, "only what was left is asked for").toBe(45 - half);
    expect(await mended()).toBe(45);
    const store = t.app.service.store.forOrg(t.org.id);
    expect((await store.records.list(EvidenceRevision)).items).toHaveLength(1);
  },
  options,
);
