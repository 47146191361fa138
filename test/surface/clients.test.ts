import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMCPClient } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport as AiStdio } from "@ai-sdk/mcp/mcp-stdio";
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startApp, type TestApp, type TestOrg } from "../helpers/app.ts";
import { cleanEnv } from "../helpers/child.ts";
import { BIN } from "../helpers/process.ts";
import { mintWorld, type TestWorld } from "../helpers/world.ts";

const MCPORTER = new URL("../../node_modules/mcporter/dist/cli.js", import.meta.url).pathname;

/** One server as any client reaches it. */
type Target = { readonly url: string; readonly token: string } | { readonly dataDir: string };
/** What every client is asked to do: the tools it sees, and one call's text. */
interface Driven {
  readonly tools: readonly string[];
  readonly text: string;
}
type Drive = (target: Target, tool: string, args: Record<string, string>) => Promise<Driven>;

const headersOf = (target: { token: string }) => ({ authorization: `Bearer ${target.token}` });
const stdio = (target: { dataDir: string }) => ({
  command: process.execPath,
  args: [BIN],
  env: cleanEnv({ SVC_DATA_DIR: target.dataDir }),
});
const firstText = (content: unknown) => (content as { text: string }[])[0]?.text ?? "";

const clients: Record<string, Drive> = {
  "SDK 1.x": async (target, tool, args) => {
    const client = new ClientV1({ name: "v1", version: "1" });
    const transport =
      "url" in target
        ? new HttpV1(new URL(target.url), { requestInit: { headers: headersOf(target) } })
        : new StdioV1({ ...stdio(target), stderr: "ignore" });
    await client.connect(transport as never);
    try {
      const tools = (await client.listTools()).tools.map(({ name }) => name);
      return { tools, text: firstText((await client.callTool({ name: tool, arguments: args })).content) };
    } finally {
      await client.close();
    }
  },
  "SDK 2.x": async (target, tool, args) => {
    const client = new ClientV2({ name: "v2", version: "1" }, { versionNegotiation: { mode: "auto" } });
    const transport =
      "url" in target
        ? new HttpV2(new URL(target.url), { requestInit: { headers: headersOf(target) } })
        : new StdioV2({ ...stdio(target), stderr: "ignore" });
    await client.connect(transport);
    try {
      expect(client.getNegotiatedProtocolVersion()).toBe("2026-07-28");
      const tools = (await client.listTools()).tools.map(({ name }) => name);
      return { tools, text: firstText((await client.callTool({ name: tool, arguments: args })).content) };
    } finally {
      await client.close();
    }
  },
  "AI SDK": async (target, tool, args) => {
    const transport =
      "url" in target
        ? ({ type: "http", url: target.url, headers: headersOf(target) } as const)
        : new AiStdio({ ...stdio(target), stderr: "ignore" });
    const client = await createMCPClient({ transport });
    try {
      const tools = await client.tools();
      const called = await tools[tool]?.execute?.(args, { toolCallId: "1", messages: [], context: {} } as never);
      return { tools: Object.keys(tools), text: firstText((called as { content: unknown }).content) };
    } finally {
      await client.close();
    }
  },
  mcporter: async (target, tool, args) => {
    const server =
      "url" in target
        ? ["--http-url", target.url, "--allow-http", "--header", `Authorization=Bearer ${target.token}`]
        : ["--stdio", process.execPath, "--stdio-arg", BIN, "--env", `SVC_DATA_DIR=${target.dataDir}`];
    const listed = JSON.parse(await mcporter(["list", ...server, "--name", "svc", "--json"])) as {
      tools: { name: string }[];
    };
    const called = await mcporter([
      "call",
      ...server,
      "--tool",
      tool,
      "--args",
      JSON.stringify(args),
      "--output",
      "raw",
    ]);
    return { tools: listed.tools.map(({ name }) => name), text: called };
  },
};

