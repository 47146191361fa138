import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { answerLive, liveSessions } from "../../worlds/samples/desk/sessions.ts";
import { svcHere } from "../cli/svc-here.ts";
import { runSvc } from "../helpers/process.ts";
import { doorTrace, session } from "./recorded-session.ts";

const DESK = new URL("../../worlds/samples/desk/", import.meta.url).pathname;
const TOOLS = join(DESK, "tools.json");
let folder: string;
let train: string;
/** Fewer sessions, where a test looks at what is printed and not at how good the world is. */
let few: string;
let fewest: string;
let three: string;
let held: string;

interface Counts {
  calls: number;
  identical: number;
  identical_volatile: number;
  same_shape: number;
  same_class: number;
  not_served: number;
  wrong_success: number;
  wrong_answer: number;
  recording: { identical: number; identical_volatile: number };
}

const NAMES = [
  "calls",
  "identical",
  "identical_volatile",
  "same_shape",
  "same_class",
  "not_served",
  "wrong_success",
  "wrong_answer",
  "recording",
  "recording_nth",
  "constant",
  "floor",
];
const MORE = [
  "by_session",
  "by_situation",
  "told",
  "self_replay",
  "coverage_at_2",
  "whole_sessions",
  "layers",
  "promised",
  "floor_promised",
  "volatile",
  "tools",
  "set_aside",
  "changed_tools",
];

