import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, createServer, type IncomingMessage, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { program } from "../../src/cli.ts";
import { readConfig } from "../../src/config.ts";
import { chapters } from "../../tools/index.ts";
import { NO_LIMIT_MS } from "../hangs.ts";
import { startApp, type TestApp, type TestOrg } from "../helpers/app.ts";
import { cleanEnv } from "../helpers/child.ts";
import { ROOT } from "../helpers/doc-blocks.ts";
import { blockFor, keysFor } from "../helpers/doc-manifest.ts";
import { fixtures } from "../helpers/fixture-chapter.ts";
import { mintWorld } from "../helpers/world.ts";

const PUBLIC = "https://svc.example.com";
const folder = mkdtempSync(join(tmpdir(), "docs-settings-"));
const ran: string[] = [];
const block = (key: string) => {
  ran.push(key);
  return blockFor("docs-settings", key).text;
};
let app: TestApp;
let org: TestOrg;
beforeAll(async () => {
  app = await startApp({ jobs: false, chapters: [fixtures, ...chapters], config: { publicUrl: PUBLIC } });
  org = await app.org();
});
afterAll(async () => {
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Settings {
  readonly command?: string;
  readonly args?: string[];
  readonly url?: string;
  readonly headers?: Record<string, string>;
  readonly bearer_token_env_var?: string;
}

/** Python reads TOML; this machine's JavaScript does not. */
function toml(text: string): Record<string, Record<string, Settings>> {
  const read = "import json, sys, tomllib; print(json.dumps(tomllib.loads(sys.stdin.read())))";
  return JSON.parse(execFileSync("python3", ["-c", read], { input: text, encoding: "utf8" }));
}

describe("a client connects with the settings as they stand", () => {
  it.each(keysFor("docs-settings").filter((key) => key.startsWith("docs/connect.md")))("%s", async (key) => {
    const text = block(key);
    const settings = key.includes(" toml ")
      ? toml(text)
      : (JSON.parse(text) as Record<string, Record<string, Settings>>);
    expect(Object.keys(settings)).toEqual([
      key.includes(" toml ") ? "mcp_servers" : expect.stringMatching(/^(mcpServers|servers)$/),
    ]);
    const server = Object.values(settings)[0]?.["proving-ground"] ?? {};
    const client = new Client({ name: "docs", version: "1" });
    if (server.url) {
      const token = server.headers
        ? server.headers.Authorization?.replace("TOKEN", org.read)
        : `Bearer ${{ SVC_TOKEN: org.read }[server.bearer_token_env_var ?? ""]}`;
      const url = new URL(server.url.replace(PUBLIC, app.url));
      const headers = { authorization: token ?? "" };
      await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }) as never);
    } else {
      // What npx would fetch is this checkout.
      expect([server.command, server.args?.slice(0, 2)]).toEqual(["npx", ["-y", "proving-ground"]]);
      const args = [join(ROOT, "bin/svc.js"), ...(server.args ?? []).slice(2)];
      const env = cleanEnv({ SVC_DATA_DIR: join(folder, "workspace") });
      const transport = new StdioClientTransport({ command: process.execPath, args, env, stderr: "ignore" });
      await client.connect(transport as never, { timeout: NO_LIMIT_MS });
    }
    const names = (await client.listTools()).tools.map(({ name }) => name);
    const offers = client.getServerCapabilities()?.prompts !== undefined;
    const prompts = offers ? (await client.listPrompts()).prompts.map(({ name }) => name) : [];
    await client.close();
    const ways = ["evaluate_agent", "find_why_it_fails", "failure_to_task"];
    expect(prompts).toEqual(/shaped/.test(text) ? [] : /chapters/.test(text) ? ways.slice(0, 2) : ways);
    expect(names).toContain("compare_runs");
    expect(names.includes("whoami")).toBe(!/chapters|shaped|toolset/.test(text));
    expect(names.includes("find_operations")).toBe(text.includes("toolset"));
  });
});

type Unit = Record<string, [name: string, value: string][]>;

