import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AgentRun, EvaluationReport, MeasuredFidelity } from "../../src/evaluate/report.ts";
import { warningsOf } from "../../src/evaluate/warnings.ts";
import { svcHere } from "../cli/svc-here.ts";

type Counts = MeasuredFidelity["counts"];

const counts = (calls: number, right: number, not_served: number, recorded = 0): Counts => ({
  calls,
  identical: right,
  identical_volatile: right,
  not_served,
  wrong_success: calls - right - not_served,
  wrong_answer: calls - right - not_served,
  recording: { identical: recorded, identical_volatile: recorded },
});

const measured = (tools: Readonly<Record<string, Counts>>): MeasuredFidelity => {
  const sum = (of: (one: Counts) => number) => Object.values(tools).reduce((n, one) => n + of(one), 0);
  const all = counts(
    sum((one) => one.calls),
    sum((one) => one.identical),
    sum((one) => one.not_served),
    sum((one) => one.recording?.identical ?? 0),
  );
  return { against: "observed", sessions: 9, counts: all, tools };
};

const file = (format: string) => ({ evidence: "ev", name: "f", format, traces: 1, calls: 1, refused: 0, losses: {} });
const player = (name: string, met: number, valid: number): AgentRun => ({
  ...{ name, group: "g", met, valid, infra: 0, invalid: 0, low: 0, high: 1 },
});
const warned = (heldOut: MeasuredFidelity | undefined, runs: AgentRun[] = [], formats = ["openai-chat"]) =>
  warningsOf({ files: formats.map(file), runs, ...(heldOut === undefined ? {} : { heldOut }) });

