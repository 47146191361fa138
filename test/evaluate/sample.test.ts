import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { type HTMLElement, parse } from "node-html-parser";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { EvaluationReport } from "../../src/evaluate/report.ts";
import { svcHere } from "../cli/svc-here.ts";
import { startServe } from "../helpers/process.ts";

let folder = "";
let report: EvaluationReport;
const dataDir = () => join(folder, "data");
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "sample-"));
  const { code, stdout, stderr } = await svcHere(["evaluate", "--json", "--out", join(folder, "out")], {
    SVC_DATA_DIR: dataDir(),
  });
  expect(code, stderr).toBe(0);
  report = JSON.parse(stdout) as EvaluationReport;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = (name: string) => report.runs.find((row) => row.name === name);

it("compiles the desk from its traces, and is measured beside the live desk", () => {
  expect(report.surface).toBe("desk");
  expect(report.live?.sessions).toBeGreaterThan(20);
  const { calls = 0, identical_volatile = 0 } = report.live?.counts ?? {};
  expect(calls).toBeGreaterThan(100);
  expect(identical_volatile / calls).toBeGreaterThan(0.8);
  expect(report.tasks.certified).toBeGreaterThanOrEqual(20);
  expect(Object.keys(report.tasks.families).length).toBeGreaterThanOrEqual(6);
});

it("finds the planted fault of the second version, and names its root cause", () => {
  const n = report.tasks.certified;
  expect(run("reference")).toMatchObject({ met: n, valid: n });
  expect(run("null")).toMatchObject({ met: 0, valid: n });
  expect(run("desk agent 1")).toMatchObject({ valid: n, infra: 0 });
  expect(run("desk agent 2")).toMatchObject({ valid: n, infra: 0 });
  expect(run("desk agent 1")?.met).toBeGreaterThan(run("desk agent 2")?.met ?? n);
  const { comparison } = report;
  expect(comparison).toMatchObject({ before: "desk agent 1", after: "desk agent 2", words: "shown", refused: 0 });
  expect(comparison?.verdict).toMatch(
    /^desk agent 2 is worse: it met \d+ of \d+ trials, desk agent 1 \d+ of \d+, .* its new failures ignored a tool's error/,
  );
  // Version 2 does not see that a tool answered an error.
  expect(comparison?.causes[0]?.cause).toBe("tool_error_unhandled");
  expect(comparison?.flips.filter((flip) => flip.before === "met").length).toBeGreaterThan(
    comparison?.flips.filter((flip) => flip.after === "met").length ?? 0,
  );
});

// Finding E21.
it("writes a page in which each flipped task opens both of its trials, with no script and nothing from elsewhere", () => {
  const page = readFileSync(join(folder, "out", "evaluation.html"), "utf8");
  const root = parse(page);
  const table = root.querySelectorAll("table").find((each) => each.text.includes("Tasks whose outcome differs"));
  const flips = ledTo(table);
  expect(flips).toHaveLength(report.comparison?.flips.length ?? 0);
  expect(flips.length).toBeGreaterThan(0);
  for (const id of flips) {
    const opened = root.getElementById(id);
    expect(opened?.closest("details")?.hasAttribute("open")).toBe(false);
    expect(opened?.querySelectorAll("li.first")).toHaveLength(1);
    expect(opened?.text).toMatch(/desk agent 1 ended (met|failed).*desk agent 2 ended (met|failed)/s);
  }
  expect(page).not.toMatch(/<script|src=/);
  expect(Buffer.byteLength(page)).toBeLessThan(600_000);
  // Programs read the report as it was: trials are read with run_trace.
  expect(report.comparison?.flips.every((flip) => !("opened" in flip))).toBe(true);
});

/** The places of its page that the links in something lead to. */
const ledTo = (part: HTMLElement | undefined) =>
  part?.querySelectorAll('a[href^="#"]').map((each) => each.getAttribute("href")?.slice(1) ?? "") ?? [];

it("writes a page that leads from root causes, checks and tools to the trials and answers behind them", () => {
  const root = parse(readFileSync(join(folder, "out", "evaluation.html"), "utf8"));
  const opened = (caption: string) => {
    const table = root.querySelectorAll("table").find((each) => each.text.includes(caption));
    return ledTo(table).map((id) => root.getElementById(id)?.closest("details"));
  };
  const [cause] = opened("Trials that were not met, by why");
  expect(cause?.text).toContain("tool error unhandled: ");
  for (const id of ledTo(cause ?? undefined)) expect(root.getElementById(id)?.text).toContain("tool_error_unhandled");
  expect(ledTo(cause ?? undefined).length).toBeGreaterThan(0);
  const checks = opened("How often each kind of check was met");
  expect(checks.some((each) => each?.text.includes("not met"))).toBe(true);
  const tools = opened("A tool leads to its calls that were answered otherwise");
  expect(tools.length).toBeGreaterThan(0);
  for (const tool of tools) expect(tool?.querySelectorAll("li.differs").length).toBeGreaterThan(0);
  const ids = root.querySelectorAll("[id]").map((each) => each.id);
  expect(ids).toHaveLength(new Set(ids).size);
  for (const id of ledTo(root)) expect(ids).toContain(id);
});

it("svc serve on the same data shows the same records over REST and MCP", async () => {
  const operator = `svc_op_${"a".repeat(43)}`;
  const { child, url } = await startServe(dataDir(), { SVC_OPERATOR_TOKEN: operator });
  try {
    const headers = { authorization: `Bearer ${operator}` };
    const get = async (path: string) => (await fetch(url + path, { headers })).json();
    const { orgs } = (await get("/v0/orgs")) as { orgs: { org: string; surfaces: string[] }[] };
    expect(orgs.map(({ surfaces }) => surfaces)).toEqual([["desk"]]);
    const [{ org } = { org: "" }] = orgs;
    const client = new Client({ name: "reader", version: "1" });
    const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } });
    await client.connect(transport as never);
    for (const { group, met, valid } of report.runs) {
      const rates = { met, valid };
      expect(await get(`/v0/orgs/${org}/runs/group/${group}`)).toMatchObject({ rates });
      const answer = await client.callTool({ name: "run_group", arguments: { orgtag: org, gid: group } });
      expect(answer.structuredContent).toMatchObject({ status: 200, body: { rates } });
    }
    await client.close();
  } finally {
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    await gone;
  }
});
