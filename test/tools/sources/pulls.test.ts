import { expect } from "vitest";
import { Evidence } from "../../../chapters/records/evidence/evidence.ts";
import { Source } from "../../../chapters/records/sources/sources.ts";
import { bothSurfaces, FakeClock } from "../../helpers/app.ts";
import { startVendor } from "../../helpers/vendors/server.ts";
import { sessionObservations, startTraceStore } from "../../helpers/vendors/trace-store.ts";
import { mintWorld } from "../../helpers/world.ts";
import { pulled, tracesOf } from "./kit.ts";

const NOW = 1_790_000_000;

bothSurfaces(
  "the tracing tool's observations are pulled through its second read API, page by page",
  async (invoke, t) => {
    const tool = await startTraceStore();
    try {
      tool.settings.pageSize = 2;
      for (let i = 0; i < 4; i++) tool.observations.push(...sessionObservations(`t${i}`, NOW - 50_000 + i * 9000));
      const input = {
        kind: "trace_store",
        external_id: `${tool.url}/`,
        auth: tool.keys,
        consent: "granted",
        data_access: "full",
        import: { days: 1 },
      };
      const { id: sid } = (await invoke("sources_post", input)).body;
      expect(await pulled(invoke, t, sid)).toMatchObject({ status: "landed", result: { traces: 4, refused: 0 } });
      const evidence = await invoke("evidence_list", {});
      expect(evidence.body.evidence[0]).toMatchObject({ format: "trace_store", origin: "pull", source: sid });
      const traces = await tracesOf(t, evidence);
      expect(traces.map(({ session }) => session)).toEqual(["t0", "t1", "t2", "t3"]);
      expect(traces[0]).toMatchObject({ request: "Where is my order?", final_answer: "It was sent." });
      expect(traces[0]?.labels).toMatchObject({ model: "gpt-4o", trace_id: "t0" });
      tool.observations.push(
        ...sessionObservations("t9", NOW - 3000).map((each) => ({ ...each, sessionId: "visit-1" })),
      );
      expect(traces[0]?.calls).toMatchObject([{ tool: "get_order", args: { order_id: "W1" } }]);
      expect((await pulled(invoke, t, sid)).result).toMatchObject({ traces: 0 });
      const late = (await invoke("sources_post", input)).body.id;
      expect((await pulled(invoke, t, late)).result).toMatchObject({ traces: 5 });
      const sessions = (await tracesOf(t, await invoke("evidence_list", {}))).map(({ session }) => session);
      expect(sessions.at(-1)).toBe("visit-1");
      const wrong = (await invoke("sources_post", { ...input, auth: { public_key: "pk", secret_key: "sk" } })).body.id;
      expect(await pulled(invoke, t, wrong)).toMatchObject({
        status: "failed",
        note: expect.stringContaining("credential"),
      });
    } finally {
      await tool.close();
    }
  },
  {
    get clock() {
      return new FakeClock(NOW);
    },
  },
);

bothSurfaces(
  "a real tool server's list is pulled over its own protocol, and a new list stands for the old",
  async (invoke, t) => {
    const world = await mintWorld(t.app, t.org);
    const tools = (await invoke("world_tools", { world: world.id, bundle_id: world.bundle })).body.tools;
    const link = (await invoke("world_tokens_post", { world: world.id, bundle_id: world.bundle })).body;
    const input = {
      kind: "mcp_server",
      surface: "live",
      external_id: link.url,
      auth: { token: link.token },
      consent: "granted",
    };
    const { id: sid } = (await invoke("sources_post", input)).body;
    const first = await pulled(invoke, t, sid);
    expect(first).toMatchObject({ status: "landed", result: { outcome: "landed", traces: 0 } });
    const [evidence] = (await invoke("evidence_list", { surface: "live" })).body.evidence;
    expect(evidence).toMatchObject({ kind: "tool_listing", format: "mcp", admitted: tools.length, source: sid });
    expect((await invoke("sources_get", { sid })).body.stats).toMatchObject({ evidence: 1, tools: tools.length });
    expect((await pulled(invoke, t, sid)).result).toMatchObject({ evidence: [], unchanged: 1 });
    await invoke("world_tokens_delete", { tid: link.token_id });
    expect(await pulled(invoke, t, sid)).toMatchObject({
      status: "failed",
      note: expect.stringContaining("credential"),
    });
  },
);

