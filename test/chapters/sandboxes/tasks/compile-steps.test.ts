import { expect, test } from "vitest";
import { compileSurface } from "../../../../chapters/sandboxes/tasks/compute-tasks.ts";
import { packTrace } from "../../../../store/pack-trace.ts";
import { compile } from "../../../../worlds/compile/index.ts";
import { Steps } from "../../../../worlds/compile/report.ts";
import { deskTraces } from "../../../helpers/desk-traces.ts";

test("parts of a compile count by their weight, and those that do not apply not at all", () => {
  const told: number[] = [];
  const steps = new Steps(["history", "records", "programs", "whole"], (share) => told.push(Math.round(130 * share)));
  steps.at("history", 0.5);
  steps.at("history", 1);
  // Thirty of the ninety that are left.
  steps.drop("records");
  steps.at("programs", 1);
  steps.at("whole", 1);
  expect(told).toEqual([15, 30, 43, 101, 130]);
});

test("a compile and its measuring tell how far they are, in order, to the end, and in steps that are not long", async () => {
  const told: number[] = [];
  const traces = deskTraces().slice(0, 60);
  compile(traces, { name: "desk", tell: (share) => told.push(share) });
  expect(told.length).toBeGreaterThanOrEqual(6);
  expect(told).toEqual([...new Set(told)].sort((a, b) => a - b));
  expect(told.at(-1)).toBe(1);

  const whole: number[] = [];
  const input = { name: "desk", traces, tools: undefined, records: undefined, seed: "1" };
  await compileSurface.run(input, { packTrace, tell: (share) => whole.push(share) });
  expect(whole).toEqual([...new Set(whole)].sort((a, b) => a - b));
  expect(whole.length).toBeGreaterThan(told.length);
  expect(whole.at(-1)).toBeCloseTo(0.95);
});
