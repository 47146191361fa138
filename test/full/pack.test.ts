import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parse } from "yaml";
import { cleanEnv } from "../helpers/child.ts";
import { startPostgres } from "../helpers/stores/postgres.ts";

const ROOT = new URL("../..", import.meta.url).pathname;
let folder: string;
let tarball: string;
let packed: { filename: string; size: number; files: { path: string }[] } | undefined;
let env: Record<string, string>;

/** Runs a command to its end. Throws with its output when it fails. */
function run(command: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, env, encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${status}: ${stderr}${stdout}`);
  return stdout;
}

/** The package holds the code of most packages that it uses, so that `npx` has few to fetch: bytes packed; bytes and packages installed. */
const MOST_PACKED = 4_000_000;
const MOST_INSTALLED = 90_000_000;
const MOST_PACKAGES = 120;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-pack-"));
  const home = join(folder, "home");
  mkdirSync(home);
  env = cleanEnv({
    HOME: home,
    XDG_DATA_HOME: join(home, "data"),
    npm_config_cache: join(folder, "cache"),
    npm_config_update_notifier: "false",
  });

  // Packed from a copy, so that building it leaves nothing in the checkout.
  const copy = join(folder, "copy");
  const skip = new Set(["node_modules", ".git", "dist", "test", "bench"]);
  mkdirSync(copy);
  for (const name of readdirSync(ROOT))
    if (!skip.has(name)) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  [packed] = JSON.parse(
    run("npm", ["pack", "--json", "--silent", "--pack-destination", folder], copy).replace(/^[^[]*/, ""),
  ) as (typeof packed)[];
  tarball = join(folder, packed?.filename ?? "");
  mkdirSync(join(folder, "empty"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Starts a command as an MCP client does, and asks for what a client asks first. */
async function drive(command: string, args: string[]): Promise<{ tools: unknown[]; pages: number; who: unknown }> {
  const client = new Client({ name: "t", version: "1" });
  const transport = new StdioClientTransport({ command, args, cwd: join(folder, "empty"), env, stderr: "ignore" });
  const strays: Error[] = [];
  client.onerror = (error) => strays.push(error);
  await client.connect(transport as never, { timeout: 240_000 });
  const { tools } = await client.listTools();
  const { content } = await client.callTool({ name: "whoami" });
  const who = JSON.parse((content as { text: string }[])[0]?.text ?? "") as { body: unknown };
  const pages = (await client.listResources()).resources.filter(({ uri }) => uri.startsWith("svc://docs/"));
  for (const { uri } of pages) expect((await client.readResource({ uri })).contents).toHaveLength(1);
  await client.close();
  // The client reports every line on standard output that is no message.
  expect(strays).toEqual([]);
  return { tools, pages: pages.length, who: who.body };
}

it("serves MCP over stdio from an empty folder, started by npx and by its file", async () => {
  const first = await drive("npx", ["--yes", `file:${tarball}`]);
  expect(first.tools.length).toBeGreaterThan(5);
  expect(first.pages).toBe(readdirSync(join(ROOT, "docs")).filter((name) => name.endsWith(".md")).length);
  expect(first.who).toMatchObject({ kind: "local", org: "local" });
  const [started] = globSync("cache/_npx/*/node_modules/proving-ground/bin/svc.js", { cwd: folder });
  expect(await drive(process.execPath, [join(folder, started ?? "")])).toEqual(first);
  // A package lists what its build made of the schemas, a checkout what it makes itself.
  expect(await drive(process.execPath, [join(ROOT, "bin/svc.js"), "stdio"])).toEqual(first);
  expect(readdirSync(join(folder, "home", "data", "proving-ground"))).toContain("store.db");
  expect(readdirSync(join(folder, "empty"))).toEqual([]);
});

/** Bytes of all files below a folder. */
function bytesBelow(at: string): number {
  return readdirSync(at, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

it("holds what runs and nothing else, and is small, also with what is installed beside it", () => {
  expect(packed?.size).toBeLessThan(MOST_PACKED);
  const [modules = ""] = globSync("cache/_npx/*/node_modules", { cwd: folder });
  expect(bytesBelow(join(folder, modules))).toBeLessThan(MOST_INSTALLED);
  const lock = JSON.parse(readFileSync(join(folder, modules, ".package-lock.json"), "utf8"));
  expect(Object.keys(lock.packages).length).toBeLessThan(MOST_PACKAGES);
  const others = packed?.files
    .map(({ path }) => path)
    .filter((path) => !/^dist\/(worlds|store|src|tools|chunks)\/.+\.(js|sql|json|jsonl)$/.test(path))
    // The program of an exported dataset.
    .filter((path) => path !== "dist/src/bench-program/program.mjs.br")
    // The pages that a client reads over MCP.
    .filter((path) => !/^dist\/docs\/[a-z-]+\.md$/.test(path));
  const notices = ["dist/bundled-licenses.txt", "dist/bundled.json"];
  expect(others?.sort()).toEqual(["LICENSE", "README.md", "bin/svc.js", ...notices, "package.json"]);
});

it("names the packages whose code it holds, each with its version and licence", () => {
  const [at = ""] = globSync("cache/_npx/*/node_modules/proving-ground", { cwd: folder });
  const read = (name: string) => readFileSync(join(folder, at, name), "utf8");
  const { dependencies } = JSON.parse(read("package.json")) as { dependencies: Record<string, string> };
  const named = JSON.parse(read("dist/bundled.json")) as { name: string; version: string; license: string }[];
  const version = (name: string) =>
    JSON.parse(readFileSync(join(ROOT, "node_modules", name, "package.json"), "utf8")).version;
  const zod = { name: "zod", version: version("zod"), license: "MIT" };
  expect(named).toContainEqual(zod);
  expect(named.filter(({ name }) => name in dependencies)).toEqual([]);
  const texts = read("dist/bundled-licenses.txt");
  for (const { name, version: own, license } of named) expect(texts).toContain(`${name} ${own} (${license})`);
  expect(texts).toContain("Permission is hereby granted, free of charge");
});

it("unpacks the program of an exported dataset, which runs alone", () => {
  const [module] = globSync("cache/_npx/*/node_modules/proving-ground/dist/src/bench-program/program.js", {
    cwd: folder,
  });
  const write = `import { benchProgram } from ${JSON.stringify(join(folder, module ?? ""))};
import { writeFileSync } from "node:fs";
writeFileSync("program.mjs", await benchProgram().text());`;
  const alone = join(folder, "alone");
  mkdirSync(alone);
  run(process.execPath, ["--input-type=module", "--eval", write], alone);
  const { status, stderr } = spawnSync(process.execPath, ["program.mjs"], { cwd: alone, env, encoding: "utf8" });
  expect({ status, stderr: stderr.trim() }).toEqual({
    status: 64,
    stderr: "serve FOLDER JOURNAL PORT | verify TESTS LOGS JOURNAL APP",
  });
});

it("has every module with all that it imports", () => {
  const [chunks = ""] = globSync("cache/_npx/*/node_modules/proving-ground/dist/chunks", { cwd: folder });
  const names = readdirSync(join(folder, chunks));
  const load = `for (const name of ${JSON.stringify(names)}) await import(${JSON.stringify(join(folder, chunks))} + "/" + name);
process.exit(0);`;
  expect(names.length).toBeGreaterThan(50);
  run(process.execPath, ["--input-type=module", "--eval", load], folder);
});

/** What is asked of the installed service while it serves. */
async function served(own: Record<string, string>, ask: (url: string) => Promise<void>): Promise<void> {
  const child = spawn(process.execPath, [installed(), "serve", "--json"], {
    env: { ...env, ...own, SVC_PORT: "0" },
    stdio: ["ignore", "pipe", "ignore"],
  });
  try {
    const [said] = (await once(child.stdout, "data")) as [Buffer];
    await ask((JSON.parse(String(said)) as { url: string }).url);
  } finally {
    child.kill();
    await once(child, "exit");
  }
}

const installed = () =>
  join(folder, globSync("cache/_npx/*/node_modules/proving-ground/bin/svc.js", { cwd: folder })[0] ?? "");

it("serves on PostgreSQL", async () => {
  const cluster = await startPostgres();
  try {
    const SVC_DATABASE_URL = await cluster.database();
    await served({ SVC_DATA_DIR: join(folder, "shared"), SVC_DATABASE_URL }, async (url) =>
      expect((await fetch(`${url}/healthz`)).status).toBe(200),
    );
  } finally {
    await cluster.stop();
  }
});

it("leaves nothing of a deleted org in its files", async () => {
  const SVC_DATA_DIR = join(folder, "own");
  const made = run(
    "env",
    [`SVC_DATA_DIR=${SVC_DATA_DIR}`, process.execPath, installed(), "init", "--org", "acme"],
    folder,
  );
  const headers = { authorization: `Bearer ${/SVC_TOKEN=(\S+)/.exec(made)?.[1]}`, "content-type": "application/json" };
  const said = { messages: [{ role: "user", content: "zqdeletedzq" }] };
  const holds = () =>
    readdirSync(SVC_DATA_DIR).filter(
      (name) => name.startsWith("store.db") && readFileSync(join(SVC_DATA_DIR, name)).includes("zqdeletedzq"),
    );
  await served({ SVC_DATA_DIR }, async (url) => {
    const body = JSON.stringify({ kind: "traces", content: JSON.stringify(said) });
    expect((await fetch(`${url}/v0/evidence`, { method: "POST", headers, body })).status).toBe(201);
    expect(holds()).not.toEqual([]);
    const deleted = await fetch(`${url}/v0/orgs/acme?confirm=acme`, { method: "DELETE", headers });
    expect(await deleted.json()).toMatchObject({ scrubbed: true });
    expect(holds()).toEqual([]);
  });
});

it("prints help at a terminal", () => {
  const shown = run("script", ["-qec", `npx --yes file:${tarball}`, "/dev/null"], join(folder, "empty"));
  expect(shown).toContain("Usage: svc");
  expect(shown).toContain("stdio");
});

it("evaluates its own sample, and measures traces, from an empty folder", () => {
  const empty = join(folder, "empty");
  const shown = run("npx", ["--yes", `file:${tarball}`, "evaluate", "--out", join(folder, "out"), "--json"], empty);
  const report = JSON.parse(shown) as {
    runs: { name: string; met: number; valid: number }[];
    comparison: { verdict: string; causes: unknown[] };
  };
  const met = Object.fromEntries(report.runs.map((row) => [row.name, [row.met, row.valid]]));
  expect(met.null?.[0]).toBe(0);
  expect(met.reference?.[0]).toBe(met.reference?.[1]);
  expect(met.reference?.[0]).toBeGreaterThanOrEqual(20);
  expect(report.comparison.verdict).toMatch(/^desk agent 2 is worse/);
  expect(report.comparison.causes.length).toBeGreaterThan(0);
  expect(readdirSync(join(folder, "out"))).toEqual(["evaluation.html"]);
  expect(readFileSync(join(folder, "out", "evaluation.html"), "utf8")).toContain("<svg");

  const [traces] = globSync("cache/_npx/*/node_modules/proving-ground/dist/worlds/samples/desk/traces.jsonl", {
    cwd: folder,
  });
  const file = join(folder, traces ?? "");
  const counts = JSON.parse(
    run("npx", ["--yes", `file:${tarball}`, "fidelity", "--train", file, "--test", file, "--json"], empty),
  ) as { calls: number; recording: { identical: number } };
  expect(counts.calls).toBeGreaterThan(1000);
  expect(counts.recording.identical).toBeGreaterThan(counts.calls * 0.8);
  expect(readdirSync(empty)).toEqual([]);
});

it("answers nothing but MCP on standard output, also when there is nothing to answer", async () => {
  const child = spawn("npx", ["--yes", `file:${tarball}`], {
    cwd: join(folder, "empty"),
    env,
    stdio: ["pipe", "pipe", "ignore"],
  });
  let out = "";
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  child.stdin.end();
  const code = await new Promise((resolve) => child.once("close", resolve));
  expect({ code, out }).toEqual({ code: 0, out: "" });
});

it("the workflow to copy: both versions play what the package makes of the traces, and the gate holds the fault", () => {
  const workflow = readFileSync(join(ROOT, "docs/examples/github-action/gate.yml"), "utf8");
  const { steps, env: named } = parse(workflow).jobs.gate as {
    steps: { run?: string }[];
    env: Record<string, string>;
  };
  expect(Object.keys(named).sort()).toEqual(["PROVING_GROUND", "SVC_DATA_DIR"]);
  const cwd = join(folder, "workspace");
  for (const each of ["traces", "before"]) mkdirSync(join(cwd, each), { recursive: true });
  const desk = join(ROOT, "worlds/samples/desk");
  for (const name of ["traces.jsonl", "tools.json"]) cpSync(join(desk, name), join(cwd, "traces", name));
  const agent = (version: number) =>
    `process.argv.push("--version", "${version}");\nawait import(${JSON.stringify(join(desk, "agent.ts"))});\n`;
  writeFileSync(join(cwd, "before/agent.mjs"), agent(1));
  writeFileSync(join(cwd, "agent.mjs"), agent(2));
  const summary = join(cwd, "summary.md");
  const here = { ...env, PROVING_GROUND: tarball, SVC_DATA_DIR: join(cwd, "data"), GITHUB_STEP_SUMMARY: summary };
  const ended = steps.flatMap(({ run: line }) => {
    if (line === undefined) return [];
    const { status, stderr, stdout } = spawnSync("bash", ["-e", "-c", line], { cwd, env: here, encoding: "utf8" });
    return [{ status, said: `${stdout.slice(-2000)}${stderr.slice(-2000)}` }];
  });
  // Version 2 has a planted fault: installed, played, held.
  expect(
    ended.map(({ status }) => status),
    ended.map(({ said }) => said).join("\n"),
  ).toEqual([0, 0, 1]);
  expect(readFileSync(summary, "utf8")).toMatch(/worse/);
  expect(readFileSync(join(cwd, "out/gate.xml"), "utf8")).toContain("<failure");
});