function at(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const fidelity = (...args: string[]) => svcHere(["fidelity", ...args], {});

async function measured(...args: string[]): Promise<Counts & { tools: Record<string, Counts> }> {
  const { code, stdout, stderr } = await fidelity(...args, "--json");
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return JSON.parse(stdout);
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-fidelity-"));
  const lines = readFileSync(join(DESK, "traces.jsonl"), "utf8").trim().split("\n");
  train = at("train.jsonl", lines.filter((_, i) => i % 2 === 0).join("\n"));
  few = at("few.jsonl", lines.filter((_, i) => i % 8 === 0).join("\n"));
  fewest = at("fewest.jsonl", lines.filter((_, i) => i % 24 === 0).join("\n"));
  three = at("three.jsonl", lines.slice(0, 3).join("\n"));
  mkdirSync(join(folder, "held"));
  held = join(folder, "held");
  const rest = lines.filter((_, i) => i % 2 === 1);
  at("held/a.jsonl", rest.slice(0, 20).join("\n"));
  at("held/b.jsonl.gz", gzipSync(rest.slice(20, 40).join("\n")));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("halves of the desk's traces", () => {
  it("counts as documented, and the counts agree with the lines of --out and with the tools", async () => {
    const out = join(folder, "out.jsonl");
    const report = await measured("--train", train, "--test", held, "--tools", TOOLS, "--out", out);
    expect(Object.keys(report)).toEqual([...NAMES, ...MORE]);
    for (const counts of Object.values(report.tools))
      expect(Object.keys(counts)).toEqual(expect.arrayContaining(NAMES));
    const sum = (key: keyof Omit<Counts, "recording">) =>
      Object.values(report.tools).reduce((n, counts) => n + counts[key], 0);
    expect(report).toMatchObject({
      calls: sum("calls"),
      identical: sum("identical"),
      not_served: sum("not_served"),
      wrong_success: sum("wrong_success"),
    });
    const rows = readFileSync(out, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const count = (fits: (row: Record<string, unknown>) => boolean) => rows.filter(fits).length;
    expect(report).toMatchObject({
      calls: rows.length,
      identical: count((row) => row.verdict === "identical"),
      wrong_success: count((row) => row.verdict === "wrong_success"),
      not_served: count((row) => row.verdict === "not_served"),
      wrong_answer: rows.length - report.identical_volatile - report.not_served,
      recording: { identical: count((row) => row.recorded_verdict === "identical") },
    });
    expect(Object.keys(rows[0] ?? {})).toEqual([
      "file",
      "trajectory",
      "index",
      "tool",
      "args",
      "observed",
      "answered",
      "verdict",
      "recorded_verdict",
      "floor_verdict",
      "layer",
      "confidence",
    ]);
    expect(new Set(rows.map((row) => row.file))).toEqual(new Set([join(held, "a.jsonl"), join(held, "b.jsonl.gz")]));
    expect(new Set(rows.map((row) => `${row.file} ${row.trajectory}`)).size).toBe(40);
    // The compiled world has to beat a plain recording, or it is worth nothing.
    expect(report.identical_volatile).toBeGreaterThan(report.recording.identical_volatile);
  });

  it("prints a table per tool and in all, with the plain recording, n and tier; the same in a process of its own", async () => {
    const args = ["--train", fewest, "--test", held, "--tools", TOOLS];
    const first = await runSvc(["fidelity", ...args], {});
    const again = await fidelity(...args);
    expect(first.code).toBe(0);
    expect(first.stdout).toBe(again.stdout);
    expect(first.stdout).toMatch(/^ +calls +identical .* recording /);
    expect(first.stdout).toMatch(/\nget_order +\d+ +[\d.]+ %/);
    expect(first.stdout).toMatch(/\nall +\d+ /);
    expect(first.stdout).toContain("40 replayed");
    expect(first.stdout).toContain("tier deterministic");
    expect(first.stderr).toMatch(/^Compiled from \d+ traces in [\d.]+ s/);
  });

  it("takes several files per flag, and the flag several times", async () => {
    const [a, b] = [join(held, "a.jsonl"), join(held, "b.jsonl.gz")];
    const whole = await measured("--train", three, "--test", held);
    expect(await measured("--train", three, "--test", a, b)).toEqual(whole);
    expect(await measured("--train", three, "--test", a, "--test", b)).toEqual(whole);
  });
});

describe("--sessions", () => {
  const [tool, args] = ["get_order", { order_id: "SO-10122" }];

  it("makes the setup calls and scores the probe calls", async () => {
    const sessions = liveSessions(7, 40)
      .filter((session) => session.calls.length > 1)
      .map((session) => {
        const answers = answerLive(session);
        const last = session.calls.length - 1;
        return {
          setup_calls: session.calls.slice(0, last),
          probe_calls: [{ ...session.calls[last], result: answers[last]?.text, is_error: answers[last]?.isError }],
        };
      });
    const file = at("sessions.jsonl", sessions.map((row) => JSON.stringify(row)).join("\n"));
    const report = await measured("--train", train, "--tools", TOOLS, "--sessions", file);
    expect(report.calls).toBe(sessions.length);
    expect(report.identical_volatile).toBeGreaterThan(report.calls / 2);
  });

  it("shows the probe what the setup changed, each session on a fresh copy", async () => {
    const trained = readFileSync(few, "utf8").trim().split("\n");
    const cancelled = trained
      .map((line) => /"name":"cancel_order","input":(\{[^}]*\})/.exec(line)?.[1])
      .find((text) => text !== undefined);
    const cancel = { tool: "cancel_order", args: JSON.parse(cancelled ?? "") as { order_id: string } };
    const probe = { tool, args: { order_id: cancel.args.order_id }, result: "{}" };
    const out = join(folder, "sessions-out.jsonl");
    const file = at(
      "fresh.jsonl",
      [
        { setup_calls: [cancel], probe_calls: [probe] },
        { setup_calls: [], probe_calls: [probe] },
      ]
        .map((row) => JSON.stringify(row))
        .join("\n"),
    );
    await measured("--train", few, "--tools", TOOLS, "--sessions", file, "--out", out);
    const answered = readFileSync(out, "utf8")
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { answered: { status?: string } }).answered.status);
    expect(answered[0]).toBe("cancelled");
    expect(answered[1]).toBe("pending");
  });

  it("compares what a refusal says where its row does not tell that it is one, and serves no tool that nobody trained", async () => {
    const doors = Array.from({ length: 24 }, (_, n) => doorTrace(n));
    const sealed = (n: number) => ({
      tool: "paint_door",
      args: { door_id: `D-${n}`, colour: "blue" },
      result: `Door D-${n} is sealed and stays as it is`,
    });
    const rows = [
      { id: "plain", setup_calls: [], probe_calls: [sealed(1)] },
      {
        id: "told",
        setup_calls: [{ tool: "nobody_knows", args: {} }],
        probe_calls: [{ ...sealed(3), is_error: true }],
      },
      { id: "granted", setup_calls: [], probe_calls: [{ ...sealed(5), is_error: false }] },
      { id: "other", setup_calls: [], probe_calls: [{ ...sealed(7), result: "Painted." }] },
      { id: "untrained", setup_calls: [], probe_calls: [{ tool: "never_seen", args: {}, result: "hello" }] },
    ];
    const out = join(folder, "doors-out.jsonl");
    const file = at("doors-sessions.jsonl", `\uFEFF${rows.map((row) => JSON.stringify(row)).join("\r\n")}\r\n\r\n`);
    const report = await measured("--train", at("doors.jsonl", doors.join("\n")), "--sessions", file, "--out", out);
    const lines = readFileSync(out, "utf8").trim().split("\n");
    const told = lines.map((line) => {
      const { trajectory, verdict } = JSON.parse(line) as Record<string, unknown>;
      return { trajectory, verdict };
    });
    expect(told).toEqual([
      { trajectory: "plain", verdict: "identical" },
      { trajectory: "told", verdict: "identical" },
      { trajectory: "granted", verdict: "different" },
      { trajectory: "other", verdict: "different" },
      // In what words the service refuses a tool that it lacks, no session showed.
      { trajectory: "untrained", verdict: "not_served" },
    ]);
    expect(report).toMatchObject({ calls: 5, identical: 2, wrong_answer: 2, not_served: 1 });
  });

  it("takes a number or a truth value for the text it is written as", async () => {
    const wards = Array.from({ length: 24 }, (_, n) =>
      session(`ward-${n}`, "How many?", [
        ["get_ward", { ward_id: `W-${n % 8}` }, JSON.stringify({ ward_id: `W-${n % 8}`, beds: 10 + (n % 8) })],
        ["count_beds", { ward_id: `W-${n % 8}` }, String(10 + (n % 8))],
        ["is_shut", { ward_id: `W-${n % 8}` }, String(n % 2 === 1)],
      ]),
    );
    const beds = (result: unknown) => ({ tool: "count_beds", args: { ward_id: "W-3" }, result });
    const shut = (result: unknown) => ({ tool: "is_shut", args: { ward_id: "W-3" }, result });
    const probe_calls = [beds(13), beds("13"), beds(14), shut(true), shut("true"), shut(false)];
    const file = at("wards-sessions.jsonl", JSON.stringify({ setup_calls: [], probe_calls }));
    const report = await measured("--train", at("wards.jsonl", wards.join("\n")), "--sessions", file);
    expect(report).toMatchObject({ calls: 6, identical: 4, wrong_success: 2, recording: { identical: 4 } });
  });

  it.each([
    ["{", /Line 2 of the sessions is not valid JSON/],
    [JSON.stringify({ setup_calls: [] }), /Line 2 .* no session: probe_calls does not fit/],
    [JSON.stringify({ setup_calls: [], probe_calls: [{ tool: 5, args }] }), /Line 2 .*: probe_calls\.0\.tool/],
    [JSON.stringify({ setup_calls: [], probe_calls: [{ tool, args }] }), /Line 2 .*: probe_calls\.0\.result/],
    [
      JSON.stringify({ setup_calls: [], probe_calls: [{ tool, args, result: null }] }),
      /Line 2 .*: probe call 1 has no result/,
    ],
  ])("says which row is broken: %s", async (row, reason) => {
    const good = JSON.stringify({ setup_calls: [], probe_calls: [{ tool, args, result: "{}" }] });
    const { code, stdout, stderr } = await fidelity("--train", few, "--sessions", at("bad.jsonl", `${good}\n${row}`));
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(reason);
    expect(stderr).not.toContain("    at ");
  });
});

