import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { confidenceOf, confidenceWords, DEFAULT_BANDS } from "../../../chapters/statistics/bands.ts";
import { clusteredInterval } from "../../../chapters/statistics/clustered.ts";
import { passAtK, passHatK, passK } from "../../../chapters/statistics/pass-k.ts";
import { type PairedTask, pairedPermutation } from "../../../chapters/statistics/permutation.ts";
import { smallestShown } from "../../../chapters/statistics/smallest-shown.ts";
import { wilson } from "../../../chapters/statistics/wilson.ts";
import { growth, LINEAR } from "../../helpers/growth.ts";
import { seeded } from "./seeded.ts";

describe("Wilson", () => {
  test.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])("%i of %i as in Newcombe 1998, table I, method 3", (met, n, low, high) => {
    const interval = wilson(met, n);
    expect(interval.low).toBeCloseTo(low, 4);
    expect(interval.high).toBeCloseTo(high, 4);
  });

  test("nothing counted says nothing, all met reaches 1", () => {
    expect(wilson(0, 0)).toEqual({ low: 0, high: 1 });
    expect(wilson(7, 7).high).toBe(1);
  });
});

describe("task-clustered interval", () => {
  test("one trial a task is Wilson's own with Student's t of so many tasks", () => {
    const clusters = Array.from({ length: 40 }, (_, i) => ({ met: i < 25 ? 1 : 0, n: 1 }));
    const own = wilson(25, 40, 2.022691);
    const clustered = clusteredInterval(clusters);
    expect(clustered.low).toBeCloseTo(own.low, 6);
    expect(clustered.high).toBeCloseTo(own.high, 6);
  });

  test("trials that all say the same count as tasks", () => {
    const clusters = Array.from({ length: 40 }, (_, i) => ({ met: i < 25 ? 4 : 0, n: 4 }));
    const clustered = clusteredInterval(clusters);
    expect(clustered.low).toBeCloseTo(wilson(25, 40, 2.022691).low, 6);
  });

  test("one task says next to nothing, however often it was tried, and nothing says nothing", () => {
    const one = clusteredInterval([{ met: 50, n: 50 }]);
    expect(one.low).toBeLessThan(0.01);
    expect(one.high).toBe(1);
    expect(clusteredInterval([{ met: 0, n: 0 }])).toEqual({ low: 0, high: 1 });
  });

  test("it covers the true rate near 95 % of the time where plain Wilson does not", () => {
    const random = seeded(7);
    let clustered = 0;
    let plain = 0;
    const rounds = 2_000;
    for (let round = 0; round < rounds; round++) {
      // Tasks differ: half of them are met 90 % of the time, half 20 %, so the true rate is 0.55.
      const clusters = Array.from({ length: 40 }, () => {
        const chance = random() < 0.5 ? 0.9 : 0.2;
        return { met: Array.from({ length: 8 }, () => random() < chance).filter(Boolean).length, n: 8 };
      });
      const covers = ({ low, high }: { low: number; high: number }) => low <= 0.55 && 0.55 <= high;
      if (covers(clusteredInterval(clusters))) clustered++;
      if (
        covers(
          wilson(
            clusters.reduce((sum, { met }) => sum + met, 0),
            320,
          ),
        )
      )
        plain++;
    }
    expect(clustered / rounds).toBeGreaterThan(0.93);
    expect(clustered / rounds).toBeLessThan(0.98);
    expect(plain / rounds).toBeLessThan(0.85);
  });
});

