import { describe, expect, it } from "vitest";
import { keptHours, linesOf, shareOf, turnOf, windowsOf } from "../../../chapters/online/alert.ts";
import { isSampled } from "../../../chapters/online/evaluate.ts";

const HOUR = 3600;
const NOW = 1_790_000_000;
const window = (bad: number, judged: number) => ({ bad, judged, by: bad === 0 ? {} : { loop: bad } });
const none = { bad: 0, judged: 0, by: {} };

describe("an alert by a threshold", () => {
  const terms = { threshold: 0.1 };
  it("opens only when the whole interval lies above what is allowed", () => {
    expect(turnOf(terms, window(4, 20), none, undefined)).toBe("stays");
    expect(turnOf(terms, window(12, 40), none, undefined)).toBe("opens");
    expect(turnOf(terms, window(400, 4000), none, undefined)).toBe("stays");
    expect(turnOf({ threshold: 0 }, window(0, 40), none, undefined)).toBe("stays");
    expect(turnOf({ threshold: 0 }, window(1, 40), none, undefined)).toBe("opens");
  });
  it("lasts until the share itself is allowed again", () => {
    expect(turnOf(terms, window(4, 20), none, {})).toBe("stays");
    expect(turnOf(terms, window(2, 20), none, {})).toBe("closes");
  });
  it("a window of too few traces opens and closes nothing", () => {
    expect(turnOf(terms, window(19, 19), none, undefined)).toBe("stays");
    expect(turnOf(terms, window(0, 19), none, {})).toBe("stays");
    expect(turnOf({ ...terms, min_traces: 5 }, window(5, 5), none, undefined)).toBe("opens");
  });
});

it("an incident is over where nothing was judged in two windows", () => {
  expect(turnOf({ threshold: 0.1 }, none, window(0, 0), {})).toBe("closes");
  expect(turnOf({ change: 0.1 }, none, window(0, 0), { baseline: window(1, 40) })).toBe("closes");
  expect(turnOf({ threshold: 0.1 }, window(0, 0), window(1, 1), {})).toBe("stays");
  expect(turnOf({ threshold: 0.1 }, window(0, 0), none, undefined)).toBe("stays");
  expect(linesOf({ threshold: 0.1 }, window(0, 0), undefined)).toEqual([
    "No trace was judged in the last 48 hours: whether what failed still fails is not known.",
  ]);
});

describe("an alert by a change", () => {
  const terms = { change: 0.05 };
  it("opens when the interval of the rise lies above what is allowed, and never against too few traces", () => {
    expect(turnOf(terms, window(30, 100), { bad: 5, judged: 100 }, undefined)).toBe("opens");
    expect(turnOf(terms, window(12, 100), { bad: 5, judged: 100 }, undefined)).toBe("stays");
    expect(turnOf(terms, window(30, 100), { bad: 0, judged: 19 }, undefined)).toBe("stays");
  });
  it("is held against the window before it opened for as long as it lasts", () => {
    const open = { baseline: { bad: 5, judged: 100 } };
    expect(turnOf(terms, window(30, 100), { bad: 30, judged: 100 }, open)).toBe("stays");
    expect(turnOf(terms, window(10, 100), { bad: 30, judged: 100 }, open)).toBe("closes");
  });
});

it("windows are the last hours and as many before; older hours are forgotten", () => {
  const at = Math.floor(NOW / HOUR) * HOUR;
  const hour = (back: number, bad: number) => ({ at: at - back * HOUR, judged: 10, bad, by: { loop: bad } });
  const hours = [hour(0, 1), hour(1, 2), hour(2, 3), hour(3, 4), hour(4, 5)];
  const terms = { window_hours: 2, threshold: 0.1 };
  expect(windowsOf(hours, terms, NOW)).toEqual({
    window: { judged: 20, bad: 3, by: { loop: 3 } },
    before: { judged: 20, bad: 7, by: { loop: 7 } },
  });
  expect(keptHours(hours, terms, NOW).map(({ bad }) => bad)).toEqual([1, 2, 3, 4]);
});

it("says each share with its interval", () => {
  expect(linesOf({ threshold: 0.1, share: 0.5, window_hours: 1 }, window(12, 40), undefined)).toEqual([
    "12 of 40 judged traces failed (30 %, 95 % interval 18.1 % to 45.4 %) in the last hour. At most 10 % may fail.",
    "What failed most: loop (12).",
    "50 % of the traces are judged.",
  ]);
  expect(linesOf({ change: 0.05 }, window(30, 100), { bad: 5, judged: 100 })[0]).toBe(
    "30 of 100 judged traces failed (30 %, 95 % interval 21.9 % to 39.6 %) in the last 24 hours. Before, 5 of 100 judged traces failed (5 %, 95 % interval 2.2 % to 11.2 %): 25 points more (95 % interval 14.8 to 35.0). A rise of at most 5.0 points is allowed.".replace(
      "25 points",
      "25.0 points",
    ),
  );
  expect(shareOf({ judged: 0, bad: 0 })).toBeNull();
});

it("a sample is of the trace's id alone, of its share, and in every larger one", () => {
  const ids = Array.from({ length: 4000 }, (_, i) => `tr_${i}`);
  const some = ids.filter((id) => isSampled(id, 0.25));
  expect(some.length).toBeGreaterThan(900);
  expect(some.length).toBeLessThan(1100);
  expect(ids.filter((id) => isSampled(id, 0.25))).toEqual(some);
  expect(some.every((id) => isSampled(id, 0.5))).toBe(true);
  expect(ids.every((id) => isSampled(id, 1))).toBe(true);
});
