import { describe, expect, it, test } from "vitest";
import type { TrialRow } from "../../../chapters/records/runs/runs.ts";
import { compareGroups } from "../../../chapters/runs/compare/compare.ts";
import { comparisonMarkdown } from "../../../chapters/runs/compare/compare-markdown.ts";
import { DEFAULT_BANDS } from "../../../chapters/statistics/bands.ts";
import { gateOf } from "../../../src/commands/compare-gate.ts";
import { comparisonJunit } from "../../../src/commands/compare-junit.ts";
import { group, planned, trial } from "./kit.ts";

type End = TrialRow["end"];

const tasksOf = (n: number) => Array.from({ length: n }, (_, i) => planned(`tk_${i}`, i));
type Shape = NonNullable<Parameters<typeof group>[2]>;

/** A group of `n` tasks whose trials end as `ends` says; no end is a trial that was never played. */
const arm = (n: number, tries: number, ends: (task: number, n: number) => End | undefined, shape: Shape = {}) =>
  group(
    tasksOf(n),
    tasksOf(n).flatMap(({ id }, i) =>
      Array.from({ length: tries }, (_, t) => ends(i, t + 1)).flatMap((end, t) =>
        end === undefined ? [] : [trial(id, t + 1, end)],
      ),
    ),
    { tries, ...shape },
  );
const b = { id: "rg_2", version: "2" };
const compare = (left: ReturnType<typeof arm>, right: ReturnType<typeof arm>) => {
  const found = compareGroups(left, right, DEFAULT_BANDS);
  return { found, gate: gateOf({ ...found, status: { a: left.status, b: right.status } }) };
};
const met = () => "met" as const;

describe("trials without a verdict", () => {
  it("C7: half of b's trials are infra: both bounds stand in the verdict, and nothing is told", () => {
    const { found, gate } = compare(
      arm(20, 2, (_, n) => (n === 1 ? "met" : "failed")),
      arm(20, 2, (_, n) => (n === 1 ? "met" : "infra"), b),
    );
    expect(found.b).toMatchObject({
      met: 20,
      valid: 20,
      planned: 40,
      missing: { infra: 20, invalid: 0, not_played: 0 },
      bounds: { low: 0.5, high: 1 },
    });
    expect(found.verdict).toMatch(
      /^Cannot tell bot 2 \(b\) from bot 1 \(a\): b lost 20 of 40 trials \(20 infra\), its rate 50.0 to 100.0 %/,
    );
    expect(found.verdict).toContain("start_run with group=rg_1, agent=ag_1, agent_version=2");
    expect([found.worse, found.words, found.causes]).toEqual([undefined, "no difference shown", []]);
    expect(gate).toMatchObject({ code: 2, sentence: expect.stringContaining("b lost 20 of 40 trials") });
  });

  it("C8: a third of b's trials lost, none of them failed: the gate ends with 2 and JUnit skips it", () => {
    const { found, gate } = compare(
      arm(40, 1, met),
      arm(40, 1, (i) => (i % 3 === 0 ? "infra" : "met"), b),
    );
    expect(gate.code).toBe(2);
    const xml = comparisonJunit(found, gate);
    expect(xml).toContain('failures="0" errors="0" skipped="15"');
    expect(xml.match(/b lost 14 of 40 trials/g)).toHaveLength(1);
    expect(comparisonMarkdown(found)).toContain("There is no confidence where nothing can be told.");
  });

  it("as much as 5 % may be lost, and is told with both bounds", () => {
    const one = compare(
      arm(20, 1, met),
      arm(20, 1, (i) => (i === 0 ? "invalid" : "met"), b),
    );
    expect(one.gate.code).toBe(0);
    expect(one.found.verdict).toContain(
      "bot 2 lost 1 of 20 trials (1 invalid), its rate 95.0 to 100.0 % with these as failed or as met",
    );
    expect(
      compare(
        arm(20, 1, met),
        arm(20, 1, (i) => (i < 2 ? "invalid" : "met"), b),
      ).gate.code,
    ).toBe(2);
  });

  it("few are lost, and the verdict turns on how they are counted: nothing is told, and it says by which", () => {
    // Four tasks lost to b's fault and one to the machine: shown only where the machine's counts as the agent's.
    const { found, gate } = compare(
      arm(20, 1, met),
      arm(20, 1, (i) => (i < 4 ? "failed" : i === 4 ? "infra" : "met"), b),
    );
    expect(gate.code).toBe(2);
    expect(found.verdict).toContain(
      "the verdict turns on these: left out, no difference is shown; counted as failed, b is worse; counted as met, no difference is shown",
    );
    const clear = compare(
      arm(40, 1, met),
      arm(40, 1, (i) => (i < 9 ? "failed" : i === 9 ? "infra" : "met"), b),
    );
    expect([clear.gate.code, clear.found.worse]).toEqual([1, "b"]);
  });

  it("what was never played is lost too; what a recount left out of both is not", () => {
    const stopped = compare(
      arm(20, 1, met),
      arm(20, 1, (i) => (i < 16 ? "met" : undefined), b),
    );
    expect(stopped.found.b.missing).toEqual({ infra: 0, invalid: 0, not_played: 4 });
    expect(stopped.gate.code).toBe(2);
    const recounted = (side: ReturnType<typeof arm>) => ({
      ...side,
      runs: side.runs.map((own) => ({ ...own, run: { ...own.run, grading: { recount: "rc_1" } } })),
    });
    const kept = (i: number) => (i < 16 ? ("met" as const) : undefined);
    const both = compare(recounted(arm(20, 1, kept)), recounted(arm(20, 1, kept, b)));
    expect(both.gate.code).toBe(0);
    expect(both.found.refused.map(({ reason }) => reason)).toEqual(Array(4).fill("A recount left it out of both."));
  });
});

