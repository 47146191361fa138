import { expect, it } from "vitest";
import type { JsonObject } from "../../../../worlds/json.ts";
import { isOnlyOne } from "../../../../worlds/tasks/families/ambiguous.ts";
import { filter, isForEach, namedLists } from "../../../../worlds/tasks/families/lists.ts";
import { whatOf } from "../../../../worlds/tasks/families/questions.ts";
import { makeKit } from "../../../../worlds/tasks/kit.ts";
import { leaves } from "../../../../worlds/tasks/leaves.ts";
import { random } from "../../../../worlds/tasks/random.ts";
import type { Anchor } from "../../../../worlds/tasks/surface.ts";
import { keepIdentification } from "../../../../worlds/tasks/words/identity.ts";
import { shop, shopRows } from "../../fixtures/shop.ts";

it("a total is not asked for that was charged for each of several", () => {
  const trip = (guests: string[], paid: number) => {
    const answer = { legs: [{ price: 50 }, { price: 93 }], guests, paid: [{ amount: paid }] };
    return { answer, leaves: leaves(answer) };
  };
  expect(isForEach(trip(["Ann", "Ben"], 286), "legs[*]", 143)).toBe(true);
  expect(isForEach(trip(["Ann"], 143), "legs[*]", 143)).toBe(false);
  expect(isForEach(trip(["Ann", "Ben"], 143), "legs[*]", 143)).toBe(false);
  expect(isForEach({ answer: "none", leaves: [] }, "legs[*]", 143)).toBe(false);
});

it("no list is asked about whose things are called alike, but by codes where they have no names", () => {
  const item = (item_id: string, name?: string) => ({ item_id, price: Number(item_id), ...(name ? { name } : {}) });
  const titlesOf = (...items: object[]) => namedLists({ items } as JsonObject).map(({ title }) => title);
  expect(titlesOf(item("11", "Lamp"), item("12", "Clock"))).toEqual(["name"]);
  expect(titlesOf(item("11", "Lamp"), item("12", "Lamp"))).toEqual([]);
  expect(titlesOf(item("11"), item("12"))).toEqual(["item_id"]);
});

/** The questions of the family `filter` about orders with these lists of things. */
function filtersOf(lists: readonly (readonly JsonObject[])[]): string[] {
  const orders = lists.map((items, i) => ({ order_id: `O-${i}`, items: [...items] }));
  const view = { name: "get_order", effect: "read", params: [], tool: {} };
  return orders.flatMap((row) => {
    const binding = { tool: "get_order", table: "orders", gives: "row" };
    const rowRead = {
      binding,
      anchor: { table: "orders", key: row.order_id, row, leaves: [] },
      args: {},
      answer: row,
      leaves: leaves(row),
    };
    const kit = { ...makeKit(shop, shopRows, "1"), bindings: [binding], reads: () => [rowRead], tools: [view] };
    const drafts = filter(kit as never, () => ({ persona: "p", register: "plain" }), random("1"));
    return [...drafts].map(({ request }) => request);
  });
}

it("nobody asks what costs more than an amount with cents", () => {
  const one = (price: number) => ({ name: `Lamp ${price}`, price });
  const requests = filtersOf([
    [one(53.2), one(53.4)],
    [one(20), one(60)],
  ]);
  expect(requests.length).toBeGreaterThan(0);
  for (const request of requests) expect(request).not.toMatch(/\$\d+\.\d/);
});

it("nobody asks for a quantity below 2, which is only one", () => {
  const one = (quantity: number) => ({ name: `Lamp ${quantity}`, quantity });
  const requests = filtersOf([
    [one(1), one(2)],
    [one(4), one(9)],
  ]);
  expect(requests.some((request) => /above 1\b/.test(request))).toBe(true);
  expect(requests.some((request) => /below 7\b/.test(request))).toBe(true);
  for (const request of requests) expect(request).not.toMatch(/below [12]\b/);
});

it("a field is said with the choice that shows it where it has one word", () => {
  const kit = makeKit(shop, shopRows, "1");
  const args = { option: "oil" };
  const reading = { tool: "show_status", args, calls: [{ tool: "show_status", args }], answer: {}, results: [] };
  expect(whatOf(kit, reading, "level")).toBe("oil level");
  expect(whatOf(kit, reading, "fan_speed")).toBe("fan speed");
});

it("which one is meant is no question where who asks has one of them alone", () => {
  const kit = makeKit(shop, shopRows, "1");
  const orders = kit.anchors.get("orders") ?? [];
  const customerOf = (order: Anchor) => String((order.row as JsonObject).customer_id);
  const [anchor] = orders as [Anchor];
  const siblings = orders.filter((one) => customerOf(one) === customerOf(anchor));
  expect(siblings.length).toBeGreaterThan(1);
  const alone = (one: Anchor) => one.key === anchor.key;
  expect(isOnlyOne(kit, anchor, alone)).toBe(false);
  // Who asks is known where users say it first.
  const traces = orders.slice(0, 20).map((order, i) => {
    const email = String(shopRows.tables.customers?.[customerOf(order)]?.email);
    const found = { tool: "find_customer", args: { email }, result: customerOf(order), isError: false };
    const read = { tool: "get_order", args: { order_id: order.key }, result: order.row as JsonObject, isError: false };
    return { id: `s${i}`, request: "What is the total?", turns: [`My email is ${email}.`], calls: [found, read] };
  });
  keepIdentification(kit, traces);
  expect(isOnlyOne(kit, anchor, alone)).toBe(true);
  expect(isOnlyOne(kit, anchor, () => true)).toBe(false);
});
