import { expect, test } from "vitest";
import { TableModel } from "../../../../../worlds/bundle.ts";
import { arg, constant, evaluate, UNKNOWN } from "../../../../../worlds/compile/programs/expressions/expr.ts";
import { type Names, print } from "../../../../../worlds/compile/programs/expressions/print.ts";
import { SimulatedState } from "../../../../../worlds/compile/programs/simulate.ts";
import type { Json, JsonObject } from "../../../../../worlds/json.ts";
import { createWorld } from "../../../../../worlds/world.ts";
import { behaves } from "../../../fixtures/behaviour.ts";

const ROWS: Record<string, JsonObject> = {
  k1: { kite_id: "k1", colour: "red" },
  k2: { kite_id: "k2", colour: "blue" },
};
const NAMES: Names = {
  table: (table) => table,
  column: (_, name) => name,
  complete: () => false,
  cells: "state",
  key: () => "kite_id",
  made: "made_as",
};

test("a row that was taken away is known not to be there, though others may be that nobody saw", () => {
  const state = new SimulatedState({
    cells: new Map(),
    tables: new Map([["kites", { rows: new Map(Object.entries(ROWS)), complete: false }]]),
  });
  const there = (key: string): unknown =>
    evaluate({ op: "exists", of: { table: "kites", key: [constant(key)] } }, { args: {}, facts: state.facts() });
  expect([there("k1"), there("k9")]).toEqual([true, UNKNOWN]);
  state.remove("kites", "k1");
  expect([there("k1"), there("k2"), there("k9")]).toEqual([false, true, UNKNOWN]);
  state.put("kites", "k1", { colour: "green" });
  expect(there("k1")).toBe(true);
  const printed = print({ op: "exists", of: { table: "kites", key: [arg("key")] } }, { names: NAMES });
  const world = createWorld(
    {
      v: 1,
      name: "kites",
      tools: ["drop", "look"].map((name) => ({ name, inputSchema: { type: "object" } })),
      tables: [TableModel.parse({ name: "kites", key: ["kite_id"], columns: [] })],
      now: 0,
      behaviours: {
        drop: {
          ...behaves("list kites"),
          behaviour: {
            v: 1,
            steps: [
              { op: "delete", table: "kites", key: [{ column: "kite_id", expr: "args.key" }], require: [] },
              { op: "answer", expr: "true" },
            ],
          },
        },
        look: { ...behaves("list kites"), behaviour: { v: 1, steps: [{ op: "answer", expr: printed }] } },
      },
      exceptions: [],
      gaps: [],
    },
    { tables: { kites: ROWS }, drawn: {} },
  );
  const look = (key: string): Json => world.call("look", { key }).value;
  expect(look("k1")).toBe(true);
  world.call("drop", { key: "k1" });
  expect(look("k1")).toBe(false);
  expect(world.call("look", { key: "k9" }).answerClass).toBe("error:not_served");
});
