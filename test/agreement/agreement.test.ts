import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { svcHere } from "../cli/svc-here.ts";
import { type Planted, plantedTrials } from "./planted.ts";

const DESK = new URL("../../worlds/samples/desk/", import.meta.url).pathname;
const TRAIN = join(DESK, "traces.jsonl");
const KEYS = [
  "trials",
  "with_task",
  "true_pass",
  "false_pass",
  "true_fail",
  "false_fail",
  "undecided",
  "accuracy",
  "kappa",
  "kappa_low",
  "kappa_high",
  "balanced_accuracy",
  "balanced_accuracy_all",
  "open",
];
let folder: string;
let planted: Planted[];
let test: string;

function at(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const agreement = (...args: string[]) => svcHere(["agreement", ...args], {});

async function measured(...args: string[]): Promise<Record<string, number | null>> {
  const { code, stdout, stderr } = await agreement(...args, "--json");
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return JSON.parse(stdout) as Record<string, number | null>;
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-agreement-"));
  planted = plantedTrials(30);
  test = at("planted.jsonl", planted.map(({ line }) => line).join("\n"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("planted trials of the desk's tasks", () => {
  it("are told apart: at least 98 in 100 as they were planted, whatever ids the desk gave", async () => {
    const counts = await measured("--train", TRAIN, "--test", test);
    expect(Object.keys(counts)).toEqual(KEYS);
    expect(counts).toMatchObject({ trials: planted.length, with_task: planted.length });
    const { true_pass, false_pass, true_fail, false_fail, undecided } = counts as Record<string, number>;
    expect([true_pass, false_pass, true_fail, false_fail, undecided].reduce((a = 0, b = 0) => a + b)).toBe(
      planted.length,
    );
    expect(counts.accuracy).toBeGreaterThanOrEqual(0.98);
    expect(counts.kappa).toBeGreaterThan(0.95);
    expect(counts.balanced_accuracy).toBeGreaterThanOrEqual(0.97);
    expect(counts.balanced_accuracy).toBeGreaterThanOrEqual(counts.balanced_accuracy_all as number);
    expect(counts.open).toBe((undecided as number) / planted.length);
    expect(counts.kappa_low).toBeLessThan(counts.kappa as number);
    expect(counts.kappa_high).toBeGreaterThanOrEqual(counts.kappa as number);
  });

  it("whose recorded reward is turned round are each listed with the check that decided", async () => {
    const some = planted.slice(0, 30);
    const turned = some.map(({ line, reward }) => JSON.stringify({ ...JSON.parse(line), reward: 1 - reward }));
    const lines = readFileSync(TRAIN, "utf8").trimEnd().split("\n");
    const own = lines.filter((line) => some.some(({ task }) => JSON.parse(line).task_id === task));
    const others = lines.filter((line, i) => i % 4 === 0 && !own.includes(line));
    const train = at("train.jsonl", [...own, ...others].join("\n"));
    const { code, stdout } = await agreement("--train", train, "--test", at("turned.jsonl", turned.join("\n")));
    expect(code).toBe(0);
    const told = stdout.trim().split("\n");
    expect(told[0]).toMatch(/rewarded +not rewarded/);
    expect(stdout).toMatch(/kappa -?[01]\.\d+ \(95 %: /);
    expect(stdout).toMatch(/balanced accuracy [\d.]+ % of the \d+ decided, [\d.]+ % with the open ones; [\d.]+ % open/);
    expect(stdout).toContain("tier deterministic");
    const listed = told.slice(told.indexOf("disagreements:") + 1);
    expect(listed.length).toBeGreaterThanOrEqual(29);
    for (const line of listed)
      expect(line).toMatch(
        /^ {2}(?:false_pass|false_fail|undecided): .+ \(task .+\), .*rewarded; (?:state|answer_includes): .+/,
      );
  });
});

describe("what cannot be measured", () => {
  it.each([
    ["no flag", [], 2, /--train/],
    ["nothing to grade", ["--train", "TRAIN"], 2, /--test/],
    ["an unknown flag", ["--train", "TRAIN", "--test", "TRAIN", "--out", "x"], 2, /unknown option '--out'/],
    ["a missing file", ["--train", "nowhere.json", "--test", "TRAIN"], 2, /no such file or folder.*nowhere\.json/],
    [
      "no rewards",
      ["--train", "BARE", "--test", "TRAIN"],
      1,
      /No training trace carries both a task id and a full reward/,
    ],
    ["other tasks", ["--train", "TRAIN", "--test", "OTHER"], 1, /No test trace carries a reward and the task id/],
  ] as const)("is told in a sentence: %s", async (_name, args, status, reason) => {
    const [first] = planted;
    const row = JSON.parse(first?.line ?? "") as Record<string, unknown>;
    const { reward: _reward, ...bare } = row;
    const few = planted.slice(0, 6).map(({ line }) => line);
    const named: Record<string, string> = {
      TRAIN: at("few.jsonl", few.join("\n")),
      BARE: at("bare.jsonl", JSON.stringify(bare)),
      OTHER: at("other.jsonl", JSON.stringify({ ...row, task_id: "another" })),
    };
    const { code, stdout, stderr } = await agreement(...args.map((arg) => named[arg] ?? arg));
    expect({ code, stdout }).toEqual({ code: status, stdout: "" });
    expect(stderr).toMatch(reason);
    expect(stderr).not.toContain("    at ");
  });
});
