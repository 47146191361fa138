import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createDesk, type Desk } from "../../../../worlds/samples/desk/desk.ts";
import { type OrderSeed, seedRows } from "../../../../worlds/samples/desk/seed.ts";
import { liveSessions } from "../../../../worlds/samples/desk/sessions.ts";

const seed = seedRows();
const orderWhere = (fits: (row: OrderSeed) => boolean): OrderSeed => {
  const found = seed.orders.find(fits);
  if (!found) throw new Error("the seed has no such order");
  return found;
};

let desk: Desk;
beforeEach(() => {
  desk = createDesk();
});
afterEach(() => desk.close());

type Row = Record<string, unknown>;
function ok(tool: string, args: Row): Row {
  const answer = desk.call(tool, args);
  if (!answer || answer.isError) throw new Error(answer?.text ?? "no such tool");
  return JSON.parse(answer.text) as Row;
}
function refusal(tool: string, args: Row): string {
  const answer = desk.call(tool, args);
  expect(answer?.isError).toBe(true);
  return answer?.text ?? "";
}

const pending = orderWhere((row) => row.status === "pending" && row.creditAmount > 0);
const delivered = orderWhere((row) => row.status === "delivered" && (row.returnsUntil ?? "") >= "2026-05-12");
const closed = orderWhere((row) => row.status === "delivered" && (row.returnsUntil ?? "") < "2026-05-12");

describe("reads", () => {
  test("the seed is always the same and its joins hold", () => {
    expect(seedRows()).toEqual(seed);
    for (const order of seed.orders) {
      const got = ok("get_order", { order_id: order.id });
      expect(ok("get_customer", { customer_id: String(got.customer_id) }).name).toBe(order.customer.name);
      if (got.shipment_id) expect(ok("get_shipment", { shipment_id: String(got.shipment_id) }).order_id).toBe(order.id);
      if (got.refund_id) expect(ok("get_refund", { refund_id: String(got.refund_id) }).order_id).toBe(order.id);
      expect(got.shipment_id !== null).toBe(order.status === "shipped" || order.status === "delivered");
    }
  });

  test("a customer is found by email in any case, by name with postcode, and not by another's postcode", () => {
    const [one] = seed.customers;
    const id = one?.id;
    expect(ok("find_customer_by_email", { email: one?.email.toUpperCase() }).customer_id).toBe(id);
    expect(
      ok("find_customer_by_name", { name: one?.name.toLowerCase(), postcode: one?.address.postcode }).customer_id,
    ).toBe(id);
    expect(refusal("find_customer_by_name", { name: one?.name, postcode: "00000" })).toContain("No customer named");
    const namesakes = seed.customers.filter((row) => row.name === seed.customers[4]?.name);
    const ids = namesakes.map(
      (row) => ok("find_customer_by_name", { name: row.name, postcode: row.address.postcode }).customer_id,
    );
    expect(new Set(ids).size).toBe(2);
  });

  test("orders come newest first and narrow by status; products cheapest first and by every filter", () => {
    const busy = seed.customers.find((row) => seed.orders.filter((order) => order.customer === row).length > 3);
    const all = ok("list_orders", { customer_id: busy?.id }) as unknown as Row[];
    expect(all.map((row) => row.placed_on)).toEqual(
      all
        .map((row) => row.placed_on)
        .sort()
        .reverse(),
    );
    for (const status of ["pending", "shipped", "delivered", "cancelled"])
      expect(ok("list_orders", { customer_id: busy?.id, status })).toEqual(all.filter((row) => row.status === status));
    const found = ok("search_products", { category: "lamps", max_price: 50, in_stock: true }) as unknown as Row[];
    const fits = seed.products.filter(
      (row) => row.category === "lamps" && row.price <= 5000 && row.stock > 0 && !row.discontinued,
    );
    expect(found.map((row) => row.product_id).sort()).toEqual(fits.map((row) => row.id).sort());
    expect(found.map((row) => row.price)).toEqual(found.map((row) => Number(row.price)).sort((a, b) => a - b));
    expect(ok("search_products", { query: "LAMP" })).not.toEqual([]);
    expect(ok("search_products", { query: "%" })).toEqual([]);
  });
});

