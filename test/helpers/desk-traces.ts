import type { JsonObject } from "../../worlds/json.ts";
import type { ObservedTrace } from "../../worlds/observation.ts";
import { openDatabase } from "../../worlds/samples/desk/database.ts";
import { createDesk } from "../../worlds/samples/desk/desk.ts";
import { TODAY } from "../../worlds/samples/desk/seed.ts";
import { answerLive, liveSessions } from "../../worlds/samples/desk/sessions.ts";
import { recordedSessions } from "../worlds/samples/desk/help.ts";

/** When the recordings were made: the desk's own day, which its refusals speak of. */
const OPENING = Date.parse(`${TODAY}T08:00:00Z`) / 1000;

/** The committed recordings of the desk as the compiler takes them. */
export function deskTraces(): ObservedTrace[] {
  return recordedSessions().map(({ task, request, calls }, i) => ({
    id: `desk-${String(i).padStart(4, "0")}`,
    group: task,
    request,
    startedAt: OPENING + i,
    calls: calls.map(({ tool, args, text, isError }) => ({ tool, args: args as JsonObject, result: text, isError })),
  }));
}

/** Sessions that no recording holds, with what a live desk answers. */
export function deskLiveTraces(seed: number, n: number): ObservedTrace[] {
  return liveSessions(seed, n).map((session, i) => ({
    id: `live-${seed}-${String(i).padStart(4, "0")}`,
    calls: answerLive(session).map(({ text, isError }, k) => ({
      tool: session.calls[k]?.tool ?? "",
      args: session.calls[k]?.args as JsonObject,
      result: text,
      isError,
    })),
  }));
}

/** The desk's whole database as its tools show it: an export of its tables. */
export function deskExport(): Record<string, JsonObject[]> {
  const db = openDatabase();
  const desk = createDesk();
  const rows = (table: string, tool: string, arg: string) =>
    (db.prepare(`SELECT id FROM ${table} ORDER BY id`).all() as { id: string }[]).map(
      ({ id }) => JSON.parse(desk.call(tool, { [arg]: id })?.text ?? "null") as JsonObject,
    );
  const tables = {
    customers: rows("customers", "get_customer", "customer_id"),
    orders: rows("orders", "get_order", "order_id"),
    products: rows("products", "get_product", "product_id"),
  };
  desk.close();
  db.close();
  return tables;
}
