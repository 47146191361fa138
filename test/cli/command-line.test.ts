import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { completionScript } from "../../src/cli/completion.ts";
import { program } from "../../src/cli.ts";
import { type Invoke, invoker, startApp, type TestApp, type TestOrg } from "../helpers/app.ts";
import { runSvc } from "../helpers/process.ts";
import { runToEnd, shopIn } from "../tools/runs/kit.ts";
import { deskTraces } from "../tools/sandboxes/kit.ts";
import { svcHere } from "./svc-here.ts";

const folder = mkdtempSync(join(tmpdir(), "cli-"));
const home = { XDG_CONFIG_HOME: join(folder, "config"), XDG_DATA_HOME: join(folder, "data") };
let app: TestApp;
let org: TestOrg;
let invoke: Invoke;
beforeAll(async () => {
  app = await startApp();
  org = await app.org();
  invoke = invoker(app, "rest", org);
});
afterAll(async () => {
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});
const svc = (args: string[], env: Record<string, string> = {}) =>
  svcHere(args, { ...home, SVC_URL: app.url, SVC_TOKEN: org.admin, ...env });

describe("asked wrongly, it ends with 2 and says what to do", () => {
  it.each([
    [["cal"], /Did you mean call\?/],
    [["call", "whoam"], /no tool of that name\. Did you mean whoami\?/],
    [["call", "org_tokens_post", "nme=x"], /takes no nme\. Did you mean name\?/],
    [["completion", "tcsh"], /bash, zsh and fish/],
    [["watch", "job_x", "--timeout", "soon"], /number of seconds/],
  ])("%s", async (args, told) => {
    const { code, stdout, stderr } = await svc(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(told);
    expect(stderr).not.toMatch(/\n\s+at /);
  });
});

it("call prints one JSON value with --json, a refusal too, and writes the file that a tool answers", async () => {
  const made = await svc(["call", "org_tokens_post", "name=cli", "scope=read", "--json"]);
  expect(JSON.parse(made.stdout)).toMatchObject({ status: 201, body: { name: "cli" } });
  const refused = await svc(["call", "org_tokens_post", "name=cli", "--json"]);
  expect(refused.code).toBe(1);
  expect(JSON.parse(refused.stdout)).toMatchObject({ error: "bad_request", fields: [{ path: "scope" }] });
  expect(refused.stderr).toContain("svc tools org_tokens_post");
  const out = join(folder, "org.tar.gz");
  const archived = await svc(["call", "org_archive", "--out", out, "--json"]);
  expect(JSON.parse(archived.stdout)).toMatchObject({ file: { written: out } });
  expect(readFileSync(out).subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]));
});

// Finding E20.
it("call prints a verdict with its page, and the same as JSON only where that is asked for", async () => {
  const { stdout } = await svc(["call", "org_status"]);
  expect(stdout).toMatch(/^0 certified tasks from .*\n/);
  expect(stdout).toContain("| evidence records |");
  expect(stdout).not.toContain('{"');
  expect(JSON.parse((await svc(["call", "org_status", "--json"])).stdout).body).toMatchObject({
    tasks: { certified: 0 },
  });
  expect(JSON.parse((await svc(["call", "whoami"])).stdout)).toMatchObject({ status: 200 });
});

it("push streams files as evidence, and stores the others where one is none", async () => {
  const good = join(folder, "traces.jsonl");
  const bad = join(folder, "cut.json");
  const traces = deskTraces(1).slice(0, 3);
  writeFileSync(good, traces.map((trace) => JSON.stringify(trace)).join("\n"));
  writeFileSync(bad, '{"a":');
  const { code, stdout, stderr } = await svc(["push", bad, good, "--surface", "desk", "--json"], {
    SVC_TOKEN: org.push,
  });
  expect({ code, stderr }).toEqual({ code: 2, stderr: "" });
  const [cut, stored] = JSON.parse(stdout).files;
  expect(cut).toMatchObject({ file: bad, reason: expect.stringContaining("not valid JSON") });
  expect(stored).toMatchObject({ file: good, traces: traces.length, refused: 0 });
  const read = await invoke("evidence_get", { eid: stored.id });
  expect(read.body).toMatchObject({ surface: "desk" });
  expect((await svc(["push", good], { SVC_TOKEN: org.read })).code).toBe(1);
});

it("watch follows a run group to its end and ends as it did", async () => {
  const shop = await shopIn(app.service, org.id, 3);
  const { group } = await runToEnd(invoke, { harness: "reference", environment: shop.environment });
  const landed = await svc(["watch", group]);
  expect(landed.code).toBe(0);
  expect(landed.stdout).toContain("is landed");
  expect(landed.stdout).toMatch(/met 3 of 3 valid trials/);
  const unknown = await svc(["watch", "job_none"]);
  expect(unknown).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("jobs_list") });
});

it("login keeps a token that the service knows, and no other; commands go there; logout forgets it", async () => {
  const at = join(folder, "config", "proving-ground", "login.json");
  const wrong = await runSvc(["login", app.url], home, "svc_org_wrong\n");
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining("does not know this token") });
  expect(existsSync(at)).toBe(false);
  const done = await runSvc(["login", app.url, "--json"], home, `${org.read}\n`);
  expect(JSON.parse(done.stdout)).toMatchObject({ org: "acme", scope: "read", stored: at });
  expect(statSync(at).mode & 0o777).toBe(0o600);
  expect(done.stdout + done.stderr).not.toContain(org.read);
  const who = await svcHere(["whoami", "--json"], home);
  expect(JSON.parse(who.stdout)).toMatchObject({ body: { org: "acme", scope: "read" } });
  expect((await svcHere(["logout"], home)).code).toBe(0);
  expect(existsSync(at)).toBe(false);
});

it("doctor says what is well and what is not, and changes nothing", async () => {
  const dataDir = join(folder, "not-there");
  const well = await svc(["doctor", "--json"], { SVC_DATA_DIR: dataDir, SVC_PORT: "0" });
  const { findings } = JSON.parse(well.stdout) as { findings: { what: string; state: string }[] };
  expect(well.code).toBe(0);
  expect(findings.map(({ what }) => what)).toEqual([
    ...["node", "service", "clock", "data folder", "owner", "database", "port", "models", "exposure", "isolation"],
  ]);
  expect(existsSync(dataDir)).toBe(false);
  const ill = await svc(["doctor"], {
    SVC_DATABASE_URL: "postgres://nobody@127.0.0.1:9/none",
    SVC_TOKEN: "svc_org_wrong",
    SVC_MODELS: "anthropic/some-model",
    SVC_PORT: new URL(app.url).port,
  });
  expect(ill.code).toBe(1);
  expect(ill.stdout).toMatch(/BAD {3}service/);
  expect(ill.stdout).toMatch(/BAD {3}database {4}cannot be read \(ECONNREFUSED\)/);
  expect(ill.stdout).toMatch(/BAD {3}models {6}anthropic\/some-model has no key/);
  expect(ill.stdout).toContain("is served already");
});

it("each shell's completion script names every command and tool", async () => {
  for (const shell of ["bash", "zsh", "fish"]) {
    const text = await completionScript(shell, program());
    for (const command of program().commands) expect(text).toContain(command.name());
    expect(text).toContain("compare_runs");
  }
});
