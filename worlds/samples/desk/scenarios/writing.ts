import { TODAY, totalOf } from "../seed.ts";
import { ask, canReturn, type Deck, dollars, introduce, isPending, type Scenario } from "./scenario.ts";

/** Streets that people move to. */
export const PLACES: readonly (readonly [street: string, city: string, postcode: string])[] = [
  ["8 Willow Court", "Ashford", "41120"],
  ["210 Bridge Street", "Clifton", "60215"],
  ["33 Orchard Row", "Fairview", "95012"],
  ["5 Lighthouse Hill", "Eastvale", "84560"],
  ["77 Market Square", "Dunmore", "73450"],
  ["19 Elm Grove", "Brookfield", "52340"],
];
const WHY: Readonly<Record<string, string>> = {
  no_longer_needed: "it is no longer needed",
  ordered_by_mistake: "it was ordered by mistake",
  too_slow: "it is too slow",
  other: "for other reasons",
};
const FAULT: Readonly<Record<string, string>> = {
  damaged: "it is damaged",
  wrong_item: "it is the wrong item",
  not_as_described: "it is not as described",
  changed_mind: "I changed my mind",
};

/** A person cancels a pending order. */
export function cancel(deck: Deck): Scenario {
  const { random } = deck;
  const order = deck.order("cancel", isPending);
  const who = introduce(random, order.customer);
  const reason = random.pick(Object.keys(WHY));
  const told = random.chance(0.5);
  return {
    kind: "cancel_order",
    request: `${told ? `${who.words} ` : ""}${random.pick([`Please cancel order ${order.id}, ${WHY[reason]}.`, `I want to cancel ${order.id}: ${WHY[reason]}.`])}`,
    *steps(habits) {
      if (told) yield* who.find();
      yield* ask("get_order", { order_id: order.id });
      if (habits.chance(0.6)) yield* ask("get_customer", { customer_id: order.customer.id });
      const done = yield* ask("cancel_order", { order_id: order.id, reason });
      const refund = done.value as { refund_id: string; card_amount: number; credit_amount: number };
      if (habits.chance(0.7)) yield* ask("get_order", { order_id: order.id });
      if (habits.chance(0.7)) yield* ask("get_customer", { customer_id: order.customer.id });
      if (habits.chance(0.6)) yield* ask("get_refund", { refund_id: refund.refund_id });
      if (habits.chance(0.3)) yield* ask("list_orders", { customer_id: order.customer.id });
      return {
        answer: `Order ${order.id} is cancelled. Refund ${refund.refund_id}: $${refund.card_amount.toFixed(2)} to your card and $${refund.credit_amount.toFixed(2)} as store credit.`,
        reached: !done.isError,
      };
    },
  };
}

/** A person sends a pending order elsewhere. */
export function move(deck: Deck): Scenario {
  const { random } = deck;
  const order = deck.order("move", isPending);
  const [street, city, postcode] = random.pick(PLACES);
  return {
    kind: "change_address",
    request: random.pick([
      `Please send order ${order.id} to ${street}, ${city}, ${postcode} instead.`,
      `I am moving. ${order.id} should go to ${street}, ${city} ${postcode}.`,
    ]),
    *steps(habits) {
      const read = habits.chance(0.7);
      if (read) yield* ask("get_order", { order_id: order.id });
      const done = yield* ask("change_address", { order_id: order.id, street, city, postcode });
      if (habits.chance(0.5)) yield* ask("get_order", { order_id: order.id });
      if (read && habits.chance(0.5)) yield* ask("get_customer", { customer_id: order.customer.id });
      return { answer: `Order ${order.id} now goes to ${street}, ${city}, ${postcode}.`, reached: !done.isError };
    },
  };
}

/** A person swaps an item of a pending order for one that the desk has. */
export function swapItem(deck: Deck): Scenario {
  const { random, seed } = deck;
  const dearer = (line: { product: { category: string; price: number; id: string }; quantity: number }) =>
    seed.products.filter(
      (row) =>
        row.category === line.product.category &&
        row.id !== line.product.id &&
        row.price >= line.product.price &&
        row.stock >= line.quantity,
    );
  const order = deck.order("exchange", (row) => isPending(row) && row.items.some((line) => dearer(line).length > 0));
  const line = random.pick(order.items.filter((each) => dearer(each).length > 0));
  const next = random.pick(dearer(line));
  return {
    kind: "exchange_item",
    request: random.pick([
      `In order ${order.id}, swap the ${line.product.name} for the ${next.name} please.`,
      `I would rather have the ${next.name} than the ${line.product.name} in ${order.id}.`,
    ]),
    *steps(habits) {
      yield* ask("get_order", { order_id: order.id });
      const all = habits.chance(0.5);
      if (all) yield* ask("get_product", { product_id: line.product.id });
      yield* ask("search_products", all ? { category: line.product.category } : { query: next.name });
      const done = yield* ask("exchange_item", {
        order_id: order.id,
        product_id: line.product.id,
        new_product_id: next.id,
      });
      if (habits.chance(0.5)) yield* ask("get_order", { order_id: order.id });
      if (habits.chance(0.7)) yield* ask("get_product", { product_id: line.product.id });
      if (habits.chance(0.7)) yield* ask("get_product", { product_id: next.id });
      const got = done.value as { total: number };
      return {
        answer: `Done: ${order.id} now has the ${next.name} instead of the ${line.product.name}; the new total is $${got.total.toFixed(2)}.`,
        reached: !done.isError,
      };
    },
  };
}