/** A unit's directives by section. Throws for a line that is none. */
function unit(text: string): Unit {
  const sections: Unit = {};
  let own: [string, string][] | undefined;
  for (const line of text.split("\n").filter(Boolean)) {
    const section = /^\[(\w+)\]$/.exec(line)?.[1];
    if (section !== undefined) {
      own = [];
      sections[section] = own;
      continue;
    }
    const [, name, value] = /^(\w+)=(.+)$/.exec(line) ?? [];
    if (!own || name === undefined || value === undefined) throw new Error(`no directive: ${line}`);
    own.push([name, value]);
  }
  return sections;
}

/** The directives that systemd has and a unit here may use, by section. */
const DIRECTIVES: Record<string, string[]> = {
  Unit: ["Description", "After", "Wants"],
  Service: [
    ...[
      "Type",
      "EnvironmentFile",
      "Environment",
      "UnsetEnvironment",
      "Delegate",
      "DelegateSubgroup",
      "ExecStart",
      "User",
      "StateDirectory",
      "StateDirectoryMode",
    ],
    ...["Restart", "RestartSec", "TimeoutStopSec", "NoNewPrivileges", "ProtectSystem", "ProtectHome", "PrivateTmp"],
  ],
  Timer: ["OnCalendar", "Persistent"],
  Install: ["WantedBy"],
};

describe("a deployment", () => {
  const settings = () => {
    const lines = block("docs/deploy.md ini 1").trim().split("\n");
    return Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
    );
  };

  it("has settings that the service takes, on one machine and as a shared address", () => {
    const env = { ...settings(), SVC_KEY: "0f".repeat(32), SVC_OPERATOR_TOKEN: `svc_op_${"a".repeat(43)}` };
    const config = readConfig(env);
    expect(config).toMatchObject({ publicUrl: PUBLIC, host: "127.0.0.1", port: 7333, commandsAllowed: false });
    // Every name is one that is read: an unknown one would be passed over in silence.
    const reads = new Set<string>();
    readConfig(new Proxy({}, { get: (_, name) => void reads.add(String(name)) }));
    for (const name of Object.keys(env)) expect(reads).toContain(name);
  });

  it.each(["docs/deploy.md ini 2", "docs/deploy.md ini 3", "docs/deploy.md ini 4", "docs/deploy.md ini 5"])(
    "has units of directives that there are, and commands of ours with what they take: %s",
    (key) => {
      const sections = unit(block(key));
      for (const [section, directives] of Object.entries(sections))
        for (const [name] of directives) expect(DIRECTIVES[section]).toContain(name);
      if (!sections.Service) return expect(sections.Timer?.length).toBeGreaterThan(0);
      const of = Object.fromEntries(sections.Service);
      const [, command = "", rest = ""] = /^\/usr\/bin\/env svc (\w+)(.*)$/.exec(of.ExecStart ?? "") ?? [];
      if (command === "")
        return expect(of.ExecStart).toMatch(/^\/usr\/bin\/pg_dump -Fc -f \/var\/lib\/proving-ground-backup\//);
      const known = program().commands.find((each) => each.name() === command);
      expect(known?.name()).toBe(command);
      expect(rest).toBe("");
      const [variable = "", value = ""] = (of.Environment ?? "").split("=");
      const env = { ...settings(), SVC_KEY: "0f".repeat(32), SVC_OPERATOR_TOKEN: `svc_op_${"a".repeat(43)}` };
      const config = readConfig({ ...env, [variable]: value });
      expect(config.dataDir).toBe(`/var/lib/${of.StateDirectory}`);
      if (command === "serve") expect(config.roles).toEqual({ serve: true, work: false });
      // A server ends calls under way within three seconds; what supervises it has to wait for that.
      expect(Number(of.TimeoutStopSec)).toBeGreaterThan(5);
    },
  );
});

interface Directive {
  readonly words: readonly string[];
  readonly block?: readonly Directive[];
}

