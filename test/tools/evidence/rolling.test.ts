import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { closeTraces, QUIET_SECONDS, ROOTLESS_SECONDS } from "../../../chapters/evidence/rolling/close.ts";
import type { OrgStore } from "../../../chapters/ports/store.ts";
import { Evidence } from "../../../chapters/records/evidence/evidence.ts";
import { RollingSpans, RollingTrace } from "../../../chapters/records/evidence/rolling.ts";
import { sourcesChapter } from "../../../tools/sources/index.ts";
import { FakeClock, invoker, startApp, type TestApp, type TestOrg } from "../../helpers/app.ts";
import { ctxOf } from "../../helpers/ctx.ts";
import { kv } from "../../helpers/otlp.ts";
import { chapters, TOKEN } from "./kit.ts";

/** The store of a process that is killed: so many writes of it are made. */
function failingAfter(store: OrgStore, writes: number): OrgStore {
  let left = writes;
  const dying = <T extends object>(part: T, names: readonly string[]): T =>
    new Proxy(part, {
      get(target, name) {
        const value = Reflect.get(target, name) as unknown;
        if (typeof value !== "function") return value;
        return (...args: unknown[]) => {
          if (names.includes(String(name)) && left-- <= 0) throw new Error("killed");
          return value.apply(target, args);
        };
      },
    });
  const records = dying(store.records, ["apply", "put", "insert", "update", "delete"]);
  const traces = dying(store.traces, ["append", "delete"]);
  return { ...store, org: store.org, records, traces, blobs: store.blobs };
}

const DAY = 86_400;
const TRACE = "0af7651916cd43dd8448eb211c80319c";
const at = (seconds: number) => `${BigInt(Math.round(seconds)) * 1_000_000_000n}`;