describe("C8: a group that is not done", () => {
  test.each([
    ["stopped", "start_run with resume_group=rg_2"],
    ["failed", "start_run with resume_group=rg_2"],
    ["partial", "start_run with resume_group=rg_2"],
    ["running", "watch_job with job_id=rg_2"],
    ["held", "job_status with job_id=rg_2"],
  ] as const)("%s: cannot tell, with what to do", (status, way) => {
    const { found, gate } = compare(
      arm(10, 1, met),
      arm(10, 1, (i) => (i < 6 ? "failed" : "met"), { ...b, status }),
    );
    expect(gate.code).toBe(2);
    for (const text of [gate.sentence, found.verdict]) expect(text).toContain(way);
    expect([found.worse, found.words]).toEqual([undefined, "no difference shown"]);
  });
});

describe("the smallest difference", () => {
  it("C6: is of tasks and tries, and never larger than what is shown", () => {
    const { found } = compare(
      arm(20, 4, met),
      arm(20, 4, (i, n) => (i < 6 && n === 1 ? "failed" : "met"), b),
    );
    expect(found).toMatchObject({ words: "shown", smallest: { flips: 5, difference: 5 / 80 } });
    expect(Math.abs(found.difference)).toBeGreaterThanOrEqual(found.smallest?.difference ?? 1);
    expect(comparisonMarkdown(found)).toContain(
      "The least that so many tasks and tries can show at all is 6.3 points: 5 tasks that differ by one try, all one way.",
    );
  });
});

describe("what nothing can be told of", () => {
  test.each([1, 3, 4])("C9: %i tasks, all lost", (n) => {
    const { found, gate } = compare(
      arm(n, 1, met),
      arm(n, 1, () => "failed", b),
    );
    expect(found.verdict).toMatch(
      new RegExp(`^Cannot tell bot 2 \\(b\\) from bot 1 \\(a\\): ${n} tasks? (?:is|are) too few to show a difference`),
    );
    expect(found.verdict).toContain("run both on 5 tasks or more");
    expect([found.worse, gate.code]).toEqual([undefined, 2]);
  });

  it("C10: at p above 0.5 no arm is called worse and no cause is named, in the words of no band", () => {
    // Five tasks lost and three won: p is 0.73, confidence 27.
    const { found, gate } = compare(
      arm(20, 1, (i) => (i >= 17 ? "failed" : "met")),
      arm(20, 1, (i) => (i < 5 ? "failed" : "met"), b),
    );
    expect(found.p).toBeGreaterThan(0.5);
    expect(found.confidence).toBeGreaterThan(DEFAULT_BANDS.low);
    expect([found.worse, found.words, found.causes]).toEqual([undefined, "no difference shown", []]);
    expect(found.verdict).toBe(
      "No difference shown: bot 1 met 17 of 20 trials, bot 2 15 of 20, over 20 tasks (confidence 27).",
    );
    expect(gate.code).toBe(0);
  });
});

