import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as whole } from "node:stream/consumers";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { program } from "../../src/cli.ts";
import { readConfig } from "../../src/config.ts";
import { plantedTrials } from "../agreement/planted.ts";
import { NO_LIMIT_MS } from "../hangs.ts";
import { invoker, startApp, type TestApp, type TestOrg } from "../helpers/app.ts";
import { cleanEnv } from "../helpers/child.ts";
import { PAGES, pageText, ROOT } from "../helpers/doc-blocks.ts";
import { blockFor, keysFor, notRun, RUNNERS, unmatched } from "../helpers/doc-manifest.ts";
import { expectReadable } from "../helpers/look.ts";
import { runSvc } from "../helpers/process.ts";
import { asSuperuser, type Cluster, startPostgres } from "../helpers/stores/postgres.ts";
import { runToEnd, shopIn } from "../tools/runs/kit.ts";

const DESK = join(ROOT, "worlds/samples/desk");
const folder = mkdtempSync(join(tmpdir(), "docs-run-"));
const bin = join(folder, "bin");
const standIns = join(folder, "stand-ins");
const checkout = join(folder, "checkout");
const home = join(folder, "home");
let app: TestApp;
let org: TestOrg;
let cluster: Cluster;
let database: string;
const ran: string[] = [];
/** Blocks whose programs were stood in for, or whose words alone were read. */
const read: string[] = [];
let groups: { before: string; after: string };

const git = (...args: string[]) =>
  execFileSync("git", ["-c", "user.name=docs", "-c", "user.email=docs@example.com", ...args], {
    cwd: checkout,
    encoding: "utf8",
  });

