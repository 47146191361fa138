import type { Entities } from "./entities.ts";
import { isRow, type Row } from "./records.ts";
import type { ParsedReply } from "./reply.ts";

/** The desk as the agent sees it: tools that are called by name. */
export interface DeskTools {
  call(tool: string, args: Record<string, unknown>): Promise<ParsedReply>;
  close(): Promise<void>;
}

/** Something a record was not found for, in the desk's words. */
export class NotThere extends Error {}

/** A record with the kind it is of. */
export interface Found {
  readonly kind: "order" | "customer" | "product" | "shipment" | "refund";
  readonly row: Row;
}

const READ: Readonly<Record<Found["kind"], readonly [tool: string, param: string]>> = {
  order: ["get_order", "order_id"],
  customer: ["get_customer", "customer_id"],
  product: ["get_product", "product_id"],
  shipment: ["get_shipment", "shipment_id"],
  refund: ["get_refund", "refund_id"],
};

/** The reads of the desk that the agent plans with. */
export class DeskReader {
  readonly tools: DeskTools;

  constructor(tools: DeskTools) {
    this.tools = tools;
  }

  /** A record by id; throws NotThere with the desk's words. */
  async get(kind: Found["kind"], id: string): Promise<Found> {
    const [tool, param] = READ[kind];
    return { kind, row: rowOf(await this.tools.call(tool, { [param]: id })) };
  }

  /** The customer that a text names by email, by name and postcode, or by id. */
  async customer(named: Entities): Promise<Found | undefined> {
    if (named.email)
      return { kind: "customer", row: rowOf(await this.tools.call("find_customer_by_email", { email: named.email })) };
    if (named.name && named.postcode) {
      const args = { name: named.name, postcode: named.postcode };
      return { kind: "customer", row: rowOf(await this.tools.call("find_customer_by_name", args)) };
    }
    const [id] = named.customers;
    return id === undefined ? undefined : this.get("customer", id);
  }

  /** The order that a text names: by its number, or by its shipment or refund. */
  async orderNamed(named: Entities): Promise<Found | undefined> {
    const [[order], [shipment], [refund]] = [named.orders, named.shipments, named.refunds];
    if (order) return this.get("order", order);
    const leads = shipment
      ? await this.get("shipment", shipment)
      : refund
        ? await this.get("refund", refund)
        : undefined;
    return leads && this.get("order", String(leads.row.order_id));
  }

  /** A customer's orders, newest first. */
  async orders(customerId: string, status?: string): Promise<Row[]> {
    return listOf(await this.tools.call("list_orders", { customer_id: customerId, ...(status ? { status } : {}) }));
  }

  /** Products that fit. */
  async products(filter: Record<string, unknown>): Promise<Row[]> {
    return listOf(await this.tools.call("search_products", filter));
  }

  /** The record that a text is about: the most particular one that it names. */
  async subject(named: Entities): Promise<Found | undefined> {
    const [order, shipment, refund, product] = [
      named.orders[0],
      named.shipments[0],
      named.refunds[0],
      named.products[0],
    ];
    if (shipment) return this.get("shipment", shipment);
    if (refund) return this.get("refund", refund);
    if (order) return this.get("order", order);
    if (named.email || (named.name && named.postcode) || named.customers.length > 0) return this.customer(named);
    return product ? this.get("product", product) : undefined;
  }
}

function rowOf(parsedReply: ParsedReply): Row {
  if (parsedReply.refused || !isRow(parsedReply.value)) throw new NotThere(parsedReply.text);
  return parsedReply.value;
}

function listOf(parsedReply: ParsedReply): Row[] {
  if (parsedReply.refused || !Array.isArray(parsedReply.value)) throw new NotThere(parsedReply.text);
  return parsedReply.value.filter(isRow);
}
