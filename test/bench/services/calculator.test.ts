import { expect, test } from "vitest";
import { calculator } from "../../../bench/services/calculator.ts";
import { start } from "./kit.ts";

const { ask, refusal } = start(calculator);

test.each([
  ["1 + 2 * 3", 7],
  ["2 ^ 3 ^ 2", 512],
  ["-2 ^ 2", -4],
  ["(1 - 4) / 2 - 1", -2.5],
])("%s is %d", (expression, value) => {
  expect(ask("evaluate", { expression })).toBe(`${expression} = ${value}`);
});

test("arithmetic, units and statistics follow their definitions", () => {
  expect(ask("add", { a: 0.1, b: 0.2 })).toEqual({ result: 0.3 });
  expect(ask("modulo", { a: -7, b: 3 })).toEqual({ result: 2 });
  expect(ask("root", { value: -27, degree: 3 })).toEqual({ result: -3 });
  expect(ask("round", { value: -2.345, digits: 2 })).toEqual({ result: -2.35 });
  expect(ask("convert", { value: 212, from: "f", to: "k" })).toBe("212 f = 373.15 k");
  expect(ask("percent_change", { from: 80, to: 60 })).toBe("Decrease of 25.00%");
  expect(ask("factorial", { n: 20 })).toBe("2432902008176640000");
  expect(ask("mode", { numbers: [3, 1, 3, 1, 2] })).toEqual([1, 3]);
  expect(ask("standard_deviation", { numbers: [2, 4, 4, 4, 5, 5, 7, 9], sample: false })).toEqual({ result: 2 });
  expect(ask("describe", { numbers: [1, 2, 4], digits: 1 })).toContain("| median | 2.0 |");
});

test("what has no result is refused with its reason", () => {
  expect(refusal("divide", { a: 1, b: 0 })).toBe("Error: division by zero");
  expect(refusal("evaluate", { expression: "1 +" })).toBe("Error: unexpected end of the expression");
  expect(refusal("convert", { value: 1, from: "kg", to: "m" })).toBe("Error: cannot convert mass to length");
  expect(refusal("mean", { numbers: [] })).toBe("Error: at least 1 numbers are needed, got 0");
});