describe("--records", () => {
  const order = {
    request: "Where is it?",
    call: (id: string) => ({ tool: "get_order", args: { order_id: id } }),
  };

  function trace(n: number, id: string): string {
    const result = JSON.stringify({ order_id: id, status: n % 2 ? "sent" : "open", total: n });
    return JSON.stringify({
      session: `s${n}`,
      messages: [
        { role: "user", content: order.request },
        {
          role: "assistant",
          content: null,
          tool_calls: [
            {
              id: `c${n}`,
              type: "function",
              function: { name: "get_order", arguments: JSON.stringify({ order_id: id }) },
            },
          ],
        },
        { role: "tool", tool_call_id: `c${n}`, content: result },
        { role: "assistant", content: "There." },
      ],
    });
  }

  it("answers from rows that only the export holds, whatever its form", async () => {
    const seen = Array.from({ length: 8 }, (_, n) => trace(n, `A-${n}`));
    const unseen = [8, 9].map((n) => trace(n, `A-${n}`));
    const [a, b] = [at("seen.jsonl", seen.join("\n")), at("unseen.jsonl", unseen.join("\n"))];
    const bare = await measured("--train", a, "--test", b);
    expect(bare).toMatchObject({ calls: 2, identical: 0, not_served: 2, wrong_success: 0 });
    const rows = [8, 9].map((n) => ({ order_id: `A-${n}`, status: n % 2 ? "sent" : "open", total: n }));
    const keyed = Object.fromEntries(rows.map(({ order_id, ...row }) => [order_id, row]));
    const exports = [
      at("list.json", JSON.stringify({ orders: rows })),
      at("keyed.json", JSON.stringify({ orders: keyed, note: "as of today" })),
      at("orders.json", JSON.stringify(keyed)),
      at("orders.csv", ["order_id,status,total", ...rows.map((row) => Object.values(row).join(","))].join("\n")),
    ];
    for (const file of exports)
      expect(await measured("--train", a, "--test", b, "--records", file), file).toMatchObject({
        calls: 2,
        identical: 2,
        wrong_answer: 0,
      });
  });
});

