import { describe, expect, test } from "vitest";
import { compile } from "../../../worlds/compile/index.ts";
import type { Json, JsonObject } from "../../../worlds/json.ts";
import type { ObservedCall, ObservedTrace } from "../../../worlds/observation.ts";
import { random } from "../../../worlds/tasks/random.ts";
import { createWorld } from "../../../worlds/world.ts";

const STATES = ["packed", "in transit", "at the depot", "delayed", "with the carrier", "out for delivery"];

/** An order desk: what `expedite_order` makes of an order's status, nothing tells. */
function session(n: number): ObservedTrace {
  const draw = random(`order desk ${n}`);
  const orders = new Map<string, JsonObject>();
  const items = new Map<string, JsonObject>();
  for (let i = 0; i < 12; i++) {
    orders.set(`O-${100 + i}`, { order_id: `O-${100 + i}`, customer: `C-${i % 5}`, status: STATES[i % 3] as string });
    for (const part of ["A", "B"])
      items.set(`I-${100 + i}${part}`, { item_id: `I-${100 + i}${part}`, order_id: `O-${100 + i}`, price: 5 + i });
  }
  const calls: ObservedCall[] = [];
  const call = (tool: string, args: JsonObject, value: Json) =>
    calls.push({ tool, args, result: JSON.stringify(value), isError: false });
  for (let k = 0; k < 3; k++) {
    const item = draw.pick([...items.values()]);
    const order = orders.get(item.order_id as string) as JsonObject;
    call("get_item", { item_id: item.item_id as string }, item);
    call("get_order", { order_id: order.order_id as string }, order);
    call("get_item_status", { item_id: item.item_id as string }, { status: order.status as string });
    if (draw.below(3) > 0) {
      const now = { ...order, status: draw.pick(STATES) };
      orders.set(order.order_id as string, now);
      call("expedite_order", { order_id: order.order_id as string }, { done: true });
      call("get_order", { order_id: order.order_id as string }, now);
    }
  }
  return { id: `t${n}`, group: `g${n % 40}`, startedAt: 1_700_000_000 + n, calls };
}

describe("a status that a call changes in a way that nothing explains", () => {
  const compiled = compile(
    Array.from({ length: 120 }, (_, n) => session(n)),
    { name: "order desk" },
  );
  const item = { item_id: "I-103A" };

  test("is a gap wherever a row is found by another row's key", () => {
    const world = createWorld(compiled.bundle, compiled.base);
    expect(world.call("get_item_status", item).value).toEqual({ status: "packed" });
    world.call("expedite_order", { order_id: "O-103" });
    expect(world.call("get_order", { order_id: "O-103" }).answerClass).toBe("error:not_served");
    expect(world.call("get_item_status", item).answerClass).toBe("error:not_served");
  });

  test("is known still of every other row, and is in no change of the system", () => {
    const world = createWorld(compiled.bundle, compiled.base);
    const drawn = world.digest();
    const { changes } = world.call("expedite_order", { order_id: "O-103" });
    expect(changes).toEqual([]);
    expect(world.diff()).toEqual([]);
    expect(world.digest()).toBe(drawn);
    expect(world.call("get_item", item).value).toMatchObject({ order_id: "O-103" });
    expect(world.call("get_item_status", { item_id: "I-104B" }).value).toEqual({ status: "in transit" });
  });

  test("stays unknown in a world that is rebuilt from its journal, and is known again where the call is taken back", () => {
    const world = createWorld(compiled.bundle, compiled.base);
    world.call("expedite_order", { order_id: "O-103" });
    const stored = JSON.parse(JSON.stringify(world.lastEntry(0)));
    const rebuilt = createWorld(compiled.bundle, compiled.base);
    rebuilt.restore([stored]);
    expect(rebuilt.call("get_item_status", item).answerClass).toBe("error:not_served");
    world.undo();
    expect(world.call("get_item_status", item).value).toEqual({ status: "packed" });
  });
});
