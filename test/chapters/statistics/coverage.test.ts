import { describe, expect, it } from "vitest";
import { clusteredInterval } from "../../../chapters/statistics/clustered.ts";
import { wilson } from "../../../chapters/statistics/wilson.ts";
import { coverage } from "./coverage.ts";

const ROUNDS = 500;
/** Three standard errors of one point's share at 95 %, over so many runs. */
const POINT = 3 * Math.sqrt((0.95 * 0.05) / ROUNDS);

describe("the interval holds the true rate at rates .1 to .9 and correlations 0, .3 and .7; the bench has 4,000 runs a point", () => {
  it.each([
    [20, 1],
    [20, 4],
    [50, 4],
    [20, 10],
  ])("%i tasks of %i tries: 94 to 98 percent on average, and 92 at each point", (tasks, tries) => {
    const { clustered } = coverage({ clustered: clusteredInterval }, { tasks, tries }, ROUNDS);
    expect(clustered.mean).toBeGreaterThanOrEqual(0.94);
    expect(clustered.mean).toBeLessThanOrEqual(0.98);
    expect(clustered.least).toBeGreaterThanOrEqual(0.95 - POINT);
  });

  it.each([
    [1, 4],
    [2, 4],
    [5, 1],
    [5, 4],
    [10, 10],
  ])("%i tasks of %i tries: never below 94 percent on average", (tasks, tries) => {
    const { clustered } = coverage({ clustered: clusteredInterval }, { tasks, tries }, ROUNDS);
    expect(clustered.mean).toBeGreaterThanOrEqual(0.94);
  });

  it("which trials counted as tasks do not", () => {
    const overTrials = (clusters: readonly { met: number; n: number }[]) =>
      wilson(
        clusters.reduce((sum, { met }) => sum + met, 0),
        clusters.reduce((sum, { n }) => sum + n, 0),
      );
    expect(coverage({ overTrials }, { tasks: 20, tries: 10 }, ROUNDS).overTrials.mean).toBeLessThan(0.8);
  });
});
