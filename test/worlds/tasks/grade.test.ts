import { describe, expect, it } from "vitest";
import { grade } from "../../../worlds/tasks/grade.ts";
import type { Check, FinishedTrial, Task } from "../../../worlds/tasks/schema.ts";
import { shop, shopRows } from "../fixtures/shop.ts";

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
  it("is invalid when it failed after a gap in a tool that the task needs, not in another", () => {
    const gap = { answer_class: "error:not_served", is_error: true };
    expect(grade(task([includes]), trial("no idea", [gap]), env)).toMatchObject({
      end: "invalid",
      cause: "gap: get_order answered not_served",
    });
    expect(grade(task([includes]), trial("no idea", [{ ...gap, tool: "get_product" }]), env).end).toBe("failed");
    expect(grade(task([includes]), trial("It is $54.20", [gap]), env).end).toBe("met");
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
