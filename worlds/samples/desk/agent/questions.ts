import type { DeskReader, Found } from "./desk.ts";
import { amountIn, type Entities } from "./entities.ts";
import { fieldNamed, fieldsOf, type Row, rowsIn } from "./records.ts";
import { fieldLabel, likeness, say, stems } from "./words.ts";

/** What the agent says, and how it would class it. */
export interface Answer {
  readonly text: string;
  readonly class: "answered" | "said_no_data" | "refused" | "none";
}

const answered = (text: string): Answer => ({ text, class: "answered" });
const nothing = (text: string): Answer => ({ text, class: "said_no_data" });

const LINKS: Readonly<Record<string, readonly [kind: Found["kind"], field: string]>> = {
  shipment: ["shipment", "shipment_id"],
  parcel: ["shipment", "shipment_id"],
  refund: ["refund", "refund_id"],
  customer: ["customer", "customer_id"],
  account: ["customer", "customer_id"],
  buyer: ["customer", "customer_id"],
  order: ["order", "order_id"],
  product: ["product", "product_id"],
};

const LEAD =
  /^.*?\b(?:what(?:'s| is| are| was| were)?(?: the| my)?|tell me(?: the| my|:)?|know(?: the| my)?|checking(?: the| my)?|look up(?: the| my)?|need(?: the| my)?|give me(?: the| my)?|how (?:much|many)(?: is| are| was)?(?: the| my)?|which)\s+/i;

/** Splits "F of the T on S" into the field asked for and the thing that has it; the thing is empty when the text names none. */
export function asked(text: string): { field: string; thing: string } {
  const at = text.search(/\bof\b/i);
  const head = at < 0 ? text : text.slice(0, at);
  const field = head
    .replace(LEAD, "")
    .replace(/[?.!].*$/, "")
    .trim();
  return { field, thing: at < 0 ? "" : text.slice(at + 2) };
}

/** Answers a question about one record: its own field, or that of a record it leads to. */
export async function answerField(desk: DeskReader, root: Found, text: string): Promise<Answer> {
  const { field, thing } = asked(text);
  const target = (await follow(desk, root, thing)) ?? root;
  if (target === "nothing") return nothing(`There is no such record on this ${root.kind}: it has none.`);
  const own = fieldNamed(target.row, field);
  if (own && own.score >= 0.6) return tell(target, own);
  const list = listNamed(target.row, field);
  if (list) return tellList(list.name, list.rows);
  for (const next of await neighbours(desk, target, field)) {
    const there = fieldNamed(next.row, field);
    if (there && there.score > (own?.score ?? 0)) return tell(next, there);
  }
  if (own) return tell(target, own);
  return answered(describe(target));
}

function tell(found: Found, { path, value }: { path: string; value: unknown }): Answer {
  if (value === null) return nothing(`There is no ${fieldLabel(path)} recorded for this ${found.kind}.`);
  return answered(`The ${fieldLabel(path)} is ${say(value, path)}.`);
}

function listNamed(row: Row, phrase: string): { name: string; rows: Row[] } | undefined {
  const name = Object.keys(row).find((key) => Array.isArray(row[key]) && likeness(phrase, key) > 0.3);
  return name === undefined ? undefined : { name, rows: rowsIn(row, name) };
}

function tellList(name: string, rows: readonly Row[]): Answer {
  if (rows.length === 0) return nothing(`There are no ${name} recorded.`);
  return answered(
    `The ${name}: ${rows
      .map((row) =>
        Object.entries(row)
          .map(([key, value]) => `${fieldLabel(key)} ${say(value, key)}`)
          .join(", "),
      )
      .join("; ")}.`,
  );
}

/** The record that "the T on S" leads to, by T's noun or by a product's name among the items. */
async function follow(desk: DeskReader, root: Found, thing: string): Promise<Found | "nothing" | undefined> {
  const [held = "", ...rest] = thing.split(/\b(?:on|for|in)\b/i);
  if (rest.length === 0) return undefined;
  const item =
    rowsIn(root.row, "items").find((row) => thing.toLowerCase().includes(String(row.name).toLowerCase())) ??
    itemWithFigure(root.row, held);
  if (item) return desk.get("product", String(item.product_id));
  for (const word of stems(held)) {
    const link = LINKS[word];
    if (!link || link[0] === root.kind) continue;
    const [kind, field] = link;
    const id = root.row[field] ?? (kind === "product" || kind === "refund" ? onlyOne(root.row, field) : undefined);
    return typeof id === "string" ? desk.get(kind, id) : "nothing";
  }
  return undefined;
}

/** The item that a figure of its own tells from the others: "the product with unit price $42.00". */
function itemWithFigure(row: Row, held: string): Row | undefined {
  if (!/\bwith\b/i.test(held)) return undefined;
  const words = held.toLowerCase();
  const fits = ["items", "returns"]
    .flatMap((list) => rowsIn(row, list))
    .filter((each) =>
      Object.entries(each).some(
        ([key, value]) =>
          stems(key).some((word) => stems(words).includes(word)) &&
          (words.includes(say(value, key).toLowerCase()) || new RegExp(`\\b${String(value)}\\b`, "i").test(words)),
      ),
    );
  return fits.length === 1 ? fits[0] : undefined;
}

function onlyOne(row: Row, field: string): unknown {
  const ids = ["items", "returns"]
    .flatMap((list) => rowsIn(row, list))
    .map((each) => each[field])
    .filter((id) => id !== undefined);
  return ids.length === 1 ? ids[0] : undefined;
}

const TOPICS: readonly (readonly [kind: Found["kind"], topic: RegExp])[] = [
  ["shipment", /carrier|track|shipped|left|arriv|due|where/i],
  ["customer", /email|phone|tier|member|store credit|name/i],
  ["refund", /refund|back|issued/i],
];

async function neighbours(desk: DeskReader, from: Found, phrase: string): Promise<Found[]> {
  for (const [kind, topic] of TOPICS) {
    const id = from.row[`${kind}_id`];
    if (kind !== from.kind && topic.test(phrase) && typeof id === "string") return [await desk.get(kind, id)];
  }
  return [];
}

function describe({ kind, row }: Found): string {
  const told = fieldsOf(row).filter(([, value]) => value !== null);
  const items = rowsIn(row, "items").map((item) => `${item.quantity} × ${item.name}`);
  const list = items.length > 0 ? ` Items: ${items.join(", ")}.` : "";
  return `This ${kind}: ${told.map(([key, value]) => `${fieldLabel(key)} ${say(value, key)}`).join(", ")}.${list}`;
}

/** The list that a question is over: an order's items, a customer's orders. */
export async function requestedList(desk: DeskReader, root: Found, text: string): Promise<Row[]> {
  if (root.kind === "order") return rowsIn(root.row, "items");
  if (root.kind === "customer" || typeof root.row.customer_id === "string") {
    const status = /\b(pending|shipped|delivered|cancelled)\b/i.exec(text)?.[1]?.toLowerCase();
    return desk.orders(String(root.row.customer_id), status);
  }
  return [];
}

const title = (row: Row): string => String(row.name ?? row.order_id ?? row.product_id);

/** "Which items on order … have a unit price above $20.00": the elements that fit. */
export function filterRows(rows: readonly Row[], text: string): Answer | undefined {
  const found = /\bhave (?:an? )?(.+?) (above|over|more than|below|under|less than) (\S+)/i.exec(text);
  const [, phrase = "", word = ""] = found ?? [];
  const field = numberField(rows, phrase);
  const bound = amountIn(text) ?? Number(found?.[3]?.replace(/[^\d.]+|\.$/g, ""));
  if (!found || field === undefined || Number.isNaN(bound)) return undefined;
  const above = /above|over|more/i.test(word);
  const fits = rows.filter((row) => (above ? Number(row[field]) > bound : Number(row[field]) < bound));
  return fits.length === 0
    ? nothing(`There are none with a ${fieldLabel(field)} ${word} ${say(bound, field)}.`)
    : answered(`These: ${fits.map(title).join(", ")}.`);
}

function numberField(rows: readonly Row[], phrase: string): string | undefined {
  const [first] = rows;
  if (!first) return undefined;
  const fields = Object.keys(first).filter((key) => typeof first[key] === "number");
  const best = fields.map((key) => [likeness(phrase, key), key] as const).sort((a, b) => b[0] - a[0])[0];
  return best && best[0] > 0 ? best[1] : undefined;
}

/** Sums, highest and lowest over a list. */
export function aggregateRows(rows: readonly Row[], text: string): Answer | undefined {
  const sum =
    /\btotal ([\w ]+) of all\b/i.exec(text) ??
    /\b(?:add up|sum|altogether|in total)\b(?: (?:of|each|every|all|the))*\s*([\w ]+?)(?: once)?\s*[?.!]/i.exec(text);
  const each = sum && numberField(rows, sum[1] ?? "");
  if (each) {
    const cents = rows.reduce((total, row) => total + Math.round(Number(row[each]) * 100), 0);
    return answered(`Together they come to ${say(cents / 100, each)}.`);
  }
  const top = /\b(highest|largest|most expensive|lowest|smallest|cheapest)\b ?([\w ]*)/i.exec(text);
  const field = top && numberField(rows, top[2] || "price total");
  if (!top || !field || rows.length === 0) return undefined;
  const sorted = [...rows].sort((a, b) => Number(a[field]) - Number(b[field]));
  const best = /highest|largest|most/i.test(top[1] ?? "") ? sorted.at(-1) : sorted[0];
  return answered(`That is ${title(best as Row)}.`);
}

/** Questions that name no record: about the catalogue. */
export async function answerCatalogue(desk: DeskReader, text: string): Promise<Answer | undefined> {
  const category = /\b(lamps|chairs|kitchen|bedding|garden|storage)\b/i.exec(text)?.[1]?.toLowerCase();
  const quoted =
    /["“]([^"”]+)["”]/.exec(text)?.[1] ??
    /\b(?:the|an?|any) ([A-Z][\p{L}]+(?: [A-Z][\p{L}]+)+)/u.exec(text)?.[1] ??
    /\bsell (?:an?|any) (\w+)/i.exec(text)?.[1];
  if (category === undefined && quoted === undefined) return undefined;
  const most = amountIn(text);
  const stock = /\bin stock\b/i.test(text);
  const filter =
    quoted === undefined
      ? {
          category,
          ...(most === undefined ? {} : { max_price: most }),
          ...(stock && !/^is\b/i.test(text) ? { in_stock: true } : {}),
        }
      : { query: quoted.toLowerCase() };
  const rows = await desk.products(filter);
  if (rows.length === 0) return nothing("We have no such products.");
  return answered(
    `We have: ${rows.map((row) => `${row.name} at ${say(row.price, "price")}, ${row.stock} in stock`).join("; ")}.`,
  );
}

/** A customer's orders, told in short. */
export async function tellOrders(desk: DeskReader, customer: Row, text: string): Promise<Answer> {
  const status = /\b(pending|shipped|delivered|cancelled)\b/i.exec(text)?.[1]?.toLowerCase();
  const rows = await desk.orders(String(customer.customer_id), status);
  if (rows.length === 0) return nothing(`You have no ${status ? `${status} ` : ""}orders with us.`);
  const cents = rows.reduce((sum, row) => sum + Math.round(Number(row.total) * 100), 0);
  return answered(
    `You have ${rows.length}: ${rows.map((row) => `${row.order_id} of ${row.placed_on}, ${row.status}, ${say(row.total, "total")}`).join("; ")}. Together ${say(cents / 100, "total")}.`,
  );
}

/** Where an order is. */
export async function tellWhere(desk: DeskReader, order: Found): Promise<Answer> {
  const id = order.row.shipment_id;
  if (typeof id !== "string")
    return answered(`Order ${order.row.order_id} is ${order.row.status} and has not been sent.`);
  const { row } = await desk.get("shipment", id);
  return answered(
    `Order ${order.row.order_id} left on ${row.shipped_on} with ${row.carrier}, tracking number ${row.tracking_number}; status ${say(row.status, "status")}, due on ${row.due_on}.`,
  );
}

/** Where the product is that a customer says they ordered, by the newest order that holds it; where all is when none is named. */
export async function tellWhereabouts(desk: DeskReader, customer: Row, text: string): Promise<Answer> {
  const sent: Found[] = [];
  for (const { order_id } of (await desk.orders(String(customer.customer_id))).slice(0, 12)) {
    const order = await desk.get("order", String(order_id));
    const items = rowsIn(order.row, "items").map((item) => String(item.name).toLowerCase());
    if (items.some((name) => text.toLowerCase().includes(name))) return tellWhere(desk, order);
    if (typeof order.row.shipment_id === "string") sent.push(order);
  }
  if (sent.length === 0 || !/\b(?:parcels|orders|everything|all)\b/i.test(text))
    return nothing("I could not find an order of yours with that.");
  const told: string[] = [];
  for (const order of sent) told.push((await tellWhere(desk, order)).text);
  return answered(told.join(" "));
}

/** What came back for an order. */
export async function tellRefund(desk: DeskReader, order: Found): Promise<Answer> {
  const id = order.row.refund_id;
  if (typeof id !== "string") return nothing(`There is no refund recorded for order ${order.row.order_id}.`);
  const { row } = await desk.get("refund", id);
  return answered(
    `Refund ${id} was issued on ${row.issued_on}: ${say(row.card_amount, "amount")} to the card and ${say(row.credit_amount, "amount")} as store credit.`,
  );
}

/** Whether a text asks rather than wishes. */
export function isQuestion(text: string, named: Entities): boolean {
  const words = text.replace(/^(?:hi|hello|hey|good \w+)\b[^.!?:]*[,.!:]\s*/i, "");
  if (/(?:^|[.!?:] )is the\b/i.test(words)) return true;
  if (
    /\b(?:what|which|how (?:much|many)|where|when|who|tell me|know the|checking the|look up|need the|has my|do you (?:sell|have)|are there)\b/i.test(
      words,
    )
  )
    return true;
  return /^[A-Z][\w ]* of\b/.test(words) && /\?$/.test(words.trim()) && Object.values(named).flat().length > 0;
}
