import { expect, test } from "vitest";
import type { Json, JsonObject } from "../../../../worlds/json.ts";
import { requestedSums } from "../../../../worlds/tasks/observed/requested-sums.ts";

const run = (args: JsonObject, result: Json) => ({
  id: "t",
  request: "How much is the total?",
  calls: [{ tool: "any", args, result, isError: false }],
  answers: ["The total is $42.50."],
});
const sums = (args: JsonObject, result: Json) => requestedSums([run(args, result)]).map(({ value }) => value);

test.each([{ sum: "40.25 + 2.25" }, { formula: "(50.50 - 8) * 1" }, { input: "50.50-8.00" }])(
  "a total that a formula came to is the agent's own figure, whatever the argument is called: %j",
  (args) => {
    expect(sums(args, "42.50")).toEqual([42.5]);
    expect(sums(args, 42.5)).toEqual([42.5]);
  },
);

test.each([
  [{ order_id: "#W1" }, { total: 42.5 }],
  [{ expression: "total of order 1" }, "42.50"],
  [{ day: "2024-05-01" }, 42.5],
  [{ code: "555-123" }, "42.50"],
  [{ phone: "+1 555 0100" }, 42.5],
  [{ sum: "40.25 + 2.25", currency: "USD" }, "42.50"],
  [{ sum: "40.25 + 2.25" }, "42.50 is the price of order 7"],
] as const)("a total that a system told is no figure of the agent's: %j", (args, result) => {
  expect(sums(args, result)).toEqual([]);
});