describe("writes", () => {
  test("cancelling refunds card and credit, in three tables", () => {
    const before = ok("get_customer", { customer_id: pending.customer.id });
    const order = ok("get_order", { order_id: pending.id });
    const refund = ok("cancel_order", { order_id: pending.id, reason: "too_slow" });
    expect(refund).toMatchObject({
      kind: "cancellation",
      card_amount: order.card_amount,
      credit_amount: order.credit_amount,
    });
    expect(refund.refund_id).toMatch(/^RF-\d{6}$/);
    expect(ok("get_refund", { refund_id: refund.refund_id })).toEqual(refund);
    expect(ok("get_order", { order_id: pending.id })).toEqual({
      ...order,
      status: "cancelled",
      cancel_reason: "too_slow",
      refund_id: refund.refund_id,
    });
    const credit = Number(before.store_credit) + Number(order.credit_amount);
    expect(ok("get_customer", { customer_id: pending.customer.id })).toEqual({ ...before, store_credit: credit });
    expect(refusal("cancel_order", { order_id: pending.id, reason: "other" })).toBe(
      `Order ${pending.id} is cancelled: only pending orders can be cancelled`,
    );
  });

  test("an order takes stock and is refused without enough, when discontinued, and above five", () => {
    const sold = seed.products.find((row) => row.stock > 10 && !row.discontinued);
    const placed = ok("place_order", { customer_id: "C-1001", product_id: sold?.id, quantity: 2 });
    expect(placed).toMatchObject({ order_id: "SO-10151", status: "pending", total: ((sold?.price ?? 0) * 2) / 100 });
    expect(ok("get_product", { product_id: sold?.id }).stock).toBe((sold?.stock ?? 0) - 2);
    expect((ok("list_orders", { customer_id: "C-1001" }) as unknown as Row[])[0]?.order_id).toBe("SO-10151");
    const order = (product_id: string | undefined, quantity: number) =>
      refusal("place_order", { customer_id: "C-1001", product_id, quantity });
    expect(order(sold?.id, 6)).toBe("At most 5 units of a product can be ordered at once");
    expect(order(seed.products.find((row) => row.discontinued)?.id, 1)).toMatch(/ is discontinued$/);
    expect(order(seed.products.find((row) => row.stock === 0)?.id, 1)).toMatch(/^Only 0 of .+ in stock$/);
    expect(order("P-999", 1)).toBe("Product P-999 not found");
  });

  test("an address changes on the order alone, while pending, with a postcode of five digits", () => {
    const to = { order_id: pending.id, street: "8 Willow Court", city: "Ashford" };
    expect(refusal("change_address", { ...to, postcode: "4112" })).toContain("five digits");
    expect(ok("change_address", { ...to, postcode: "41120" }).address).toEqual({
      street: to.street,
      city: to.city,
      postcode: "41120",
    });
    expect(ok("get_customer", { customer_id: pending.customer.id }).address).toEqual(pending.customer.address);
    expect(refusal("change_address", { ...to, order_id: closed.id, postcode: "41120" })).toContain(
      "is delivered: only pending",
    );
  });

  test("an exchange moves both stocks and charges the difference; each rule refuses in its own words", () => {
    const order = orderWhere(
      (row) => row.status === "pending" && row.items.some((line) => dearer(line.product.id).length > 0),
    );
    const line = order.items.find((each) => dearer(each.product.id).length > 0) as OrderSeed["items"][number];
    const [next] = dearer(line.product.id) as [(typeof seed.products)[number]];
    const before = ok("get_order", { order_id: order.id });
    const args = { order_id: order.id, product_id: line.product.id, new_product_id: next.id };
    const after = ok("exchange_item", args);
    const difference = ((next.price - line.product.price) * line.quantity) / 100;
    expect(Number(after.card_amount)).toBeCloseTo(Number(before.card_amount) + difference, 5);
    expect((after.items as Row[]).at(-1)).toEqual({
      product_id: next.id,
      name: next.name,
      quantity: line.quantity,
      unit_price: next.price / 100,
    });
    expect(ok("get_product", { product_id: line.product.id }).stock).toBe(line.product.stock + line.quantity);
    expect(ok("get_product", { product_id: next.id }).stock).toBe(next.stock - line.quantity);
    expect(refusal("exchange_item", args)).toBe(`Order ${order.id} has no item ${line.product.id}`);
    const back = { order_id: order.id, product_id: next.id };
    const other = seed.products.find((row) => row.category !== next.category && row.stock > 5);
    expect(refusal("exchange_item", { ...back, new_product_id: other?.id })).toContain("is not in the category");
    if (next.price > line.product.price)
      expect(refusal("exchange_item", { ...back, new_product_id: line.product.id })).toContain("costs less than");
  });

  test("a return is once, in time, of a delivered order, and becomes store credit", () => {
    const [line] = delivered.items;
    const args = { order_id: delivered.id, product_id: line?.product.id, reason: "damaged" };
    const credit = Number(ok("get_customer", { customer_id: delivered.customer.id }).store_credit);
    const refund = ok("return_item", args);
    expect(ok("get_customer", { customer_id: delivered.customer.id }).store_credit).toBeCloseTo(
      credit + Number(refund.credit_amount),
      5,
    );
    expect(ok("get_order", { order_id: delivered.id }).returns).toEqual([
      { product_id: line?.product.id, refund_id: refund.refund_id },
    ]);
    expect(refusal("return_item", args)).toContain("was already returned");
    expect(refusal("return_item", { ...args, order_id: closed.id, product_id: closed.items[0]?.product.id })).toBe(
      `Returns for order ${closed.id} closed on ${closed.returnsUntil}`,
    );
    expect(
      refusal("return_item", { ...args, order_id: pending.id, product_id: pending.items[0]?.product.id }),
    ).toContain("only delivered orders");
  });

  test("credit moves from customer to order, and never more than either has", () => {
    const order = orderWhere((row) => row.status === "pending" && row.customer.storeCredit > 500);
    const before = ok("get_order", { order_id: order.id });
    const after = ok("apply_credit", { order_id: order.id, amount: 2.35 });
    expect(after).toEqual({
      ...before,
      card_amount: Number((Number(before.card_amount) - 2.35).toFixed(2)),
      credit_amount: Number(before.credit_amount) + 2.35,
    });
    expect(ok("get_customer", { customer_id: order.customer.id }).store_credit).toBeCloseTo(
      order.customer.storeCredit / 100 - 2.35,
      5,
    );
    expect(refusal("apply_credit", { order_id: order.id, amount: 5000 })).toContain("of store credit");
  });

  test("a refused call leaves every table as it was", () => {
    const folder = mkdtempSync(join(tmpdir(), "desk-"));
    const path = join(folder, "desk.db");
    const own = createDesk({ path });
    const dump = () => {
      const db = new Database(path, { readonly: true });
      const tables = ["customers", "products", "orders", "order_items", "shipments", "refunds", "counters"];
      const all = tables.map((table) => JSON.stringify(db.prepare(`SELECT * FROM ${table}`).all()));
      db.close();
      return all.join("\n");
    };
    let before = dump();
    let refused = 0;
    for (const session of liveSessions(5, 40))
      for (const { tool, args } of session.calls) {
        const answer = own.call(tool, args);
        const after = dump();
        if (answer?.isError) {
          refused++;
          expect(after).toBe(before);
        }
        before = after;
      }
    own.close();
    rmSync(folder, { recursive: true });
    expect(refused).toBeGreaterThan(10);
  });

  test("money and stock are kept whole over any session", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100_000 }), (drawn) => {
        const own = createDesk();
        for (const session of liveSessions(drawn, 2)) for (const { tool, args } of session.calls) own.call(tool, args);
        for (const { id } of seed.orders) {
          const row = JSON.parse(own.call("get_order", { order_id: id })?.text ?? "") as {
            items: { quantity: number; unit_price: number }[];
            total: number;
            card_amount: number;
            credit_amount: number;
          };
          const lines = row.items.reduce((sum, item) => sum + Math.round(item.unit_price * 100) * item.quantity, 0);
          expect(Math.round(row.total * 100)).toBe(lines);
          expect(Math.round((row.card_amount + row.credit_amount) * 100)).toBe(lines);
        }
        own.close();
      }),
      { numRuns: 12 },
    );
  });
});

function dearer(id: string) {
  const from = seed.products.find((row) => row.id === id);
  return seed.products.filter(
    (row) =>
      from &&
      row.id !== id &&
      row.category === from.category &&
      row.price >= from.price &&
      row.stock >= 3 &&
      !row.discontinued,
  );
}
