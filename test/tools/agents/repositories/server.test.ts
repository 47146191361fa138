import { afterAll, beforeAll, expect } from "vitest";
import { readConfig } from "../../../../src/config.ts";
import { bothSurfaces, type Invoke, type SurfaceTest } from "../../../helpers/app.ts";
import { type TestRepo, testRepo } from "../../../helpers/git.ts";
import { type FakeProvider, startProvider } from "../../../helpers/vendors/models.ts";
import { type CodeHost, startCodeHost } from "../../../helpers/vendors/vcs.ts";
import { shop } from "../../../worlds/fixtures/shop.ts";
import { endOf, runToEnd, shopIn } from "../../runs/kit.ts";

let host: CodeHost;
let provider: FakeProvider;
beforeAll(async () => {
  host = await startCodeHost();
  host.repositories.push("acme/shop");
  provider = await startProvider();
});
afterAll(async () => {
  await host.close();
  await provider.close();
});

const config = (rest: object) => ({
  get config() {
    return { vcsApp: host.app, sources: { ...readConfig({}).sources, vcsApiUrl: host.url }, ...rest };
  },
});

/** A server that lists what tools.json holds over standard input and output, and says when its upstream was named. */
const SERVER = `
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
const tools = JSON.parse(readFileSync("tools.json", "utf8"));
if (process.env.SHOP_URL) tools[0].description += " Upstream named.";
console.log("starting");
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  const page = params?.cursor === "2" ? { tools: tools.slice(2) } : { tools: tools.slice(0, 2), nextCursor: "2" };
  const result = method === "initialize" ? { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: {} } : page;
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
}
`;
type Tool = { name: string; description?: string; inputSchema: Record<string, unknown> };
const listed = (change: (tools: Tool[]) => Tool[] = (tools) => tools) =>
  JSON.stringify(change(structuredClone(shop.tools) as Tool[]));

/** The shop's surface under test, its server's repository at the code host, and the app installed. */
async function shopServer(invoke: Invoke, { app, org }: SurfaceTest, files: Record<string, string>) {
  const made = await shopIn(app.service, org.id, 3);
  const repo: TestRepo = testRepo(files);
  host.repos.set("acme/shop", repo);
  const { state } = (await invoke("vcs_installations_post")).body;
  host.installedAt = Date.now() / 1000;
  await invoke("vcs_installation_post", { installation_id: host.installation, state });
  const agent = await invoke("agents_post", { kind: "surface", name: "shop-server", surface: "shop" }, org.push);
  expect(agent).toMatchObject({ status: 201, body: { job: null, agent: { kind: "surface", available: true } } });
  return { ...made, repo, aid: agent.body.agent.id as string };
}

const settled = async (invoke: Invoke, aid: string, ref: string, rest: object = {}) => {
  const taken = await invoke("agent_server_refs", { aid, ref, ...rest });
  if (taken.status === 202) await endOf(invoke, taken.body.job);
  const { surface_versions } = (await invoke("agents_get", { aid })).body;
  const row = surface_versions.find(({ id }: { id: string }) => id === taken.body.surface_version?.id);
  return { taken, row };
};