bothSurfaces(
  "a tool server with sessions, streams and pages is read whole; one without handshake too",
  async (invoke, t) => {
    const tool = (name: string) => ({ name, description: `Does ${name}.`, inputSchema: { type: "object" } });
    let names = ["a", "b", "c"];
    let stateless = false;
    const server = await startVendor(({ body, headers }) => {
      const message = JSON.parse(body);
      const stream = (result: object) => ({
        headers: { "content-type": "text/event-stream", ...(stateless ? {} : { "mcp-session-id": "s-1" }) },
        body: `: ping\n\nevent: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", id: message.id, result })}\n\n`,
      });
      if (headers.accept !== "application/json, text/event-stream") return { status: 406 };
      if (message.method === "initialize")
        return stateless
          ? { status: 400, body: { jsonrpc: "2.0", id: message.id, error: { code: -32004, message: "no handshake" } } }
          : stream({
              protocolVersion: "2025-06-18",
              capabilities: { tools: {} },
              serverInfo: { name: "x", version: "1" },
            });
      const opened = stateless
        ? headers["mcp-protocol-version"] === "2026-07-28" &&
          headers["mcp-method"] === "tools/list" &&
          message.params._meta
        : headers["mcp-session-id"] === "s-1" && headers["mcp-protocol-version"] === "2025-06-18";
      if (!opened) return { status: 400 };
      if (message.method === "notifications/initialized") return { status: 202 };
      const at = Number(message.params.cursor ?? 0);
      return stream({
        resultType: "complete",
        tools: names.slice(at, at + 2).map(tool),
        ...(at + 2 < names.length ? { nextCursor: String(at + 2) } : {}),
      });
    });
    try {
      const { id: sid } = (
        await invoke("sources_post", {
          kind: "mcp_server",
          surface: "live",
          external_id: server.url,
          consent: "granted",
        })
      ).body;
      expect(await pulled(invoke, t, sid)).toMatchObject({ status: "landed", result: { outcome: "landed" } });
      const old = (await invoke("evidence_list", { surface: "live" })).body.evidence;
      expect(old).toMatchObject([{ kind: "tool_listing", admitted: 3 }]);
      names = ["a", "b", "c", "d"];
      stateless = true;
      expect(await pulled(invoke, t, sid)).toMatchObject({ status: "landed" });
      const both = (await invoke("evidence_list", { surface: "live" })).body.evidence;
      expect(both).toMatchObject([
        { admitted: 4, superseded: false },
        { id: old[0].id, superseded: true },
      ]);
      expect((await invoke("sources_get", { sid })).body.stats).toMatchObject({ evidence: 1, tools: 4 });
    } finally {
      await server.close();
    }
  },
);

const talk = (user: string) => ({
  messages: [
    { role: "user", content: user },
    { role: "assistant", content: "Done." },
  ],
});

bothSurfaces(
  "a JSON address is read page by page, with its credential, and not again while it is as it was",
  async (invoke, t) => {
    let etag = "one";
    const server = await startVendor(({ query, headers }) => {
      if (headers["x-key"] !== "k-1") return { status: 401 };
      if (headers["if-none-match"] === etag) return { status: 304 };
      const page = Number(query.get("after") ?? 1);
      const more = page < 3 ? { next_cursor: String(page + 1) } : {};
      return { headers: { etag }, body: { conversations: [talk(`page ${page} of ${etag}`)], ...more } };
    });
    try {
      const input = {
        kind: "http_json",
        external_id: `${server.url}/export`,
        auth: { headers: { "X-Key": "k-1" } },
        consent: "granted",
        data_access: "full",
        scope: { cursor_param: "after", format: "openai-chat" },
      };
      const { id: sid } = (await invoke("sources_post", input)).body;
      expect(await pulled(invoke, t, sid)).toMatchObject({ status: "landed", result: { traces: 3 } });
      const requests = async () => (await tracesOf(t, await invoke("evidence_list", {}))).map(({ request }) => request);
      expect(await requests()).toEqual(["page 1 of one", "page 2 of one", "page 3 of one"]);
      const before = server.seen.length;
      expect((await pulled(invoke, t, sid)).result).toMatchObject({ traces: 0, unchanged: 1 });
      expect(server.seen.length, "one question, no page").toBe(before + 1);
      etag = "two";
      expect((await pulled(invoke, t, sid)).result).toMatchObject({ traces: 3 });
      expect(await requests()).toHaveLength(6);
    } finally {
      await server.close();
    }
  },
);

