import { describe, expect, it } from "vitest";
import type { Task } from "../../../worlds/tasks/schema.ts";
import { Spread, sameMatter, sequenceOf } from "../../../worlds/tasks/spread.ts";

const task = (tools: readonly string[], cell: Task["cell"] = {}, over: Partial<Task> = {}): Task => ({
  id: "t",
  family: "write",
  cell,
  voice: { persona: "p", register: "plain" },
  request: "r",
  turns: [],
  script: { calls: tools.map((tool) => ({ tool, args: {} })), answer: "Done.", class: "answered" },
  checks: [{ kind: "answer_class", class: "answered" }],
  tier: "deterministic",
  ...over,
});
const rule = { words: "templated" };

function fill(spread: Spread, tasks: readonly Task[], rationed: boolean): Task[] {
  return tasks.filter((one) => {
    const fits = spread.refuses(one, rationed) === undefined;
    if (fits) spread.add(one);
    return fits;
  });
}

describe("a set that grows", () => {
  // Finding B24: tasks are spread over tools.
  it("takes five of one sequence of tools, and of a larger set a quarter", () => {
    const many = Array.from({ length: 40 }, (_, i) => task([i % 2 === 0 ? "fill" : `other_${i}`]));
    const got = fill(new Spread({ asked: false, even: true, twins: true }), many, true);
    const fills = got.filter((one) => sequenceOf(one) === "fill").length;
    expect(
      fill(
        new Spread({ asked: false, even: true, twins: true }),
        Array.from({ length: 9 }, () => task(["fill"])),
        true,
      ).length,
    ).toBe(5);
    expect(fills).toBe(Math.floor(got.length / 4));
  });
  it("rations a rule's words where people's are known, and nowhere else", () => {
    const mixed = Array.from({ length: 50 }, (_, i) => task([`tool_${i}`], i % 2 === 0 ? rule : {}));
    const share = (asked: boolean, rationed: boolean) => {
      const got = fill(new Spread({ asked, even: true, twins: true }), mixed, rationed);
      return got.filter(({ cell }) => cell.words === "templated").length / got.length;
    };
    expect(share(true, true)).toBeLessThanOrEqual(0.2);
    expect(share(true, true)).toBeGreaterThan(0.1);
    expect(share(false, true)).toBe(0.5);
    expect(share(true, false)).toBe(0.5);
  });
});

describe("what is one task", () => {
  const state = (value: number): Task["checks"] => [
    { kind: "state", changes: [{ table: "t", key: "k", op: "update", fields: { value }, any: [], required: true }] },
  ];
  const shares = (a: Task, b: Task) => sameMatter(a).some((one) => sameMatter(b).includes(one));

  it("the same script, or the same end however it is come to; a recorded request is told by itself", () => {
    expect(shares(task(["a"], rule), task(["a"], rule))).toBe(true);
    expect(shares(task(["a"], rule, { checks: state(1) }), task(["b", "c"], rule, { checks: state(1) }))).toBe(true);
    expect(shares(task(["a"], rule, { checks: state(1) }), task(["b"], rule, { checks: state(2) }))).toBe(false);
    expect(sameMatter(task(["a"], {}, { family: "mined" }))).toEqual([]);
  });
  it("a refusal by rule stays only where its tool does its work in another task", () => {
    const refusal = task(
      ["close"],
      { ...rule, operation: "close" },
      { script: { calls: [{ tool: "close", args: {} }], answer: "No.", class: "refused" } },
    );
    const done = task(["close"], { operation: "close" });
    const grown = (tasks: readonly Task[], twins = true) =>
      fill(new Spread({ asked: false, even: true, twins }), tasks, true);
    expect(grown([refusal])).toEqual([]);
    expect(grown([done, refusal])).toEqual([done, refusal]);
    expect(grown([refusal], false)).toEqual([refusal]);
    expect(grown([{ ...refusal, cell: { operation: "close" } }])).toHaveLength(1);
    const empty = new Spread({ asked: false, even: true, twins: true });
    expect(empty.refuses(refusal, true)).toBe("no task has the refused tool do its work");
  });
});
