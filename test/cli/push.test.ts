import { createHash } from "node:crypto";
import { appendFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fileLines } from "../../src/evaluate/report.ts";
import { type Invoke, invoker, startApp, type TestApp, type TestOrg } from "../helpers/app.ts";
import { runSvc } from "../helpers/process.ts";
import { trial } from "../tools/evidence/kit.ts";
import { svcHere } from "./svc-here.ts";

const folder = mkdtempSync(join(tmpdir(), "push-"));
const home = { XDG_CONFIG_HOME: join(folder, "config"), XDG_DATA_HOME: join(folder, "data") };
let app: TestApp;
let org: TestOrg;
let invoke: Invoke;
beforeAll(async () => {
  app = await startApp({ config: { maxStreamBytes: 8 * 1024 * 1024 } });
  org = await app.org();
  invoke = invoker(app, "rest", org);
});
afterAll(async () => {
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A file of that many trials, and what the record of it has to say. */
function fileOf(name: string, trials: number, pad = "") {
  const path = join(folder, name);
  const rows = Array.from({ length: trials }, (_, i) => ({ ...trial(i, 1), name, pad }));
  const text = JSON.stringify(rows);
  writeFileSync(path, text);
  const kept = { kind: "traces", format: "tau-bench", traces: trials, calls: trials, refused: 0 };
  return { path, kept: { file: path, ...kept, bytes: Buffer.byteLength(text), sha256: sha256(text) } };
}
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const answered = (stdout: string) => JSON.parse(stdout).files as Record<string, unknown>[];

describe("every file of a call arrives whole, the first one too", () => {
  it.each(["local", "remote"])("into a %s store, small and large", async (where) => {
    const env: Record<string, string> =
      where === "remote"
        ? { ...home, SVC_URL: app.url, SVC_TOKEN: org.push }
        : { ...home, SVC_DATA_DIR: join(folder, "store") };
    const files = [
      fileOf(`${where}-small.json`, 1),
      fileOf(`${where}-large.json`, 300, "x".repeat(15_000)),
      fileOf(`${where}-more.json`, 2),
    ];
    for (const order of [files, [files[1], files[0]].flatMap((file) => file ?? [])]) {
      const { code, stdout, stderr } = await runSvc(
        ["push", ...order.map(({ path }) => path), "--surface", where, "--json"],
        env,
      );
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(answered(stdout)).toMatchObject(order.map(({ kept }) => kept));
    }
  });
});

it("what of a file is not kept is told by name, where it is sent and where it is evaluated", async () => {
  const path = join(folder, "graded.json");
  const info = { task: { instruction: "cancel it" }, reward_info: { reward: 1 } };
  const rows = Array.from({ length: 2 }, (_, i) => ({ ...trial(i, 1), ...(i === 0 ? { info } : {}) }));
  writeFileSync(path, JSON.stringify(rows));
  const env = { ...home, SVC_DATA_DIR: join(folder, "told") };
  const { stdout } = await svcHere(["push", path], env);
  expect(stdout.trimEnd()).toMatch(/: 2 traces, 2 calls, 0 refused; not kept: reward_details 1, task_definition 1$/);
  const clean = fileOf("clean.json", 1);
  expect((await svcHere(["push", clean.path], env)).stdout.trimEnd()).toMatch(/, 0 refused$/);
  const file = { evidence: "ev_1", name: "graded.json", format: "tau-bench", traces: 2, calls: 2, refused: 0 };
  expect(fileLines([{ ...file, losses: { a: 1, b: 3, c: 1, d: 1 } }])).toEqual([
    "read        graded.json: tau-bench, 2 traces, 2 calls; not kept: b 3, a 1, c 1 and 1 more",
  ]);
});

it("an export of spans in a file is stored as the file that it is", async () => {
  const path = join(folder, "spans.json");
  const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
  const span = (id: string, attributes: unknown[]) => ({
    traceId: "5b8efff798038103d269b633813fc60c",
    spanId: id,
    name: "execute_tool find",
    startTimeUnixNano: "1544712660000000000",
    endTimeUnixNano: "1544712661000000000",
    attributes,
  });
  const tool = span("eee19b7ec3c1b174", [
    text("gen_ai.operation.name", "execute_tool"),
    text("gen_ai.tool.name", "find"),
    text("gen_ai.tool.call.arguments", '{"id":"W1"}'),
    text("gen_ai.tool.call.result", '{"id":"W1","status":"open"}'),
  ]);
  writeFileSync(path, JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [tool] }] }] }));
  const { code, stdout } = await svcHere(["push", path, "--json"], {
    ...home,
    SVC_DATA_DIR: join(folder, "spans"),
  });
  expect([code, answered(stdout)]).toMatchObject([0, [{ kind: "traces", format: "otlp", traces: 1, calls: 1 }]]);
});

