import { type OrderSeed, type ProductSeed, TODAY, totalOf } from "../seed.ts";
import {
  ask,
  canReturn,
  type Deck,
  type DeskCall,
  dollars,
  introduce,
  isPending,
  type Reply,
  type Scenario,
  type Steps,
} from "./scenario.ts";
import { PLACES } from "./writing.ts";

interface RefusedRequest {
  readonly kind: string;
  readonly request: string;
  /** Calls that must come first: they tell the ids that the act needs. */
  readonly due: readonly DeskCall[];
  /** Reads that a careful client makes besides. */
  readonly more: readonly DeskCall[];
  readonly act: DeskCall;
}

/** A session whose act the desk refuses; the person is told why. */
function refused(refusedRequest: RefusedRequest): Scenario {
  return {
    kind: refusedRequest.kind,
    request: refusedRequest.request,
    *steps(habits): Steps {
      for (const call of refusedRequest.due) yield* ask(call.tool, call.args);
      for (const call of refusedRequest.more) if (habits.chance(0.65)) yield* ask(call.tool, call.args);
      const got: Reply = yield* ask(refusedRequest.act.tool, refusedRequest.act.args);
      const again = refusedRequest.more[0];
      if (again && habits.chance(0.25)) yield* ask(again.tool, again.args);
      return { answer: `I'm unable to do that: ${got.text}.`, reached: got.isError };
    },
  };
}

const readOrder = (row: OrderSeed): DeskCall => ({ tool: "get_order", args: { order_id: row.id } });
const readProduct = (row: ProductSeed): DeskCall => ({ tool: "get_product", args: { product_id: row.id } });
const readCustomer = (row: OrderSeed): DeskCall => ({ tool: "get_customer", args: { customer_id: row.customer.id } });
const findProduct = (row: ProductSeed): DeskCall => ({ tool: "search_products", args: { query: row.name } });

/** Cancelling what is no longer pending. */
export function lateCancel(deck: Deck): Scenario {
  const order = deck.order("late cancel", (row) => !isPending(row));
  return refused({
    kind: "cancel_refused",
    request: `Please cancel order ${order.id}, I no longer need it.`,
    due: [],
    more: [readOrder(order)],
    act: { tool: "cancel_order", args: { order_id: order.id, reason: "no_longer_needed" } },
  });
}

/** Another address for what has left, or one with a postcode that is none. */
export function badMove(deck: Deck): Scenario {
  const { random } = deck;
  const late = random.chance(0.6);
  const order = deck.order(late ? "late move" : "bad move", (row) => isPending(row) !== late);
  const [street, city, right] = random.pick(PLACES);
  const postcode = late ? right : random.pick(["4112", "AB1 2CD", "952340", "60-215"]);
  return refused({
    kind: "address_refused",
    request: `Send ${order.id} to ${street}, ${city}, ${postcode} please.`,
    due: [],
    more: [readOrder(order)],
    act: { tool: "change_address", args: { order_id: order.id, street, city, postcode } },
  });
}

/** Exchanges that break one of the desk's rules. */
export function badSwap(deck: Deck): Scenario {
  const { random, seed } = deck;
  const why = deck.option("bad exchange", ["late", "category", "stock", "cheaper", "missing", "unknown"]);
  const scarce = (row: OrderSeed) =>
    row.items.some((line) =>
      seed.products.some(
        (each) => each.category === line.product.category && each.id !== line.product.id && each.stock < line.quantity,
      ),
    );
  const order = deck.order(`exchange ${why}`, (row) =>
    why === "late" ? !isPending(row) : isPending(row) && (why !== "stock" || scarce(row)),
  );
  const product = (fits: (row: ProductSeed) => boolean) => random.pick(seed.products.filter(fits));
  let line = random.pick(order.items);
  let next = product((row) => row.category === line.product.category && row.id !== line.product.id);
  let given = line.product;
  if (why === "category") next = product((row) => row.category !== line.product.category && row.stock > 3);
  if (why === "stock") {
    for (const each of order.items) {
      const gone = seed.products.find(
        (row) => row.category === each.product.category && row.id !== each.product.id && row.stock < each.quantity,
      );
      if (gone) [line, given, next] = [each, each.product, gone];
    }
  }
  if (why === "cheaper") {
    const cheaper = seed.products.filter(
      (row) => row.category === line.product.category && row.price < line.product.price && row.stock >= line.quantity,
    );
    next = cheaper[0] ?? product((row) => row.category !== line.product.category && row.stock > 3);
  }
  if (why === "missing") given = product((row) => !order.items.some((each) => each.product.id === row.id));
  const target = why === "unknown" ? `P-9${random.int(10, 99)}` : next.id;
  return refused({
    kind: "exchange_refused",
    request: `Swap the ${given.name} in order ${order.id} for ${why === "unknown" ? `product ${target}` : `the ${next.name}`}.`,
    due: [
      readOrder(order),
      ...(why === "missing" ? [findProduct(given)] : []),
      ...(why === "unknown" ? [] : [findProduct(next)]),
    ],
    more: why === "unknown" ? [] : [readProduct(next)],
    act: { tool: "exchange_item", args: { order_id: order.id, product_id: given.id, new_product_id: target } },
  });
}