/** A person brings an item back in time. */
export function bringBack(deck: Deck): Scenario {
  const { random } = deck;
  const order = deck.order("return", (row) => canReturn(row, TODAY));
  const line = random.pick(order.items);
  const reason = random.pick(Object.keys(FAULT));
  return {
    kind: "return_item",
    request: random.pick([
      `I want to return the ${line.product.name} from ${order.id}, ${FAULT[reason]}.`,
      `Can I send the ${line.product.name} of order ${order.id} back? ${(FAULT[reason] ?? "").replace(/^./, (c) => c.toUpperCase())}.`,
    ]),
    *steps(habits) {
      yield* ask("get_order", { order_id: order.id });
      if (habits.chance(0.7)) yield* ask("get_customer", { customer_id: order.customer.id });
      const done = yield* ask("return_item", { order_id: order.id, product_id: line.product.id, reason });
      const refund = done.value as { refund_id: string; credit_amount: number };
      if (habits.chance(0.7)) yield* ask("get_customer", { customer_id: order.customer.id });
      if (habits.chance(0.7)) yield* ask("get_order", { order_id: order.id });
      if (habits.chance(0.5)) yield* ask("get_refund", { refund_id: refund.refund_id });
      return {
        answer: `The ${line.product.name} is taken back: $${refund.credit_amount.toFixed(2)} is now store credit, refund ${refund.refund_id}.`,
        reached: !done.isError,
      };
    },
  };
}

/** A person pays part of a pending order with store credit. */
export function useCredit(deck: Deck): Scenario {
  const { random } = deck;
  const order = deck.order("credit", (row) => isPending(row) && row.customer.storeCredit > 0);
  const most = Math.min(order.customer.storeCredit, totalOf(order.items) - order.creditAmount);
  const amount = random.chance(0.3) ? most : Math.max(100, Math.floor((most * random.next()) / 50) * 50);
  return {
    kind: "apply_credit",
    request: random.pick([
      `Use ${dollars(amount)} of my store credit on order ${order.id}.`,
      `Please take ${dollars(amount)} of ${order.id} from my store credit.`,
    ]),
    *steps(habits) {
      yield* ask("get_order", { order_id: order.id });
      yield* ask("get_customer", { customer_id: order.customer.id });
      const done = yield* ask("apply_credit", { order_id: order.id, amount: amount / 100 });
      if (habits.chance(0.7)) yield* ask("get_customer", { customer_id: order.customer.id });
      if (habits.chance(0.4)) yield* ask("get_order", { order_id: order.id });
      return { answer: `${dollars(amount)} of store credit is used on ${order.id}.`, reached: !done.isError };
    },
  };
}

/** A person orders a product that the desk has. */
export function buy(deck: Deck): Scenario {
  const { random } = deck;
  const product = deck.product("buy", (row) => row.stock > 0 && !row.discontinued);
  const customer = deck.customer("buy");
  const quantity = random.int(1, Math.min(5, product.stock));
  const who = introduce(random, customer);
  return {
    kind: "place_order",
    request: `${who.words} ${random.pick([`I would like to order ${quantity} of the ${product.name}.`, `Please order me ${quantity} × ${product.name}.`])}`,
    *steps(habits) {
      const found = (yield* who.find()).value as { customer_id: string };
      yield* ask("search_products", { query: product.name });
      const done = yield* ask("place_order", { customer_id: found.customer_id, product_id: product.id, quantity });
      const got = done.value as { order_id: string; total: number };
      if (habits.chance(0.7)) yield* ask("get_product", { product_id: product.id });
      if (habits.chance(0.5)) yield* ask("list_orders", { customer_id: found.customer_id });
      if (habits.chance(0.4)) yield* ask("get_order", { order_id: got.order_id });
      return {
        answer: `Ordered: ${quantity} × ${product.name}, order ${got.order_id}, $${got.total.toFixed(2)}.`,
        reached: !done.isError,
      };
    },
  };
}

/** A person wants two things at once: the old order gone, and another product instead. */
export function cancelAndBuy(deck: Deck): Scenario {
  const first = cancel(deck);
  const second = buy(deck);
  return {
    kind: "cancel_and_order",
    request: `${first.request} Then: ${second.request}`,
    *steps(habits) {
      const one = yield* first.steps(habits);
      const two = yield* second.steps(habits);
      return { answer: `${one.answer} ${two.answer}`, reached: one.reached && two.reached };
    },
  };
}