/** Directives of nginx's or Caddy's form: words, then an end of line or a block. Throws where braces do not close. */
function directives(text: string): Directive[] {
  const tokens = text.replace(/#.*$/gm, "").match(/"[^"]*"|[{}]|;|\n|[^\s{};]+/g) ?? [];
  let at = 0;
  const read = (inner: boolean): Directive[] => {
    const found: Directive[] = [];
    let words: string[] = [];
    const end = () => {
      if (words.length > 0) found.push({ words });
      words = [];
    };
    for (; at < tokens.length; at++) {
      const token = tokens[at] ?? "";
      if (token === "}") {
        if (!inner) throw new Error("a brace closes what none opened");
        end();
        return found;
      }
      if (token === "{") {
        at += 1;
        found.push({ words, block: read(true) });
        words = [];
      } else if (token === ";" || token === "\n") end();
      else words.push(token.replace(/^"|"$/g, ""));
    }
    if (inner) throw new Error("a brace is not closed");
    end();
    return found;
  };
  return read(false);
}

const given = (all: readonly Directive[] = [], ...name: string[]) =>
  all.find(({ words }) => name.every((word, i) => words[i] === word))?.words.slice(name.length);
const blockOf = (all: readonly Directive[] = [], name: string) => all.find(({ words }) => words[0] === name)?.block;

interface Proxy {
  readonly host: boolean;
  readonly maxBytes: number;
  readonly buffered: boolean;
}

/** A proxy that does what the directives say, before the test's own service. */
async function proxied({ host, maxBytes, buffered }: Proxy, target: string): Promise<{ port: number; server: Server }> {
  const agent = new Agent({ keepAlive: true, timeout: 4_000 });
  const server = createServer((req, res) => {
    const headers = { ...req.headers, ...(host ? {} : { host: "proving_ground" }), connection: "keep-alive" };
    if (Number(req.headers["content-length"] ?? 0) > maxBytes) return void res.writeHead(413).end();
    const out = request(new URL(req.url ?? "/", target), { method: req.method, headers, agent }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      if (!buffered) return void answer.pipe(res);
      const held: Buffer[] = [];
      answer.on("data", (chunk) => held.push(chunk));
      answer.on("end", () => res.end(Buffer.concat(held)));
    });
    out.on("error", () => res.destroy());
    req.pipe(out);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { port: (server.address() as AddressInfo).port, server };
}

/** One request as a client of the public address makes it; when each piece of the answer came, milliseconds. */
async function asked(port: number, path: string, body: unknown, token = org.push) {
  const headers = {
    host: "svc.example.com",
    authorization: `Bearer ${token}`,
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
  };
  const text = body === undefined ? "" : JSON.stringify(body);
  const res = await new Promise<IncomingMessage>((resolve, reject) => {
    const method = body === undefined ? "GET" : "POST";
    const sized = { ...headers, "content-length": Buffer.byteLength(text) };
    request({ host: "127.0.0.1", port, path, method, headers: sized }, resolve).on("error", reject).end(text);
  });
  const pieces: { at: number; text: string }[] = [];
  for await (const chunk of res.setEncoding("utf8")) pieces.push({ at: performance.now(), text: chunk as string });
  return { status: res.statusCode, pieces, text: pieces.map((piece) => piece.text).join("") };
}

describe("the proxy", () => {
  const nginx = () => {
    const all = directives(block("docs/deploy.md nginx 1"));
    const [upstream, server] = [blockOf(all, "upstream"), blockOf(all, "server")];
    const location = blockOf(server, "location");
    return { upstream, server, location, name: all.find(({ words }) => words[0] === "upstream")?.words[1] };
  };
  const megabytes = (text = "") => Number(/^(\d+)m$/.exec(text)?.[1]) * 1024 * 1024;
  const seconds = (text = "") => Number(/^(\d+)s$/.exec(text)?.[1]);

  it("as nginx is set: where it leads, how long it waits, and how much it lets through fit the service", () => {
    const { upstream, server, location, name } = nginx();
    const config = readConfig({});
    expect(given(upstream, "server")).toEqual([`${config.host}:${config.port}`]);
    expect(given(location, "proxy_pass")).toEqual([`http://${name}`]);
    expect(given(server, "server_name")).toEqual([new URL(PUBLIC).hostname]);
    expect(megabytes(given(server, "client_max_body_size")?.[0])).toBeGreaterThanOrEqual(config.maxStreamBytes);
    expect(seconds(given(location, "proxy_read_timeout")?.[0])).toBeGreaterThan(300);
    // The service ends idle connections after its server's own time: a proxy has to let go first.
    expect(seconds(given(upstream, "keepalive_timeout")?.[0]) * 1000).toBeLessThan(createServer().keepAliveTimeout);
    for (const off of ["proxy_buffering", "proxy_request_buffering"]) expect(given(location, off)).toEqual(["off"]);
    expect(given(location, "proxy_set_header", "Connection")).toEqual([""]);
    expect(given(location, "proxy_http_version")).toEqual(["1.1"]);
  });

  it("as it is set it serves calls, progress as it comes, worlds and the console; without a line it would not", async () => {
    const { server, location } = nginx();
    const as = {
      host: given(location, "proxy_set_header", "Host")?.[0] === "$host",
      maxBytes: megabytes(given(server, "client_max_body_size")?.[0]),
      buffered: given(location, "proxy_buffering")?.[0] !== "off",
    };
    const proxies = await Promise.all(
      [as, { ...as, host: false }, { ...as, buffered: true }].map((each) => proxied(each, app.url)),
    );
    const [good, hostless, buffering] = proxies.map(({ port }) => port) as [number, number, number];
    try {
      const rpc = (method: string, params: object) => ({ jsonrpc: "2.0", id: 1, method, params });
      const list = await asked(good, "/mcp", rpc("tools/list", {}));
      expect([list.status, list.text.includes("compare_runs")]).toEqual([200, true]);
      expect((await asked(hostless, "/mcp", rpc("tools/list", {}))).status).toBe(403);

      const slow = rpc("tools/call", {
        name: "slow_start",
        arguments: { steps: 5, ms: 60 },
        _meta: { progressToken: "p" },
      });
      const spread = ({ pieces }: { pieces: { at: number }[] }) => (pieces.at(-1)?.at ?? 0) - (pieces[0]?.at ?? 0);
      const [told, held] = [await asked(good, "/mcp", slow), await asked(buffering, "/mcp", slow)];
      expect(told.text).toContain("notifications/progress");
      expect(told.pieces.length).toBeGreaterThan(held.pieces.length);
      expect(spread(told)).toBeGreaterThan(spread(held));

      const world = await mintWorld(app, org);
      expect(world.url.startsWith(`${PUBLIC}/worlds/`)).toBe(true);
      const tools = await asked(good, new URL(world.url).pathname, rpc("tools/list", {}), world.token);
      expect([tools.status, JSON.parse(tools.text).result.tools.length > 0]).toEqual([200, true]);
      expect((await asked(good, "/console", undefined)).status).toBe(401);
      expect((await asked(good, "/healthz", undefined)).text).toBe('{"status":"ok"}');
    } finally {
      for (const { server: each } of proxies) {
        each.closeAllConnections();
        each.close();
      }
    }
  });

  it("as Caddy is set: the same", () => {
    const [site, ...others] = directives(block("docs/deploy.md caddyfile 1"));
    expect([site?.words, others]).toEqual([[new URL(PUBLIC).hostname], []]);
    const [to] = site?.block ?? [];
    const { upstream, location } = nginx();
    expect(to?.words).toEqual(["reverse_proxy", ...(given(upstream, "server") ?? [])]);
    expect(given(to?.block, "flush_interval")).toEqual(["-1"]);
    const transport = to?.block?.find(({ words }) => words.join(" ") === "transport http")?.block;
    expect(given(transport, "keepalive")).toEqual(given(upstream, "keepalive_timeout"));
    expect(given(transport, "response_header_timeout")).toEqual(given(location, "proxy_read_timeout"));
  });
});

it("every block that this test is named for was read", () => {
  expect([...new Set(ran)].sort()).toEqual([...keysFor("docs-settings")].sort());
});