bothSurfaces(
  "a server's branch becomes a version of its tools, is run on the same rows, compared and made main",
  async (invoke, t) => {
    const { org } = t;
    const { repo, aid, environment } = await shopServer(invoke, t, { "server.mjs": SERVER, "tools.json": listed() });
    const base = repo.git("rev-parse", "main");
    expect((await invoke("agent_server_refs", { aid, ref: "main" })).status).toBe(409);
    const named = { aid, url: "acme/shop", run: `${process.execPath} server.mjs`, upstream_env: "SHOP_URL" };
    expect(await invoke("agent_server_repo", { ...named, url: "acme/uncovered" })).toMatchObject({
      status: 409,
      body: { error: "not_covered" },
    });
    const server = await invoke("agent_server_repo", { ...named, paths: ["tools.json"] }, org.push);
    expect(server).toMatchObject({
      status: 200,
      body: { agent: { server: { repo: "acme/shop", ref: "main", base_sha: base, paths: ["tools.json"] } } },
    });
    expect((await invoke("agent_server_tools", { aid, sha: "main" })).status).toBe(404);

    // Words alone change: no behaviour is needed.
    const words = repo.commit(
      { "tools.json": listed((tools) => tools.map((tool) => ({ ...tool, description: `${tool.description} Now.` }))) },
      "words",
    );
    const number = 50 + host.pulls.length;
    host.pulls.push({ repository: "acme/shop", number, branch: "words", state: "open" });
    const { taken, row } = await settled(invoke, aid, `pull/${number}`, { by: "ann" });
    expect(taken).toMatchObject({
      status: 202,
      body: { agent: aid, same: false, surface_version: { status: "readying" } },
    });
    expect(row).toMatchObject({
      status: "ready",
      sha: words,
      fork: base,
      branch: "words",
      by: "ann",
      diff: { added: [], removed: [], changed: [], described: shop.tools.map(({ name }) => name).sort() },
      changes: { files: 1, names: ["tools.json"], reader: "code_host" },
    });
    const again = await invoke("agent_server_refs", { aid, ref: "words" }, org.push);
    expect(again).toMatchObject({ status: 200, body: { same: true, job: null, surface_version: { id: row.id } } });
    const tools = (await invoke("agent_server_tools", { aid, sha: words }, org.read)).body;
    expect(tools).toMatchObject({ sha: words, reader: "served", count: shop.tools.length, tier: "deterministic" });
    expect(tools.tools[0].description).toBe(`${shop.tools[0]?.description} Now. Upstream named.`);

    expect(await endOf(invoke, row.onboarding)).toBe("landed");

    const before = (await runToEnd(invoke, { agent: aid, agent_version: "1", environment })).group;
    const after = (await runToEnd(invoke, { agent: aid, agent_version: row.version, environment })).group;
    const compared = await invoke("compare_runs", { a: before, b: after });
    expect(compared.status).toBe(200);
    const told = compared.file ?? JSON.stringify(compared.body);
    expect(told).not.toContain("The tools were others");
    expect(told).toMatch(/of 3\b/);
    const { versions } = (await invoke("agents_get", { aid })).body.agent;
    expect(versions.at(-1)).toMatchObject({
      version: words.slice(0, 12),
      declared: true,
      origin: { kind: "branch", repo: "acme/shop", ref: "words", sha: words },
      changes: { files: 1 },
    });

    expect((await invoke("agent_main", { aid, version: row.id }, org.push)).body).toMatchObject({
      main: row.version,
      same: false,
    });
    expect((await invoke("agent_main", { aid, version: row.version })).body.same).toBe(true);
    expect((await invoke("agent_server_tools", { aid, sha: "main" })).body.sha).toBe(words);
    const back = await invoke("agent_main", { aid, version: "base" });
    expect(back.body).toMatchObject({ main: "base", same: false });
    expect(back.body.agent).not.toHaveProperty("main");
    expect((await invoke("agent_server_tools", { aid, sha: "main" })).body.sha).toBe(base);
    expect((await invoke("agent_main", { aid, version: "nothing" })).status).toBe(404);
    expect((await invoke("agent_main", { aid, version: "base" }, org.read)).status).toBe(403);

    // What the base reaches already is merged.
    repo.git("branch", "old", base);
    const merged = await invoke("agent_server_refs", { aid, ref: "old" });
    expect(merged).toMatchObject({ status: 200, body: { job: null, surface_version: { status: "merged" } } });
    expect((await invoke("agent_server_refs", { aid, ref: "no-such-ref" })).status).toBe(422);
    expect((await invoke("agent_server_refs", { aid, ref: "words" }, org.read)).status).toBe(403);
    for (const pull of host.pulls) pull.state = "closed";
    repo.close();
  },
  config({}),
);

