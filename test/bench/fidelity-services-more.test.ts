import { expect, test } from "vitest";
import { calibrationLines, monotonyLines } from "../../bench/fidelity-services-more.ts";
import type { Measured } from "../../bench/fidelity-services-worker.ts";

const measured = (draw: number | undefined, trained: number, splits: object = {}): Measured =>
  ({ service: "shop", draw, trained, splits }) as unknown as Measured;

test("utility that falls in every draw as sessions are added is told as a fall, and a scattered one is not", () => {
  const utilities = new Map<Measured, number>();
  const of = (draw: number | undefined, trained: number, value: number): Measured => {
    const one = measured(draw, trained);
    utilities.set(one, value);
    return one;
  };
  const all = [
    ...[0.5, 0.52, 0.51].map((value, draw) => of(draw, 10, value)),
    ...[0.4, 0.41, 0.42].map((value, draw) => of(draw, 20, value)),
    ...[0.7, 0.1, 0.5].map((value, draw) => of(draw, 40, value)),
    of(undefined, 90, 0.9),
  ];
  const lines = monotonyLines(all, (one) => utilities.get(one) as number);
  expect(lines[1]).toContain("surely fall: 1");
  expect(lines[2]).toMatch(/10: +51\.0 ± 1\.2 +20: +41\.0 ± 1\.2 falls +40: +43\.3 ± 35\.3 +90: +90\.0/);
});

test("promises of several splits are put together by tenth, with what they came to", () => {
  const one = { calibration: [{ promised: 0.95, met: 0.9, n: 10 }] };
  const two = { calibration: [{ promised: 0.99, met: 1, n: 30 }] };
  const lines = calibrationLines([measured(undefined, 90, { one, two })]);
  expect(lines.at(-1)?.trim()).toMatch(/^98\.0 +97\.5 +40 answers$/);
});
