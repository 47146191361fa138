import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type EvaluationReport, verdictLines } from "../../src/evaluate/report.ts";
import { svcHere } from "../cli/svc-here.ts";
import { runSvc } from "../helpers/process.ts";
import { deskTools, deskTraces } from "../tools/sandboxes/kit.ts";

let folder = "";
let desk = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "evaluate-"));
  desk = join(folder, "desk");
  mkdirSync(join(desk, "2026", "may"), { recursive: true });
  mkdirSync(join(desk, ".cache"));
  mkdirSync(join(desk, "node_modules"));
  for (const passed of [".cache", "node_modules"]) writeFileSync(join(desk, passed, "traces.jsonl"), "no trace file");
  writeFileSync(join(desk, "2026", "picture.bin"), "\x00\x01\x02\x00");
  writeFileSync(
    join(desk, "2026", "may", "traces.jsonl"),
    deskTraces(12)
      .map((trace) => JSON.stringify(trace))
      .join("\n"),
  );
  writeFileSync(join(desk, "tools.json"), JSON.stringify(deskTools()));
  writeFileSync(join(desk, ".hidden"), "not a trace file");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let runs = 0;
/** `svc evaluate` with a data folder of its own. */
async function evaluated(run: typeof runSvc | typeof svcHere, args: readonly string[]) {
  const at = join(folder, `run-${++runs}`);
  const out = join(at, "out");
  return { ...(await run(["evaluate", ...args, "--out", out], { SVC_DATA_DIR: join(at, "data") })), out };
}
const evaluate = (...args: string[]) => evaluated(svcHere, args);

/** So few traces make a poor world, and the exit status says so. */
const statusOf = ({ warnings }: EvaluationReport) => (warnings.some(({ serious }) => serious) ? 3 : 0);

const file = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

describe("what cannot be evaluated is told in a sentence", () => {
  it.each([
    ["a file that is not there", () => join(folder, "none.json"), "There is no such file or folder."],
    ["a file that is empty", () => file("empty.json", ""), "The content is empty. Send the whole file."],
    ["a file that is cut off", () => file("cut.json", '{"a":'), "The content is not valid JSON"],
    ["a binary file", () => file("a.bin", "\x00\x01\x02\x00"), "The content is binary"],
  ])("%s", async (_what, make, sentence) => {
    const path = make();
    const { code, stdout, stderr } = await evaluate(path, "--json");
    expect(stderr).toContain(sentence);
    expect(stderr).toContain(JSON.stringify(path));
    expect(stderr).not.toMatch(/\n\s+at /);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  });

  it("a folder without files", async () => {
    mkdirSync(join(folder, "bare"), { recursive: true });
    const { code, stderr } = await evaluate(join(folder, "bare"));
    expect(code).toBe(2);
    expect(stderr).toContain("The folder holds no files.");
  });

  it.each([
    ["text that is no trace", "words.txt", "hello, there is nothing here"],
    ["a listing alone", "tools.json", JSON.stringify({ tools: [{ name: "a", description: "b", inputSchema: {} }] })],
  ])("%s", async (_what, name, text) => {
    const { code, stderr } = await evaluate(file(name, text));
    expect(code).toBe(1);
    expect(stderr).toContain("no traces of an agent's sessions");
  });

  it("an agent whose program is not there, before any work", async () => {
    const { code, stdout, stderr } = await evaluate(desk, "--agent", "ghost=no-such-program --fast");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toBe('svc: The program of an agent is not found, or may not be run. "no-such-program"\n');
  });

  it.each([
    [["--trials", "0"], "A whole number from 1 to 20 is needed."],
    [["--timeout", "soon"], "A whole number from 1 to 3600 is needed."],
    [["--agent", "nothing"], "An agent is written name=command."],
    [["--frobnicate"], "unknown option '--frobnicate'"],
  ])("%s is asked wrongly", async (args, sentence) => {
    const { code, stdout, stderr } = await evaluate(desk, ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(sentence);
  });

  it("--help says what it reads and how agents are named", async () => {
    const { code, stdout } = await evaluate("--help");
    expect(code).toBe(0);
    for (const word of ["files", "--agent", "--trials", "--json", "tau2"]) expect(stdout).toContain(word);
  });
});

// Issue 19: what a pipeline without a task says is the evaluation's, too.
it("traces of which no task can be written: the headline says what was seen and what would help", async () => {
  const asked = { id: "c1", type: "function", function: { name: "look_outside", arguments: "{}" } };
  const messages = [
    { role: "user", content: "How is the weather?" },
    { role: "assistant", content: null, tool_calls: [asked] },
    { role: "tool", tool_call_id: "c1", content: "It rains." },
    { role: "assistant", content: "It rains." },
  ];
  const { code, stdout, out } = await evaluate(file("weather.jsonl", JSON.stringify({ messages })), "--json");
  expect(code).toBe(3);
  const report = JSON.parse(stdout) as EvaluationReport;
  expect(report).not.toHaveProperty("environment");
  expect(report).toMatchObject({ bundle: { tools: 1 }, tasks: { written: 0, certified: 0 }, runs: [] });
  const { text } = report.warnings.find(({ kind }) => kind === "no_tasks") ?? { text: "" };
  expect(text).toMatch(/^No task was written from 1 trace with 1 tool call: .* What would help: /);
  expect(verdictLines(report)).toContain(`warning     ${text}`);
  expect(readFileSync(join(out, "evaluation.html"), "utf8")).toContain("No task was written from 1 trace");
});

describe("where no file can be used", () => {
  it("says so once, with the first reason", async () => {
    const folder = mkdtempSync(join(tmpdir(), "unusable-"));
    writeFileSync(join(folder, "a.json"), '{"a":');
    writeFileSync(join(folder, "b.bin"), "\x00\x01\x02\x00");
    const { code, stdout, stderr } = await evaluate(folder);
    rmSync(folder, { recursive: true });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/None of the 2 files can be used\. The first: The content is not valid JSON.*"a\.json"/);
  });
});