describe("pass@k and pass^k", () => {
  test("equal the share over all ways to choose k tries", () => {
    fc.assert(
      fc.property(
        fc.array(fc.boolean(), { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 8 }),
        (tries, k) => {
          const c = tries.filter(Boolean).length;
          let any = 0;
          let all = 0;
          let ways = 0;
          for (let mask = 0; mask < 1 << tries.length; mask++) {
            const chosen = tries.filter((_, i) => mask & (1 << i));
            if (chosen.length !== k) continue;
            ways++;
            if (chosen.some(Boolean)) any++;
            if (chosen.every(Boolean)) all++;
          }
          if (ways === 0)
            return passAtK(tries.length, c, k) === undefined && passHatK(tries.length, c, k) === undefined;
          return (
            Math.abs((passAtK(tries.length, c, k) ?? -1) - any / ways) < 1e-12 &&
            Math.abs((passHatK(tries.length, c, k) ?? -1) - all / ways) < 1e-12
          );
        },
      ),
    );
  });

  test("means over tasks with enough tries", () => {
    expect(
      passK(
        [
          { met: 2, n: 5 },
          { met: 5, n: 5 },
          { met: 1, n: 1 },
        ],
        2,
      ),
    ).toEqual({ at: 0.85, hat: 0.55, tasks: 2 });
    expect(passK([{ met: 1, n: 1 }], 2)).toBeUndefined();
    expect(passAtK(200_000, 3, 100)).toBeCloseTo(0.0015, 4);
  });
});

const pair = (a: number, b: number, n = 1): PairedTask => ({ a: { met: a, n }, b: { met: b, n } });

describe("exact paired permutation", () => {
  test("Darwin's maize as in Fisher 1935: 863 of 32,768 on one side", () => {
    const eighths = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48];
    const pairs = eighths.map((d) => ({ a: { met: d < 0 ? -d : 0, n: 100 }, b: { met: Math.max(d, 0), n: 100 } }));
    expect(pairedPermutation(pairs).p).toBeCloseTo((2 * 863) / 32_768, 12);
  });

  test("with one trial a task it is McNemar's exact test", () => {
    // 8 against 2 discordant pairs: 2 * (C(10,0) + C(10,1) + C(10,2)) / 2^10.
    const pairs = [...Array(8).fill(pair(0, 1)), ...Array(2).fill(pair(1, 0)), ...Array(30).fill(pair(1, 1))];
    const { p, difference, tasks } = pairedPermutation(pairs);
    expect(p).toBeCloseTo((2 * (1 + 10 + 45)) / 1024, 12);
    expect(difference).toBeCloseTo(6 / 40, 12);
    expect(tasks).toBe(40);
  });

  test("equals counting every sign choice, with unequal numbers of trials too", () => {
    const arm = fc
      .integer({ min: 1, max: 5 })
      .chain((n) => fc.record({ met: fc.integer({ min: 0, max: n }), n: fc.constant(n) }));
    fc.assert(
      fc.property(fc.array(fc.record({ a: arm, b: arm }), { minLength: 1, maxLength: 9 }), (pairs) => {
        const differences = pairs.map(({ a, b }) => Math.round(60 * (b.met / b.n - a.met / a.n)));
        const observed = Math.abs(differences.reduce((sum, d) => sum + d, 0));
        let extreme = 0;
        for (let mask = 0; mask < 1 << pairs.length; mask++) {
          const sum = differences.reduce((total, d, i) => total + (mask & (1 << i) ? d : -d), 0);
          if (Math.abs(sum) >= observed) extreme++;
        }
        expect(pairedPermutation(pairs).p).toBeCloseTo(extreme / (1 << pairs.length), 10);
      }),
    );
  });

  test("no pair, no valid trial, no difference: p is 1", () => {
    expect(pairedPermutation([])).toEqual({ difference: 0, p: 1, tasks: 0 });
    expect(pairedPermutation([{ a: { met: 0, n: 0 }, b: { met: 1, n: 1 } }])).toEqual({
      difference: 0,
      p: 1,
      tasks: 0,
    });
    expect(pairedPermutation([pair(1, 1), pair(0, 0)]).p).toBe(1);
  });

  test("400 tasks with odd denominators take time in proportion to their number", async () => {
    const random = seeded(3);
    const arm = () => {
      const n = 5 + Math.floor(random() * 16);
      return { met: Math.floor(random() * (n + 1)), n };
    };
    const pairs = Array.from({ length: 400 }, () => ({ a: arm(), b: arm() }));
    expect(await growth((size) => pairedPermutation(pairs.slice(0, size * 100)))).toBeLessThan(LINEAR);
    const { p } = pairedPermutation(pairs);
    expect(p).toBeGreaterThan(0);
    expect(p).toBeLessThanOrEqual(1);
  });

  test("of 10,000 null comparisons at most 5 % are shown in each direction at the default bands", () => {
    const random = seeded(11);
    const shown = { better: 0, worse: 0 };
    const rounds = 10_000;
    for (let round = 0; round < rounds; round++) {
      const pairs = Array.from({ length: 24 }, () => {
        const chance = random();
        const met = () => [1, 2, 3].filter(() => random() < chance).length;
        return pair(met(), met(), 3);
      });
      const { p, difference } = pairedPermutation(pairs);
      if (confidenceWords(confidenceOf(p), DEFAULT_BANDS) !== "shown") continue;
      if (difference > 0) shown.better++;
      else shown.worse++;
    }
    // Three standard errors of a true 5 % over 10,000 rounds.
    expect(shown.better / rounds).toBeLessThanOrEqual(0.05 + 0.0066);
    expect(shown.worse / rounds).toBeLessThanOrEqual(0.05 + 0.0066);
    expect(shown.better + shown.worse).toBeGreaterThan(rounds * 0.05);
  });
});

