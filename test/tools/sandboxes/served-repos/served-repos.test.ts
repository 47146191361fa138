import { afterEach, beforeEach, expect } from "vitest";
import { ordersHar } from "../../../helpers/apis/orders.ts";
import { bothSurfaces, type Invoke } from "../../../helpers/app.ts";
import { type TestRepo, testRepo } from "../../../helpers/git.ts";
import { ended, ok } from "../kit.ts";

/** A tool server of a customer's own, without dependencies: it asks its upstream and speaks MCP a line at a time. */
const SERVER = `import { createInterface } from "node:readline";
const BASE = process.env.SHOP_URL;
const TOOLS = [
  { name: "get_order", description: "Reads an order", inputSchema: { type: "object", properties: { id: { type: "integer" } }, required: ["id"] } },
];
async function request(path) {
  const res = await fetch(\`\${BASE}\${path}\`, { headers: { authorization: process.env.SHOP_TOKEN } });
  return res.json();
}
async function getOrder(id) {
  const order = await request(\`/orders/\${id}\`);
  return order.status === "shipped" ? order.customer : order.total;
}
async function exportAll() { return request("/reports"); }
console.log("starting"); // a line that is no message
createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  // Its upstream is asked before it lists, as servers do that check their credential first.
  if (method === "tools/list") await getOrder(1001);
  const result = method === "initialize"
    ? { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "shop", version: "1" } }
    : { tools: TOOLS };
  console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
});
`;
const PACKAGE = JSON.stringify({ name: "shop-mcp", type: "module", bin: "server.js" });

let repo: TestRepo;
beforeEach(() => {
  repo = testRepo({});
});
afterEach(() => {
  repo.close();
});

async function door(invoke: Invoke) {
  await ok(invoke("evidence_post", { content: ordersHar() }));
  return (await ok(invoke("apidoor_post", {}))).body as { id: string; token_id: string };
}

/** Connects the repository and waits for its end. */
async function connect(invoke: Invoke, more: Record<string, unknown> = {}) {
  const { body } = await ok(invoke("served_repo_post", { url: repo.folder, ...more }));
  await ended(invoke, body.job);
  return (await ok(invoke("served_repo_get", { rid: body.record }))).body;
}

bothSurfaces("a customer's server is started at its commit with its upstream at the door", async (invoke) => {
  const { id: sid, token_id: tid } = await door(invoke);
  const commit = repo.commit({ "server.js": SERVER, "package.json": PACKAGE });
  const { status, body: posted } = await ok(invoke("served_repo_post", { url: repo.folder, token_env: "SHOP_TOKEN" }));
  expect([status, posted.state, posted.stages]).toEqual([
    202,
    "connecting",
    ["checkout", "source", "serve", "surface"],
  ]);
  expect((await ended(invoke, posted.job)).status).toBe("landed");
  const { body } = await ok(invoke("served_repo_get", { rid: posted.record }));
  expect(body).toMatchObject({
    kind: "served_repo",
    state: "connected",
    serving: true,
    commit,
    ref: "main",
    ref_words: `the default branch at ${commit.slice(0, 12)}`,
    run: "node server.js",
    upstream_env: "SHOP_URL",
    token_env: "SHOP_TOKEN",
    transport: "stdio",
    door: { sandbox: sid, tid, path: "/v1" },
    operations: 1,
    response_keys: 3,
    held: ["GET /reports"],
    removed_at_checkout: { links: 0, submodules: 0 },
    tier: "deterministic",
  });
  expect(body.manifest_hash).toMatch(/^[0-9a-f]{64}$/);
  // What it asked went to the mock and nowhere else.
  const { doors } = (await ok(invoke("sandbox_door_get", { sid }))).body;
  expect(doors.map(({ live }: { live: boolean }) => live)).toEqual([true, false]);
  const { body: tally } = await ok(invoke("sandbox_door_tally", { sid, tid: doors[1].tid }));
  expect(tally.routes).toEqual({ "GET /v1/orders/{order_id}": { 200: 1 } });
  const { body: manifest } = await ok(invoke("surfaces_list"));
  expect(manifest.surfaces.map((row: { id: string }) => row.id)).toContain(body.surface_id);
});

bothSurfaces("what a served version reads is told by route, in names and literals of its source", async (invoke) => {
  await door(invoke);
  repo.commit({ "server.js": SERVER, "package.json": PACKAGE });
  const { id: rid, commit } = await connect(invoke);
  const { body } = await ok(invoke("served_repo_read", { rid }));
  expect(body).toMatchObject({
    id: rid,
    commit,
    ref: "main",
    source: { files: { typescript: 1, python: 0 }, unread: 0 },
  });
  expect(body.read).toEqual([
    {
      route: "GET /orders/{}",
      file: "server.js",
      line: expect.any(Number),
      function: "getOrder",
      forms: ["keyed"],
      keys: ["customer", "status", "total"],
      unkeyed: [],
      codes: { status: ["shipped"] },
      base_env: "SHOP_URL",
    },
    expect.objectContaining({ route: "GET /reports", function: "exportAll", forms: ["whole"], unkeyed: ["return"] }),
  ]);
  expect((await invoke("served_repo_read", { rid: "sr_none" })).body.reason).toBe(
    "No such served repository. See served_repo_list.",
  );
});

