import { z } from "zod";
import { type DeskDatabase, nextId } from "./database.ts";
import { CustomerId, OrderId, ProductId } from "./reads.ts";
import {
  cents,
  customerRow,
  type ItemRow,
  itemRows,
  money,
  type OrderRow,
  order,
  orderRow,
  productRow,
  Refusal,
  refund,
} from "./records.ts";
import { TODAY } from "./seed.ts";
import { type DeskTool, tool } from "./tool.ts";

function pending(db: DeskDatabase, id: string, act: string): OrderRow {
  const row = orderRow(db, id);
  if (row.status !== "pending") throw new Refusal(`Order ${id} is ${row.status}: only pending orders can be ${act}`);
  return row;
}

function lineOf(db: DeskDatabase, orderId: string, productId: string): ItemRow {
  const line = itemRows(db, orderId).find((item) => item.product_id === productId);
  if (!line) throw new Refusal(`Order ${orderId} has no item ${productId}`);
  return line;
}

function addCredit(db: DeskDatabase, customerId: string, amount: number): void {
  db.prepare("UPDATE customers SET store_credit = store_credit + ? WHERE id = ?").run(amount, customerId);
}

function addStock(db: DeskDatabase, productId: string, units: number): void {
  db.prepare("UPDATE products SET stock = stock + ? WHERE id = ?").run(units, productId);
}