describe("what cannot be measured", () => {
  it.each([
    ["no flag", [], 2, /--train/],
    ["nothing to replay", ["--train", "TRAIN"], 2, /--test <files...>' and '--sessions/],
    ["both", ["--train", "TRAIN", "--test", "TRAIN", "--sessions", "TRAIN"], 2, /give one of them/],
    ["an unknown flag", ["--train", "TRAIN", "--tset", "TRAIN"], 2, /unknown option '--tset'/],
    ["a missing file", ["--train", "nowhere.json", "--test", "TRAIN"], 2, /no such file or folder.*nowhere\.json/],
    ["no traces", ["--train", TOOLS, "--test", "TRAIN"], 1, /There are no traces.*tools\.json/],
    ["traces for a listing", ["--train", "TRAIN", "--test", "TRAIN", "--tools", "TRAIN"], 1, /no tools listing/],
    ["no export", ["--train", "TRAIN", "--test", "TRAIN", "--records", "EMPTY"], 1, /no database export/],
    ["an empty file", ["--train", "VOID", "--test", "TRAIN"], 1, /empty.*void\.json/],
    ["nowhere to write", ["--train", "TRAIN", "--test", "TRAIN", "--out", "/dev/null/x"], 1, /cannot be written/],
  ] as const)("is told in a sentence: %s", async (_name, args, status, reason) => {
    const named: Record<string, string> = { TRAIN: few, EMPTY: at("empty.json", "{}"), VOID: at("void.json", "") };
    const { code, stdout, stderr } = await fidelity(...args.map((arg) => named[arg] ?? arg));
    expect({ code, stdout }).toEqual({ code: status, stdout: "" });
    expect(stderr).toMatch(reason);
    expect(stderr).not.toMatch(/ {4}at |^Compiled/m);
  });

  it("leaves no file where there was none, and one that was there as it was", async () => {
    const unanswered = at("unanswered.jsonl", JSON.stringify({ messages: [{ role: "user", content: "Hello?" }] }));
    const [none, there] = [join(folder, "none.jsonl"), at("there.jsonl", "kept\n")];
    for (const out of [none, there]) {
      const { code, stderr } = await fidelity("--train", three, "--test", unanswered, "--out", out);
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("no call with a result") });
    }
    expect([existsSync(none), readFileSync(there, "utf8")]).toEqual([false, "kept\n"]);
  });

  it("leaves out a broken line of traces, and says so", async () => {
    const some = readFileSync(join(held, "a.jsonl"), "utf8").split("\n").slice(0, 3);
    const broken = at("broken.jsonl", [some[0], '{"session": "x", "mess', some[1], some[2]].join("\n"));
    const { code, stderr } = await fidelity("--train", three, "--test", broken);
    expect(code).toBe(0);
    expect(stderr).toMatch(/broken\.jsonl: 1 item was left out, first 2: /);
  });
});