test("C5: the interval of an arm counts tasks: four equal tries are one", () => {
  const half = (i: number) => (i % 2 === 0 ? ("met" as const) : ("failed" as const));
  const { found } = compare(arm(20, 4, half), arm(20, 4, half, b));
  const once = compare(arm(20, 1, half), arm(20, 1, half, b)).found;
  expect(found.a.low).toBeCloseTo(once.a.low, 6);
  expect(found.a.high).toBeCloseTo(once.a.high, 6);
});

describe("tasks chosen by how they had ended", () => {
  const whole = arm(20, 1, (i) => (i < 6 ? "failed" : "met"));
  const again = (shape: Shape) =>
    group(
      tasksOf(6),
      tasksOf(6).map(({ id }, i) => trial(id, 1, i < 1 ? "failed" : "met")),
      { ...b, ...shape },
    );

  it("a group that was started on what had failed says so, and there is no confidence", () => {
    const { found, gate } = compare(whole, again({ selection: "failed_last", chosen_by_outcome: "failed_last" }));
    expect(found.verdict).toMatch(
      /^Cannot tell bot 2 \(b\) from bot 1 \(a\): the tasks of b were chosen by how trials had ended \(failed_last\)/,
    );
    expect(found.verdict).toContain("start_run with group=rg_1, agent=ag_1, agent_version=2");
    expect(found).toMatchObject({ confidence: 0, p: 1, words: "no difference shown" });
    expect(found.worse).toBeUndefined();
    expect(comparisonMarkdown(found)).not.toMatch(/Confidence \d/);
    expect(gate.code).toBe(2);
  });

  it("tasks that were named one by one tell it themselves, in either arm", () => {
    expect(compare(whole, again({ selection: "tasks" })).found.chosen_by_outcome).toContain(
      "the tasks of b are 6 of 20 and every one of them had failed in a",
    );
    const one = group(
      tasksOf(6),
      tasksOf(6).map(({ id }) => trial(id, 1, "met")),
      { selection: "tasks" },
    );
    expect(
      compare(
        one,
        arm(20, 1, (i) => (i < 6 ? "failed" : "met"), b),
      ).found.chosen_by_outcome,
    ).toContain("in b");
  });

  it("tasks of one kind, and a few that an agent that meets nearly all had met, are no choice by outcome", () => {
    expect(compare(whole, again({ selection: "family: lookup" })).found.chosen_by_outcome).toBeUndefined();
    const good = arm(20, 1, (i) => (i === 19 ? "failed" : "met"));
    expect(compare(good, again({ selection: "tasks" })).found.chosen_by_outcome).toBeUndefined();
  });
});

// Finding E54.
test("other time limits are told with both and with the start that mends it", () => {
  const { found, gate } = compare(arm(10, 1, met), arm(10, 1, met, { ...b, timeout: 120 }));
  for (const text of [found.verdict, gate.sentence])
    expect(text).toContain(
      "(the time limits differ, 60 s and 120 s): start_run with timeout_seconds=60, group=rg_1, agent=ag_1, agent_version=2",
    );
});

test("a version's label goes into no sentence where it could be markup", () => {
  const { found } = compare(
    arm(10, 1, met),
    arm(10, 1, met, { id: "rg_2", version: "[x](https://evil.example)", timeout: 120 }),
  );
  expect(found.verdict).toContain("agent_version=(the one of that group)");
  expect(found.verdict).not.toContain("evil");
  expect(found.verdict).toMatch(/^Cannot tell b from bot 1 \(a\): /);
});
