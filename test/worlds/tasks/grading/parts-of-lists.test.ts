import { describe, expect, it } from "vitest";
import type { BaseState, Bundle } from "../../../../worlds/bundle.ts";
import { grade } from "../../../../worlds/tasks/grading/grade.ts";
import { wrongTrials } from "../../../../worlds/tasks/grading/mutants.ts";
import { reviewTask } from "../../../../worlds/tasks/grading/review.ts";
import { references, reviewKit } from "../../../../worlds/tasks/grading/variation.ts";
import type { Task } from "../../../../worlds/tasks/schema.ts";
import { playScript } from "../../../../worlds/tasks/trial.ts";
import { shop, shopRows } from "../../fixtures/shop.ts";

const DOORS = ["front", "rear", "side"];
const SHUT = { front: "shut", rear: "shut", side: "shut" };

/** A car whose tools set some of the doors that a call lists, and `locks` as a whole where it is a column. */
function car(
  row: Readonly<Record<string, string>>,
  tools: readonly Tool[] = [BOTH],
): { bundle: Bundle; base: BaseState } {
  const columns = ["car_id", ...Object.keys(row)];
  const listed = { doors: { type: "array", items: { type: "string" } } };
  const bundle = {
    ...shop,
    tools: tools.map(({ name, unlock }) => ({
      name,
      description: "Set the locks of doors.",
      inputSchema: {
        type: "object",
        properties: unlock === undefined ? { unlock: { type: "boolean" }, ...listed } : listed,
        required: unlock === undefined ? ["unlock", "doors"] : ["doors"],
      },
    })),
    tables: [
      { name: "cars", key: ["car_id"], columns: columns.map((name) => ({ name, types: ["string"], present: 1 })) },
    ],
    behaviours: Object.fromEntries(
      tools.map(({ name, unlock, sets = Object.keys(row) }) => {
        const now = `${unlock ?? "args.unlock"} ? "open" : "shut"`;
        const set = sets.map((path) => ({
          path,
          op: "=",
          expr: path === "locks" ? now : `args.doors.exists(d, d == "${path}") ? (${now}) : row.${path}`,
        }));
        const key = [{ column: "car_id", expr: '"C1"' }];
        const step = { op: "update", table: "cars", key, set, require: [], else: "no car" };
        return [name, { ...shop.behaviours.cancel_order, behaviour: { v: 1, steps: [step] } }];
      }),
    ),
  } as unknown as Bundle;
  const base = { ...shopRows, tables: { cars: { C1: { car_id: "C1", ...row } } } } as unknown as BaseState;
  return { bundle, base };
}

interface Tool {
  readonly name: string;
  /** What it sets doors to; where absent, an argument says. */
  readonly unlock?: boolean;
  /** The columns that it sets; all when absent. */
  readonly sets?: readonly string[];
}
const BOTH: Tool = { name: "lock_doors" };

const opening = (doors: readonly string[], tool: string) => ({
  tool,
  args: tool === "lock_doors" ? { unlock: true, doors: [...doors] } : { doors: [...doors] },
});

/** All doors are asked for; `fields` is what they are after that. */
function task(fields: Readonly<Record<string, string>>, tool = "lock_doors"): Task {
  return {
    id: "doors",
    family: "mined",
    cell: {},
    voice: { persona: "p", register: "plain" },
    request: "Please unlock all doors: the front, rear and side one.",
    turns: [],
    script: { calls: [opening(DOORS, tool)], answer: "Done.", class: "answered" },
    checks: [
      { kind: "state", changes: [{ table: "cars", key: "C1", op: "update", fields, any: [], required: true }] },
      { kind: "answer_class", class: "answered" },
    ],
    tier: "deterministic",
  };
}

/** What a review holds of trials with these doors, and what grading says of such a trial. */
function judged(one: Task, on: ReturnType<typeof car>, doors: readonly string[]) {
  const kit = reviewKit(on);
  const [call] = one.script.calls;
  const calls = [opening(doors, call?.tool ?? "")];
  const trial = playScript(kit.fork(), { calls, answer: "Done.", class: "answered" }, 1);
  const made = wrongTrials(kit, one, on, references(kit, one)).filter(
    ({ name, trial: { calls } }) =>
      name === "a part of a list" && JSON.stringify(calls[0]?.args.doors) === JSON.stringify(doors),
  );
  return { right: made.map(({ right }) => right), end: grade(one, trial, on).end };
}

const certified = (one: Task, on: ReturnType<typeof car>) => reviewTask(one, on).certificate.passed;

describe("a part of a list that a change takes", () => {
  it("is right where the state tells that what it leaves out is so already", () => {
    const on = car({ ...SHUT, front: "open" });
    const all = task({ rear: "open", side: "open" });
    expect(judged(all, on, ["rear", "side"])).toEqual({ right: [true], end: "met" });
    expect(judged(all, on, ["front", "rear"])).toEqual({ right: [false], end: "failed" });
    expect(judged(all, on, ["side"])).toEqual({ right: [false], end: "failed" });
    expect(certified(all, on)).toBe(true);
  });
  it("is right where another tool's change shows that the state tells it", () => {
    const tools = [
      { name: "open_doors", unlock: true },
      { name: "shut_doors", unlock: false },
    ];
    const on = car({ ...SHUT, front: "open", rear: "open" }, tools);
    const all = task({ side: "open" }, "open_doors");
    expect(judged(all, on, ["rear", "side"])).toEqual({ right: [true], end: "met" });
    expect(judged(all, on, ["side"])).toEqual({ right: [true], end: "met" });
    expect(judged(all, on, ["front"])).toEqual({ right: [false], end: "failed" });
  });
  it("is wrong where the state tells the list as a whole, and no check asks for all of it", () => {
    const on = car({ locks: "shut" });
    const all = task({ locks: "open" });
    expect(judged(all, on, ["rear", "side"])).toEqual({ right: [false], end: "met" });
    expect(certified(all, on)).toBe(false);
  });
  it("is wrong where no state was seen to tell what it leaves out", () => {
    const on = car({ rear: "shut", side: "shut" });
    const all = task({ rear: "open", side: "open" });
    expect(judged(all, on, ["rear", "side"])).toEqual({ right: [false], end: "met" });
    expect(certified(all, on)).toBe(false);
  });
  it("is wrong where what it leaves out is told only of another change", () => {
    const tools = [
      { name: "open_doors", unlock: true, sets: ["locks"] },
      { name: "shut_doors", unlock: false },
    ];
    const on = car({ locks: "shut", ...SHUT }, tools);
    const all = task({ locks: "open" }, "open_doors");
    expect(judged(all, on, ["rear", "side"])).toEqual({ right: [false], end: "met" });
  });
});