// Finding E15: svc evaluate sends files by the same code.
it("what cannot be taken is refused in a sentence with the way out, and ends with 2; the others are stored", async () => {
  const empty = join(folder, "empty.json");
  writeFileSync(empty, "");
  const cut = fileOf("cut.json", 3);
  truncateSync(cut.path, cut.kept.bytes - 200);
  const big = fileOf("big.json", 1, "x".repeat(20 * 1024 * 1024));
  const good = fileOf("good.json", 2);
  for (const env of [
    { ...home, SVC_DATA_DIR: join(folder, "refusals"), SVC_MAX_STREAM_MB: "8" },
    { ...home, SVC_URL: app.url, SVC_TOKEN: org.push },
  ] as Record<string, string>[]) {
    const paths = [empty, cut.path, big.path, good.path];
    const { code, stdout, stderr } = await svcHere(["push", ...paths, "--surface", "refused", "--json"], env);
    expect({ code, stderr }).toEqual({ code: 2, stderr: "" });
    const [none, broken, large, stored] = answered(stdout);
    expect(none).toMatchObject({ error: "bad_request", reason: expect.stringMatching(/empty.*Send/) });
    expect(broken).toMatchObject({ error: "bad_request", reason: expect.stringMatching(/cut off.*[Ss]end/) });
    expect(large).toMatchObject({ error: "too_large", reason: expect.stringMatching(/8 MB.*parts/) });
    expect(stored).toMatchObject(good.kept);
  }
});

it("a file that grows or shrinks while it is sent is told, and nothing of it is kept", async () => {
  const { fileBody, bodyOf } = await import("../../src/evaluate/file-body.ts");
  const { path } = fileOf("moving.json", 10);
  const facts = await fileBody(path);
  appendFileSync(path, "later");
  let sent = 0;
  for await (const chunk of bodyOf(facts)) sent += (chunk as Buffer).length;
  expect(sent).toBe(facts.bytes);
  truncateSync(path, 10);
  await expect(async () => {
    for await (const _ of bodyOf(facts));
  }).rejects.toMatchObject({ code: "conflict", reason: expect.stringMatching(/changed while .*[Ss]end it again/) });
});

it("an agent's record that no format reads is refused, and kept with a warning where that is asked for", async () => {
  const path = join(folder, "dialogue.json");
  writeFileSync(path, JSON.stringify({ rows: [{ id: 1, dialogue: trial(1, 1).traj }] }));
  const env = { ...home, SVC_DATA_DIR: join(folder, "asked") };
  const refused = await svcHere(["push", path], env);
  expect([refused.code, refused.stdout]).toEqual([
    2,
    expect.stringMatching(/not stored: .*looks like an agent.*Nearest: openai-chat/),
  ]);
  const kept = await svcHere(["push", path, "--kind", "document"], env);
  expect([kept.code, kept.stderr]).toEqual([0, expect.stringContaining("no trace is read from it")]);
  const evaluated = await svcHere(["evaluate", path, "--surface", "main", "--out", join(folder, "out")], env);
  expect(evaluated.stderr).toContain("no trace is read from it");
});

it("the service has nothing of what was refused", async () => {
  const { body } = await invoke("evidence_list", { surface: "refused" });
  expect(body.evidence).toHaveLength(1);
});
