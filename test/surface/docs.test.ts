import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { program } from "../../src/cli.ts";
import { chapters } from "../../tools/index.ts";
import { startApp, type TestApp, type TestOrg } from "../helpers/app.ts";
import { cleanEnv } from "../helpers/process.ts";

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const ROOT = new URL("../..", import.meta.url).pathname;
const BIN = join(ROOT, "bin", "svc.js");
const pages = [
  "README.md",
  ...readdirSync(join(ROOT, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];
const text = (page: string) => readFileSync(join(ROOT, page), "utf8");
const blocks = (page: string, language: string) =>
  [...text(page).matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map(
    (match) => match[1] ?? "",
  );

const folder = mkdtempSync(join(tmpdir(), "docs-"));
let app: TestApp;
let org: TestOrg;
beforeAll(async () => {
  app = await startApp();
  org = await app.org();
  mkdirSync(join(folder, "bin"));
  writeFileSync(join(folder, "bin", "svc"), `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`, { mode: 0o755 });
});
afterAll(async () => {
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

it.each(blocks("docs/command-line.md", "sh"))("the page's commands do what they say: %s", async (script) => {
  const env = cleanEnv({
    PATH: `${join(folder, "bin")}:${process.env.PATH}`,
    SVC_URL: app.url,
    SVC_TOKEN: org.admin,
  });
  const child = spawn("bash", ["-euo", "pipefail", "-c", script], {
    env,
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let told = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      told += chunk;
    });
  }
  const [status] = await once(child, "close");
  expect(status, told).toBe(0);
});

interface Server {
  readonly command?: string;
  readonly args?: string[];
  readonly url?: string;
  readonly headers?: Record<string, string>;
}

it.each(blocks("docs/connect.md", "json"))("a client connects with the settings as they stand: %s", async (block) => {
  const settings = JSON.parse(block) as Record<string, Record<string, Server>>;
  const server = Object.values(settings)[0]?.["proving-ground"] ?? {};
  const client = new Client({ name: "docs", version: "1" });
  if (server.url) {
    const url = new URL(server.url.replace("https://svc.example.com", app.url));
    const headers = Object.fromEntries(
      Object.entries(server.headers ?? {}).map(([name, value]) => [name, value.replace("TOKEN", org.read)]),
    );
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }) as never);
  } else {
    // What npx would fetch is this checkout.
    expect([server.command, server.args?.slice(0, 2)]).toEqual(["npx", ["-y", "proving-ground"]]);
    const args = [BIN, ...(server.args ?? []).slice(2)];
    const env = cleanEnv({ SVC_DATA_DIR: join(folder, "workspace") });
    const command = process.execPath;
    await client.connect(new StdioClientTransport({ command, args, env, stderr: "ignore" }) as never, {
      timeout: 120_000,
    });
  }
  const names = (await client.listTools()).tools.map(({ name }) => name);
  await client.close();
  expect(names).toContain("compare_runs");
  expect(names.includes("whoami")).toBe(!/chapters|shaped/.test(block));
});

it("every tool and command that a page names is there", () => {
  const tools = new Set(chapters.flatMap(({ operations }) => operations.map(({ name }) => name)));
  const commands = new Set(program().commands.map((command) => command.name()));
  for (const page of pages) {
    const called = [
      ...text(page).matchAll(/`([a-z]+(?:_[a-z]+)+)`(?= →|,? then| of a)|(?<=→\s)`([a-z]+(?:_[a-z]+)+)`/g),
    ];
    for (const [, a, b] of called) expect(tools, page).toContain(a ?? b);
    for (const [, command = ""] of text(page).matchAll(/(?:^|`)svc ([a-z]+)/gm))
      expect(commands, page).toContain(command);
  }
});

it("the README stays readable, and gives a reason for every dependency and for nothing else", () => {
  expect(text("README.md").split("\n").length).toBeLessThan(400);
  const { dependencies, devDependencies } = JSON.parse(text("package.json")) as Record<string, Record<string, string>>;
  const depended = new Set(Object.keys({ ...dependencies, ...devDependencies }));
  const table = text("README.md").split("| dependency")[1] ?? "";
  const named = [...table.matchAll(/^\| (`[^|]*) \|/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? ""),
  );
  for (const name of named) expect(depended).toContain(name);
  for (const name of Object.keys(dependencies ?? {})) expect(named).toContain(name);
});
