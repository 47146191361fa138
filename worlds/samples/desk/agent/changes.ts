import { type DeskReader, NotThere } from "./desk.ts";
import { amountIn, type Entities, entitiesOf, quantityIn } from "./entities.ts";
import type { Answer } from "./questions.ts";
import { type Row, rowsIn } from "./records.ts";
import { fieldLabel, say } from "./words.ts";

/** The changes that the agent can ask of the desk. */
export type Act = "cancel_order" | "change_address" | "exchange_item" | "return_item" | "apply_credit" | "place_order";

const SAID: readonly (readonly [act: Act, pattern: RegExp])[] = [
  ["cancel_order", /\bcancel (?:my |the |an |this |that )?(?:pending )?(?:order|SO-|it\b)|\bcancel SO-/i],
  [
    "change_address",
    /\bchange (?:the |my )?(?:delivery )?address|\b(?:send|deliver|ship|redirect) .*\bto \d+ |\bshould go to\b|\bnew address\b/i,
  ],
  ["exchange_item", /\b(?:exchange|swap|replace)\b|\brather have\b/i],
  ["return_item", /\breturn (?:my|the|an|one|this|it|item)\b|\b(?:send|bring) .*\bback\b/i],
  ["apply_credit", /\b(?:apply|use|take|spend)\b.*\bcredit\b/i],
  ["place_order", /\bplace (?:an?|my|the|one)?\s*(?:new )?order|\b(?:to|me|please) order\b|\border me\b|\bbuy\b/i],
];

/** The change that a text wishes for, if any. */
export function actIn(text: string): Act | undefined {
  return SAID.find(([, pattern]) => pattern.test(text))?.[0];
}

const isAnswer = (given: Row | Answer): given is Answer => typeof given.class === "string";
const ask = (text: string): Answer => ({ text, class: "none" });

const WHY: readonly (readonly [reason: string, pattern: RegExp])[] = [
  ["no_longer_needed", /no longer need|don't need|not needed/i],
  ["ordered_by_mistake", /mistake|accident/i],
  ["too_slow", /too (?:slow|long|late)/i],
  ["damaged", /damaged|broken/i],
  ["wrong_item", /wrong item|not the one|wrong product/i],
  ["not_as_described", /not as described|described/i],
  ["changed_mind", /changed (?:my )?mind/i],
];

function reasonIn(text: string, known: readonly string[]): string | undefined {
  return WHY.find(([reason, pattern]) => known.includes(reason) && pattern.test(text))?.[0];
}

/** A product that a text names, and where: by id, or by a name among `rows`. */
interface Mention {
  readonly id: string;
  readonly at: number;
}

function mentions(text: string, rows: readonly Row[]): Mention[] {
  const found: Mention[] = [...text.matchAll(/\bP-\d+\b/gi)].map((match) => ({
    id: match[0].toUpperCase(),
    at: match.index,
  }));
  for (const row of rows) {
    const at = text.toLowerCase().indexOf(String(row.name).toLowerCase());
    if (at >= 0) found.push({ id: String(row.product_id), at });
  }
  const first = found.filter((each, i) => found.findIndex((other) => other.id === each.id) === i);
  return first.sort((a, b) => a.at - b.at);
}

/** Carries a change out and says what came of it; asks when something is missing. */
export class Clerk {
  readonly #desk: DeskReader;

  constructor(desk: DeskReader) {
    this.#desk = desk;
  }

  async carryOut(act: Act, text: string, named: Entities): Promise<Answer> {
    if (act === "place_order") return this.#place(text, named);
    const order = await this.#desk.orderNamed(named);
    if (!order)
      return ask(
        `Which order do you mean? Please give me the order number${act === "cancel_order" ? "" : " and what you would like"}.`,
      );
    const id = named.orders[0] ?? String(order.row.order_id);
    const args = await this.#arguments(act, text, id, rowsIn(order.row, "items"));
    return isAnswer(args) ? args : this.#do(act, args, id);
  }

  async #arguments(act: Act, text: string, order_id: string, items: readonly Row[]): Promise<Row | Answer> {
    switch (act) {
      case "cancel_order":
        return { order_id, reason: reasonIn(text, ["no_longer_needed", "ordered_by_mistake", "too_slow"]) ?? "other" };
      case "change_address": {
        const address = addressIn(text);
        return address
          ? { order_id, ...address }
          : ask(`What is the new address for order ${order_id}: street, city and postcode?`);
      }
      case "return_item": {
        const [item] = await this.#products(text, items);
        const product = item?.id ?? (items.length === 1 ? items[0]?.product_id : undefined);
        if (product === undefined) return ask(`Which item of order ${order_id} do you want to return?`);
        return {
          order_id,
          product_id: product,
          reason: reasonIn(text, ["damaged", "wrong_item", "not_as_described", "changed_mind"]) ?? "changed_mind",
        };
      }
      case "apply_credit": {
        const amount = amountIn(text);
        return amount === undefined
          ? ask(`How much store credit shall I use on order ${order_id}?`)
          : { order_id, amount };
      }
      default:
        return this.#exchange(text, order_id, items);
    }
  }

  async #exchange(text: string, order_id: string, items: readonly Row[]): Promise<Row | Answer> {
    const found = await this.#products(text, items);
    const labelled = /\bproduct (P-\d+), new product (P-\d+)/i.exec(text);
    if (labelled) return { order_id, product_id: labelled[1], new_product_id: labelled[2] };
    const held = new Set(items.map((row) => String(row.product_id)));
    const marks = [...text.matchAll(/\bnew product\b|\bfor (?=the\b|product\b|a\b|P-)|\brather have\b/gi)].map(
      (match) => match.index,
    );
    const after = (mark: number) => found.find((each) => each.at > mark && (each.at - mark < 30 || !held.has(each.id)));
    const next =
      marks.map(after).findLast((each) => each && (!held.has(each.id) || found.length > 1)) ??
      found.find((each) => !held.has(each.id));
    const others = found.filter((each) => each.id !== next?.id);
    const given =
      (others.find((each) => held.has(each.id)) ?? others[0])?.id ??
      (items.length === 1 ? items[0]?.product_id : undefined);
    if (!next || given === undefined)
      return ask(`Which item of order ${order_id} do you want to exchange, and for which product?`);
    return { order_id, product_id: given, new_product_id: next.id };
  }

  /** The products that a text names: ids, items of the order, then names looked up in the catalogue. */
  async #products(text: string, items: readonly Row[] = []): Promise<Mention[]> {
    let rest = text;
    for (const row of items) rest = rest.replace(new RegExp(String(row.name), "i"), "");
    const known = [...items];
    for (const [name] of rest.matchAll(/\b[A-Z][a-z]+(?: [A-Z][a-z]+)+\b/g)) {
      const query = name.replace(/^(?:Please|The|Swap|Return|Exchange|Send|Can|Could|Hi|Hello|Hey|Good) /, "");
      const person = entitiesOf(text).name;
      if (query === person && /\b(?:I'm|name|I am)\b/.test(text)) continue;
      known.push(...(await this.#desk.products({ query })));
    }
    return mentions(text, known);
  }

  async #place(text: string, named: Entities): Promise<Answer> {
    const buyer = await this.#desk.customer(named);
    if (!buyer)
      return ask(
        "Which customer is the order for? Please give me the email, or the name and postcode, or the customer number.",
      );
    const [product] = await this.#products(text);
    if (!product) return ask("Which product would you like to order, and how many?");
    return this.#do(
      "place_order",
      { customer_id: buyer.row.customer_id, product_id: product.id, quantity: quantityIn(text) ?? 1 },
      "",
    );
  }

  async #do(act: Act, args: Row, order: string): Promise<Answer> {
    const said = await this.#desk.tools.call(act, args);
    if (said.refused && /not found$/.test(said.text)) throw new NotThere(said.text);
    if (said.refused) return { text: `I'm sorry, I can't do that: ${said.text}.`, class: "refused" };
    return { text: confirm(act, args, said.value as Row, order), class: "answered" };
  }
}

