import { expect, test } from "vitest";
import { acted } from "../../../../worlds/compile/state-variables/argument-assignments.ts";
import type { Pair } from "../../../../worlds/compile/state-variables/cases.ts";
import { indexedAssignment, indexedVariablesOf } from "../../../../worlds/compile/state-variables/indexed-variables.ts";

const about = new Map(["hall", "attic", "cellar"].map((room) => [`r_${room}`, { room }]));
const registers = new Map([...about].map(([register, args]) => [`look\nLight of ${JSON.stringify(args)}`, register]));
const family = indexedVariablesOf({ variables: registers, about }).get("r_attic");
const args = (room: string, to: string) =>
  new Map([
    ["args.room", room],
    ["args.to", to],
  ]);
const calls = ["hall", "attic", "cellar"].flatMap((room) => ["on", "off"].map((to) => args(room, to)));
const pair = (
  own: string,
  room: string,
  to: string,
  before: string,
  value: string,
  session: number,
): [string, Pair] => [own, { before, one: { features: args(room, to), value, session }, shared: false }];
function gathered(list: readonly [string, Pair][]): Map<string, Pair[]> {
  const out = new Map<string, Pair[]>();
  for (const [own, each] of list) out.set(own, [...(out.get(own) ?? []), each]);
  return out;
}
const seen = [
  pair("r_hall", "hall", "on", "off", "on", 0),
  pair("r_cellar", "cellar", "on", "off", "on", 1),
  pair("r_hall", "hall", "on", "on", "on", 2),
  ...["r_hall", "r_cellar", "r_hall", "r_cellar"].map((own, i) => pair(own, "attic", "on", "off", "off", i)),
];

test("what a call does to the one it names is known of one that it was never seen to name", () => {
  const acts = indexedAssignment("r_attic", family, gathered(seen), calls);
  if (!acts) throw new Error("nothing was learnt");
  const attic = (room: string, to: string) => acted(acts, new Map([...args(room, to), ["r_attic", "off"]]));
  expect(attic("attic", "on")).toBe("on");
  expect(attic("hall", "on")).toBe("off");
  expect(attic("attic", "off")).toBeUndefined();
});

test("where a call that names another changes it too, siblings tell nothing", () => {
  const odd = gathered([...seen, pair("r_hall", "attic", "on", "off", "on", 9)]);
  expect(indexedAssignment("r_attic", family, odd, calls)).toBeUndefined();
});
