import { expect, test } from "vitest";
import type { Call } from "../../../../worlds/compile/observations.ts";
import { takeApart } from "../../../../worlds/compile/state-variables/answers.ts";
import { findGuards, metBy } from "../../../../worlds/compile/state-variables/rules/guards.ts";

const call = (tool: string, ok: boolean, value: string, args = {}) => ({ tool, ok, value, args }) as unknown as Call;
const guardsOf = (calls: readonly Call[]) => {
  const byTool = new Map<string, Call[]>();
  for (const each of calls) byTool.set(each.tool, [...(byTool.get(each.tool) ?? []), each]);
  const answers = new Map(calls.map((each) => [each, takeApart(each.value, each.ok, !each.ok)]));
  const known = new Map([...answers].flatMap(([each, answer]) => (answer ? [[each, answer] as const] : [])));
  return { guards: findGuards(byTool, known), known };
};
const LOCKED = "It is locked.";
const calls = ["move", "paint"].flatMap((tool) => [
  ...Array.from({ length: 4 }, () => call(tool, false, LOCKED)),
  ...Array.from({ length: 4 }, () => call(tool, true, "Done.")),
]);

test("tools that refuse in the same words meet the same thing, whether they are refused or not", () => {
  const { guards, known } = guardsOf(calls);
  const [move, paint] = [guards.get("move") ?? [], guards.get("paint") ?? []];
  expect(move).toHaveLength(1);
  expect(paint[0]?.register).toBe(move[0]?.register);
  const register = move[0]?.register as string;
  const [refused, granted] = [calls[0] as Call, calls[4] as Call];
  expect(metBy(move, refused, known.get(refused))).toEqual(new Map([[register, "yes"]]));
  expect(metBy(move, granted, known.get(granted))).toEqual(new Map([[register, "no"]]));
});

test("what the arguments alone refuse is no state of the thing", () => {
  const pins = [
    ...Array.from({ length: 4 }, () => call("enter", false, "Wrong PIN.", { pin: "1" })),
    ...Array.from({ length: 4 }, () => call("enter", true, "In.", { pin: "2" })),
  ];
  expect(guardsOf(pins).guards.size).toBe(0);
});
