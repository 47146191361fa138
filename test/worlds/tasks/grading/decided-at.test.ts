import { expect, it } from "vitest";
import { decidedAt } from "../../../../worlds/tasks/grading/decided-at.ts";
import type { Check, CheckVerdict, FinishedTrial } from "../../../../worlds/tasks/schema.ts";

const call = (tool: string, args: Record<string, unknown> = {}, rest: object = {}) => ({
  tool,
  args,
  answer: {},
  answer_class: "data",
  is_error: false,
  changed: false,
  ...rest,
});
const trial: FinishedTrial = {
  calls: [
    call("find", { id: "1" }, { answer_class: "error:bad_arguments", is_error: true }),
    call("find", { id: "1" }),
    call("set", { id: "1" }, { changed: true }),
    call("find", { id: "2" }),
    call("set", { id: "2" }, { changed: true }),
    call("list"),
  ],
  answers: [{ text: "done" }],
  diff: [],
};
const of = (tool: string, id?: string) => ({
  tool,
  ...(id === undefined ? {} : { args: [{ path: "id", op: "equals" as const, value: id }] }),
});
const at = (check: Check, verdict: CheckVerdict["verdict"]) =>
  decidedAt(check, { kind: check.kind, verdict, reason: "" }, trial);

it.each<[string, Check, CheckVerdict["verdict"], number | "answers" | "whole"]>([
  ["a required call: where it was taken", { kind: "calls_required", calls: [of("find", "1")] }, "met", 1],
  ["several: at the last of them", { kind: "calls_required", calls: [of("find", "2"), of("find", "1")] }, "met", 3],
  ["one that was never made: by the whole", { kind: "calls_required", calls: [of("drop")] }, "not_met", "whole"],
  ["one that another reading stood in for", { kind: "calls_required", calls: [of("drop")] }, "met", "whole"],
  ["a forbidden call: where it was made", { kind: "calls_forbidden", calls: [of("drop"), of("list")] }, "not_met", 5],
  ["none was made", { kind: "calls_forbidden", calls: [of("drop")] }, "met", "whole"],
  ["an order: at its last call", { kind: "call_order", calls: [of("find"), of("set", "2")] }, "met", 4],
  ["an order that broke", { kind: "call_order", calls: [of("set", "2"), of("find")] }, "not_met", "whole"],
  ["too many calls: at the first beyond", { kind: "max_calls", n: 4 }, "not_met", 4],
  ["few enough calls", { kind: "max_calls", n: 6 }, "met", "whole"],
  ["the state: at the last write", { kind: "state", changes: [] }, "not_met", 4],
  ["nothing may change", { kind: "no_state_change" }, "not_met", 4],
  ["what was said", { kind: "answer_class", class: "answered" }, "met", "answers"],
  ["a judge", { kind: "judged", criterion: "polite" }, "met", "answers"],
])("%s", (_name, check, verdict, wanted) => {
  expect(at(check, verdict)).toBe(wanted);
});

it("a trial that wrote nothing has no step that decided its state", () => {
  const check = { kind: "state" as const, changes: [] };
  const still = { ...trial, calls: trial.calls.filter(({ changed }) => !changed) };
  expect(decidedAt(check, { kind: "state", verdict: "not_met", reason: "" }, still)).toBe("whole");
});

it("a write that is missing has no step that decided it, though another one was made", () => {
  const check = { kind: "state" as const, changes: [] };
  const missing = { table: "orders", key: "SO-1", op: "update" as const };
  expect(decidedAt(check, { kind: "state", verdict: "not_met", reason: "", missing }, trial)).toBe("whole");
});
