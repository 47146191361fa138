import type { DeskDatabase } from "./database.ts";

/** A refusal of the desk, in the words that its caller reads. */
export class Refusal extends Error {}

/** Cents as units of money, two decimals exact. */
export function money(cents: number): number {
  return cents / 100;
}

/** Units of money as cents. */
export function cents(amount: number): number {
  return Math.round(amount * 100);
}

export interface CustomerRow {
  id: string;
  name: string;
  email: string;
  phone: string;
  street: string;
  city: string;
  postcode: string;
  tier: string;
  store_credit: number;
  member_since: string;
}
export interface ProductRow {
  id: string;
  name: string;
  category: string;
  price: number;
  stock: number;
  discontinued: number;
}
export interface OrderRow {
  id: string;
  customer_id: string;
  status: string;
  placed_on: string;
  card_amount: number;
  credit_amount: number;
  street: string;
  city: string;
  postcode: string;
  delivered_on: string | null;
  returns_until: string | null;
  cancel_reason: string | null;
}
export interface ItemRow {
  line: number;
  product_id: string;
  name: string;
  category: string;
  quantity: number;
  unit_price: number;
}
interface ShipmentRow {
  id: string;
  order_id: string;
  carrier: string;
  tracking_number: string;
  status: string;
  shipped_on: string;
  due_on: string;
}
interface RefundRow {
  id: string;
  order_id: string;
  customer_id: string;
  kind: string;
  product_id: string | null;
  card_amount: number;
  credit_amount: number;
  reason: string;
  issued_on: string;
}

function one<T>(db: DeskDatabase, table: string, id: string, noun: string): T {
  const row = db.prepare(`SELECT * FROM ${table} WHERE id = ?`).get(id) as T | undefined;
  if (!row) throw new Refusal(`${noun} ${id} not found`);
  return row;
}

/** The row by id, or a refusal that names the id. */
export const customerRow = (db: DeskDatabase, id: string) => one<CustomerRow>(db, "customers", id, "Customer");
/** The row by id, or a refusal that names the id. */
export const productRow = (db: DeskDatabase, id: string) => one<ProductRow>(db, "products", id, "Product");
/** The row by id, or a refusal that names the id. */
export const orderRow = (db: DeskDatabase, id: string) => one<OrderRow>(db, "orders", id, "Order");

/** An order's lines, oldest line first. */
export function itemRows(db: DeskDatabase, orderId: string): ItemRow[] {
  return db
    .prepare(
      "SELECT line, product_id, name, category, quantity, unit_price FROM order_items JOIN products ON products.id = product_id WHERE order_id = ? ORDER BY line",
    )
    .all(orderId) as ItemRow[];
}

/** A customer as the desk answers it. */
export function customer(row: CustomerRow) {
  return {
    customer_id: row.id,
    name: row.name,
    email: row.email,
    phone: row.phone,
    address: { street: row.street, city: row.city, postcode: row.postcode },
    tier: row.tier,
    store_credit: money(row.store_credit),
    member_since: row.member_since,
  };
}

/** A product as the desk answers it. */
export function product(row: ProductRow) {
  return {
    product_id: row.id,
    name: row.name,
    category: row.category,
    price: money(row.price),
    stock: row.stock,
    discontinued: row.discontinued === 1,
  };
}

/** An order as the desk answers it, with its lines, and the ids of its shipment and refunds. */
export function order(db: DeskDatabase, id: string) {
  const row = orderRow(db, id);
  const shipped = db.prepare("SELECT id FROM shipments WHERE order_id = ?").get(id) as { id: string } | undefined;
  const refunds = db
    .prepare("SELECT id, kind, product_id FROM refunds WHERE order_id = ? ORDER BY id")
    .all(id) as RefundRow[];
  return {
    order_id: row.id,
    customer_id: row.customer_id,
    status: row.status,
    placed_on: row.placed_on,
    items: itemRows(db, id).map((item) => ({
      product_id: item.product_id,
      name: item.name,
      quantity: item.quantity,
      unit_price: money(item.unit_price),
    })),
    total: money(row.card_amount + row.credit_amount),
    card_amount: money(row.card_amount),
    credit_amount: money(row.credit_amount),
    address: { street: row.street, city: row.city, postcode: row.postcode },
    shipment_id: shipped?.id ?? null,
    delivered_on: row.delivered_on,
    returns_until: row.returns_until,
    cancel_reason: row.cancel_reason,
    refund_id: refunds.find((refund) => refund.kind === "cancellation")?.id ?? null,
    returns: refunds
      .filter((refund) => refund.kind === "return")
      .map((refund) => ({ product_id: refund.product_id, refund_id: refund.id })),
  };
}

/** A shipment as the desk answers it. */
export function shipment(db: DeskDatabase, id: string) {
  const row = one<ShipmentRow>(db, "shipments", id, "Shipment");
  return {
    shipment_id: row.id,
    order_id: row.order_id,
    carrier: row.carrier,
    tracking_number: row.tracking_number,
    status: row.status,
    shipped_on: row.shipped_on,
    due_on: row.due_on,
  };
}

/** A refund as the desk answers it: what went back to the card, and what became store credit. */
export function refund(db: DeskDatabase, id: string) {
  const row = one<RefundRow>(db, "refunds", id, "Refund");
  return {
    refund_id: row.id,
    order_id: row.order_id,
    customer_id: row.customer_id,
    kind: row.kind,
    product_id: row.product_id,
    card_amount: money(row.card_amount),
    credit_amount: money(row.credit_amount),
    reason: row.reason,
    issued_on: row.issued_on,
  };
}