bothSurfaces(
  "a credential follows no redirect to another address, and no answer names where to go",
  async (invoke, t) => {
    const thief = await startVendor(() => ({ body: [talk("stolen")] }));
    const server = await startVendor(({ path }) =>
      path === "/moved"
        ? { status: 302, headers: { location: `${thief.url}/x` } }
        : { body: { conversations: [talk("first")], next: `${thief.url}/next` } },
    );
    try {
      const add = async (path: string) =>
        (
          await invoke("sources_post", {
            kind: "http_json",
            external_id: server.url + path,
            auth: { token: "bearer-1" },
            consent: "granted",
            data_access: "full",
          })
        ).body.id;
      await pulled(invoke, t, await add("/moved"));
      expect(thief.seen.map(({ headers }) => headers.authorization)).toEqual([undefined]);
      expect((await pulled(invoke, t, await add("/pages"))).result).toMatchObject({ traces: 1 });
      expect(thief.seen).toHaveLength(1);
    } finally {
      await Promise.all([server.close(), thief.close()]);
    }
  },
);

bothSurfaces(
  "an address in a private range is not called where the workspace does not allow it",
  async (invoke, t) => {
    const server = await startVendor(() => ({ body: [talk("inside")] }));
    try {
      for (const url of [server.url, server.url.replace("127.0.0.1", "localhost"), "http://169.254.169.254/latest"]) {
        const { id } = (await invoke("sources_post", { kind: "http_json", external_id: url, consent: "granted" })).body;
        expect(await pulled(invoke, t, id), url).toMatchObject({
          status: "failed",
          note: expect.stringContaining("range"),
        });
      }
      expect(server.seen).toEqual([]);
    } finally {
      await server.close();
    }
  },
  { config: { privateAddressesAllowed: false } },
);

bothSurfaces(
  "what a source says again stands again, and a pull that broke off is made whole by the next",
  async (invoke, t) => {
    let says = "# One\n\nAnswer within a day.";
    const vendor = await startVendor(() => ({ headers: { "content-type": "text/markdown" }, body: says }));
    try {
      const input = {
        kind: "http_json",
        external_id: `${vendor.url}/handbook`,
        consent: "granted",
        data_access: "full",
        scope: { evidence_kind: "document", format: "markdown" },
      };
      const { id: sid } = (await invoke("sources_post", input)).body;
      const { records } = t.app.service.store.forOrg(t.org.id);
      const standing = async () =>
        (await records.list(Evidence)).items.filter((row) => row.superseded_by === undefined).map(({ id }) => id);
      const pull = async () => (await pulled(invoke, t, sid)).result;
      const [one] = (await pull()).evidence;
      says = "# Two\n\nAnswer within an hour.";
      const [two] = (await pull()).evidence;
      expect(await standing()).toEqual([two]);
      says = "# One\n\nAnswer within a day.";
      expect(await pull()).toMatchObject({ evidence: [one], traces: 0, unchanged: 0 });
      expect(await standing()).toEqual([one]);
      // As it is left by a pull that ended after it stored a body and before it put the older one aside.
      await records.update(Evidence, two, ({ superseded_by: _was, ...doc }) => doc);
      await records.update(Source, sid, ({ seen: _seen, ...doc }) => doc);
      expect((await pull()).evidence).toEqual([one]);
      expect(await standing()).toEqual([one]);
      await records.update(Source, sid, ({ seen: _seen, ...doc }) => doc);
      expect(await pull()).toMatchObject({ evidence: [], unchanged: 1 });
      // A person's own word stays in its place.
      const own = (await invoke("evidence_post", { content: "# Mine", kind: "document" })).body.id;
      await invoke("evidence_assign", { eid: one, superseded_by: own });
      await records.update(Source, sid, ({ seen: _seen, ...doc }) => doc);
      expect(await pull()).toMatchObject({ evidence: [], unchanged: 1 });
      expect(await standing()).toEqual([own]);
    } finally {
      await vendor.close();
    }
  },
);