describe("spans over many posts", () => {
  let app: TestApp;
  let org: TestOrg;
  let clock: FakeClock;
  let dataDir: string;
  const config = () => ({ chapters: [...chapters, sourcesChapter], clock, dataDir });
  beforeEach(async () => {
    dataDir = mkdtempSync(join(tmpdir(), "svc-rolling-"));
    clock = new FakeClock();
    app = await startApp(config());
    org = await app.org();
  });
  afterEach(async () => {
    await app.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const store = () => app.service.store.forOrg(org.id);
  const tick = () => app.service.schedules.tick();
  const contextOf = () => ctxOf(app.service, org, { kind: "operator" });
  const pass = async (seconds: number) => {
    clock.advance(seconds);
    await tick();
  };
  const send = async (spans: unknown[], { service = "shop", query = "" } = {}) => {
    const resource = { attributes: kv({ "service.name": service }) };
    const body = JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans }] }] });
    return app.rest("POST", `/v0/evidence${query}`, body, org.push, { "content-type": "application/json" });
  };
  const span = (n: number, over: object = {}, attributes: Record<string, string> = {}, trace = TRACE) => ({
    traceId: trace,
    spanId: `b7ad6b71692033${n.toString(16).padStart(2, "0")}`,
    name: "work",
    startTimeUnixNano: at(clock.now() + n),
    endTimeUnixNano: at(clock.now() + n + 1),
    attributes: kv(attributes),
    ...over,
  });
  const root = (trace = TRACE) =>
    span(0, {}, { "gen_ai.operation.name": "invoke_agent", "gen_ai.conversation.id": "c-1" }, trace);
  const call = (n: number, tool: string, trace = TRACE, result = '{"ok":true}') =>
    span(
      n,
      { parentSpanId: "b7ad6b7169203300" },
      {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": tool,
        "gen_ai.tool.call.arguments": `{"n":${n}}`,
        "gen_ai.tool.call.result": result,
      },
      trace,
    );
  const records = async () => (await store().records.list(Evidence)).items;
  const traces = async (evidence: string) => {
    const rows = [];
    for await (const row of store().traces.stream([evidence])) rows.push(row);
    return rows;
  };
  const newestSealedPart = async () => {
    const sealed = (await store().records.list(RollingSpans)).items.filter((part) => part.sealed);
    return sealed.sort((a, b) => b.created_at - a.created_at)[0]?.id;
  };
  const waiting = async () => [await store().records.count(RollingTrace), await store().records.count(RollingSpans)];

  it("become one trace when the root has ended and nothing came for five minutes", async () => {
    await send([call(1, "find")]);
    await pass(QUIET_SECONDS + 1);
    expect(await records(), "the root has not ended").toEqual([]);
    await send([call(2, "cancel")]);
    await send([root()]);
    await pass(QUIET_SECONDS - 1);
    expect(await records(), "five minutes have not passed").toEqual([]);
    await pass(1);
    const [record] = await records();
    expect(record).toMatchObject({
      kind: "traces",
      format: "otlp",
      surface: "main",
      rolling: { service: "shop", day: new Date(clock.now() * 1000).toISOString().slice(0, 10) },
      stats: { traces: 1, calls: 2, tools: 2, refused: 0 },
    });
    const listed = await app.rest("GET", "/v0/evidence", undefined, org.read);
    expect(listed.body.evidence).toMatchObject([{ id: record?.id, admitted: 1, never_pulled: true }]);
    const [row, ...others] = await traces(record?.id ?? "");
    expect(others).toEqual([]);
    expect(row?.trace).toMatchObject({
      session: "c-1",
      labels: { trace_id: TRACE, service: "shop" },
      calls: [
        { tool: "find", args: { n: 1 } },
        { tool: "cancel", args: { n: 2 } },
      ],
    });
  });

  it("keep their place when later spans supersede the trace, and change nothing when they are sent again", async () => {
    await send([root(), call(1, "find")]);
    await pass(QUIET_SECONDS);
    const [before] = await records();
    const [first] = await traces(before?.id ?? "");
    await send([call(5, "late")]);
    await pass(QUIET_SECONDS - 1);
    expect((await traces(before?.id ?? ""))[0]?.trace.calls).toHaveLength(1);
    await pass(1);
    const [after] = await records();
    const [second, ...more] = await traces(after?.id ?? "");
    expect(more).toEqual([]);
    expect([after?.id, second?.id, second?.position]).toEqual([before?.id, first?.id, first?.position]);
    expect(second?.trace.calls.map((each) => each.tool)).toEqual(["find", "late"]);
    expect(after?.stats).toMatchObject({ traces: 1, calls: 2, tools: 2 });
    expect(after?.rolling?.superseded).toBe(1);
    expect(after?.digest).not.toBe(before?.digest);
    // What was sent before, again.
    clock.advance(-2 * QUIET_SECONDS);
    await send([root(), call(1, "find")]);
    clock.advance(2 * QUIET_SECONDS);
    await pass(QUIET_SECONDS);
    expect((await records())[0]).toEqual(after);
  });

  it("lose nothing when many posts come at once, though four close them", async () => {
    const posts = Array.from({ length: 24 }, (_, i) => [call(i + 1, `tool_${i % 3}`)]);
    const answers = await Promise.all([send([root()]), ...posts.map((spans) => send(spans)), send(posts[3] ?? [])]);
    expect(answers.map((each) => [each.status, each.text])).toEqual(answers.map(() => [200, "{}"]));
    clock.advance(QUIET_SECONDS);
    await Promise.all(Array.from({ length: 4 }, () => closeTraces(contextOf())));
    const [record, ...others] = await records();
    expect([others, record?.stats.calls, record?.stats.traces]).toEqual([[], 24, 1]);
    expect((await traces(record?.id ?? "")).map((row) => row.trace.calls.length)).toEqual([24]);
  });

  it("are told once, though the service is killed after any write of the telling", async () => {
    await send([root(), call(1, "find"), call(2, "cancel")]);
    await send([root("6".repeat(32)), call(1, "find", "6".repeat(32))]);
    clock.advance(QUIET_SECONDS);
    let kills = 0;
    for (let writes = 0; writes < 20; writes++) {
      const ctx = contextOf();
      const killed = await closeTraces({ ...ctx, store: failingAfter(ctx.store, writes) }).then(
        () => false,
        (cause) => (cause as Error).message === "killed",
      );
      if (!killed) break;
      kills++;
    }
    expect(kills).toBeGreaterThan(2);
    const [record, ...others] = await records();
    expect([others, record?.stats.traces, record?.stats.calls, record?.rolling?.superseded]).toEqual([[], 2, 3, 0]);
    expect((await traces(record?.id ?? "")).map((row) => row.trace.calls.length).sort()).toEqual([1, 2]);
  });

  it("go to a record by service, day and what their sender says", async () => {
    const other = "1af7651916cd43dd8448eb211c80319c";
    const third = "2af7651916cd43dd8448eb211c80319c";
    await send([root(), call(1, "find")]);
    await send([root(other), call(1, "find", other)], { service: "desk" });
    await send([root(third), call(1, "find", third)], { query: "?surface=shop&tag=x&provenance=staging" });
    await pass(QUIET_SECONDS);
    clock.advance(DAY);
    await send([root("3".repeat(32)), call(1, "find", "3".repeat(32))]);
    await pass(QUIET_SECONDS);
    const found = (await records()).map((each) => [each.rolling?.service, each.surface, each.tag, each.provenance]);
    expect(found.sort()).toEqual([
      ["desk", "main", undefined, "unknown"],
      ["shop", "main", undefined, "unknown"],
      ["shop", "main", undefined, "unknown"],
      ["shop", "shop", "x", "staging"],
    ]);
  });

  it("survive a restart, and are let go a day after", async () => {
    await send([root()]);
    await send([call(1, "find")]);
    await app.close();
    app = await startApp(config());
    await pass(QUIET_SECONDS);
    const [record] = await records();
    expect(record?.stats).toMatchObject({ traces: 1, calls: 1 });
    expect(await waiting()).toEqual([1, 2]);
    await pass(2 * DAY);
    expect(await waiting()).toEqual([0, 0]);
    expect(await traces(record?.id ?? "")).toHaveLength(1);
  });

  it("are told without their root after an hour, and refused with the reason where no agent is among them", async () => {
    await send([call(1, "find")]);
    const server = "4".repeat(32);
    await send([span(7, { traceId: server }, { "http.request.header.authorization": "Bearer planted-value" })]);
    expect(JSON.stringify(await store().records.list(RollingSpans))).not.toContain("planted-value");
    await pass(ROOTLESS_SECONDS);
    const [record] = await records();
    expect(record?.stats).toMatchObject({ traces: 1, refused: 1, losses: { root_not_seen: 1 } });
    expect(record?.refused.map((each) => each.reason)).toEqual([
      "a trace without model, tool or agent spans that hold messages",
    ]);
  });

  it("with a secret are kept nowhere, and their trace is refused", async () => {
    await send([root()]);
    const answer = await send([call(1, "find", TRACE, TOKEN)]);
    expect(JSON.parse(answer.text).partialSuccess).toEqual({
      rejectedSpans: "1",
      errorMessage: "a span holds a secret (github)",
    });
    expect(JSON.stringify(await store().records.list(RollingSpans))).not.toContain(TOKEN);
    await pass(QUIET_SECONDS);
    const [record] = await records();
    expect([record?.stats.traces, record?.refused[0]?.reason]).toEqual([0, "holds a secret (github)"]);
    await send([root("5".repeat(32)), call(1, "find", "5".repeat(32), TOKEN)], { query: "?allow_secrets=true" });
    await pass(QUIET_SECONDS);
    expect((await records()).map((each) => each.stats.traces).sort()).toEqual([0, 1]);
  });

  it("wait sealed where values may not be kept, and are told without them", async () => {
    const mail = "ann.smith@shop.example";
    const answer = `{"email":"${mail}","name":"Ann Smith"}`;
    for (const access of ["anonymized", "shapes"])
      await send([root(), call(1, "find", TRACE, answer)], { query: `?data_access=${access}` });
    const kept = async () => JSON.stringify([await store().records.list(RollingSpans), await records()]);
    expect(await kept()).not.toContain(mail);
    await pass(QUIET_SECONDS);
    const found = await records();
    expect(found.map((each) => each.data_access).sort()).toEqual(["anonymized", "shapes"]);
    for (const record of found) {
      const [row] = await traces(record.id);
      expect(row?.trace.calls).toHaveLength(1);
      expect(JSON.stringify(row)).not.toMatch(/ann\.smith|Ann Smith/);
    }
  });

  it("are told by what their source allows by now, and without those whose key is gone", async () => {
    const invoke = invoker(app, "rest", org);
    const { id: source } = (await invoke("sources_post", { kind: "otlp", external_id: "x" })).body;
    const mail = "ann.smith@shop.example";
    const sent = await send([root(), call(1, "find", TRACE, `{"email":"${mail}"}`)], { query: `?source=${source}` });
    expect([sent.status, sent.text]).toEqual([200, "{}"]);
    expect((await invoke("sources_patch", { sid: source, data_access: "anonymized" })).status).toBe(200);
    await pass(QUIET_SECONDS);
    const [record] = await records();
    const [row] = await traces(record?.id ?? "");
    expect(row?.trace.calls).toHaveLength(1);
    expect(JSON.stringify(row)).not.toContain(mail);

    await send([root("8".repeat(32))], { query: "?data_access=shapes" });
    await store().records.update(RollingSpans, (await newestSealedPart()) ?? "", (doc) => ({ ...doc, spans: "gone" }));
    await pass(ROOTLESS_SECONDS);
    const lost = (await records()).find((each) => each.data_access === "shapes");
    expect(lost?.stats).toMatchObject({ traces: 0, refused: 1, losses: { spans_unreadable: 1 } });
  });

  it("bring no erased trace back", async () => {
    await send([root(), call(1, "find")]);
    await pass(QUIET_SECONDS);
    const [record] = await records();
    const [row] = await traces(record?.id ?? "");
    const path = `/v0/operator/orgs/${org.tag}/traces/${row?.id}`;
    expect((await app.rest("DELETE", path, undefined, app.operator)).status).toBe(200);
    expect(await waiting(), "its spans are gone with it").toEqual([1, 0]);
    const again = await send([call(3, "later")]);
    expect(JSON.parse(again.text).partialSuccess.errorMessage).toBe("a span of a trace that was erased");
    expect(await waiting()).toEqual([1, 0]);
    expect(await traces(record?.id ?? "")).toEqual([]);

    // One that left the store by another way, such as the org's retention.
    const other = "7".repeat(32);
    await send([root(other), call(1, "find", other)]);
    await pass(QUIET_SECONDS);
    const [gone] = await traces(record?.id ?? "");
    await store().traces.delete(gone?.id ?? "");
    await send([call(2, "late", other)]);
    await pass(QUIET_SECONDS);
    expect(await traces(record?.id ?? "")).toEqual([]);
    expect(await waiting()).toEqual([2, 0]);
  });
});
