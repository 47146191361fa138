import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compareGroups } from "../chapters/runs/compare/compare.ts";
import { DEFAULT_BANDS } from "../chapters/statistics/bands.ts";
import { gateOf } from "../src/commands/compare-gate.ts";
import { comparisonJunit } from "../src/commands/compare-junit.ts";
import { group, planned, trial } from "./chapters/runs/kit.ts";
import { svcHere } from "./cli/svc-here.ts";
import { type Invoke, invoker, startApp, type TestApp, type TestOrg } from "./helpers/app.ts";
import { runSvc } from "./helpers/process.ts";
import { runToEnd, shopIn } from "./tools/runs/kit.ts";

describe("the gate", () => {
  const ended = { a: "landed", b: "landed" };
  const tasks = Array.from({ length: 10 }, (_, i) => planned(`tk_${i}`, i));
  const arm = (failed: number, id = "rg_2") =>
    group(
      tasks,
      tasks.map(({ id: task }, i) => trial(task, 1, i < failed ? "failed" : "met")),
      { id, version: id },
    );
  const gate = (a: number, b: number, status = ended) =>
    gateOf({ ...compareGroups(arm(a, "rg_1"), arm(b), DEFAULT_BANDS), status });

  it("is 1 for a regression that is shown, 0 for one that is not, and 0 when it is a that is worse", () => {
    expect(gate(0, 5).code).toBe(1);
    expect(gate(0, 3).code).toBe(0);
    expect(gate(0, 0).code).toBe(0);
    expect(gate(5, 0).code).toBe(0);
  });

  it("is 2 where nobody could tell: a group at work, nothing or little compared, too few tasks", () => {
    expect(gate(0, 5, { a: "landed", b: "running" }).code).toBe(2);
    const few = (n: number, refused: number, failed: number) => {
      const left = group(
        tasks.slice(0, n + refused),
        tasks.slice(0, n + refused).map(({ id }) => trial(id, 1, "met")),
      );
      const own = tasks.slice(0, n);
      const right = group(
        own,
        own.map(({ id }, i) => trial(id, 1, i < failed ? "failed" : "met")),
        { id: "rg_2", version: "2" },
      );
      return gateOf({ ...compareGroups(left, right, DEFAULT_BANDS), status: ended });
    };
    expect(few(0, 3, 0)).toMatchObject({ code: 2, sentence: expect.stringContaining("no task") });
    expect(few(4, 0, 4)).toMatchObject({ code: 2, sentence: expect.stringContaining("4 tasks") });
    expect(few(4, 6, 0)).toMatchObject({ code: 2, sentence: expect.stringContaining("6 tasks could not") });
    // What is shown stays shown, whatever else could not be compared.
    expect(few(5, 5, 5).code).toBe(1);
  });

  it("writes JUnit that text of other people cannot break", () => {
    const odd = planned("tk_0", 0, { family: `a"<b>&'\u0000` });
    const found = compareGroups(
      group([odd], [trial("tk_0", 1, "met")]),
      group([odd], [trial("tk_0", 1, "failed")], { id: "rg_2", version: "2" }),
      DEFAULT_BANDS,
    );
    const xml = comparisonJunit(found, { code: 2, sentence: "Cannot tell." });
    expect(xml).toContain('name="0 a&#34;&#60;b&#62;&#38;&#39;"');
    expect(xml).toContain('tests="2" failures="0" errors="0" skipped="1"');
    expect(xml).not.toContain("\u0000");
  });
});

it("names the file that is not there, whichever it is and with a gate too", async () => {
  const at = mkdtempSync(join(tmpdir(), "compare-missing-"));
  const [there, missing] = [join(at, "there.json"), join(at, "missing.json")];
  writeFileSync(there, "{}");
  const told = `svc: There is no such file or folder. ${JSON.stringify(missing)}\n`;
  for (const pair of [
    [there, missing],
    [missing, there],
  ])
    for (const gate of [[], ["--gate"]])
      expect(await svcHere(["compare", ...pair, ...gate], {})).toMatchObject({ code: 2, stderr: told });
  rmSync(at, { recursive: true });
});

describe("svc compare", () => {
  let app: TestApp;
  let org: TestOrg;
  let invoke: Invoke;
  const at = mkdtempSync(join(tmpdir(), "compare-"));
  const groups: Record<string, string> = {};
  beforeAll(async () => {
    app = await startApp();
    org = await app.org();
    invoke = invoker(app, "rest", org);
    const shop = await shopIn(app.service, org.id, 8);
    for (const [name, harness] of [
      ["good", "reference"],
      ["same", "reference"],
      ["bad", "null"],
    ] as const)
      groups[name] = (await runToEnd(invoke, { harness, environment: shop.environment })).group;
  });
  afterAll(async () => {
    await app.close();
    rmSync(at, { recursive: true, force: true });
  });
  const compare = (a: string, b: string, ...rest: string[]) =>
    svcHere(["compare", groups[a] ?? a, groups[b] ?? b, ...rest], { SVC_URL: app.url, SVC_TOKEN: org.read });

  it("ends with 1 for a shown regression, prints the verdict with the plan and writes both reports", async () => {
    const [junit, markdown] = [join(at, "out/gate.xml"), join(at, "out/gate.md")];
    const { code, stdout } = await compare("good", "bad", "--gate", "--junit", junit, "--markdown", markdown);
    expect([code, stdout.split("\n")[0]]).toEqual([
      1,
      expect.stringContaining("null is worse: it met 0 of 8 trials, reference 8 of 8"),
    ]);
    expect(stdout).toContain("A regression is shown.");
    expect(stdout).toMatch(/takes \d+ tasks with 1 try in each arm: \d+ trials/);
    const xml = readFileSync(junit, "utf8");
    expect(xml).toContain('tests="9" failures="9" errors="0" skipped="0"');
    expect(xml.match(/<testcase /g)).toHaveLength(9);
    expect(readFileSync(markdown, "utf8")).toContain("**Gate: A regression is shown.**\n\n# Comparison");
  });

  it("ends with 0 where none is shown, also where a is the worse, and without --gate", async () => {
    expect((await compare("good", "same", "--gate")).code).toBe(0);
    expect((await compare("bad", "good", "--gate")).code).toBe(0);
    expect((await compare("good", "bad")).code).toBe(0);
    const { stdout } = await compare("good", "bad", "--json", "--difference", "0.2");
    expect(JSON.parse(stdout)).toMatchObject({ gate: { code: 1 }, plan: { difference: 0.2 }, worse: "b" });
  });

  it("ends with 2 when it could not look, and 1 for that without --gate", async () => {
    expect(await compare("good", "rg_none", "--gate")).toMatchObject({
      code: 2,
      stdout: expect.stringContaining("Cannot tell"),
    });
    expect((await compare("good", "rg_none")).code).toBe(1);
    const nowhere = { SVC_URL: "http://127.0.0.1:9", SVC_TOKEN: org.read };
    expect((await runSvc(["compare", "a", "b", "--gate"], nowhere)).code).toBe(2);
    expect((await compare("good", "bad", "--gate", "--difference", "much")).code).toBe(2);
  });
});