describe("an evaluation warns", () => {
  it.each([
    [6, true],
    [4, false],
  ])("of an agent that ended at once in %i of 6 trials, with its error", (trials, serious) => {
    const ended_at_once = { trials, of: 6, why: "exit status 1, Error", run: "run_1", trial: "tk_1.1" };
    expect(warned(undefined, [{ ...player("mine 2", 0, 6), ended_at_once }, player("mine 1", 3, 6)])).toEqual([
      {
        kind: "agent_ended_at_once",
        text: `Of mine 2, the agent ended at once in ${trials} of 6 trials: exit status 1, Error; see run_trace with rid=run_1 trial=tk_1.1.`,
        serious,
      },
    ]);
  });

  it("of what cannot be relied on before the rest", () => {
    const ended_at_once = { trials: 6, of: 6, why: "exit status 1", run: "run_1", trial: "tk_1.1" };
    const found = warned(undefined, [player("rule", 60, 60), { ...player("mine", 0, 6), ended_at_once }]);
    expect(found.map(({ kind }) => kind)).toEqual(["agent_ended_at_once", "rule_meets_all"]);
  });

  it("of nothing where the world is good, or was not measured", () => {
    expect(warned(measured({ get: counts(100, 95, 5, 60) }), [player("rule", 3, 60)])).toEqual([]);
    expect(warned(undefined, [player("rule", 0, 0)])).toEqual([]);
    expect(warned(measured({ get: counts(0, 0, 0) }))).toEqual([]);
  });

  it("of a world that no session was held out to measure", () => {
    const bundle = {
      id: "b",
      digest: "d",
      tools: 1,
      rows: {},
      exceptions: 0,
      earlier: 0,
      set_aside: 0,
      changed_tools: [],
      gaps: [],
    };
    const found = warningsOf({ files: [file("openai-chat")], runs: [], bundle });
    expect(found.map(({ kind, serious }) => ({ kind, serious }))).toEqual([{ kind: "not_measured", serious: false }]);
    expect(found[0]?.text).toContain("From 8 sessions on");
    expect(
      warningsOf({ files: [file("openai-chat")], runs: [], bundle, heldOut: measured({ get: counts(9, 9, 0) }) }),
    ).toEqual([]);
  });

  it("of a world below its recording, with what would help", () => {
    const found = warned(measured({ get: counts(60, 40, 20, 50), put: counts(40, 20, 10, 30) }));
    expect(found.map(({ kind, serious }) => ({ kind, serious }))).toEqual([{ kind: "below_recording", serious: true }]);
    expect(found[0]?.text).toContain("60 of 100 held-out calls as observed (60.0 %), the recording 80 (80.0 %)");
    expect(found[0]?.text).toContain("get (20 of 60 calls missed), put (20 of 40 calls missed)");
    expect(found[0]?.text).toMatch(/, or a database export, or a tool listing\.$/);
  });

  it("does not ask for what was given", () => {
    const [given] = warned(measured({ get: counts(60, 40, 20, 50) }), [], ["openai-chat", "records", "mcp"]);
    expect(given?.text).not.toMatch(/export|listing/);
  });

  it("of fewer tasks than an interval holds with, in the words of who wrote them", () => {
    const of = (certified: number, note?: string) =>
      warningsOf({
        files: [],
        runs: [],
        heldOut: measured({ get: counts(100, 90, 0) }),
        tasks: { written: 30, certified, refused: 0, families: {}, ...(note === undefined ? {} : { note }) },
      }).map(({ kind, text }) => [kind, text]);
    expect(of(11, "11 count.")).toEqual([["few_tasks", "11 count."]]);
    expect(of(2, "2 count.")).toEqual([
      ["few_tasks", expect.stringMatching(/^2 distinct tasks can show .* 2 count\.$/)],
    ]);
    expect(of(11)).toEqual([]);
  });

  it("of fewer than half of the calls answered, and not of half", () => {
    expect(warned(measured({ get: counts(100, 50, 50) }))).toEqual([]);
    expect(warned(measured({ get: counts(100, 49, 51) }))).toMatchObject([{ kind: "few_answered", serious: true }]);
  });

  it("of a tool that is mostly wrong, and not of one that was hardly called", () => {
    const found = warned(measured({ get: counts(100, 100, 0), put: counts(10, 4, 0), odd: counts(4, 0, 0) }));
    expect(found).toMatchObject([{ kind: "tool_mostly_wrong", serious: false }]);
    expect(found[0]?.text).toContain("put (6 of 10 calls)");
    expect(found[0]?.text).not.toContain("odd");
  });

  // Findings E13 and, where no tool was called, E16.
  it("of no task, with what was seen, what stood in the way and what would help", () => {
    const bundle = {
      tools: 3,
      gaps: [
        { tool: "put", reason: "r", n: 0 },
        { tool: "put", reason: "s", n: 0 },
      ],
    };
    const none = (written: number, refused_for: Record<string, number> = {}, calls = 1) =>
      warningsOf({
        files: [{ ...file("openai-chat"), traces: 4, calls }],
        runs: [],
        bundle,
        tasks: { written, certified: 0, refused: written, families: {}, refused_for },
      } as unknown as Parameters<typeof warningsOf>[0]);
    expect(none(0)).toMatchObject([{ kind: "no_tasks", serious: true }]);
    expect(none(0)[0]?.text).toBe(
      "No task was written from 4 traces with 1 tool call: its world cannot answer 1 of 3 tools (put). What would help: more sessions of the same kinds of request, or a database export, or a tool listing.",
    );
    expect(none(5, { solvable: 1, determined: 4 })[0]?.text).toContain(
      "None of the 5 tasks written from 4 traces with 1 tool call passed review (refused: 4 determined, 1 solvable)",
    );
    expect(none(0, {}, 0)[0]?.text).toContain("Send sessions with their tool calls and results.");
  });

  it("of files that could not be used, by the reason", () => {
    const named = (names: string, reason: string) => [...names].map((name) => ({ name, reason }));
    const skipped = [...named("abcde", "The content is binary."), ...named("z", "The content is empty.")];
    expect(warningsOf({ files: [file("atif")], runs: [], skipped })).toMatchObject([
      {
        kind: "files_skipped",
        text: "6 files of 7 could not be used: 5 files (a, b, c and 2 more): The content is binary; z: The content is empty.",
      },
    ]);
  });

  // Finding E10.
  it("of tasks that a rule meets, each", () => {
    expect(warned(undefined, [player("rule", 60, 60)])).toMatchObject([{ kind: "rule_meets_all", serious: false }]);
    expect(warned(undefined, [player("rule", 59, 60), player("reference", 60, 60)])).toEqual([]);
  });
});

