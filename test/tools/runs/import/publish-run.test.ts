import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { onBoth, startApp, type TestApp } from "../../../helpers/app.ts";
import { startVendor, type VendorServer } from "../../../helpers/vendors/server.ts";
import { runToEnd, shopIn } from "../kit.ts";

const obs = { apiUrl: undefined, appUrl: undefined, clientId: undefined, clientSecret: undefined };
const basic = `Basic ${Buffer.from("pk-run:sk-run").toString("base64")}`;
let vendor: VendorServer;
let app: TestApp;
let bare: TestApp;
let orgs = 0;

beforeAll(async () => {
  vendor = await startVendor(({ headers, path }) => {
    if (headers.authorization !== basic) return { status: 401, body: { message: "no" } };
    return path === "/api/public/otel/v1/traces" ? { body: {} } : { body: { id: "s" } };
  });
  const traceStoreKeys = { public: "pk-run", secret: "sk-run" };
  app = await startApp({
    config: { sources: { obs, vcsApiUrl: undefined, traceStoreUrl: vendor.url, traceStoreKeys } },
  });
  bare = await startApp();
});
beforeEach(() => {
  vendor.seen.length = 0;
});
afterAll(async () => {
  await Promise.all([app.close(), bare.close()]);
  await vendor.close();
});

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue: string } }[];
}

const sent = (path: string) => vendor.seen.filter((seen) => seen.path === path).map(({ body }) => JSON.parse(body));
const spansOf = (): OtlpSpan[] =>
  sent("/api/public/otel/v1/traces").flatMap(({ resourceSpans }) => resourceSpans[0].scopeSpans[0].spans);
const attribute = (span: OtlpSpan, key: string) => span.attributes.find((one) => one.key === key)?.value.stringValue;

async function scene(of: TestApp) {
  const org = await of.org(`publish-${++orgs}`);
  const shop = await shopIn(of.service, org.id, 4);
  const invoke = onBoth(of, org);
  const { group } = await runToEnd(invoke, { harness: "reference", environment: shop.environment });
  const [run] = (await invoke("runs_list", { group })).body.runs;
  return { org, shop, invoke, run: run.id as string, group };
}

describe("run_publish", () => {
  it("names the settings that are missing and sends nothing", async () => {
    const { invoke, run, org } = await scene(bare);
    expect(await invoke("run_publish", { rid: run }, org.push)).toMatchObject({
      status: 200,
      body: {
        status: "not configured",
        missing: ["SVC_TRACE_STORE_PUBLIC_KEY", "SVC_TRACE_STORE_SECRET_KEY"],
        traces: 0,
      },
    });
    expect((await invoke("run_publish", { rid: run }, org.read)).status).toBe(403);
    expect((await invoke("run_publish", { rid: "run_none" })).status).toBe(404);
  });

  it("sends a trace a trial with its calls and its score, under ids that stay the same", async () => {
    const { invoke, run } = await scene(app);
    const { body } = await invoke("run_publish", { rid: run });
    expect(body).toMatchObject({ status: "published", traces: 4, scores: 4, left: 0, missing: [] });
    const spans = spansOf();
    const trials = (await invoke("run_get", { rid: run })).body.trials;
    const calls = trials.reduce((sum: number, trial: { calls: number }) => sum + trial.calls, 0);
    expect([spans.length, body.spans]).toEqual([4 + calls, 4 + calls]);
    const roots = spans.filter((span) => span.parentSpanId === undefined);
    expect(new Set(roots.map(({ traceId }) => traceId)).size).toBe(4);
    expect(roots.every(({ traceId, spanId }) => /^[0-9a-f]{32}$/.test(traceId) && /^[0-9a-f]{16}$/.test(spanId))).toBe(
      true,
    );
    const { tree } = (await invoke("run_trace", { rid: run, trial: trials[0].trial })).body;
    const root = roots.find((span) => span.name === `trial ${trials[0].trial}`);
    if (!root) throw new Error("no root");
    expect(attribute(root, "langfuse.trace.input")).toBe(tree.request);
    expect(JSON.parse(attribute(root, "langfuse.trace.metadata") ?? "{}")).toMatchObject({ run, end: "met" });
    const tools = spans.filter(({ parentSpanId }) => parentSpanId === root.spanId);
    expect(tools.map((span) => attribute(span, "gen_ai.tool.name"))).toEqual(
      tree.calls.map(({ tool }: { tool: string }) => tool),
    );
    const scores = sent("/api/public/scores");
    expect(scores).toHaveLength(4);
    expect(scores.every((score) => score.value === 1 && score.dataType === "BOOLEAN" && score.name === "met")).toBe(
      true,
    );
    expect(new Set(scores.map(({ traceId }) => traceId))).toEqual(new Set(roots.map(({ traceId }) => traceId)));

    vendor.seen.length = 0;
    await invoke("run_publish", { rid: run });
    const ids = (list: OtlpSpan[]) => list.map(({ spanId }) => spanId).sort();
    expect(ids(spansOf())).toEqual(ids(spans));
  });

  it("tells what was left when the tool asks to be called less or refuses, and goes on at the next call", async () => {
    const { invoke, run } = await scene(app);
    vendor.limit(20, 60);
    const stopped = (await invoke("run_publish", { rid: run })).body;
    expect(stopped).toMatchObject({ status: "failed", traces: 0, left: 4, retry_after: 60 });
    vendor.limit(0, 0);
    expect((await invoke("run_publish", { rid: run })).body).toMatchObject({ status: "published", left: 0 });
  });

  it("goes to the org's own tool where it connected one, and nowhere else while its use is held back", async () => {
    const { invoke, run } = await scene(app);
    const auth = { public_key: "pk-run", secret_key: "sk-run" };
    const source = await invoke("sources_post", { kind: "trace_store", external_id: "mine", auth });
    expect(source.status, JSON.stringify(source.body)).toBeLessThan(300);
    expect((await invoke("run_publish", { rid: run })).body).toMatchObject({ status: "not configured", missing: [] });
    expect(vendor.seen).toEqual([]);
    const sid = (source.body.source ?? source.body).id;
    expect((await invoke("sources_patch", { sid, consent: "granted" })).status).toBe(200);
    expect((await invoke("run_publish", { rid: run })).body).toMatchObject({ status: "published" });
  });

  it("is refused while the run is under way", async () => {
    const org = await app.org(`publish-${++orgs}`);
    const invoke = onBoth(app, org);
    const shop = await shopIn(app.service, org.id, 2);
    const slow = await invoke("agents_post", { kind: "command", name: "slow", command: "sleep 600" });
    const agent = slow.body.agent.id;
    const { body } = await invoke("start_run", { agent, environment: shop.environment, timeout_seconds: 600 });
    const [run] = (await invoke("runs_list")).body.runs;
    expect((await invoke("run_publish", { rid: run.id })).status).toBe(409);
    expect((await invoke("run_reanalyze", { rid: run.id })).status).toBe(409);
    await invoke("job_stop", { job_id: body.job });
  });
});
