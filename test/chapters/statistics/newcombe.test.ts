import { describe, expect, test } from "vitest";
import { differenceOf } from "../../../chapters/statistics/newcombe.ts";

describe("the difference of two shares", () => {
  // Newcombe 1998, Statistics in Medicine 17: 873-890, table II, method 10.
  test.each([
    [56, 70, 48, 80, 0.2, 0.0524, 0.3339],
    [9, 10, 3, 10, 0.6, 0.1705, 0.809],
    [10, 10, 0, 20, 1, 0.6791, 1],
    [10, 10, 0, 10, 1, 0.6075, 1],
    [5, 56, 0, 29, 0.0893, -0.0381, 0.1926],
  ])("%i of %i less %i of %i", (a, m, b, n, difference, low, high) => {
    const found = differenceOf({ part: a, n: m }, { part: b, n });
    expect(found?.difference).toBeCloseTo(difference, 4);
    expect(found?.low).toBeCloseTo(low, 4);
    expect(found?.high).toBeCloseTo(high, 4);
  });
  test("is undefined where one of them has nothing", () => {
    expect(differenceOf({ part: 0, n: 0 }, { part: 1, n: 2 })).toBeUndefined();
  });
});
