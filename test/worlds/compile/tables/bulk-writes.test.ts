import { describe, expect, test } from "vitest";
import { observe } from "../../../../worlds/compile/observations.ts";
import { compileRows } from "../../../../worlds/compile/rows.ts";
import type { Json, JsonObject } from "../../../../worlds/json.ts";
import type { ObservedCall, ObservedTrace } from "../../../../worlds/observation.ts";
import { createWorld } from "../../../../worlds/world.ts";

const OWNERS = ["ann", "bob", "cy"];
const item = (n: number, name = `Thing ${n}`): JsonObject => ({
  item_id: `I-${100 + n}`,
  name,
  owner: OWNERS[n % 3] as string,
});

/** Things with owners. Renaming one leaves the others alone; `hand_over` names owners and no thing; some are added. */
function session(n: number): ObservedTrace {
  const calls: ObservedCall[] = [];
  const call = (tool: string, args: JsonObject, value: Json) =>
    calls.push({ tool, args, result: JSON.stringify(value), isError: false });
  const get = (k: number, value = item(k)) => call("get_item", { item_id: `I-${100 + k}` }, value);
  for (const k of [n, n + 1, n + 3]) get(k % 9);
  call("rename_item", { item_id: `I-${100 + (n % 9)}`, name: `New ${n}` }, { done: true });
  get(n % 9, item(n % 9, `New ${n}`));
  get((n + 1) % 9);
  get((n + 3) % 9);
  if (n % 6 === 0) {
    call("add_item", { name: `Late ${n}`, owner: "ann" }, { item_id: "I-200" });
    get(100, { item_id: "I-200", name: `Late ${n}`, owner: "ann" });
  }
  if (n % 5 === 0) {
    call("swap_part", { item_id: `I-${100 + (n % 9)}` }, { done: true, parts: [{ item_id: "I-150", slot: n % 2 }] });
    get(50);
  }
  if (n % 4 === 0) call("hand_over", { from_owner: OWNERS[n % 3] as string, to_owner: "dee" }, { moved: 3 });
  return { id: `t${n}`, startedAt: 1_700_000_000 + n, calls };
}

const { bundle, base } = compileRows(observe(Array.from({ length: 24 }, (_, n) => session(n))), { name: "things" });
const table = bundle.tables.find(({ key }) => key[0] === "item_id")?.name ?? "";

describe("rows of a history", () => {
  test("hold none that a call of a session made", () => {
    const keys = Object.keys(base.tables[table] ?? {});
    expect(keys).toContain("I-105");
    expect(keys).not.toContain("I-200");
    // What stands inside of what a write answered may be any row: it was there before.
    expect(keys).toContain("I-150");
  });
});

describe("a write that names no row, of which nothing shows what it changes", () => {
  test("leaves in doubt the rows that hold what it named, and no others", () => {
    const { hand_over: _, ...behaviours } = bundle.behaviours;
    const world = createWorld({ ...bundle, behaviours, exceptions: [] }, base);
    expect(world.call("hand_over", { from_owner: "ann", to_owner: "dee" }).servedBy).toBe("gap");
    expect(world.call("get_item", { item_id: "I-103" }).servedBy).toBe("gap");
    expect(world.call("get_item", { item_id: "I-104" }).value).toEqual(item(4));
  });
});
