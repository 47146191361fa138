import { spawn, spawnSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, expect, it } from "vitest";
import { cleanEnv } from "../helpers/process.ts";

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

/** The package is small enough that `npx` starts it at once: what it holds, and how much of it, bytes. */
const MOST_PACKED = 1_600_000;

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
async function drive(command: string, args: string[]): Promise<{ tools: number; pages: number; who: unknown }> {
  const client = new Client({ name: "t", version: "1" });
  const transport = new StdioClientTransport({ command, args, cwd: join(folder, "empty"), env, stderr: "ignore" });
  const strays: Error[] = [];
  client.onerror = (error) => strays.push(error);
  await client.connect(transport as never, { timeout: 240_000 });
  const { tools } = await client.listTools();
  const { structuredContent } = await client.callTool({ name: "whoami" });
  const pages = (await client.listResources()).resources.filter(({ uri }) => uri.startsWith("svc://docs/"));
  for (const { uri } of pages) expect((await client.readResource({ uri })).contents).toHaveLength(1);
  await client.close();
  // The client reports every line on standard output that is no message.
  expect(strays).toEqual([]);
  return { tools: tools.length, pages: pages.length, who: (structuredContent as { body: unknown }).body };
}

it("serves MCP over stdio from an empty folder, started by npx and by its file", async () => {
  const first = await drive("npx", ["--yes", `file:${tarball}`]);
  expect(first.tools).toBeGreaterThan(5);
  expect(first.pages).toBe(readdirSync(join(ROOT, "docs")).filter((name) => name.endsWith(".md")).length);
  expect(first.who).toMatchObject({ kind: "local", org: "local" });
  const [installed] = globSync("cache/_npx/*/node_modules/proving-ground/bin/svc.js", { cwd: folder });
  expect(await drive(process.execPath, [join(folder, installed ?? "")])).toEqual(first);
  expect(readdirSync(join(folder, "home", "data", "proving-ground"))).toContain("store.db");
  expect(readdirSync(join(folder, "empty"))).toEqual([]);
});

it("holds what runs and nothing else, and is small", () => {
  expect(packed?.size).toBeLessThan(MOST_PACKED);
  const others = packed?.files
    .map(({ path }) => path)
    .filter((path) => !/^dist\/(worlds|chapters|store|tools|src)\/.+\.(js|sql|json|jsonl)$/.test(path))
    // The program of an exported dataset.
    .filter((path) => path !== "dist/src/bench-program/program.mjs.br")
    // The pages that a client reads over MCP.
    .filter((path) => !/^dist\/docs\/[a-z-]+\.md$/.test(path));
  expect(others?.sort()).toEqual(["LICENSE", "README.md", "bin/svc.js", "package.json"]);
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
  expect(report.comparison.verdict).toMatch(/^b is worse/);
  expect(report.comparison.causes.length).toBeGreaterThan(0);
  expect(readdirSync(join(folder, "out"))).toEqual(["evaluation.html"]);

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
