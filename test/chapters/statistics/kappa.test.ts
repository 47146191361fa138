import { describe, expect, test } from "vitest";
import { cohensKappa } from "../../../chapters/statistics/kappa.ts";

const table = (true_pass: number, false_pass: number, false_fail: number, true_fail: number) => ({
  true_pass,
  false_pass,
  true_fail,
  false_fail,
});

describe("Cohen's kappa", () => {
  test.each([
    // 20 yes-yes, 5 and 10 apart, 15 no-no: the textbook's 0.4.
    [20, 5, 10, 15, 0.4],
    [45, 15, 25, 15, 0.1304],
    [25, 35, 5, 35, 0.2593],
    [0, 10, 10, 0, -1],
    [10, 0, 0, 10, 1],
  ])("of %i, %i, %i, %i", (a, b, c, d, kappa) => {
    const found = cohensKappa(table(a, b, c, d));
    expect(found?.kappa).toBeCloseTo(kappa, 4);
    expect(found?.low).toBeLessThanOrEqual(kappa + 1e-9);
    expect(found?.high).toBeGreaterThanOrEqual(kappa - 1e-9);
    expect(found?.low).toBeGreaterThanOrEqual(-1);
    expect(found?.high).toBeLessThanOrEqual(1);
  });
  test("its interval narrows with n, and is one also where all agree", () => {
    const [few, many] = [cohensKappa(table(5, 0, 0, 5)), cohensKappa(table(500, 0, 0, 500))];
    expect(few?.low).toBeLessThan(0.5);
    expect(many?.low).toBeGreaterThan(0.98);
    expect(few?.high).toBe(1);
  });
  test("is undefined without trials, and where both judges know one verdict only", () => {
    expect(cohensKappa(table(0, 0, 0, 0))).toBeUndefined();
    expect(cohensKappa(table(12, 0, 0, 0))).toBeUndefined();
    expect(cohensKappa(table(12, 1, 0, 0))?.kappa).toBe(0);
  });
});