const design = (tasks: number, tries: number): PairedTask[] => Array(tasks).fill(pair(0, 0, tries));

describe("words", () => {
  test("bands turn confidence into words at their edges", () => {
    const words = (confidence: number) => confidenceWords(confidence, DEFAULT_BANDS);
    expect([0, 19.9, 20, 89.9, 90, 100].map(words)).toEqual([
      "no difference shown",
      "no difference shown",
      "leaning",
      "leaning",
      "shown",
      "shown",
    ]);
    expect(confidenceOf(0.1)).toBe(90);
  });

  test("the smallest difference is the one the test itself would show", () => {
    for (const tasks of [5, 20, 100]) {
      const smallest = smallestShown(design(tasks, 1), 90);
      expect(smallest).toEqual({ flips: 5, difference: 5 / tasks });
      const flipped = (n: number) => [...Array(n).fill(pair(0, 1)), ...Array(tasks - n).fill(pair(1, 1))];
      expect(confidenceOf(pairedPermutation(flipped(5)).p)).toBeGreaterThanOrEqual(90);
      expect(confidenceOf(pairedPermutation(flipped(4)).p)).toBeLessThan(90);
    }
    expect(smallestShown(design(4, 1), 90)).toBeUndefined();
    expect(smallestShown(design(1, 1), 0)).toEqual({ flips: 1, difference: 1 });
    expect(smallestShown(design(1_000, 1), 100)).toBeUndefined();
  });

  test("it is of the design: with four tries a task, five tries of eighty", () => {
    expect(smallestShown(design(20, 4), 90)).toEqual({ flips: 5, difference: 5 / 80 });
    const lost = (n: number) => [...Array(n).fill(pair(4, 3, 4)), ...Array(20 - n).fill(pair(4, 4, 4))];
    expect(confidenceOf(pairedPermutation(lost(5)).p)).toBeGreaterThanOrEqual(90);
    expect(confidenceOf(pairedPermutation(lost(4)).p)).toBeLessThan(90);
    // Arms with other numbers of tries differ in finer steps: 2 of 3 against 3 of 4 is a twelfth.
    expect(smallestShown(Array(10).fill({ a: { met: 0, n: 3 }, b: { met: 0, n: 4 } }), 90)?.difference).toBeCloseTo(
      5 / 120,
    );
  });

  test("no difference that the test shows is smaller than it, whatever the tries", () => {
    const arm = fc
      .integer({ min: 1, max: 4 })
      .chain((n) => fc.record({ met: fc.integer({ min: 0, max: n }), n: fc.constant(n) }));
    fc.assert(
      fc.property(
        fc.array(fc.record({ a: arm, b: arm }), { minLength: 1, maxLength: 24 }),
        fc.constantFrom(50, 80, 90, 95),
        (pairs, high) => {
          const { p, difference } = pairedPermutation(pairs);
          if (confidenceOf(p) < high) return true;
          return Math.abs(difference) >= (smallestShown(pairs, high)?.difference ?? Number.POSITIVE_INFINITY) - 1e-9;
        },
      ),
      { numRuns: 3_000 },
    );
  });
});
