import { expect, test } from "vitest";
import { customers } from "../../../bench/services/customers.ts";
import { Refusal, refused, rowsOf } from "../../../bench/services/service.ts";
import { start } from "./kit.ts";

test("pages hold all rows once, in the order asked for", () => {
  const { row } = start(customers);
  const pages = [1, 2, 3, 4, 5].map((page) => row("list_customers", { sort: "-name", page, per_page: 20 }));
  const names = pages.flatMap((page) => rowsOf(page).map(({ name }) => String(name)));
  expect(pages.map(({ total, pages }) => [total, pages])).toEqual(pages.map(() => [84, 5]));
  expect(names).toEqual([...new Set(names)].sort().reverse());
  expect(names).toHaveLength(84);
});

test("an order makes a trial customer active, is owed until it is paid, and keeps the customer from being deleted", () => {
  const { ask, row, refusal } = start(customers);
  const { id } = row("create_customer", { name: "Una Voss", email: "UNA@new.example", country: "DE" });
  expect(row("get_customer", { id })).toMatchObject({ email: "una@new.example", status: "trial", balance: 0 });
  const order = row("create_order", { id, total: 12.5 });
  expect(row("get_customer", { id })).toMatchObject({ status: "active", balance: 12.5, orders: 1 });
  expect(refusal("delete_customer", { id })).toBe("Customer has 1 unpaid orders");
  expect(refusal("patch_customer", { id, changes: { status: "closed" } })).toBe("Customer owes 12.5");
  ask("pay_order", { order_id: order.id });
  ask("delete_customer", { id });
  expect(refusal("get_customer", { id })).toBe(`No customer '${id}'`);
  expect(refusal("pay_order", { order_id: order.id })).toBe(`No order '${order.id}'`);
});

test("a change counts the version up, and a merge moves the orders", () => {
  const { ask, row, refusal } = start(customers);
  const made = (email: string) => row("create_customer", { name: "A B", email, country: "NO" }).id;
  const [one, other] = [made("a@new.example"), made("b@new.example")];
  expect(row("patch_customer", { id: one, changes: { country: "IT" }, if_version: 1 }).version).toBe(2);
  expect(refusal("patch_customer", { id: one, changes: {}, if_version: 1 })).toBe("Version is 2, not 1");
  expect(refusal("patch_customer", { id: one, changes: { email: "b@new.example" } })).toBe(`email: used by ${other}`);
  ask("create_order", { id: other, total: 3 });
  expect(row("merge_customers", { id: one, other_id: other })).toEqual({ id: one, orders_moved: 1 });
  expect(row("get_customer", { id: one })).toMatchObject({ country: "IT", balance: 3, version: 3 });
  expect(refusal("get_customer", { id: other })).toContain("No customer");
});

test("a refusal is told as problem details", () => {
  expect(refused(new Refusal("No customer 'x'", 404), "problem")).toEqual({
    type: "about:blank",
    title: "Not Found",
    status: 404,
    detail: "No customer 'x'",
  });
});
