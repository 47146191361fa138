import { Recording } from "./http-archive.ts";

const ORIGIN = "https://api.shop.example";

/**
 * An HTTP archive of sessions with a small orders API, as a browser writes it: reads, pages, writes, errors, a limit,
 * and files that are no API.
 */
export function ordersHar(): object {
  const orders = new Map(
    Array.from({ length: 12 }, (_, i) => {
      const id = 1001 + i;
      return [id, { id, status: i % 3 === 0 ? "shipped" : "open", customer: `c${i % 4}`, total: 10 + i * 2 }];
    }),
  );
  const recording = new Recording(ORIGIN);
  const add = recording.add.bind(recording);
  const missing = (id: number) => ({ error: { code: "order_not_found", message: `No order ${id}` } });
  for (const order of orders.values()) add("GET", `/v1/orders/${order.id}`, 200, order);
  for (const id of [4004, 4005, 4006]) add("GET", `/v1/orders/${id}`, 404, missing(id));
  const page = (from: number) => [...orders.values()].slice(from, from + 2);
  for (const from of [0, 2, 4])
    add("GET", `/v1/orders?offset=${from}&limit=2`, 200, page(from), undefined, {
      Link: `<${ORIGIN}/v1/orders?offset=${from + 2}&limit=2>; rel="next"`,
    });
  for (const id of [1002, 1003, 1005, 1006, 1008]) {
    const order = orders.get(id);
    if (!order) throw new Error("no such order");
    add("GET", `/v1/orders/${id}`, 200, order);
    const cancelled = { ...order, status: "cancelled" };
    orders.set(id, cancelled);
    add("PATCH", `/v1/orders/${id}`, 200, cancelled, { status: "cancelled" });
    add("GET", `/v1/orders/${id}`, 200, cancelled);
  }
  add("GET", `${ORIGIN}/favicon.ico`, 200, undefined);
  add("GET", "https://metrics.example/collect", 200, { ok: true });
  add("POST", "/v1/exports", 202, { export: "e-77120", ready: false }, { format: "csv" });
  return recording.har();
}

/** A document that declares the same API and one operation more. */
export function ordersDocument(): object {
  const order = { type: "object", properties: { id: { type: "integer" }, status: { type: "string" } } };
  const answer = (schema: object) => ({ description: "ok", content: { "application/json": { schema } } });
  const id = { name: "orderId", in: "path", required: true, schema: { type: "integer" } };
  return {
    openapi: "3.0.3",
    info: { title: "Orders", version: "7" },
    servers: [{ url: `${ORIGIN}/v1` }],
    paths: {
      "/orders": { get: { operationId: "listOrders", responses: { 200: answer({ type: "array", items: order }) } } },
      "/orders/{orderId}": {
        parameters: [id],
        get: { operationId: "getOrder", responses: { 200: answer(order), 404: { description: "none" } } },
        delete: { operationId: "deleteOrder", responses: { 204: { description: "gone" } } },
      },
    },
  };
}
