import { describe, expect, it } from "vitest";
import { confidenceOf, confidenceWords, DEFAULT_BANDS } from "../../../chapters/statistics/bands.ts";
import { type PairedTask, pairedPermutation } from "../../../chapters/statistics/permutation.ts";
import { powerOf, tasksFor } from "../../../chapters/statistics/power.ts";
import { drawBeta } from "./coverage.ts";
import { seeded } from "./seeded.ts";

type Random = () => number;
/** Draws the two arms' chances of being met on one task. */
type DrawTask = (random: Random) => readonly [number, number];

/** Shares of comparisons that show b better, and a better, of so many drawn. */
function shown(tasks: number, tries: number, rounds: number, seed: number, draw: DrawTask) {
  const random = seeded(seed);
  const tally = { up: 0, down: 0 };
  for (let round = 0; round < rounds; round++) {
    const pairs = Array.from({ length: tasks }, (): PairedTask => {
      const [a, b] = draw(random);
      const met = (chance: number) => {
        let count = 0;
        for (let i = 0; i < tries; i++) if (random() < chance) count++;
        return { met: count, n: tries };
      };
      return { a: met(a), b: met(b) };
    });
    const { p, difference } = pairedPermutation(pairs);
    if (confidenceWords(confidenceOf(p), DEFAULT_BANDS) !== "shown") continue;
    if (difference > 0) tally.up++;
    else tally.down++;
  }
  return { up: tally.up / rounds, down: tally.down / rounds };
}

/** Tasks of all difficulties, the same for both arms. */
const alike: DrawTask = (random) => {
  const chance = random();
  return [chance, chance];
};

describe("10,000 comparisons of arms that are alike, at the default bands", () => {
  it.each([
    [10, 1],
    [40, 1],
    [40, 3],
    [15, 8],
  ])("%i tasks of %i tries: a difference is shown in at most 5 percent in each direction", (tasks, tries) => {
    const { up, down } = shown(tasks, tries, 10_000, 11 * tasks + tries, alike);
    expect(up).toBeLessThanOrEqual(0.05);
    expect(down).toBeLessThanOrEqual(0.05);
    // The test is no blunter than it must be: it shows something at about half its level even here, where its values are few.
    if (tasks * tries > 40) expect(up + down).toBeGreaterThan(0.05);
  });
});

const alpha = 1 - DEFAULT_BANDS.high / 100;

describe("power is within two points of what the planner promises", () => {
  /** One try: `lost` of the tasks are met by a alone, `won` by b alone. */
  it.each([
    [20, 0.05, 0.35],
    [40, 0.05, 0.25],
    [100, 0.1, 0.2],
    [200, 0.1, 0.2],
    [400, 0.02, 0.07],
  ])("McNemar's exact power: %i tasks, %d lost, %d won", (tasks, lost, won) => {
    const draw: DrawTask = (random) => {
      const u = random();
      return u < lost ? [1, 0] : u < lost + won ? [0, 1] : [1, 1];
    };
    const planned = powerOf(tasks, { difference: won - lost, spread: won + lost, tries: 1, alpha });
    expect(Math.abs(shown(tasks, 1, 20_000, tasks, draw).up - planned)).toBeLessThan(0.02);
  });

  it.each([
    [30, 4, 0.5, 0.6],
    [50, 3, 0.6, 0.7],
    [20, 8, 0.4, 0.5],
    [100, 2, 0.7, 0.78],
    [15, 5, 0.3, 0.5],
  ])("the paired t's power: %i tasks of %i tries, %d against %d", (tasks, tries, a, b) => {
    const draw: DrawTask = (random) => {
      const easier = (random() - 0.5) / 2;
      return [a + easier, b + easier];
    };
    const random = seeded(99);
    const within = (chance: number) => (chance * (1 - chance)) / tries;
    let spread = 0;
    const draws = 50_000;
    for (let i = 0; i < draws; i++) {
      const [x, y] = draw(random);
      spread += ((y - x) ** 2 + within(x) + within(y)) / draws;
    }
    const planned = powerOf(tasks, { difference: b - a, spread, tries, alpha });
    expect(Math.abs(shown(tasks, tries, 20_000, tasks + tries, draw).up - planned)).toBeLessThan(0.02);
  });

  it.each([
    [2, 0.5, 0.5, 0.3],
    [2, 0.3, 0.3, 0.6],
    [3, 0.5, 0.3, 0.6],
    [4, 0.5, 0.6, 0.1],
    [4, 0.3, 0.5, 0.3],
    [8, 0.3, 0.3, 0.6],
    [8, 0.2, 0.6, 0.1],
  ])(
    "few tasks of %i tries, %d apart, about %d with correlation %d: as many as are asked for",
    (tries, apart, mean, alike) => {
      const size = (1 - alike) / alike;
      const draw: DrawTask = (random) => {
        const a = drawBeta(random, mean * size, (1 - mean) * size) * (1 - apart);
        return [a, a + apart];
      };
      const random = seeded(5);
      let spread = 0;
      const draws = 50_000;
      for (let i = 0; i < draws; i++) {
        const [a, b] = draw(random);
        spread += (apart * apart + (a * (1 - a) + b * (1 - b)) / tries) / draws;
      }
      const wanted = { difference: apart, spread, tries, alpha };
      const tasks = tasksFor(wanted, 0.8) ?? 0;
      expect(tasks).toBeLessThanOrEqual(20);
      const promised = powerOf(tasks, wanted);
      expect(promised).toBeGreaterThanOrEqual(0.8);
      // What drawing 4,000 leaves open is in the promise: two standard errors beside the two points.
      expect(Math.abs(shown(tasks, tries, 10_000, tasks + tries, draw).up - promised)).toBeLessThan(0.02 + 0.0126);
    },
  );

  it("as many tasks as it asks for reach the power, and one fewer does not", () => {
    for (const wanted of [
      { difference: 0.05, spread: 0.15, tries: 1, alpha },
      { difference: 0.3, spread: 0.3, tries: 1, alpha },
      { difference: 0.05, spread: 0.06, tries: 4, alpha },
    ]) {
      const tasks = tasksFor(wanted, 0.8) ?? 0;
      expect(powerOf(tasks, wanted)).toBeGreaterThanOrEqual(0.8);
      expect(Math.min(powerOf(tasks - 1, wanted), powerOf(tasks - 2, wanted))).toBeLessThan(0.8);
    }
    expect(tasksFor({ difference: 0, spread: 0.2, tries: 1, alpha }, 0.8)).toBeUndefined();
  });
});
