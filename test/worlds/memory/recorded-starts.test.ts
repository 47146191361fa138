import { expect, test } from "vitest";
import { observe } from "../../../worlds/compile/observations.ts";
import { recordedStarts, remember } from "../../../worlds/compile/remembering.ts";
import type { JsonObject } from "../../../worlds/json.ts";
import type { ObservedTrace } from "../../../worlds/observation.ts";

type Said = readonly [tool: string, args: JsonObject, answer: JsonObject];

const session = (group: string, ...calls: Said[]): ObservedTrace => ({
  id: `session of ${group}`,
  group,
  calls: calls.map(([tool, args, value]) => ({ tool, args, result: JSON.stringify(value), isError: false })),
});
const level = (litres: number): Said => ["get_level", {}, { litres }];
const fill: Said = ["fill", { litres: 5 }, { done: true }];

/** Which groups start apart where memory alone answers the tools of `missed`. */
function apart(traces: readonly ObservedTrace[], missed: readonly string[] = ["get_level"]): string[] {
  const sessions = observe(traces);
  const calls = new Set(sessions.flatMap((each) => each.calls.filter(({ tool }) => missed.includes(tool))));
  const memory = remember(sessions, calls, [], { all: true });
  return memory === undefined ? [] : Object.keys(recordedStarts(sessions, calls, memory));
}

test("groups that read differently at their beginning start apart", () => {
  expect(apart([session("b", level(7)), session("a", level(3)), session("c", level(7))])).toEqual(["a", "b", "c"]);
});

test("groups that read the same do not, nor those that read otherwise after a change alone", () => {
  expect(apart([session("a", level(3)), session("b", level(3))])).toEqual([]);
  expect(apart([session("a", level(3), fill, level(8)), session("b", level(3), fill, level(9))])).toEqual([]);
});

test("a group whose own sessions read otherwise each time does not: the system has changed", () => {
  const again = (group: string, litres: number): ObservedTrace => ({
    ...session(group, level(litres)),
    id: `${group} again`,
  });
  expect(apart([session("a", level(3)), session("b", level(3)), again("a", 7), again("b", 7)])).toEqual([]);
});

test("a group that the rest of the world answers needs no start of its own", () => {
  expect(apart([session("a", level(3), fill), session("b", level(7), fill)], ["fill"])).toEqual([]);
});
