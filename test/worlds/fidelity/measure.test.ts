import { describe, expect, test } from "vitest";
import { compile } from "../../../worlds/compile/index.ts";
import { observe } from "../../../worlds/compile/observations.ts";
import { promisedOf, utility } from "../../../worlds/fidelity/counts.ts";
import { measureFidelity } from "../../../worlds/fidelity/index.ts";
import { Renaming } from "../../../worlds/fidelity/renaming.ts";
import { volatilityOf } from "../../../worlds/floor/index.ts";
import type { ObservedTrace } from "../../../worlds/observation.ts";

const id = (i: number, n: number) => `n-${((i * 7919 + n * 104_729 + 65_536) % 1_048_576).toString(16)}${n}z`;

function trace(name: string, calls: readonly (readonly [string, object, unknown])[]): ObservedTrace {
  return {
    id: name,
    calls: calls.map(([tool, args, result]) => ({
      tool,
      args: args as ObservedTrace["calls"][number]["args"],
      result: JSON.stringify(result),
      isError: false,
    })),
  };
}

const added = Array.from({ length: 10 }, (_, i) =>
  trace(`t${i}`, [
    ["add", { text: "a" }, { id: id(i, 1), text: "a" }],
    ["add", { text: "a" }, { id: id(i, 2), text: "a" }],
  ]),
);

describe("generated ids", () => {
  const volatility = volatilityOf(observe(added));
  const [one, two] = [
    { id: id(90, 1), text: "a" },
    { id: id(91, 2), text: "a" },
  ];

  test("compare up to one renaming, one to one, the same all session long", () => {
    const renaming = new Renaming(volatility);
    expect(renaming.alike("add", one, { id: "own-1", text: "a" })).toBe(true);
    expect(renaming.alike("add", one, { id: "own-1", text: "b" })).toBe(false);
    expect(renaming.alike("other", one, { id: "own-1", text: "a" })).toBe(false);
    renaming.learn("add", one, { id: "own-1", text: "a" });
    expect(renaming.args({ ids: [one.id] })).toEqual({ ids: ["own-1"] });
    expect(renaming.answer({ note: "own-1" })).toEqual({ note: one.id });
    expect(renaming.alike("add", one, { id: "own-2", text: "a" })).toBe(false);
    expect(renaming.alike("add", two, { id: "own-1", text: "a" })).toBe(false);
    expect(renaming.alike("add", two, { id: "own-2", text: "a" })).toBe(true);
  });

  test("a recording that issues one id twice is wrong the second time", () => {
    const train = Array.from({ length: 10 }, (_, i) =>
      trace(`s${i}`, [["add", { text: "a" }, { id: id(i, 1), text: "a" }]]),
    );
    const held = [
      trace("h", [
        ["add", { text: "a" }, { id: id(90, 1), text: "a" }],
        ["add", { text: "a" }, { id: id(91, 2), text: "a" }],
      ]),
    ];
    const { recording } = measureFidelity(compile(train, { name: "notes" }), held, train);
    expect(recording).toMatchObject({ calls: 2, identical: 0, identical_volatile: 1, wrong_success: 1 });
  });
});

test("sessions that are trained on and replayed share their ids with themselves only", () => {
  const report = measureFidelity(compile(added, { name: "notes" }), added, added);
  expect(report.volatile.generated).toEqual(["add /id"]);
});

describe("three ways of counting", () => {
  const find = (n: number, result: unknown) => ["find", { key: `K${n}` }, result] as const;
  const train = Array.from({ length: 10 }, (_, i) => trace(`s${i}`, [find(1, { v: 1 }), find(2, { v: 2 })]));
  const loop = Array.from({ length: 9 }, () => find(7, { v: 7 }));
  const held = [trace("a", [find(1, { v: 1 }), ...loop]), trace("b", [find(2, { v: 2 }), find(1, { v: 1 })])];
  const report = measureFidelity(compile(train, { name: "find" }), held, train, new Map(), new Map(), {
    selfReplay: true,
  });

  test("a loop counts by call, once as a situation, and as little as its session", () => {
    expect(report).toMatchObject({ calls: 12, identical: 3, not_served: 9, wrong_answer: 0 });
    expect(report.by_situation).toMatchObject({ calls: 3, identical: 2, not_served: 1 });
    expect(report.by_session).toMatchObject({ calls: 2, identical: 1.1, not_served: 0.9 });
    expect(report.recording).toMatchObject({ calls: 12, identical: 3, not_served: 9 });
    expect(report.whole_sessions).toEqual({ sessions: 2, identical: 1, without_wrong: 2 });
    expect(report.self_replay).toMatchObject({ calls: 20, identical: 20, contradictions: 0 });
    expect(utility(report)).toBe(0.25);
  });
});

test("coverage at 2 % wrong is the most that the surest answers may cover", () => {
  const sure = Array.from({ length: 98 }, () => ({ confidence: 0.99, right: true }));
  const wrong = Array.from({ length: 2 }, () => ({ confidence: 0.99, right: false }));
  const guessed = Array.from({ length: 50 }, (_, i) => ({ confidence: 0.5, right: i % 2 === 0 }));
  const found = promisedOf([...sure, ...wrong, ...guessed], 200);
  expect(found?.coverage_at_2).toBe(0.5);
  expect(found?.calibration).toEqual([
    { promised: 0.5, met: 0.5, n: 50 },
    { promised: 0.99, met: 0.98, n: 100 },
  ]);
  expect(promisedOf([], 200)).toBeUndefined();
});
