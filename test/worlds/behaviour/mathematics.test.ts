import { describe, expect, test } from "vitest";
import { computed, type MathName } from "../../../worlds/behaviour/functions/mathematics.ts";
import { calculate } from "../../../worlds/behaviour/functions/numbers.ts";

describe("functions of numbers", () => {
  test.each<[MathName, readonly unknown[], number | undefined]>([
    ["modulo", [-7, 3], 2],
    ["remainder", [-7, 3], -1],
    ["root", [-27, 3], -3],
    ["root", [-4, 2], undefined],
    ["quotient", [1, 0], undefined],
    ["factorial", [5], 120],
    ["factorial", [2.5], undefined],
    ["factorial", [171], undefined],
    ["log", [8, 2], 3],
    ["ln", [0], undefined],
    ["change", [80, 100], 25],
    ["gcd", [12, 18], 6],
    ["gcd", [1.5, 3], undefined],
    ["round_to", [2.345, 2], 2.35],
    ["round_to", [2.345, 99], 2.345],
    ["round_to", [2.345, -1], undefined],
    ["round_to_unless_half", [2.345, 2], undefined],
    ["round_to_unless_half", [-2.345, 2], undefined],
    ["round_to_unless_half", [2.346, 2], 2.35],
    ["round_to_unless_half", [2 ** 60, 2], 2 ** 60],
    ["round_unless_half", [2.5], undefined],
    ["round_unless_half", [2.51], 3],
    ["significant", [1234.5678, 3], 1230],
    ["significant", [1234.5678, 0], undefined],
    ["mean", [[]], undefined],
    ["mean", [[1, "2"]], undefined],
    ["median", [[4, 1, 3, 2]], 2.5],
    ["deviation", [[2, 4, 4, 4, 5, 5, 7, 9]], 2],
    ["sample_deviation", [[5]], undefined],
    ["plus", [0.1, 0.2], 0.1 + 0.2],
    ["sqrt", ["9"], undefined],
    ["calculate", ["2 +"], undefined],
    ["calculate", [7], undefined],
    ["converted", [10, "km", "miles"], 10_000 / 1609.344],
    ["converted", [212, "Fahrenheit", "celsius"], 100],
    ["converted", [1, "kg", "m"], undefined],
    ["converted", [1, "furlong", "m"], undefined],
  ])("%s of %j", (name, given, value) => {
    const found = computed(name, given);
    if (value === undefined) expect(found).toBeUndefined();
    else expect(found).toBeCloseTo(value, 12);
  });
});

test("a list longer than calls have arguments has its ends", () => {
  const long = Array.from({ length: 300_000 }, (_, i) => i);
  expect([computed("smallest", [long]), computed("largest", [long]), computed("range", [long])]).toEqual([
    0, 299_999, 299_999,
  ]);
});

test.each(["__proto__", "constructor", "toString", ""])("%s is no unit", (name) => {
  expect(computed("converted", [1, name, name])).toBeUndefined();
  expect(computed("converted", [1, "m", name])).toBeUndefined();
});

describe("powers in an arithmetic text", () => {
  test.each([
    ["2 ^ 8 - (6 + 1)", 249],
    ["2 ** 3 ** 2", 512],
    ["-2 ^ 2", -4],
    ["2 ^ -1", 0.5],
    ["(1 + 2) ^ 2 * 2", 18],
  ])("%s", (text, value) => {
    expect(calculate(text)).toBe(value);
  });

  test("a power that no number holds is refused", () => {
    expect(() => calculate("9 ^ 9999")).toThrow(/out of the range/);
    expect(() => calculate("2 ^")).toThrow(/not an arithmetic expression/);
  });
});
