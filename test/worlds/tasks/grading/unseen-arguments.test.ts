import { describe, expect, it } from "vitest";
import type { BaseState, Bundle } from "../../../../worlds/bundle.ts";
import type { JsonObject } from "../../../../worlds/json.ts";
import type { ObservedTrace } from "../../../../worlds/observation.ts";
import { grade } from "../../../../worlds/tasks/grading/grade.ts";
import { reviewTask } from "../../../../worlds/tasks/grading/review.ts";
import { givenValues, unseenArguments } from "../../../../worlds/tasks/grading/unseen-arguments.ts";
import { reviewKit } from "../../../../worlds/tasks/grading/variation.ts";
import type { Check, Task } from "../../../../worlds/tasks/schema.ts";
import { playScript } from "../../../../worlds/tasks/trial.ts";
import { shop, shopRows } from "../../fixtures/shop.ts";

const DOORS = ["front", "rear", "side"];

/** A car whose locks are known as a whole: which doors a call names leaves no trace, or is noted with `told`. */
function car(told: boolean): { bundle: Bundle; base: BaseState } {
  const set = [
    { path: "locks", op: "=", expr: 'args.unlock ? "open" : "shut"' },
    ...(told ? [{ path: "doors", op: "=", expr: "args.doors" }] : []),
  ];
  const key = [{ column: "car_id", expr: '"C1"' }];
  const step = { op: "update", table: "cars", key, set, require: [], else: "no car" };
  const properties = { unlock: { type: "boolean" }, doors: { type: "array", items: { type: "string" } } };
  const bundle = {
    ...shop,
    tools: [
      {
        name: "lock_doors",
        description: "Lock doors.",
        inputSchema: { type: "object", properties, required: ["unlock", "doors"] },
      },
    ],
    tables: [
      {
        name: "cars",
        key: ["car_id"],
        columns: ["car_id", "locks"].map((name) => ({ name, types: ["string"], present: 1 })),
      },
    ],
    behaviours: { lock_doors: { ...shop.behaviours.cancel_order, behaviour: { v: 1, steps: [step] } } },
  } as unknown as Bundle;
  const base = { ...shopRows, tables: { cars: { C1: { car_id: "C1", locks: "shut" } } } } as unknown as BaseState;
  return { bundle, base };
}

const lock = (doors: readonly string[], unlock = true) => ({ tool: "lock_doors", args: { unlock, doors: [...doors] } });
const session = (n: number, args: JsonObject): ObservedTrace => ({
  id: `s${n}`,
  calls: [{ tool: "lock_doors", args, result: "{}", isError: false }],
});
const given = givenValues([true, false].map((unlock, n) => session(n, { unlock, doors: DOORS })));

/** All doors are asked for; with `rules` beside the change. */
function task(calls: Extract<Check, { kind: "calls_required" }>["calls"]): Task {
  return {
    id: "doors",
    family: "mined",
    cell: {},
    voice: { persona: "p", register: "plain" },
    request: "Please unlock all doors: the front, rear and side one.",
    turns: [],
    script: { calls: [lock(DOORS)], answer: "Done.", class: "answered" },
    checks: [
      {
        kind: "state",
        changes: [{ table: "cars", key: "C1", op: "update", fields: { locks: "open" }, any: [], required: true }],
      },
      { kind: "answer_class", class: "answered" },
      ...(calls.length > 0 ? [{ kind: "calls_required" as const, calls }] : []),
    ],
    tier: "deterministic",
  };
}

describe("a list of which the world's state shows no part", () => {
  const on = car(false);
  const kit = reviewKit(on);
  const required = unseenArguments(kit, task([]).script, given);
  const end = (...calls: Task["script"]["calls"]) =>
    grade(task(required), playScript(kit.fork(), { calls, answer: "Done.", class: "answered" }, 1), on).end;

  it("is required whole, in one call or in several, in any order", () => {
    expect(required).toHaveLength(DOORS.length);
    expect(end(lock(DOORS))).toBe("met");
    expect(end(lock([...DOORS].reverse()))).toBe("met");
    expect(end(...DOORS.map((door) => lock([door])))).toBe("met");
  });
  it("is not met by a part of it, nor by the rest of it done otherwise", () => {
    expect(end(lock(["front"]))).toBe("failed");
    expect(end(lock(DOORS.slice(1)))).toBe("failed");
    expect(end(lock(DOORS, false), lock(["front"]))).toBe("failed");
  });
  it("is no task to count where no check asks for all of it", () => {
    const survivors = (one: Task) => reviewTask(one, on).verdicts[1]?.survivors.map(({ name }) => name);
    expect(survivors(task([]))).toContain("not rejected: a part of a list");
    expect(survivors(task(required))).toEqual([]);
  });
});

it("a list that the state tells is left to the state", () => {
  expect(unseenArguments(reviewKit(car(true)), task([]).script, given)).toEqual([]);
});
