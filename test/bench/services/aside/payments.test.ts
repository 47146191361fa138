import { expect, test } from "vitest";
import { payments } from "../../../../bench/services/aside/payments.ts";
import { rowsOf } from "../../../../bench/services/service.ts";
import { start } from "../kit.ts";

function withInvoice(customerName: string) {
  const world = start(payments);
  const customer = rowsOf(world.ask("list_customers", { limit: 5 })).find(({ name }) => name === customerName)?.id;
  const price = rowsOf(world.ask("list_prices")).find(({ unit_amount }) => unit_amount === 3550)?.id;
  const invoice = world.row("create_invoice", { customer }).id;
  return { ...world, customer, price, invoice };
}

test("an invoice is drafted, finalized and paid in this order, and its payment is refunded", () => {
  const { ask, row, refusal, customer, price, invoice } = withInvoice("Aurelia Foods");
  expect(refusal("finalize_invoice", { invoice })).toContain("no line items");
  ask("create_invoice_item", { invoice, price, quantity: 2 });
  expect(refusal("pay_invoice", { invoice })).toBe("You can only pay open invoices. This invoice is draft.");
  expect(row("finalize_invoice", { invoice })).toMatchObject({
    number: "PX-0117",
    total: 7100,
    amount_remaining: 7100,
  });
  const paid = row("pay_invoice", { invoice });
  expect(paid).toMatchObject({ status: "paid", amount_remaining: 0 });
  expect(row("retrieve_balance").pending).toEqual([{ amount: 7100 - 236, currency: "usd" }]);
  expect(rowsOf(ask("list_payment_intents", { customer }))[0]).toMatchObject({ id: paid.payment_intent, amount: 7100 });
  ask("create_refund", { payment_intent: paid.payment_intent, amount: 7000 });
  expect(refusal("create_refund", { payment_intent: paid.payment_intent, amount: 101 })).toContain("(100)");
});

test("a customer without a card cannot pay, and the invoice can be voided", () => {
  const { ask, row, refusal, price, invoice } = withInvoice("Dune Outdoor");
  ask("create_invoice_item", { invoice, price });
  ask("finalize_invoice", { invoice });
  expect(refusal("pay_invoice", { invoice })).toContain("no attached payment source");
  expect(row("void_invoice", { invoice })).toMatchObject({ status: "void", amount_remaining: 0 });
});

test("customers are listed in pages", () => {
  const { row } = start(payments);
  const first = row("list_customers");
  expect(first).toMatchObject({ has_more: true });
  const last = rowsOf(first).at(-1)?.id;
  const second = row("list_customers", { starting_after: last });
  expect([rowsOf(first).length, rowsOf(second).length, second.has_more]).toEqual([3, 2, false]);
});
