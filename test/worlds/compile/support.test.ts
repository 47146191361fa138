import { describe, expect, test } from "vitest";
import { compileBehaviours as compile } from "../../../worlds/compile/index.ts";
import type { JsonObject } from "../../../worlds/json.ts";
import type { ObservedCall, ObservedTrace } from "../../../worlds/observation.ts";
import { createWorld } from "../../../worlds/world.ts";

const GAP = "error:not_served";

const call = (tool: string, args: JsonObject, result: JsonObject): ObservedCall => ({
  tool,
  args,
  result: JSON.stringify(result),
  isError: false,
});

const worldOf = (name: string, traces: readonly ObservedTrace[], records: Record<string, JsonObject[]>) => {
  const { bundle, base } = compile(traces, { name, records });
  return createWorld(bundle, base);
};

describe("a list that takes the place of another", () => {
  const NAMES = ["Mo", "Ann", "Zoe", "Bo", "Cy"];
  const booking = (n: number) => ({
    booking_id: `B${n}`,
    owner: `Person ${n}`,
    guests: Array.from({ length: 1 + (n % 3) }, (_, k) => NAMES[(n * 3 + k * 2) % 5] as string),
  });
  const bookings = Array.from({ length: 12 }, (_, n) => booking(n));
  /** Sessions that give each booking other guests, as many as it had and `more`. */
  const worldWith = (more: (n: number) => number) => {
    const traces = bookings.map((row, n): ObservedTrace => {
      const { booking_id } = row;
      const guests = Array.from({ length: row.guests.length + more(n) }, (_, k) => NAMES[(n + k * 3) % 5] as string);
      return {
        id: `s${n}`,
        calls: [
          call("get_booking", { booking_id }, row),
          call("set_guests", { booking_id, guests }, { ...row, guests }),
        ],
      };
    });
    return worldOf("bookings", traces, { bookings });
  };

  test("is as long as that, where it always was", () => {
    const world = worldWith(() => 0);
    expect(world.call("set_guests", { booking_id: "B1", guests: ["Zoe", "Ann"] }).value).toMatchObject({
      guests: ["Zoe", "Ann"],
    });
    expect(world.call("set_guests", { booking_id: "B1", guests: ["Zoe", "Mo", "Ann"] }).answerClass).toBe(GAP);
  });

  test("may be longer where it once was", () => {
    const world = worldWith((n) => (n === 5 ? 1 : 0));
    expect(world.call("set_guests", { booking_id: "B1", guests: ["Zoe", "Mo", "Ann"] }).answerClass).toBe("data");
  });
});

test("a total that only rows with one item of a list show is not given for rows with more", () => {
  const parts = Array.from({ length: 9 }, (_, n) => ({ part_id: `P${n}`, price: 11 + ((n * n * 7) % 40) }));
  const row = (n: number) => ({
    order_id: `O${n}`,
    total: 0,
    parts: [] as string[],
    coupons: n % 4 === 3 ? ["half", "late"] : [["half", "late", "new"][n % 3] as string],
  });
  const orders = Array.from({ length: 24 }, (_, n) => row(n));
  const filled = (order: ReturnType<typeof row>, ids: string[]) => ({
    ...order,
    parts: ids,
    total: ids.reduce((sum, id) => sum + (parts.find(({ part_id }) => part_id === id)?.price as number), 0),
  });
  const traces = orders
    .filter(({ coupons }) => coupons.length === 1)
    .map((order, n): ObservedTrace => {
      const { order_id } = order;
      const ids = Array.from({ length: 1 + (n % 3) }, (_, k) => `P${(n * 5 + 7 * k) % 9}`);
      return {
        id: `s${n}`,
        calls: [
          ...ids.map((part_id) =>
            call("get_part", { part_id }, parts.find((one) => one.part_id === part_id) as JsonObject),
          ),
          call("get_order", { order_id }, order),
          call("fill_order", { order_id, parts: ids }, filled(order, ids)),
        ],
      };
    });
  const world = worldOf("orders", traces, { parts, orders });
  const ids = ["P8", "P2", "P4"];
  expect(world.call("fill_order", { order_id: "O1", parts: ids }).value).toEqual(filled(row(1), ids));
  expect(world.call("fill_order", { order_id: "O3", parts: ids }).answerClass).toBe(GAP);
});
