import { describe, expect, it } from "vitest";
import { grade } from "../../../../worlds/tasks/grading/grade.ts";
import type { Check, FinishedTrial, Task } from "../../../../worlds/tasks/schema.ts";
import { shop, shopRows } from "../../fixtures/shop.ts";

const env = { bundle: shop, base: shopRows };
const task = (checks: Check[]): Task => ({
  id: "task_x",
  family: "lookup",
  cell: {},
  voice: { persona: "p", register: "plain" },
  request: "What is the total?",
  turns: [],
  script: { calls: [{ tool: "get_order", args: { order_id: "#W1" } }], answer: "x", class: "answered" },
  checks,
  tier: "deterministic",
});
const trial = (
  text: string,
  calls: Partial<FinishedTrial["calls"][number]>[] = [],
  diff: FinishedTrial["diff"] = [],
): FinishedTrial => ({
  calls: calls.map((c) => ({
    tool: "get_order",
    args: {},
    answer: null,
    answer_class: "data",
    is_error: false,
    changed: false,
    ...c,
  })),
  answers: [{ text }],
  diff,
});
const includes: Check = { kind: "answer_includes", facts: [{ value: 54.2, kind: "money" }] };
const judged: Check = { kind: "judged", criterion: "is kind" };

describe("grade", () => {
  it("is met when every check is, with a verdict for each in order", () => {
    const graded = grade(task([includes, { kind: "no_state_change" }]), trial("It is $54.20"), env);
    expect(graded).toMatchObject({ end: "met", cause: "" });
    expect(graded.verdicts.map((v) => [v.kind, v.verdict])).toEqual([
      ["answer_includes", "met"],
      ["no_state_change", "met"],
    ]);
  });
  it("is failed with the first check that is not met as its cause", () => {
    const graded = grade(task([includes]), trial("It is $54.00"), env);
    expect(graded.end).toBe("failed");
    expect(graded.cause).toMatch(/^answer_includes: /);
  });
  it("is invalid when a check cannot decide and none fails", () => {
    expect(grade(task([judged]), trial("hi"), env)).toMatchObject({ end: "invalid" });
    expect(grade(task([judged, includes]), trial("hi"), env)).toMatchObject({ end: "failed" });
    expect(grade(task([judged]), trial("hi"), env).verdicts[0]?.reason).toContain("deterministic");
  });
  describe("a gap", () => {
    const gap = (args: object, tool = "get_order") => ({
      tool,
      args: args as FinishedTrial["calls"][number]["args"],
      answer_class: "error:not_served",
      is_error: true,
    });
    const order: Task = { ...task([includes]), request: "What is the total of order #W1 of ann@example.com?" };
    const ends = (calls: Parameters<typeof trial>[1], text = "no idea", of: Task = order) =>
      grade(of, trial(text, calls), env);

    it("makes a trial invalid that failed, where the script's own call met it", () => {
      expect(ends([gap({ order_id: "#W1" })])).toMatchObject({
        end: "invalid",
        cause: "gap: get_order answered not_served",
      });
      expect(ends([gap({ order_id: "#W1" })], "It is $54.20").end).toBe("met");
      const second: Task = {
        ...task([includes]),
        alternatives: [{ ...order.script, calls: [{ tool: "find", args: {} }] }],
      };
      expect(ends([gap({}, "find")], "no idea", second).end).toBe("invalid");
    });
    // Finding C4.
    it("counts nothing that nobody asked for: another row, another tool, no argument, one beside the right call", () => {
      expect(ends([gap({ order_id: "#W2" })]).end).toBe("failed");
      expect(ends([gap({ order_id: "ann@example.com" })]).end).toBe("failed");
      expect(ends([gap({ order_id: "#W1" }, "get_product")]).end).toBe("failed");
      expect(ends([gap({})]).end).toBe("failed");
      expect(ends([gap({ order_id: "#W1", deep: true })]).end).toBe("failed");
      const right = { args: { order_id: "#W1" }, answer: { total: 54.2 } };
      expect(ends([right, gap({ order_id: "#W1" })]).end).toBe("failed");
      expect(ends([gap({ order_id: "#W1" }), right]).end).toBe("failed");
    });
    it("follows from what the user said, and from what needed calls answered", () => {
      expect(ends([gap({ email: "ann@example.com" })]).end).toBe("invalid");
      expect(ends([gap({ email: "ann" })]).end).toBe("invalid");
      expect(ends([gap({ email: "example.co" })]).end).toBe("failed");
      const calls = [
        { tool: "find_customer", args: { email: "ann@example.com" } },
        { tool: "get_orders", args: { customer: "$1.id" } },
      ];
      const hop: Task = { ...order, script: { ...order.script, calls } };
      const found = { tool: "find_customer", args: { email: "ann@example.com" }, answer: { id: 77, name: "Ann" } };
      expect(ends([found, gap({ customer: 77 }, "get_orders")], "no idea", hop).end).toBe("invalid");
      expect(ends([found, gap({ customer: "78" }, "get_orders")], "no idea", hop).end).toBe("failed");
      const junk = { ...found, args: { email: "bob@example.com" }, answer: { id: 78 } };
      expect(ends([junk, gap({ customer: 78 }, "get_orders")], "no idea", hop).end).toBe("failed");
    });
    it("of a required call decides nothing, and of another call of that tool is no excuse", () => {
      const required: Task = { ...order, checks: [{ kind: "calls_required", calls: [{ tool: "get_order" }] }] };
      expect(ends([gap({ order_id: "#W1" })], "", required).end).toBe("invalid");
      expect(ends([gap({ order_id: "#W9" })], "", required)).toMatchObject({ end: "failed" });
    });
  });
  it("is failed when an agent that met a gap damaged the world", () => {
    const diff: FinishedTrial["diff"] = [{ table: "orders", key: "#W1", after: {} }];
    expect(
      grade(
        task([{ kind: "no_state_change" }]),
        trial("", [{ answer_class: "error:not_served" }, { changed: true }], diff),
        env,
      ).end,
    ).toBe("failed");
  });
  it("reads facts from all turns", () => {
    const two: FinishedTrial = {
      ...trial(""),
      answers: [{ text: "It is $54.20" }, { text: "Anything else is fine." }],
    };
    expect(grade(task([includes]), two, env).end).toBe("met");
  });
});