/** The desk's tools that change records. Each refuses before its first write, or changes every table it names. */
export const WRITES: readonly DeskTool[] = [
  tool({
    name: "place_order",
    title: "Place an order",
    description:
      "Place an order for a customer. Orders one product, paid by the card on file and sent to the customer's address, and takes the units out of stock. Refused for discontinued products, without enough stock, and above 5 units. Answers the order.",
    effect: "create",
    input: z.object({
      customer_id: CustomerId,
      product_id: ProductId,
      quantity: z.int().min(1).describe("Units, at most 5"),
    }),
    work: (db, { customer_id, product_id, quantity }) => {
      const buyer = customerRow(db, customer_id);
      const sold = productRow(db, product_id);
      if (quantity > 5) throw new Refusal("At most 5 units of a product can be ordered at once");
      if (sold.discontinued) throw new Refusal(`${sold.name} is discontinued`);
      if (sold.stock < quantity) throw new Refusal(`Only ${sold.stock} of ${sold.name} in stock`);
      const id = nextId(db, "order");
      db.prepare("INSERT INTO orders VALUES (?,?,'pending',?,?,0,?,?,?,NULL,NULL,NULL)").run(
        id,
        buyer.id,
        TODAY,
        sold.price * quantity,
        buyer.street,
        buyer.city,
        buyer.postcode,
      );
      db.prepare("INSERT INTO order_items VALUES (?,1,?,?,?)").run(id, sold.id, quantity, sold.price);
      addStock(db, sold.id, -quantity);
      return order(db, id);
    },
  }),
  tool({
    name: "cancel_order",
    title: "Cancel an order",
    description:
      "Cancel an order. Only a pending order can be cancelled; its refund is issued at once: what was paid by card goes back to the card, store credit used goes back to the customer's store credit. The units return to stock with the nightly stock run. Answers the refund.",
    effect: "update",
    input: z.object({
      order_id: OrderId,
      reason: z
        .enum(["no_longer_needed", "ordered_by_mistake", "too_slow", "other"])
        .describe("Why, as the customer says"),
    }),
    work: (db, { order_id, reason }) => {
      const row = pending(db, order_id, "cancelled");
      const id = nextId(db, "refund");
      db.prepare("INSERT INTO refunds VALUES (?,?,?,'cancellation',NULL,?,?,?,?)").run(
        id,
        row.id,
        row.customer_id,
        row.card_amount,
        row.credit_amount,
        reason,
        TODAY,
      );
      db.prepare("UPDATE orders SET status = 'cancelled', cancel_reason = ? WHERE id = ?").run(reason, row.id);
      addCredit(db, row.customer_id, row.credit_amount);
      return refund(db, id);
    },
  }),
  tool({
    name: "change_address",
    title: "Change an order's address",
    description:
      "Change the delivery address of an order. Refused once the order has shipped. The customer's own address stays as it is. Answers the order.",
    effect: "update",
    input: z.object({
      order_id: OrderId,
      street: z.string(),
      city: z.string(),
      postcode: z.string().describe("Five digits"),
    }),
    work: (db, { order_id, street, city, postcode }) => {
      const row = pending(db, order_id, "sent to another address");
      if (!/^\d{5}$/.test(postcode)) throw new Refusal(`Postcode ${postcode} is not valid: five digits are needed`);
      db.prepare("UPDATE orders SET street = ?, city = ?, postcode = ? WHERE id = ?").run(
        street,
        city,
        postcode,
        row.id,
      );
      return order(db, row.id);
    },
  }),
  tool({
    name: "exchange_item",
    title: "Exchange an item",
    description:
      "Exchange an item of an order for another product. The order must be pending, the new product of the same category, in stock, and cost as much or more; the difference is charged to the card. The number of units stays, and the stock of both products moves. Answers the order.",
    effect: "update",
    input: z.object({
      order_id: OrderId,
      product_id: ProductId.describe("Product to give up"),
      new_product_id: ProductId.describe("Product to get instead"),
    }),
    work: (db, { order_id, product_id, new_product_id }) => {
      const row = pending(db, order_id, "changed");
      const line = lineOf(db, order_id, product_id);
      const next = productRow(db, new_product_id);
      if (next.category !== line.category) throw new Refusal(`${next.name} is not in the category ${line.category}`);
      if (next.stock < line.quantity) throw new Refusal(`Only ${next.stock} of ${next.name} in stock`);
      if (next.price < line.unit_price)
        throw new Refusal(`${next.name} costs less than ${line.name}: cancel and order again instead`);
      const last = db.prepare("SELECT max(line) AS line FROM order_items WHERE order_id = ?").get(row.id) as {
        line: number;
      };
      db.prepare("DELETE FROM order_items WHERE order_id = ? AND line = ?").run(row.id, line.line);
      db.prepare("INSERT INTO order_items VALUES (?,?,?,?,?)").run(
        row.id,
        last.line + 1,
        next.id,
        line.quantity,
        next.price,
      );
      db.prepare("UPDATE orders SET card_amount = card_amount + ? WHERE id = ?").run(
        (next.price - line.unit_price) * line.quantity,
        row.id,
      );
      addStock(db, product_id, line.quantity);
      addStock(db, next.id, -line.quantity);
      return order(db, row.id);
    },
  }),
  tool({
    name: "return_item",
    title: "Return an item",
    description:
      "Return an item of an order. Takes it back until the order's returns_until day, once it was delivered, and refunds its price as store credit at once. Each item can be returned once. Answers the refund.",
    effect: "update",
    input: z.object({
      order_id: OrderId,
      product_id: ProductId,
      reason: z.enum(["damaged", "wrong_item", "not_as_described", "changed_mind"]),
    }),
    work: (db, { order_id, product_id, reason }) => {
      const row = orderRow(db, order_id);
      if (row.status !== "delivered")
        throw new Refusal(`Order ${order_id} is ${row.status}: only delivered orders can be returned`);
      const line = lineOf(db, order_id, product_id);
      if ((row.returns_until ?? "") < TODAY)
        throw new Refusal(`Returns for order ${order_id} closed on ${row.returns_until}`);
      const before = db.prepare("SELECT id FROM refunds WHERE order_id = ? AND product_id = ?").get(row.id, product_id);
      if (before) throw new Refusal(`Item ${product_id} of order ${order_id} was already returned`);
      const id = nextId(db, "refund");
      const amount = line.unit_price * line.quantity;
      db.prepare("INSERT INTO refunds VALUES (?,?,?,'return',?,0,?,?,?)").run(
        id,
        row.id,
        row.customer_id,
        product_id,
        amount,
        reason,
        TODAY,
      );
      addCredit(db, row.customer_id, amount);
      return refund(db, id);
    },
  }),
  tool({
    name: "apply_credit",
    title: "Apply store credit",
    description:
      "Apply store credit to an order. Pays part of a pending order with the customer's store credit instead of the card: at most what the customer has, and at most what the card was charged. Answers the order.",
    effect: "update",
    input: z.object({ order_id: OrderId, amount: z.number().positive().describe("Amount of money") }),
    work: (db, { order_id, amount }) => {
      const row = pending(db, order_id, "paid with credit");
      const buyer = customerRow(db, row.customer_id);
      const wanted = cents(amount);
      if (wanted > buyer.store_credit)
        throw new Refusal(`Customer ${buyer.id} has only ${money(buyer.store_credit).toFixed(2)} of store credit`);
      if (wanted > row.card_amount)
        throw new Refusal(`Only ${money(row.card_amount).toFixed(2)} of order ${order_id} is on the card`);
      db.prepare("UPDATE orders SET card_amount = card_amount - ?, credit_amount = credit_amount + ? WHERE id = ?").run(
        wanted,
        wanted,
        row.id,
      );
      addCredit(db, buyer.id, -wanted);
      return order(db, row.id);
    },
  }),
];