function mcporter(args: readonly string[]): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), "svc-mcporter-"));
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [MCPORTER, ...args], {
      cwd: home,
      env: { ...cleanEnv({}), HOME: home },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let [out, err] = ["", ""];
    child.stdout.on("data", (chunk) => {
      out += chunk;
    });
    child.stderr.on("data", (chunk) => {
      err += chunk;
    });
    child.once("close", (code) => {
      rmSync(home, { recursive: true, force: true });
      if (code === 0) resolve(out);
      else reject(new Error(`mcporter ended with ${code}: ${err}${out}`));
    });
  });
}

let app: TestApp;
let org: TestOrg;
let world: TestWorld;
beforeAll(async () => {
  app = await startApp({ jobs: false });
  org = await app.org();
  world = await mintWorld(app, org);
});
afterAll(() => app.close());

describe.each(Object.entries(clients))("%s", (_name, drive) => {
  it("drives every tool of the server over HTTP", async () => {
    const { tools, text } = await drive({ url: `${app.url}/mcp`, token: org.admin }, "whoami", {});
    expect([...tools].sort()).toEqual(app.service.registry.operations.map(({ op }) => op.name).sort());
    expect(text).toContain("acme-admin");
  });

  it("drives the server over stdio", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "svc-client-"));
    try {
      const { tools, text } = await drive({ dataDir }, "whoami", {});
      expect(tools).toContain("org_tokens_post");
      expect(text).toContain("local");
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  });

  it("plays a world over its own endpoint", async () => {
    const { tools, text } = await drive({ url: world.url, token: world.token }, "get_product", {
      product_id: "P-4100",
    });
    expect(tools).toHaveLength(9);
    expect(text).toContain("Desk Lamp");
  });
});

describe("a world's endpoint", () => {
  const list = (token: string | undefined, path = new URL(world.url).pathname) =>
    app.rest("POST", path, { jsonrpc: "2.0", id: 1, method: "tools/list" }, token, {
      accept: "application/json, text/event-stream",
    });

  it("is opened by its own connector token and nothing else", async () => {
    expect((await list(world.token)).status).toBe(200);
    expect((await list(undefined)).status).toBe(401);
    for (const token of [org.read, org.admin, app.operator]) expect(await list(token)).toMatchObject({ status: 403 });
    expect((await list("svc_world_unknown")).status).toBe(401);
    const other = await mintWorld(app, org);
    expect((await list(other.token)).status).toBe(403);
    expect((await list(world.token, `/worlds/${world.bundle}/${other.id}/mcp`)).status).toBe(403);
    expect((await list(world.token, `/worlds/bd_other/${world.id}/mcp`)).status).toBe(404);
  });

  it("keeps what was done to it, and no other world sees it", async () => {
    const fresh = await mintWorld(app, org);
    const other = await mintWorld(app, org);
    const customer = "mia_lopez_2100";
    const change = { customer_id: customer, email: "new@example.com" };
    await clients["SDK 1.x"]?.({ url: fresh.url, token: fresh.token }, "update_email", change);
    const email = async (at: TestWorld) =>
      (await clients["SDK 2.x"]?.({ url: at.url, token: at.token }, "get_customer", { customer_id: customer }))?.text;
    expect(await email(fresh)).toContain("new@example.com");
    expect(await email(other)).not.toContain("new@example.com");
    const journal = await app.service.store.forOrg(org.id).journals.read(fresh.id);
    expect(journal.map((entry) => entry.tool)).toEqual(["update_email", "get_customer"]);
    app.service.worlds.forOrg(org.id).close(fresh.id);
    expect(await email(fresh)).toContain("new@example.com");
  });

  it("closes with its token and with its end", async () => {
    const done = await mintWorld(app, org);
    const store = app.service.store.forOrg(org.id);
    expect((await list(done.token, new URL(done.url).pathname)).status).toBe(200);
    const tokens = await store.tokens.list("world", { limit: 500 });
    const own = tokens.items.find((token) => token.world === done.id);
    await store.tokens.revoke(own?.id ?? "", app.service.now());
    expect(await list(done.token, new URL(done.url).pathname)).toMatchObject({
      status: 401,
      body: { reason: expect.stringContaining("revoked") },
    });
  });
});
