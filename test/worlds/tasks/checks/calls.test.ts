import { describe, expect, it } from "vitest";
import { callOrder, callsForbidden, callsRequired, maxCalls } from "../../../../worlds/tasks/checks/calls.ts";
import type { FinishedTrial } from "../../../../worlds/tasks/schema.ts";

const call = (
  tool: string,
  args: Record<string, unknown> = {},
  answer_class = "data",
): FinishedTrial["calls"][number] => ({
  tool,
  args,
  answer: null,
  answer_class,
  is_error: answer_class.startsWith("error"),
  changed: false,
});

describe("calls", () => {
  it("requires each pattern, with its arguments", () => {
    const wanted = [{ tool: "get", args: [{ path: "id", op: "equals" as const, value: 7 }] }];
    expect(callsRequired(wanted, [call("get", { id: 7 })]).verdict).toBe("met");
    expect(callsRequired(wanted, [call("get", { id: 8 })]).verdict).toBe("not_met");
    expect(callsRequired(wanted, [call("get", { id: 7 }, "error:bad_arguments")]).verdict).toBe("not_met");
    expect(callsRequired(wanted, []).reason).toContain("get");
  });
  it("does not decide where the world had a gap", () => {
    expect(callsRequired([{ tool: "get" }], [call("get", {}, "error:not_served")]).verdict).toBe("not_decided");
    expect(callsRequired([{ tool: "get" }], [call("get", {}, "error:not_served"), call("get")]).verdict).toBe("met");
  });
  it("takes a refused call for none where a change has to be done, and for one where only the call is asked for", () => {
    for (const refusal of ["refused", "error:failed"]) {
      const calls = [call("set", {}, refusal)];
      expect(callsRequired([{ tool: "set" }], calls, { done: true }).verdict).toBe("not_met");
      expect(callsRequired([{ tool: "set" }], calls).verdict).toBe("met");
      expect(callsRequired([{ tool: "set" }], [...calls, call("set")], { done: true }).verdict).toBe("met");
      expect(callsRequired([{ tool: "set" }, { tool: "put" }], calls, { any: true, done: true }).verdict).toBe(
        "not_met",
      );
    }
  });
  it("reads one of several, present and absent, at any depth", () => {
    const fits = (op: "in" | "present" | "absent", path: string, args: Record<string, unknown>, value?: unknown) =>
      callsRequired([{ tool: "t", args: [{ path, op, ...(value === undefined ? {} : { value }) }] }], [call("t", args)])
        .verdict;
    expect(fits("in", "a.b[0]", { a: { b: ["x"] } }, ["x", "y"])).toBe("met");
    expect(fits("in", "a.b[0]", { a: { b: ["z"] } }, ["x", "y"])).toBe("not_met");
    expect(fits("present", "a", { a: null })).toBe("met");
    expect(fits("absent", "a", { a: null })).toBe("not_met");
    expect(fits("absent", "a", {})).toBe("met");
  });
  it("reads any element of a list, in whatever place", () => {
    const locks = (value: string) => ({ tool: "lock", args: [{ path: "doors[*]", op: "equals" as const, value }] });
    const inner = { tool: "lock", args: [{ path: "a[*].b[*]", op: "equals" as const, value: 2 }] };
    const both = [locks("front"), locks("rear")];
    expect(callsRequired(both, [call("lock", { doors: ["rear", "front"] })]).verdict).toBe("met");
    expect(callsRequired(both, [call("lock", { doors: ["front"] }), call("lock", { doors: ["rear"] })]).verdict).toBe(
      "met",
    );
    expect(callsRequired(both, [call("lock", { doors: ["front"] })]).verdict).toBe("not_met");
    expect(callsRequired(both, [call("lock", { doors: "front, rear" })]).verdict).toBe("not_met");
    expect(callsRequired([inner], [call("lock", { a: [{ b: [1] }, { b: [3, 2] }] })]).verdict).toBe("met");
    expect(callsRequired([inner], [call("lock", { a: [{ b: [1] }] })]).verdict).toBe("not_met");
  });
  it("forbids a call that the world took", () => {
    expect(callsForbidden([{ tool: "del" }], [call("get")]).verdict).toBe("met");
    expect(callsForbidden([{ tool: "del" }], [call("del")]).verdict).toBe("not_met");
    expect(callsForbidden([{ tool: "del" }], [call("del", {}, "error:unknown_tool")]).verdict).toBe("met");
  });
  it("holds an order, others between", () => {
    const order = [{ tool: "a" }, { tool: "b" }];
    expect(callOrder(order, [call("a"), call("x"), call("b")]).verdict).toBe("met");
    expect(callOrder(order, [call("b"), call("a")]).verdict).toBe("not_met");
  });
  it("counts calls", () => {
    expect(maxCalls(1, [call("a")]).verdict).toBe("met");
    expect(maxCalls(1, [call("a"), call("a")]).verdict).toBe("not_met");
  });
});