describe("a poor world, as a process", () => {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "warnings-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Every session reads the three parcels that all know, and seven that no other session names. */
  const sessions = Array.from({ length: 24 }, (_, i) => {
    const parcels = Array.from({ length: 10 }, (_, n) => (n < 3 ? 101 + n : 1000 + i * 10 + n));
    const messages = parcels.flatMap((parcel, n) => [
      {
        role: "assistant",
        content: [{ type: "tool_use", id: `c${i}-${n}`, name: "get_parcel", input: { parcel_id: `P-${parcel}` } }],
      },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: `c${i}-${n}`,
            content: JSON.stringify({
              parcel_id: `P-${parcel}`,
              city: `City ${(parcel * 37) % 89}`,
              grams: (parcel * 7919) % 9973,
            }),
          },
        ],
      },
    ]);
    return JSON.stringify({
      session: `s${i}`,
      messages: [
        { role: "user", content: `Where does parcel P-${parcels[0]} go?` },
        ...messages,
        { role: "assistant", content: `To City ${((parcels[0] ?? 0) * 37) % 89}.` },
      ],
    });
  });

  it("ends with 3 and warns in the verdict block, in JSON and on the page", async () => {
    const traces = join(folder, "parcels.jsonl");
    writeFileSync(traces, sessions.join("\n"));
    const out = join(folder, "out");
    const args = ["evaluate", traces, "--surface", "parcels", "--out", out];
    const env = { SVC_DATA_DIR: join(folder, "data") };
    const told = await svcHere(args, env);
    expect(told.code, told.stderr).toBe(3);
    expect(told.stdout).toMatch(/\nwarning {5}The world answers fewer than half of the held-out calls: \d+ of \d+ \(/);
    expect(told.stdout).toContain("get_parcel (");
    const again = await svcHere([...args, "--json"], env);
    expect(again.code).toBe(3);
    const report = JSON.parse(again.stdout) as EvaluationReport;
    expect(report.warnings.map(({ kind }) => kind)).toContain("few_answered");
    const page = readFileSync(join(out, "evaluation.html"), "utf8");
    expect(page).toMatch(/class="verdict is-warn">[^<]*Warning: The world answers fewer than half/);
  });

  it("says what further tasks were lost to, and what would help, where few count", async () => {
    const traces = join(folder, "few.jsonl");
    writeFileSync(traces, sessions.slice(0, 2).join("\n"));
    const args = ["evaluate", traces, "--surface", "few", "--json", "--out", join(folder, "few")];
    const { stdout } = await svcHere(args, { SVC_DATA_DIR: join(folder, "few-data") });
    const { tasks, warnings } = JSON.parse(stdout) as EvaluationReport;
    expect(tasks.certified).toBeGreaterThan(0);
    expect(tasks.distinct).toBeLessThan(20);
    const [told] = warnings.filter(({ kind }) => kind === "few_tasks");
    expect(told?.text).toMatch(/\d+ distinct tasks? counts?; an interval holds from 20 on\..* What would help: /);
  });

  it("ends with 3 and says why where no task could be written, on the page too", async () => {
    const traces = join(folder, "one.jsonl");
    const found = { type: "tool_result", tool_use_id: "c1", content: "It rains." };
    const messages = [
      { role: "user", content: "How is the weather?" },
      { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "look_outside", input: {} }] },
      { role: "user", content: [found] },
      { role: "assistant", content: "It rains." },
    ];
    writeFileSync(traces, JSON.stringify({ session: "s1", messages }));
    const out = join(folder, "none");
    const told = await svcHere(["evaluate", traces, "--surface", "weather", "--out", out], {
      SVC_DATA_DIR: join(folder, "none-data"),
    });
    expect(told.code, told.stderr).toBe(3);
    expect(told.stdout).toMatch(
      /\nwarning {5}(?:No task was written from|None of the \d+ tasks? written from) 1 trace with 1 tool call/,
    );
    expect(told.stdout).toContain("What would help: more sessions");
    expect(readFileSync(join(out, "evaluation.html"), "utf8")).toMatch(/Warning: No(?:ne| task)/);
  });

  it("--help says what each exit status means", async () => {
    const { stdout } = await svcHere(["evaluate", "--help"], {});
    expect(stdout).toMatch(
      /1 when the files hold no traces; 2 when the command line is wrong or no file can\s+be used/,
    );
    expect(stdout).toMatch(/3 when the\s+world is below its recording or answers fewer than half/);
  });
});
