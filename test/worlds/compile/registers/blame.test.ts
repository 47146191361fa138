import { expect, test } from "vitest";
import { type Bracket, culprits } from "../../../../worlds/compile/registers/rules/blame.ts";

const between = (last: string, shown: string, ...acts: string[]): Bracket => ({
  session: 0,
  at: acts.map((_, i) => i),
  acts,
  last,
  shown,
  by: undefined,
});
const times = (n: number, bracket: Bracket) => Array.from({ length: n }, () => ({ ...bracket }));
const nothing = () => new Map<string, string>();

test("the call that is always there when a reading moved, and never when it stayed, moved it", () => {
  const moved = times(6, between("asleep", "ready", "open", "press", "close"));
  const stayed = [
    ...times(9, between("asleep", "asleep", "open", "close")),
    ...times(4, between("ready", "ready", "press")),
  ];
  expect([...culprits(moved, stayed, nothing)]).toEqual(["press"]);
});

test("nobody is blamed where the reading as often stayed, or too seldom moved to tell", () => {
  const moved = times(6, between("asleep", "ready", "open", "press"));
  expect(culprits(moved, times(6, between("asleep", "asleep", "open", "press")), nothing).size).toBe(0);
  expect(culprits(moved.slice(0, 2), times(9, between("asleep", "asleep", "open")), nothing).size).toBe(0);
  // Of readings that nearly always move any three calls are there when they do.
  expect(culprits(times(3, between("asleep", "ready", "wave", "press")), [], nothing).size).toBe(0);
});

test("a call that moves a reading under a condition is told by the condition", () => {
  const moved = times(6, between("fixed", "automatic", "reset", "press"));
  const stayed = [...times(6, between("fixed", "fixed", "press")), ...times(6, between("fixed", "fixed", "reset"))];
  const pending = ({ acts }: Bracket, place: number) =>
    new Map([["pending", acts.slice(0, place).includes("reset") ? "yes" : "no"]]);
  expect([...culprits(moved, stayed, pending)]).toEqual(["press"]);
  expect(culprits(moved, stayed, nothing).size).toBe(0);
});
