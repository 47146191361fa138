import { expect, test } from "vitest";
import { SimulatedState } from "../../../../worlds/compile/programs/simulate.ts";

test("what was seen of a state stays as it was, whatever is written afterwards", () => {
  const state = new SimulatedState({ cells: new Map(), tables: new Map() });
  state.put("lamps", "L1", { on: false });
  const first = state.facts();
  state.put("lamps", "L1", { on: true });
  const rows = state.facts().tables.get("lamps")?.rows;
  state.put("lamps", "L2", { on: false });
  state.remove("lamps", "L1");
  state.complete("lamps");
  state.put("lamps", "L3", { on: true });
  const last = state.facts();
  expect([...(first.tables.get("lamps")?.rows ?? [])]).toEqual([["L1", { on: false }]]);
  expect([...(rows ?? [])]).toEqual([["L1", { on: true }]]);
  expect([...(last.tables.get("lamps")?.rows ?? [])]).toEqual([
    ["L2", { on: false }],
    ["L3", { on: true }],
  ]);
  expect(last.tables.get("lamps")?.complete).toBe(true);
});

test("many writes to a table that nobody looked at between copy none of its rows", () => {
  const state = new SimulatedState({ cells: new Map(), tables: new Map() });
  state.put("lamps", "L0", {});
  const rows = new Set<unknown>();
  for (let i = 1; i < 5; i++) {
    state.put("lamps", `L${i}`, {});
    rows.add((state as unknown as { tables: Map<string, { rows: unknown }> }).tables.get("lamps")?.rows);
  }
  expect(rows.size).toBe(1);
});