describe("a second evaluation in the same data folder", () => {
  it("says when the world stands on more than the files just read", async () => {
    const SVC_DATA_DIR = join(folder, "twice");
    const out = join(folder, "twice-out");
    const lines = (from: number) =>
      deskTraces(24)
        .slice(from, from + 3)
        .map((trace) => JSON.stringify(trace))
        .join("\n");
    const earlier = async (...args: string[]) => {
      const { stdout, stderr, code } = await svcHere(
        ["evaluate", ...args, "--surface", "shop", "--json", "--out", out],
        { SVC_DATA_DIR },
      );
      const report = JSON.parse(stdout) as EvaluationReport;
      expect(code, stderr).toBe(statusOf(report));
      return report.bundle.earlier;
    };
    const [one, two] = [file("one.jsonl", lines(0)), file("two.jsonl", lines(3))];
    const tools = join(desk, "tools.json");
    expect(await earlier(one, tools)).toBe(0);
    expect(await earlier(one, tools)).toBe(0);
    expect(await earlier(two, tools)).toBe(1);
    expect(readFileSync(join(out, "evaluation.html"), "utf8")).toContain("also compiled from 1 evidence record stored");
  });
});

describe("two agents on a folder of traces, one of which crashes", () => {
  let run: Awaited<ReturnType<typeof evaluated>>;
  let report: EvaluationReport;
  let page = "";
  beforeAll(async () => {
    const answers = file(
      "answers.mjs",
      'import { createInterface } from "node:readline"; for await (const line of createInterface({ input: process.stdin })) if (line) console.log(JSON.stringify({ answer: "I cannot say. <script>alert(1)</script>", class: "refused" }));',
    );
    const agents = [
      "--agent",
      `calm=${process.execPath} ${answers}`,
      "--agent",
      `crashes=${process.execPath} -e "process.exit(3)"`,
    ];
    run = await evaluated(runSvc, [desk, "--json", "--timeout", "20", ...agents]);
    report = JSON.parse(run.stdout) as EvaluationReport;
    page = readFileSync(join(run.out, "evaluation.html"), "utf8");
  });

  it("ends with a status of its own where an agent cannot begin", () => {
    expect(report.warnings).toContainEqual(
      expect.objectContaining({
        kind: "agent_ended_at_once",
        text: expect.stringMatching(/^Of crashes, the agent ended at once in (\d+) of \1 trials: exit status 3;/),
        serious: true,
      }),
    );
    expect(run.code).toBe(3);
  });

  it("comes to an end, and --json prints one object and nothing else", () => {
    expect(run.code, run.stderr).toBe(statusOf(report));
    expect(run.stdout.trimEnd().split("\n")).toHaveLength(1);
    expect(report).toMatchObject({ title: "Evaluation of desk", surface: "desk" });
    expect(report.files.map((read) => read.name)).toEqual(["2026/may/traces.jsonl", "tools.json"]);
    expect(report.tasks.certified).toBeGreaterThan(0);
  });

  // Findings E14 and E18.
  it("leaves out a file that it cannot use and names it, and writes no escape codes into a pipe", () => {
    expect(report.skipped).toEqual([{ name: "2026/picture.bin", reason: expect.stringContaining("is binary") }]);
    expect(report.warnings).toContainEqual(expect.objectContaining({ kind: "files_skipped", serious: false }));
    expect(run.stderr).toContain("svc: skipped 2026/picture.bin: The content is binary");
    expect(run.stderr).toMatch(
      /^read: 29 traces with \d+ tool calls in 1 of 2 files; 1 of another kind \(mcp\); 1 skipped/m,
    );
    expect(run.stderr).not.toContain("\u001b");
    expect(verdictLines(report).filter((line) => line.includes("picture.bin"))).toEqual([
      expect.stringMatching(/^warning {5}1 file of 3 could not be used: 2026\/picture\.bin: The content is binary/),
    ]);
  });

  // Finding E11: how a run ends.
  it("says what to do next, with commands that name what was made", () => {
    const [before, after] = report.runs.slice(-2);
    expect(report.next).toEqual([
      expect.stringMatching(/^svc serve: /),
      expect.stringContaining(`svc compare ${before?.group} ${after?.group} --gate`),
      expect.stringMatching(/^svc push MORE_FILES --surface desk: .*database export/),
    ]);
  });

  it("reference meets every task, null none, and a crash is the agent's own failure", () => {
    const n = report.tasks.certified;
    const by = Object.fromEntries(report.runs.map((row) => [row.name, row]));
    expect(by.reference).toMatchObject({ met: n, valid: n, infra: 0, invalid: 0 });
    expect(by.null).toMatchObject({ met: 0, valid: n });
    expect(by.crashes).toMatchObject({ met: 0, valid: n, infra: 0, invalid: 0 });
    expect(by.calm).toMatchObject({ valid: n, infra: 0, invalid: 0 });
    expect(report.comparison).toMatchObject({ before: "calm", after: "crashes", tasks: n, refused: 0 });
  });

  it("writes a page with the same numbers, and no script, no outside request, no markup of others", () => {
    const text = page.replaceAll(/<style>.*?<\/style>/gs, "");
    expect(text).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(text).not.toMatch(/<(?:script|link|img|iframe|object|embed|form|base|audio|video|source)\b/i);
    expect(text).not.toMatch(/\s(?:src|action|srcset|style|on\w+)\s*=|\shref\s*=\s*(?!["']#)/i);
    expect(page).not.toMatch(/https?:|@import|url\(/i);
    expect(page).toContain("default-src &#39;none&#39;".replaceAll("&#39;", "'"));
    expect(text).toContain('name="robots" content="noindex"');
    expect(text).toContain(report.comparison?.verdict);
    for (const { name, met, valid } of report.runs) {
      // A cell has the column's name too, which a phone shows, and a short name keeps to its line.
      expect(text.replaceAll(/ (?:data-[a-z]+(?:="[^"]*")?|class="t")/g, "")).toContain(
        `<td>${name}</td><td class="n">${met}</td><td class="n">${valid}</td>`,
      );
    }
    expect(tags(text).open).toEqual(tags(text).closed);
  });
});

/** How often each element that has an end is begun and ended. */
function tags(html: string) {
  const count = (pattern: RegExp) => {
    const counts: Record<string, number> = {};
    for (const [, name = ""] of html.matchAll(pattern)) counts[name] = (counts[name] ?? 0) + 1;
    return counts;
  };
  const single = "meta|br|hr";
  return {
    open: count(new RegExp(`<((?!(?:${single})\\b)[a-z][a-z0-9]*)\\b[^>]*(?<!/)>`, "g")),
    closed: count(/<\/([a-z][a-z0-9]*)>/g),
  };
}
