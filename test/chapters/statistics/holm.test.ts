import { expect, it } from "vitest";
import { holm } from "../../../chapters/statistics/holm.ts";

it("raises p-values for how many tests stand together, each in its place", () => {
  // The example of Holm's procedure: 0.01 times four, 0.02 times three, 0.03 twice and never below the one before it.
  const raised = holm([0.01, 0.04, 0.03, 0.02]);
  expect(raised.map((p) => Number(p.toFixed(10)))).toEqual([0.04, 0.06, 0.06, 0.06]);
  expect(holm([0.5, 0.9])).toEqual([1, 1]);
  expect(holm([0.03])).toEqual([0.03]);
  expect(holm([])).toEqual([]);
});
