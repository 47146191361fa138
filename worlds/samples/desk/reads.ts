import { z } from "zod";
import {
  type CustomerRow,
  cents,
  customer,
  customerRow,
  money,
  type OrderRow,
  order,
  type ProductRow,
  product,
  productRow,
  Refusal,
  refund,
  shipment,
} from "./records.ts";
import { type DeskTool, tool } from "./tool.ts";

/** Ids as the desk prints them. */
export const CustomerId = z.string().describe("Customer id, such as C-1001");
export const OrderId = z.string().describe("Order id, such as SO-10001");
export const ProductId = z.string().describe("Product id, such as P-201");

/** The desk's tools that change nothing. */
export const READS: readonly DeskTool[] = [
  tool({
    name: "find_customer_by_email",
    title: "Find a customer by email",
    description:
      "Find a customer by email address, whatever its letter case. The first step when a person gives their email. Answers the whole customer record.",
    effect: "read",
    input: z.object({ email: z.string().describe("Email address the account was opened with") }),
    work: (db, { email }) => {
      const row = db.prepare("SELECT * FROM customers WHERE email = ?").get(email) as CustomerRow | undefined;
      if (!row) throw new Refusal(`No customer with email ${email}`);
      return customer(row);
    },
  }),
  tool({
    name: "find_customer_by_name",
    title: "Find a customer by name and postcode",
    description:
      "Find a customer by full name and the postcode of their address. For people who do not know the email of their account. Names alone are not enough: several customers share one.",
    effect: "read",
    input: z.object({
      name: z.string().describe("First and last name"),
      postcode: z.string().describe("Five digits"),
    }),
    work: (db, { name, postcode }) => {
      const row = db
        .prepare("SELECT * FROM customers WHERE name = ? COLLATE NOCASE AND postcode = ?")
        .get(name, postcode) as CustomerRow | undefined;
      if (!row) throw new Refusal(`No customer named ${name} at postcode ${postcode}`);
      return customer(row);
    },
  }),
  tool({
    name: "get_customer",
    title: "Get a customer",
    description: "Get a customer record by id: name, contact, address, tier and store credit.",
    effect: "read",
    input: z.object({ customer_id: CustomerId }),
    work: (db, { customer_id }) => customer(customerRow(db, customer_id)),
  }),
  tool({
    name: "list_orders",
    title: "List a customer's orders",
    description:
      "List the orders of a customer, newest first, as summaries: id, status, date and total. Give a status to narrow the list. Use get_order for items, address and payment.",
    effect: "read",
    input: z.object({
      customer_id: CustomerId,
      status: z
        .enum(["pending", "shipped", "delivered", "cancelled"])
        .optional()
        .describe("Only orders of this status"),
    }),
    work: (db, { customer_id, status }) => {
      customerRow(db, customer_id);
      const rows = db
        .prepare(
          "SELECT * FROM orders WHERE customer_id = ? AND (? IS NULL OR status = ?) ORDER BY placed_on DESC, id DESC",
        )
        .all(customer_id, status ?? null, status ?? null) as OrderRow[];
      return rows.map((row) => ({
        order_id: row.id,
        status: row.status,
        placed_on: row.placed_on,
        total: money(row.card_amount + row.credit_amount),
      }));
    },
  }),
  tool({
    name: "get_order",
    title: "Get an order",
    description:
      "Get one order whole: status, items, what was paid by card and by store credit, delivery address, shipment, return deadline, refund and returns.",
    effect: "read",
    input: z.object({ order_id: OrderId }),
    work: (db, { order_id }) => order(db, order_id),
  }),
  tool({
    name: "search_products",
    title: "Search the catalogue",
    description:
      "Search the catalogue, cheapest first. Every filter is optional and all given must hold: words in the name, a category, a highest price, in stock only.",
    effect: "read",
    input: z.object({
      query: z.string().optional().describe("Part of the product's name, whatever its letter case"),
      category: z.enum(["lamps", "chairs", "kitchen", "bedding", "garden", "storage"]).optional(),
      max_price: z.number().optional().describe("Highest price"),
      in_stock: z.boolean().optional().describe("True: only products with stock that are still sold"),
    }),
    work: (db, { query, category, max_price, in_stock }) => {
      const rows = db
        .prepare(
          `SELECT * FROM products WHERE (:query IS NULL OR instr(lower(name), lower(:query)) > 0)
           AND (:category IS NULL OR category = :category) AND (:max IS NULL OR price <= :max)
           AND (:in_stock = 0 OR (stock > 0 AND discontinued = 0)) ORDER BY price, id`,
        )
        .all({
          query: query ?? null,
          category: category ?? null,
          max: max_price === undefined ? null : cents(max_price),
          in_stock: in_stock ? 1 : 0,
        }) as ProductRow[];
      return rows.map(product);
    },
  }),
  tool({
    name: "get_product",
    title: "Get a product",
    description: "Get a product by id: name, category, price, units in stock, and whether it was discontinued.",
    effect: "read",
    input: z.object({ product_id: ProductId }),
    work: (db, { product_id }) => product(productRow(db, product_id)),
  }),
  tool({
    name: "get_shipment",
    title: "Get a shipment",
    description:
      "Get a shipment by id (an order's shipment_id): carrier, tracking number, status, the day it left, and the day it is due or arrived.",
    effect: "read",
    input: z.object({ shipment_id: z.string().describe("Shipment id, such as SH-7001") }),
    work: (db, { shipment_id }) => shipment(db, shipment_id),
  }),
  tool({
    name: "get_refund",
    title: "Get a refund",
    description:
      "Get a refund by id: the order it belongs to, how much went back to the card, how much became store credit, why, and when.",
    effect: "read",
    input: z.object({ refund_id: z.string().describe("Refund id, such as RF-000101") }),
    work: (db, { refund_id }) => refund(db, refund_id),
  }),
];
