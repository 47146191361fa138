import { expect, test } from "vitest";
import type { Call } from "../../../../worlds/compile/observations.ts";
import type { Event, Events } from "../../../../worlds/compile/state-variables/events.ts";
import { readOnlyTools } from "../../../../worlds/compile/state-variables/read-only-tools.ts";

const event = (tool: string, value: string, shown: ReadonlyMap<string, string> = new Map()) =>
  ({ tool, args: "{}", call: { tool, ok: true, value } as unknown as Call, shown }) as Event;
const events = (sessions: readonly (readonly Event[])[]) =>
  ({ sessions, tools: new Set(sessions.flatMap((session) => session.map(({ tool }) => tool))) }) as unknown as Events;
const twice = (n: number, tool: string) =>
  Array.from({ length: n }, (_, i) => [event(tool, `It is ${i % 2}.`), event(tool, `It is ${i % 2}.`)]);
const READS = new Set(["check"]);

test("a tool that said the same whenever it was asked again looks, if that was often", () => {
  expect(readOnlyTools(events(twice(6, "measure")), READS)).toEqual(["measure"]);
  // An act that a few sessions happen to do twice in vain is no look.
  expect(readOnlyTools(events(twice(5, "measure")), READS)).toEqual([]);
});

test("no tool looks that once said otherwise, or between two sights that differ", () => {
  const odd = [event("measure", "It is 0."), event("measure", "It is 1.")];
  expect(readOnlyTools(events([...twice(9, "measure"), odd]), READS)).toEqual([]);
  const sight = (value: string) => event("check", value, new Map([["r_lamp", value]]));
  const between = [sight("on"), event("measure", "It is 0."), sight("off")];
  expect(readOnlyTools(events([...twice(9, "measure"), between]), READS)).toEqual([]);
});

test("a tool that says the same in every session tells nothing by saying it again", () => {
  const same = Array.from({ length: 9 }, () => [event("wave", "Done."), event("wave", "Done.")]);
  expect(readOnlyTools(events(same), READS)).toEqual([]);
});
