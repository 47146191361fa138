import { expect, test } from "vitest";
import { observe } from "../../../../../worlds/compile/observations.ts";
import { UNKNOWN } from "../../../../../worlds/compile/programs/expressions/expr.ts";
import { learnAggregate } from "../../../../../worlds/compile/programs/records/aggregates.ts";
import { answered } from "../../../../../worlds/compile/programs/records/row-actions.ts";
import { exportTables, startFacts } from "../../../../../worlds/compile/programs/records/tables.ts";
import type { Json, JsonObject } from "../../../../../worlds/json.ts";

const BAYS = ["A", "B", "C", "D", "E"];
/** Pallets of five bays: one of bay E alone is on loan. */
const PALLETS = Array.from({ length: 30 }, (_, i) => ({
  pallet_id: `P${i + 1}`,
  bay: BAYS[i % 5] as string,
  state: i % 5 === 4 && i < 10 ? "on loan" : i % 3 === 0 || i < 2 ? "empty" : "full",
  weight: i * 10,
}));
const tables = exportTables({ pallets: PALLETS }, []);
const facts = startFacts(tables);

/** What a tool answers that counts full pallets and their weight. */
const summed = (bay: string): Json => {
  const full = PALLETS.filter((row) => row.bay === bay && row.state === "full");
  return { bay, full: full.length, weight: full.reduce((all, { weight }) => all + weight, 0) };
};

function learnt(bays: readonly string[], answer = summed) {
  const calls = bays.map((bay) => ({
    tool: "sum_up",
    args: { bay },
    result: JSON.stringify(answer(bay)),
    isError: false,
  }));
  const [session] = observe([{ id: "s", calls }]);
  const placed = (session?.calls ?? []).map((call, index) => ({
    call,
    before: facts,
    session: 0,
    index,
    kind: "object",
  }));
  return learnAggregate("sum_up", placed, tables)?.act;
}
const told = (act: ReturnType<typeof learnt>, args: JsonObject): Json | typeof UNKNOWN =>
  (act && answered(act, args, facts, facts)) ?? UNKNOWN;

test("counts and sums the rows that an argument keeps, of the states that count", () => {
  const act = learnt(["A", "B", "C", "A", "C"]);
  expect(told(act, { bay: "D" })).toEqual(summed("D"));
  expect(told(act, { bay: "Z" })).toEqual({ bay: "Z", full: 0, weight: 0 });
});

test("says nothing of rows in a state that no sum told of", () => {
  const act = learnt(["A", "B", "C", "A", "C"]);
  expect(told(act, { bay: "E" })).toBe(UNKNOWN);
});

test("is nothing where a number is no count, or where too few sums were seen", () => {
  expect(learnt(["A", "B", "C", "D"], (bay) => ({ bay, full: bay.charCodeAt(0) * 7 }))).toBeUndefined();
  expect(learnt(["A", "B"])).toBeUndefined();
});
