import Database from "better-sqlite3";
import { seedRows, TODAY, totalOf } from "./seed.ts";

export type DeskDatabase = Database.Database;

const SCHEMA = `
CREATE TABLE customers (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL UNIQUE COLLATE NOCASE, phone TEXT NOT NULL,
  street TEXT NOT NULL, city TEXT NOT NULL, postcode TEXT NOT NULL, tier TEXT NOT NULL,
  store_credit INTEGER NOT NULL CHECK (store_credit >= 0), member_since TEXT NOT NULL);
CREATE TABLE products (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, category TEXT NOT NULL, price INTEGER NOT NULL,
  stock INTEGER NOT NULL CHECK (stock >= 0), discontinued INTEGER NOT NULL);
CREATE TABLE orders (
  id TEXT PRIMARY KEY, customer_id TEXT NOT NULL REFERENCES customers, status TEXT NOT NULL, placed_on TEXT NOT NULL,
  card_amount INTEGER NOT NULL CHECK (card_amount >= 0), credit_amount INTEGER NOT NULL CHECK (credit_amount >= 0),
  street TEXT NOT NULL, city TEXT NOT NULL, postcode TEXT NOT NULL,
  delivered_on TEXT, returns_until TEXT, cancel_reason TEXT);
CREATE TABLE order_items (
  order_id TEXT NOT NULL REFERENCES orders, line INTEGER NOT NULL, product_id TEXT NOT NULL REFERENCES products,
  quantity INTEGER NOT NULL, unit_price INTEGER NOT NULL, PRIMARY KEY (order_id, line));
CREATE TABLE shipments (
  id TEXT PRIMARY KEY, order_id TEXT NOT NULL UNIQUE REFERENCES orders, carrier TEXT NOT NULL, tracking_number TEXT NOT NULL,
  status TEXT NOT NULL, shipped_on TEXT NOT NULL, due_on TEXT NOT NULL);
CREATE TABLE refunds (
  id TEXT PRIMARY KEY, order_id TEXT NOT NULL REFERENCES orders, customer_id TEXT NOT NULL REFERENCES customers,
  kind TEXT NOT NULL, product_id TEXT, card_amount INTEGER NOT NULL, credit_amount INTEGER NOT NULL,
  reason TEXT NOT NULL, issued_on TEXT NOT NULL);
CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL);
CREATE INDEX orders_of_customer ON orders (customer_id, placed_on);
CREATE INDEX refunds_of_order ON refunds (order_id);
`;

/** Where a desk's database lies and how far its counters are. */
export interface DeskOptions {
  /** A file that does not exist yet; in memory when absent. */
  readonly path?: string;
  /** How many orders and refunds were numbered elsewhere since the seed: new ids go on from there. */
  readonly issued?: number;
}

let seeded: Buffer | undefined;

function build(db: DeskDatabase): DeskDatabase {
  db.exec(SCHEMA);
  db.transaction(fill)(db);
  return db;
}

function template(): Buffer {
  seeded ??= build(new Database(":memory:")).serialize();
  return seeded;
}

/** Opens a new database with the schema and the seed in it. One in memory is copied from the first: a fraction of a millisecond. */
export function openDatabase({ path, issued = 0 }: DeskOptions = {}): DeskDatabase {
  const db = path === undefined ? new Database(template()) : build(new Database(path));
  db.pragma("foreign_keys = ON");
  if (issued > 0) db.prepare("UPDATE counters SET value = value + ?").run(issued);
  return db;
}

/** The next id of a kind: a counter of this database, so that equal histories give equal ids. */
export function nextId(db: DeskDatabase, kind: "order" | "refund"): string {
  const row = db.prepare("UPDATE counters SET value = value + 1 WHERE name = ? RETURNING value").get(kind) as {
    value: number;
  };
  return kind === "order" ? `SO-${row.value}` : `RF-${String(row.value).padStart(6, "0")}`;
}

function fill(db: DeskDatabase): void {
  const seed = seedRows();
  const customer = db.prepare("INSERT INTO customers VALUES (?,?,?,?,?,?,?,?,?,?)");
  for (const row of seed.customers)
    customer.run(
      row.id,
      row.name,
      row.email,
      row.phone,
      row.address.street,
      row.address.city,
      row.address.postcode,
      row.tier,
      row.storeCredit,
      row.memberSince,
    );
  const product = db.prepare("INSERT INTO products VALUES (?,?,?,?,?,?)");
  for (const row of seed.products)
    product.run(row.id, row.name, row.category, row.price, row.stock, row.discontinued ? 1 : 0);
  const order = db.prepare("INSERT INTO orders VALUES (?,?,?,?,?,?,?,?,?,?,?,?)");
  const item = db.prepare("INSERT INTO order_items VALUES (?,?,?,?,?)");
  const shipment = db.prepare("INSERT INTO shipments VALUES (?,?,?,?,?,?,?)");
  const refund = db.prepare("INSERT INTO refunds VALUES (?,?,?,?,?,?,?,?,?)");
  let shipments = 0;
  let refunds = 0;
  for (const row of seed.orders) {
    const { street, city, postcode } = row.customer.address;
    const card = totalOf(row.items) - row.creditAmount;
    order.run(
      row.id,
      row.customer.id,
      row.status,
      row.placedOn,
      card,
      row.creditAmount,
      street,
      city,
      postcode,
      row.deliveredOn,
      row.returnsUntil,
      row.cancelReason,
    );
    for (const [line, { product: sold, quantity }] of row.items.entries())
      item.run(row.id, line + 1, sold.id, quantity, sold.price);
    if (row.shippedOn) {
      const due = row.deliveredOn ?? (TODAY > row.shippedOn ? "2026-05-15" : row.shippedOn);
      const tracking = `${row.carrier.slice(0, 2).toUpperCase()}${480211 + shipments * 37}`;
      shipment.run(
        `SH-${7001 + shipments++}`,
        row.id,
        row.carrier,
        tracking,
        row.deliveredOn ? "delivered" : "in_transit",
        row.shippedOn,
        due,
      );
    }
    if (row.cancelReason)
      refund.run(
        `RF-${String(101 + refunds++).padStart(6, "0")}`,
        row.id,
        row.customer.id,
        "cancellation",
        null,
        card,
        row.creditAmount,
        row.cancelReason,
        row.placedOn,
      );
  }
  const counter = db.prepare("INSERT INTO counters VALUES (?,?)");
  counter.run("order", 10000 + seed.orders.length);
  counter.run("refund", 100 + refunds);
}