/** Returns that come too late, too early, twice, or of something else. */
export function badReturn(deck: Deck): Scenario {
  const { random, seed } = deck;
  const why = deck.option("bad return", ["closed", "early", "missing", "twice"]);
  const order = deck.order(`return ${why}`, (row) => {
    if (why === "early") return row.status !== "delivered";
    return why === "closed" ? row.status === "delivered" && !canReturn(row, TODAY) : canReturn(row, TODAY);
  });
  const line = random.pick(order.items);
  const product =
    why === "missing"
      ? random.pick(seed.products.filter((row) => !order.items.some((each) => each.product.id === row.id)))
      : line.product;
  const act = { tool: "return_item", args: { order_id: order.id, product_id: product.id, reason: "changed_mind" } };
  const twice = why === "twice";
  return refused({
    kind: twice ? "return_repeated" : "return_refused",
    request: `I want to return the ${product.name} of ${order.id}, I changed my mind.${twice ? " Please make sure that it goes through." : ""}`,
    due: [readOrder(order), ...(twice ? [act] : []), ...(why === "missing" ? [findProduct(product)] : [])],
    more: [],
    act,
  });
}

/** More credit than there is, or on an order that takes none. */
export function badCredit(deck: Deck): Scenario {
  const { random } = deck;
  const why = deck.option("bad credit", ["late", "balance", "due"]);
  const due = (row: OrderSeed) => totalOf(row.items) - row.creditAmount;
  const order = deck.order(`credit ${why}`, (row) => {
    if (why === "late") return !isPending(row);
    return isPending(row) && (why !== "due" || due(row) < row.customer.storeCredit);
  });
  const amount =
    why === "balance"
      ? order.customer.storeCredit + random.int(1, 30) * 100
      : why === "due"
        ? due(order) + Math.floor((order.customer.storeCredit - due(order)) / 2)
        : 500;
  return refused({
    kind: "credit_refused",
    request: `Use ${dollars(amount)} of my store credit on ${order.id}.`,
    due: [readOrder(order)],
    more: [readCustomer(order)],
    act: { tool: "apply_credit", args: { order_id: order.id, amount: amount / 100 } },
  });
}

/** Orders that the desk does not take. */
export function badOrder(deck: Deck): Scenario {
  const { random } = deck;
  const why = deck.option("bad order", ["stock", "discontinued", "many", "unknown"]);
  const customer = deck.customer("bad order");
  const who = introduce(random, customer);
  const product = deck.product(`order ${why}`, (row) => {
    if (why === "stock") return row.stock < 5 && !row.discontinued;
    return why === "discontinued" ? row.discontinued : row.stock > 10 && !row.discontinued;
  });
  const quantity =
    why === "stock" ? Math.min(5, product.stock + random.int(1, 2)) : why === "many" ? random.int(6, 12) : 1;
  const id = why === "unknown" ? `P-9${random.int(10, 99)}` : product.id;
  return refused({
    kind: "order_refused",
    request: `${who.words} I want to order ${quantity} of ${why === "unknown" ? `product ${id}` : `the ${product.name}`}.`,
    due: [who.call, ...(why === "unknown" ? [] : [findProduct(product)])],
    more: why === "unknown" ? [] : [readProduct(product)],
    act: { tool: "place_order", args: { customer_id: customer.id, product_id: id, quantity } },
  });
}

/** Acts on orders that do not exist. */
export function strayAct(deck: Deck): Scenario {
  const { random } = deck;
  const order_id = `SO-18${random.int(100, 999)}`;
  const [street, city, postcode] = random.pick(PLACES);
  const product_id = `P-2${random.int(10, 29)}`;
  const made: Readonly<Record<string, readonly [args: Record<string, unknown>, request: string]>> = {
    cancel_order: [{ order_id, reason: "too_slow" }, `Please cancel order ${order_id}, it is too slow.`],
    change_address: [
      { order_id, street, city, postcode },
      `Send ${order_id} to ${street}, ${city}, ${postcode} please.`,
    ],
    apply_credit: [{ order_id, amount: 5 }, `Use $5.00 of my store credit on ${order_id}.`],
    return_item: [
      { order_id, product_id, reason: "damaged" },
      `I want to return ${product_id} of ${order_id}, it is damaged.`,
    ],
    exchange_item: [
      { order_id, product_id, new_product_id: "P-205" },
      `Swap ${product_id} in order ${order_id} for product P-205.`,
    ],
  };
  const tool = deck.option("stray", Object.keys(made));
  const [args, request] = made[tool] as [Record<string, unknown>, string];
  return refused({ kind: "stray_act", request, due: [], more: [], act: { tool, args } });
}