bothSurfaces(
  "a tool that is new or takes other parameters waits for its behaviour; a branch supersedes what was declared",
  async (invoke, t) => {
    const { repo, aid, environment } = await shopServer(invoke, t, { "tools.json": listed() });
    await invoke("agent_server_repo", { aid, url: "acme/shop", listing: "tools.json" });
    const count = {
      name: "count_orders",
      description: "Count a customer's orders.",
      inputSchema: { type: "object", properties: { customer_id: { type: "string" } }, required: ["customer_id"] },
    };
    const more = (tools: Tool[]) => [
      ...tools
        .filter(({ name }) => name !== "update_email")
        .map((tool) =>
          tool.name === "get_product"
            ? {
                ...tool,
                inputSchema: { ...tool.inputSchema, properties: { sku: { type: "string" } }, required: ["sku"] },
              }
            : tool,
        ),
      count,
    ];
    const head = repo.commit({ "tools.json": listed(more) }, "more");
    const { row } = await settled(invoke, aid, head);
    expect(row).toMatchObject({
      status: "needs_behaviour",
      needs: ["count_orders", "get_product"],
      diff: { added: ["count_orders"], removed: ["update_email"], changed: ["get_product"], described: [] },
    });
    expect((await invoke("agents_get", { aid })).body.agent.versions).toHaveLength(1);
    expect((await invoke("agent_main", { aid, version: row.id })).status).toBe(409);

    const unknown = await settled(invoke, aid, "more", { behaviours: { nothing: "recorded" } });
    expect(unknown.row).toMatchObject({ status: "failed", reason: expect.stringContaining("does not have") });
    const wrong = await settled(invoke, aid, "more", {
      behaviours: { count_orders: "read no_table by x", get_product: "read products by product_id = sku" },
    });
    expect(wrong.row).toMatchObject({
      status: "failed",
      problems: [{ path: "behaviours.count_orders" }, { path: "behaviours.get_product" }],
    });
    const right = {
      count_orders: 'answer size(rows("orders").filter(o, o.customer_id == args.customer_id))',
      get_product: 'read products by product_id = {sku} else error "Error: product not found"',
    };
    const done = await settled(invoke, aid, "more", { behaviours: right });
    expect(done.row, JSON.stringify(done.row)).toMatchObject({ status: "ready", needs: [], behaviours: right });
    const { agent } = (await invoke("agents_get", { aid })).body;
    expect(agent.versions).toHaveLength(2);
    expect((await invoke("agent_server_tools", { aid, sha: done.row.sha })).body).toMatchObject({ reader: "listing" });
    const run = await runToEnd(invoke, { agent: aid, environment });
    expect(run.status).toBe("landed");

    // The same change as a person would have declared it is then taken over by another branch.
    const { records } = t.app.service.store.forOrg(t.org.id);
    const { Agent } = await import("../../../../chapters/records/agents/agents.ts");
    await records.update(Agent, aid, (doc) => ({
      ...doc,
      versions: doc.versions.map((one) =>
        one.version === done.row.version ? { ...one, origin: { kind: "declared" as const } } : one,
      ),
    }));
    expect((await invoke("agent_server_refs", { aid, ref: "more", supersedes: "1" })).status).toBe(400);
    expect((await invoke("agent_server_refs", { aid, ref: "more", supersedes: "none" })).status).toBe(404);
    repo.commit({ "tools.json": listed((tools) => tools.filter(({ name }) => name !== "update_email")) }, "less");
    const less = await settled(invoke, aid, "less", { supersedes: done.row.version });
    expect(less.row).toMatchObject({ status: "ready", supersedes: done.row.version });
    const now = (await invoke("agents_get", { aid })).body.agent.versions;
    expect(now.find(({ version }: { version: string }) => version === done.row.version).superseded_by).toBe(
      less.row.id,
    );
    expect((await invoke("agent_main", { aid, version: done.row.version })).status).toBe(409);
    expect((await invoke("agent_main", { aid, version: less.row.version })).status).toBe(200);
    repo.close();
  },
  config({ commandsAllowed: false }),
);

bothSurfaces(
  "tools are read from source where nothing lists them, a scan takes what touches the paths, and what no reader reads is refused",
  async (invoke, t) => {
    const source = (description: string) => `
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";
const server = new McpServer({ name: "shop", version: "1" });
server.tool("get_order", ${JSON.stringify(description)}, { order_id: z.string() }, async () => ({ content: [] }));
`;
    const { repo, aid } = await shopServer(invoke, t, { "src/server.ts": source("Get an order.") });
    await invoke("agent_server_repo", { aid, url: "acme/shop", paths: ["src"] });
    const head = repo.commit({ "src/server.ts": source("Get one order whole.") }, "told");
    repo.commit({ "docs/x.md": "y" }, "docs");
    const scan = async () => {
      const started = await invoke("agent_scan", { aid });
      expect(await endOf(invoke, started.body.job)).toBe("landed");
      return (await invoke("job_status", { job_id: started.body.job })).body.result;
    };
    const found = await scan();
    expect(found).toMatchObject({ looked: 3, passed_over: 1, found: [{ ref: "told", sha: head, commits: 1 }] });
    const { row } = await settled(invoke, aid, "told");
    expect(row).toMatchObject({ status: "ready", diff: { described: ["get_order"] } });
    expect((await invoke("agent_server_tools", { aid, sha: head })).body).toMatchObject({
      reader: "source",
      tools: [{ name: "get_order", description: "Get one order whole." }],
    });
    expect((await scan()).found).toEqual([]);

    repo.commit({ "src/server.ts": null, "src/none.txt": "nothing" }, "none");
    const none = await settled(invoke, aid, "none");
    expect(none.row).toMatchObject({ status: "failed", reason: expect.stringContaining("No tools were found") });
    expect((await invoke("agent_server_tools", { aid, sha: none.row.sha })).status).toBe(404);
    const bot = (await invoke("agents_post", { kind: "http", name: "web", url: "https://a.example/" })).body.agent.id;
    expect((await invoke("agent_server_repo", { aid: bot, url: "acme/shop" })).status).toBe(409);
    expect((await invoke("agent_main", { aid: bot, version: "base" })).status).toBe(409);
    expect((await invoke("agents_post", { kind: "surface", name: "x", surface: "none" })).status).toBe(404);
    expect((await invoke("agents_post", { kind: "surface", name: "x" })).body.fields[0].path).toBe("surface");
    repo.close();
  },
  config({ commandsAllowed: false }),
);