beforeAll(async () => {
  for (const each of [bin, standIns, home, checkout]) mkdirSync(each);
  // The pages of a deployment, where the package is installed.
  const installed = `#!/bin/sh\nexec "${process.execPath}" "${join(ROOT, "bin/svc.js")}" "$@"\n`;
  writeFileSync(join(bin, "svc"), installed, { mode: 0o755 });
  // Programs that are not here, or that would change this machine: what they are asked is written down, a word a line.
  for (const name of ["claude", "codex", "useradd", "systemctl"]) {
    const script = `#!/bin/sh\nfor word in ${name} "$@"; do printf '%s\\n' "$word"; done >> "${join(folder, "asked")}"\n`;
    writeFileSync(join(standIns, name), script, { mode: 0o755 });
  }
  // A checkout as it is here, all of it committed, with what is installed here.
  for (const name of readdirSync(ROOT))
    if (!["out", "dist", "data", "node_modules", ".git"].includes(name))
      cpSync(join(ROOT, name), join(checkout, name), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(checkout, "node_modules"));
  git("init", "--quiet");
  writeFileSync(join(checkout, ".git/info/exclude"), "node_modules\n");
  git("add", "--all");
  git("commit", "--quiet", "--message", "as it is");
  app = await startApp();
  org = await app.org();
  const invoke = invoker(app, "rest", org);
  const { environment } = await shopIn(app.service, org.id, 8);
  groups = {
    before: (await runToEnd(invoke, { harness: "reference", environment })).group,
    after: (await runToEnd(invoke, { harness: "reference", environment })).group,
  };
  cluster = await startPostgres();
  database = await cluster.database();
});
afterAll(async () => {
  await app?.close();
  await cluster?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Placeholders, and what stands for them here; each must be there. */
type Instead = readonly (readonly [string, string])[];

function filled(key: string, instead: Instead = []): string {
  let { text, noRun } = blockFor("docs-run", key);
  if (noRun !== undefined) read.push(key);
  for (const [words, other] of instead) {
    if (!text.includes(words)) throw new Error(`${key} does not say ${words} any more`);
    text = text.replaceAll(words, other);
  }
  ran.push(key);
  return text;
}

const ownEnv = (env: Record<string, string> = {}) =>
  cleanEnv({ HOME: home, npm_config_cache: join(folder, "cache"), npm_config_update_notifier: "false", ...env });

function start(script: string, cwd: string, env: Record<string, string>, path = bin): ChildProcess {
  return spawn("bash", ["-euo", "pipefail", "-c", script], {
    env: ownEnv({ PATH: `${path}:${process.env.PATH}`, ...env }),
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
}

/** Runs a block as it stands, all of its lines in one shell, and answers what it printed. */
async function run(
  key: string,
  { instead, cwd = folder, env = {} }: { instead?: Instead; cwd?: string; env?: Record<string, string> } = {},
): Promise<string> {
  const child = start(filled(key, instead), cwd, env, notRun().includes(key) ? standIns : bin);
  const [out, said] = [whole(child.stdout as never), whole(child.stderr as never)];
  const [status] = (await once(child, "close")) as [number];
  expect(status, `${key}\n${await said}${await out}`).toBe(0);
  return await out;
}

const service = () => ({ SVC_URL: app.url, SVC_TOKEN: org.admin });
const scripts = () =>
  (JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { scripts: Record<string, string> }).scripts;
const CI = join(ROOT, ".ci/run");

describe("the blocks of the README and of what contributors read", () => {
  it("start: the sample is evaluated in a checkout; its install and its tests are what CI runs first", async () => {
    const out = await run("README.md sh 1", {
      cwd: checkout,
      env: { SVC_DATA_DIR: join(folder, "sample") },
      // Installing again and the whole suite within itself would prove nothing here: CI does both by the same words.
      instead: [
        ["npm ci && npm run evaluate", "npm run --silent evaluate"],
        ["npm ci && npm test", "true"],
      ],
    });
    expect(out).toMatch(/^verdict +\S.* is worse/m);
    await expectReadable(join(checkout, "out/evaluation.html"));
    const ci = readFileSync(CI, "utf8");
    // The matrix runs the block's first line as it stands, in a fresh clone.
    for (const words of ['"npm ci" npm ci', "suite unit test", "npm run --silent matrix"]) expect(ci).toContain(words);
    expect(scripts()).toHaveProperty("test");
  });

  it("own traces: folders are evaluated, and two agents compared", async () => {
    const cwd = join(folder, "own");
    mkdirSync(join(cwd, "traces"), { recursive: true });
    for (const name of ["package.json", "src", "node_modules", "worlds", "chapters", "store", "tools"])
      symlinkSync(join(ROOT, name), join(cwd, name));
    const lines = readFileSync(join(DESK, "traces.jsonl"), "utf8").trimEnd().split("\n");
    writeFileSync(join(cwd, "traces/traces.jsonl"), lines.join("\n"));
    writeFileSync(join(cwd, "traces/tools.json"), readFileSync(join(DESK, "tools.json")));
    for (const [name, n] of [
      ["old", 1],
      ["new", 2],
    ] as const)
      writeFileSync(
        join(cwd, `${name}.js`),
        `process.argv.push("--version", "${n}");\nawait import(${JSON.stringify(join(DESK, "agent.ts"))});\n`,
      );
    const out = await run("README.md sh 2", { cwd, env: { SVC_DATA_DIR: join(folder, "own-data") } });
    expect(out).toMatch(/^verdict +\S.* is worse/m);
    expect(out).toMatch(/^compared +old with new$/m);
  });

  it("serve: it answers until it is asked to end", async () => {
    const env = { SVC_DATA_DIR: join(folder, "served"), SVC_PORT: "0" };
    const child = start(filled("README.md sh 3"), checkout, env);
    let said = "";
    const url = await new Promise<string>((resolve, reject) => {
      child.once("exit", (code) => reject(new Error(`it ended with ${code}: ${said}`)));
      child.stderr?.on("data", (chunk) => {
        said += chunk;
        const found = /http:\/\/[\d.]+:\d+/.exec(said)?.[0];
        if (found) resolve(found);
      });
    });
    expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ status: "ok" });
    expect((await fetch(`${url}/v0/whoami`)).status).toBe(401);
    child.removeAllListeners("exit");
    const ended = once(child, "close");
    process.kill(-(child.pid as number), "SIGTERM");
    await ended;
  });

  it("the package: it is packed, and starts from an empty folder, at a prompt and over standard input and output", async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
    const out = await run("docs/connect.md sh 1", { cwd: checkout });
    expect(out.trim().split("\n").at(-1)).toBe(version);
    const [, file] = /npx -y "(.+?)"/.exec(blockFor("docs-run", "docs/connect.md sh 1").text) ?? [];
    const empty = join(folder, "empty");
    mkdirSync(empty);
    // As the clients' settings have it, the file's path in place of the package's name.
    const args = ["-y", (file ?? "").replace("$HOME", home)];
    const env = ownEnv({ XDG_DATA_HOME: join(home, "data") });
    const client = new Client({ name: "docs", version: "1" });
    const transport = new StdioClientTransport({ command: "npx", args, cwd: empty, env, stderr: "ignore" });
    await client.connect(transport as never, { timeout: NO_LIMIT_MS });
    const { content } = await client.callTool({ name: "whoami" });
    expect(JSON.parse((content as { text: string }[])[0]?.text ?? "")).toMatchObject({ body: { kind: "local" } });
    await client.close();
    expect(readdirSync(empty)).toEqual([]);
  });

  it("gate: it ends with 0 where no regression is shown, and leaves its two reports", async () => {
    const instead: Instead = [
      ["RUN_GROUP_BEFORE", groups.before],
      ["RUN_GROUP_AFTER", groups.after],
    ];
    await run("docs/command-line.md sh 2", { instead, cwd: checkout, env: service() });
    expect(readFileSync(join(checkout, "out/gate.xml"), "utf8")).toContain("<testsuite");
    expect(readFileSync(join(checkout, "out/gate.md"), "utf8")).toContain(groups.before);
  });

  it("fidelity and agreement: they are measured on traces of one's own", async () => {
    const all = readFileSync(join(DESK, "traces.jsonl"), "utf8").split("\n");
    const own: readonly (readonly [string, string])[] = [
      ["monday/traces.jsonl", all.filter((_, i) => i % 3 === 0).join("\n")],
      ["tools.json", readFileSync(join(DESK, "tools.json"), "utf8")],
      ["tuesday.json", JSON.stringify(plantedTrials(30).map(({ line }) => JSON.parse(line)))],
    ];
    mkdirSync(join(checkout, "monday"));
    for (const [name, text] of own) writeFileSync(join(checkout, name), text);
    try {
      expect(await run("docs/measure.md sh 1", { cwd: checkout })).toMatch(/identical/);
      expect(readFileSync(join(checkout, "out/calls.jsonl"), "utf8").split("\n").length).toBeGreaterThan(5);
      expect(await run("docs/measure.md sh 2", { cwd: checkout })).toMatch(/kappa/i);
    } finally {
      for (const [name] of own) rmSync(join(checkout, name));
    }
  });

  it("one test: a file is run, and the tests of a folder by their names", async () => {
    const out = await run("CONTRIBUTING.md sh 1", {
      cwd: checkout,
      instead: [["npm ci ", "true "]],
      env: { NO_COLOR: "1" },
    });
    expect(out.match(/Test Files +\d+ passed/g)).toHaveLength(2);
    expect(out).toMatch(/Tests +\d+ passed \| \d+ skipped/);
  });

  it("development: every script is there, and CI runs each by the same words, or its parts", () => {
    const ci = readFileSync(CI, "utf8");
    const named = (key: string) => [...filled(key).matchAll(/^npm run (\S+)/gm)].map(([, name = ""]) => name);
    const parts = (name: string): string[] => {
      const inner = [...(scripts()[name] ?? "").matchAll(/\bnpm (?:run )?(\S+)/g)].map(([, part = ""]) => part);
      return inner.length > 0 ? inner : [name];
    };
    const run = named("CONTRIBUTING.md sh 2");
    expect(run.length).toBeGreaterThan(3);
    for (const name of run.flatMap(parts))
      expect(ci, name).toMatch(
        new RegExp(`^((?:check|start) .* npm run --silent|suite \\S+|.* suite \\S+) ${name}\\b`, "m"),
      );
    const measured = named("CONTRIBUTING.md sh 3");
    expect(measured.length).toBeGreaterThan(1);
    for (const name of [...run, ...measured]) expect(scripts()).toHaveProperty([name]);
  });

  it("none of them leaves anything behind that Git would show", () => {
    expect(git("status", "--porcelain")).toBe("");
  });
});

describe("the blocks of the pages", () => {
  it("command line: calls and completions", async () => {
    await run("docs/command-line.md sh 1", { env: service() });
    expect(existsSync(join(folder, "backup.tar.gz"))).toBe(true);
    await run("docs/command-line.md sh 3");
  });

  it("connect: each client is asked to start the package, or to go to the service with the token", async () => {
    const asked = async (key: string) => {
      writeFileSync(join(folder, "asked"), "");
      await run(key);
      return readFileSync(join(folder, "asked"), "utf8").trimEnd().split("\n");
    };
    expect(await asked("docs/connect.md sh 2")).toEqual([
      ...["claude", "mcp", "add", "proving-ground", "--", "npx", "-y", "proving-ground", "stdio", "--toolset", "core"],
      ...["claude", "mcp", "add", "--transport", "http", "proving-ground", "https://svc.example.com/mcp?toolset=core"],
      ...["--header", "Authorization: Bearer TOKEN"],
    ]);
    expect(await asked("docs/connect.md sh 3")).toEqual([
      ...["codex", "mcp", "add", "proving-ground", "--", "npx", "-y", "proving-ground", "stdio", "--toolset", "core"],
      ...["codex", "mcp", "add", "proving-ground", "--url", "https://svc.example.com/mcp?toolset=core"],
      ...["--bearer-token-env-var", "SVC_TOKEN"],
    ]);
  });

  const superuser = () => asSuperuser(database).replace(/[^/]+$/, "postgres");
  const psql = (sql: string) => cluster.tool("psql", "-v", "ON_ERROR_STOP=1", "-d", superuser(), "-c", sql);
  const statements = (sql: string) =>
    sql
      .split(/;\s*$/m)
      .map((each) => each.trim())
      .filter(Boolean);

  it.each([
    ["docs/security.md sql 1", "proving"],
    ["docs/deploy.md sql 1", "service"],
  ])("%s: the role owns its database and nothing more", async (key, role) => {
    for (const statement of statements(filled(key))) await psql(statement);
    const url = superuser()
      .replace("://svc@", `://${role}@`)
      .replace(/postgres$/, role === "proving" ? role : "workspace");
    const env = { SVC_DATABASE_URL: url, SVC_DATA_DIR: join(folder, role), SVC_PORT: "0" };
    expect((await runSvc(["init", "--org", "acme"], env)).code).toBe(0);
    const { stdout } = await runSvc(["doctor", "--json"], env);
    expect(JSON.parse(stdout).findings).toContainEqual({
      what: "row guards",
      state: "ok",
      says: `they hold the role ${role}`,
    });
  });

  it("operating: a workspace is dumped by the backup role, restored, and its audit chains hold", async () => {
    // The role as the page's table has it.
    const [made] =
      /create role backup login bypassrls; grant pg_read_all_data to backup/.exec(pageText("docs/operating.md")) ?? [];
    for (const statement of statements(made ?? "")) await psql(statement);
    const { hostname, port } = new URL(superuser());
    const source = superuser()
      .replace("://svc@", "://service@")
      .replace(/postgres$/, "workspace");
    await run("docs/operating.md sh 1", {
      instead: [["postgres://backup@host/workspace", source.replace("://service@", "://backup@")]],
      env: { PGHOST: hostname, PGPORT: port, PGUSER: "svc" },
    });
    const env = { SVC_DATABASE_URL: source.replace(/workspace$/, "restored"), SVC_DATA_DIR: join(folder, "restored") };
    const keyless = await runSvc(["operator", "verify_audit"], env);
    expect([keyless.code, keyless.stderr]).toEqual([
      1,
      expect.stringContaining("There is no sealing key, and there was one"),
    ]);
    cpSync(join(folder, "service", "key"), join(env.SVC_DATA_DIR, "key"));
    const told = await runSvc(["operator", "verify_audit"], env);
    expect(told.code, told.stderr).toBe(0);
    expect(JSON.stringify(JSON.parse(told.stdout))).toContain("acme");
  });

  it("deploy: the secrets are what the settings take, the units are those of the page, the first org is made", async () => {
    const [key = "", operator = ""] = (await run("docs/deploy.md sh 1")).trim().split("\n");
    const config = readConfig({ SVC_KEY: key, SVC_OPERATOR_TOKEN: operator });
    expect([config.key?.length, config.operatorToken]).toEqual([32, operator]);

    writeFileSync(join(folder, "asked"), "");
    await run("docs/deploy.md sh 2");
    const asked = readFileSync(join(folder, "asked"), "utf8").trimEnd().split("\n");
    const page = pageText("docs/deploy.md");
    const users = asked.filter((_, i) => asked[i - 1] === "--system");
    for (const user of users) expect(page).toContain(`\nUser=${user}\n`);
    const units = asked.slice(asked.indexOf("--now") + 1);
    expect(units.length).toBeGreaterThan(1);
    for (const unit of units) expect(page).toContain(`/etc/systemd/system/${unit.replace(/@.*/, "@")}.service`);

    const out = await run("docs/deploy.md sh 3", {
      instead: [
        ["https://svc.example.com", app.url],
        ["SVC_TOKEN=TOKEN", `SVC_TOKEN=${org.admin}`],
      ],
      env: { SVC_DATA_DIR: join(folder, "first"), SVC_PORT: "0" },
    });
    expect(out).toMatch(/^SVC_TOKEN=svc_org_/m);
    expect(out).toContain("/console/invite/");
    expect(out).toMatch(/"token":"svc_org_/);
  });
});

it("every block of every page is run by a test that is there, and every tool and command of the shell is ours", () => {
  expect(unmatched()).toEqual({ unrun: [], stale: [] });
  expect([...new Set(ran)].sort()).toEqual([...keysFor("docs-run")].sort());
  expect([...new Set(read)].sort()).toEqual(notRun().sort());
  expect(notRun().length).toBeLessThanOrEqual(15);
  for (const name of RUNNERS) {
    const path = join(ROOT, "test/full", `${name}.test.ts`);
    expect(existsSync(path), path).toBe(true);
  }
  const contract = readFileSync(join(ROOT, "test/full/trial-contract.test.ts"), "utf8");
  for (const key of keysFor("trial-contract")) {
    const [page = "", language] = key.split(" ");
    expect(contract).toContain(page);
    expect(contract).toContain(`["${language}"`);
  }
  // Options that the text around the blocks shows with a command are the command's own.
  const commands = new Map(program().commands.map((command) => [command.name(), command]));
  for (const page of PAGES)
    for (const [, name = "", rest = ""] of pageText(page).matchAll(/`svc ([a-z]+)([^`]*)`/g)) {
      const known = commands.get(name)?.options.map(({ long }) => long) ?? [];
      if (["evaluate", "fidelity", "agreement"].includes(name)) continue;
      for (const [option] of rest.matchAll(/--[a-z-]+/g)) expect(known, `${page}: svc ${name}`).toContain(option);
    }
});