bothSurfaces("a newer commit is a version that supersedes; a retired surface serves no more", async (invoke) => {
  await door(invoke);
  repo.commit({ "server.js": SERVER, "package.json": PACKAGE });
  const first = await connect(invoke);
  const listing = SERVER.replace(
    "const TOOLS = [",
    'const TOOLS = [{ name: "ping", inputSchema: { type: "object" } },',
  );
  repo.commit({ "server.js": listing });
  const second = await connect(invoke);
  expect(second).toMatchObject({
    state: "connected",
    operations: 2,
    replaced_earlier: [first.id],
    surface_id: first.surface_id,
  });
  expect(second.manifest_hash).not.toBe(first.manifest_hash);
  expect(second.versions.map(({ id }: { id: string }) => id)).toEqual([first.id, second.id]);
  const before = (await ok(invoke("served_repo_get", { rid: first.id }))).body;
  expect(before).toMatchObject({ superseded_by: second.id, serving: false });
  const { body: list } = await ok(invoke("served_repo_list"));
  expect(list.served_repos.map(({ id }: { id: string }) => id)).toEqual([second.id, first.id]);
  expect(list.served_repos[0]).toMatchObject({ state: "connected", operations: 2, commit: second.commit });
  await ok(invoke("surface_retire", { surface: second.surface_id }));
  const retired = (await ok(invoke("served_repo_get", { rid: second.id }))).body;
  expect(retired).toMatchObject({ serving: false, retired_at: expect.any(Number) });
});

bothSurfaces("what cannot be served is refused with the stage and our own sentence alone", async (invoke) => {
  await door(invoke);
  const refused = async (files: Record<string, string>, stage: string, words: string, more = {}) => {
    repo.close();
    repo = testRepo({});
    repo.commit(files);
    const record = await connect(invoke, more);
    expect(record).toMatchObject({ state: "refused", serving: false, refusal: { stage } });
    expect(record.refusal.reason).toContain(words);
    expect(JSON.stringify(record)).not.toContain("s3cret");
    return record;
  };
  await refused({ "README.md": "nothing" }, "source", "how its server is started");
  await refused({ "server.js": "console.log(1)" }, "source", "upstream's address");
  await refused({ "server.js": SERVER }, "source", "token_env", { token_env: "OTHER" });
  const crash = `const U = process.env.SHOP_URL; console.error("s3cret of the customer"); process.exit(1);`;
  const record = await refused(
    { "server.js": crash },
    "serve",
    "The server ended with exit status 1 before it had listed",
  );
  expect(record.refusal.reason).not.toContain("details");
  expect(record.refusal.reason).toContain("the service's log has what it said last");
  const setup = JSON.stringify({ type: "module", bin: "server.js", scripts: { build: "echo s3cret >&2; exit 3" } });
  const unbuilt = await refused({ "server.js": SERVER, "package.json": setup }, "serve", "setup");
  expect(unbuilt.refusal.reason).toMatch(/failed; the service's log has what it said last\.$/);
  // A setup reaches registries behind an authority of this machine's own, and sees nothing else of its environment.
  const before = process.env.SSL_CERT_FILE;
  Object.assign(process.env, { SSL_CERT_FILE: "/etc/own-authority.pem", SVC_PLANTED: "s3cret" });
  try {
    const check = 'test "$SSL_CERT_FILE" = /etc/own-authority.pem && test -z "$SVC_PLANTED"';
    const built = JSON.stringify({ type: "module", bin: "server.js", scripts: { build: check } });
    repo.commit({ "server.js": SERVER, "package.json": built });
    expect(await connect(invoke)).toMatchObject({ state: "connected" });
  } finally {
    delete process.env.SVC_PLANTED;
    if (before === undefined) delete process.env.SSL_CERT_FILE;
    else process.env.SSL_CERT_FILE = before;
  }
  expect((await invoke("served_repo_read", { rid: record.id })).status).toBe(200);
  await refused({ "a.txt": "x" }, "checkout", "no such branch", { ref: "nowhere" });
});

bothSurfaces("it needs a door, and its inputs are held to", async (invoke) => {
  repo.commit({ "server.js": SERVER });
  expect((await invoke("served_repo_post", { url: repo.folder })).body.reason).toContain("apidoor_post");
  const { id: sid, token_id: tid } = await door(invoke);
  expect((await invoke("served_repo_post", { url: repo.folder, door: "hd_none" })).status).toBe(404);
  expect((await invoke("served_repo_post", { url: repo.folder, token_env: "A B" })).status).toBe(400);
  expect((await invoke("served_repo_post", { url: repo.folder, installation: "77" })).status).toBe(400);
  const waited = await ok(invoke("served_repo_post", { url: repo.folder, door: tid, wait: 60 }));
  expect([waited.status, waited.body.state]).toEqual([200, "connected"]);
  await ok(invoke("sandbox_door_delete", { sid, tid }));
  expect((await invoke("served_repo_post", { url: repo.folder, door: tid })).status).toBe(409);
});

bothSurfaces(
  "where commands are off it is refused with the sentence",
  async (invoke) => {
    const { status, body } = await invoke("served_repo_post", { url: "https://example.com/a/b" });
    expect(status).toBe(403);
    expect(body.reason).toContain("Commands are off on this workspace");
    expect((await ok(invoke("served_repo_list"))).body).toEqual({ org: "acme", served_repos: [] });
  },
  { config: { commandsAllowed: false } },
);