bothSurfaces(
  "a server that does not start is read from its listing, and the listing says why",
  async (invoke, t) => {
    const { repo, aid } = await shopServer(invoke, t, { "tools.json": listed() });
    const run = "echo no build >&2; exit 3";
    await invoke("agent_server_repo", { aid, url: "acme/shop", run, listing: "tools.json" });
    repo.commit({ "tools.json": listed((tools) => tools.slice(1)) }, "less");
    const { row } = await settled(invoke, aid, "less");
    expect(row).toMatchObject({ status: "ready", diff: { removed: [shop.tools[0]?.name] } });
    expect((await invoke("agent_server_tools", { aid, sha: row.sha })).body).toMatchObject({
      reader: "listing",
      not_served: expect.stringContaining("before it had listed its tools"),
      count: shop.tools.length - 1,
    });
    repo.commit({ "tools.json": null, "main.rs": "fn main() {}" }, "none");
    const none = await settled(invoke, aid, "none");
    expect(none.row).toMatchObject({
      status: "failed",
      reason: expect.stringContaining("before it had listed its tools"),
    });
    repo.close();
  },
  config({}),
);

bothSurfaces(
  "tools that no reader finds are read by a model from what was changed, on its tier; what does not fit is refused",
  async (invoke, t) => {
    const { repo, aid } = await shopServer(invoke, t, { "src/tools.rs": "// the shop's tools", "README.md": "Shop." });
    await invoke("agent_server_repo", { aid, url: "acme/shop" });
    const [first, second] = shop.tools;
    repo.commit({ "src/tools.rs": "// one tool less, one told better" }, "rust");
    const told = { name: second?.name, description: "Told better.", inputSchema: second?.inputSchema };
    const said = { removed: [first?.name], tools: [told] };
    provider.say({ text: JSON.stringify(said), tokens: [1000, 100] });
    const { row } = await settled(invoke, aid, "rust");
    expect(row, JSON.stringify(row)).toMatchObject({
      status: "ready",
      diff: { removed: [first?.name], described: [second?.name], added: [], changed: [] },
    });
    const { body } = await invoke("agent_server_tools", { aid, sha: row.sha });
    expect(body).toMatchObject({ reader: "model", tier: "llm-derived", model: "openai-compatible/small" });
    expect(body.tools.map(({ name }: Tool) => name)).toEqual(shop.tools.slice(1).map(({ name }) => name));
    const shown = JSON.stringify(provider.requests.at(-1)?.body);
    for (const text of ["the shop's tools", "one tool less", first?.name]) expect(shown).toContain(text);
    expect(shown).not.toContain("README");

    repo.commit({ "src/tools.rs": "// another" }, "wrong");
    for (let i = 0; i < 2; i++)
      provider.say({ text: JSON.stringify({ removed: ["no_such_tool"], tools: [] }), tokens: [1000, 100] });
    const wrong = await settled(invoke, aid, "wrong");
    expect(wrong.row).toMatchObject({ status: "failed", reason: expect.stringContaining("twice") });
    expect((await invoke("agent_server_tools", { aid, sha: wrong.row.sha })).status).toBe(404);

    repo.commit({ "src/tools.rs": "x".repeat(200_000) }, "large");
    const large = await settled(invoke, aid, "large");
    expect(large.row).toMatchObject({ status: "failed", reason: expect.stringContaining("More was changed") });
    expect(provider.unscripted()).toBe(0);
    repo.close();
  },
  {
    get config() {
      return { ...config({ commandsAllowed: false }).config, ...provider.config };
    },
  },
);
