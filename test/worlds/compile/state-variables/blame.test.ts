import { expect, test } from "vitest";
import { candidateCauses, type Interval } from "../../../../worlds/compile/state-variables/rules/candidate-causes.ts";

const between = (last: string, shown: string, ...actions: string[]): Interval => ({
  session: 0,
  at: actions.map((_, i) => i),
  actions,
  last,
  shown,
  by: undefined,
});
const times = (n: number, interval: Interval) => Array.from({ length: n }, () => ({ ...interval }));
const nothing = () => new Map<string, string>();

test("the call that is always there when a reading moved, and never when it stayed, moved it", () => {
  const moved = times(6, between("asleep", "ready", "open", "press", "close"));
  const stayed = [
    ...times(9, between("asleep", "asleep", "open", "close")),
    ...times(4, between("ready", "ready", "press")),
  ];
  expect([...candidateCauses(moved, stayed, nothing)]).toEqual(["press"]);
});

test("nobody is blamed where the reading as often stayed, or too seldom moved to tell", () => {
  const moved = times(6, between("asleep", "ready", "open", "press"));
  expect(candidateCauses(moved, times(6, between("asleep", "asleep", "open", "press")), nothing).size).toBe(0);
  expect(candidateCauses(moved.slice(0, 2), times(9, between("asleep", "asleep", "open")), nothing).size).toBe(0);
  // Of readings that nearly always move any three calls are there when they do.
  expect(candidateCauses(times(3, between("asleep", "ready", "wave", "press")), [], nothing).size).toBe(0);
});

test("a call that moves a reading under a condition is told by the condition", () => {
  const moved = times(6, between("fixed", "automatic", "reset", "press"));
  const stayed = [...times(6, between("fixed", "fixed", "press")), ...times(6, between("fixed", "fixed", "reset"))];
  const pending = ({ actions }: Interval, place: number) =>
    new Map([["pending", actions.slice(0, place).includes("reset") ? "yes" : "no"]]);
  expect([...candidateCauses(moved, stayed, pending)]).toEqual(["press"]);
  expect(candidateCauses(moved, stayed, nothing).size).toBe(0);
});