const DONE: Readonly<Record<Act, (args: Row, order: string) => string>> = {
  cancel_order: (_, order) => `Order ${order} has been cancelled.`,
  change_address: (args, order) => `Order ${order} now goes to ${args.street}, ${args.city}, ${args.postcode}.`,
  exchange_item: (_, order) => `The item of order ${order} has been exchanged.`,
  return_item: (_, order) => `The return for order ${order} has been made.`,
  apply_credit: (args, order) => `${say(args.amount, "amount")} of store credit has been used on order ${order}.`,
  place_order: () => "The order has been placed.",
};
const TOLD = ["refund_id", "order_id", "card_amount", "credit_amount", "total"];

/** What has been done, with the figures that the desk answered. */
function confirm(act: Act, args: Row, got: Row, order: string): string {
  const told = TOLD.filter((field) => got[field] !== undefined && got[field] !== order);
  const figures = told.map((field) => `${fieldLabel(field)} ${say(got[field], field)}`).join(", ");
  return DONE[act](args, order) + (figures === "" ? "" : ` That is: ${figures}.`);
}

/** `to 6 Harbour Road, Clifton, 60215`. */
const ADDRESS = /\bto (\d+ [^,]+), ([A-Z][\p{L} -]*?),? ((?=[\w-]*\d)[\w-]+(?: \d[A-Z]{2})?)/u;

/** An address as a person writes it, or part by part in any order: `city Clifton, postcode 60215, street 6 Harbour Road`. */
function addressIn(text: string): { street: string; city: string; postcode: string } | undefined {
  const part = (label: string) => new RegExp(`\\b${label} ([^,.?!]+?)(?=,| and |[.?!]|$)`, "i").exec(text)?.[1];
  const labelled = [part("street"), part("city"), part("postcode")];
  const [street, city, postcode] = labelled.every(Boolean) ? labelled : (ADDRESS.exec(text)?.slice(1) ?? []);
  return street && city && postcode
    ? { street: street.trim(), city: city.trim(), postcode: postcode.trim() }
    : undefined;
}
