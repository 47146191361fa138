import { totalOf } from "../seed.ts";
import { ask, type Deck, dollars, introduce, type Scenario } from "./scenario.ts";

interface Summary {
  order_id: string;
  status: string;
}

/** A person asks where an order is. */
export function whereIs(deck: Deck): Scenario {
  const { random } = deck;
  const order = deck.order("moving", (row) => row.shippedOn !== null);
  const who = introduce(random, order.customer);
  const direct = random.chance(0.5);
  const what = order.items[0]?.product.name ?? "order";
  return {
    kind: "where_is_order",
    request: direct
      ? random.pick([
          `Where is my order ${order.id}?`,
          `Can you tell me who carries order ${order.id} and when it is due?`,
          `Has ${order.id} left yet?`,
        ])
      : `${who.words} ${random.pick([`I ordered a ${what} and wonder where it is.`, `When does my ${what} arrive?`])}`,
    *steps() {
      if (!direct) {
        const found = yield* who.find();
        const listed = yield* ask("list_orders", { customer_id: (found.value as { customer_id: string }).customer_id });
        if (listed.isError) return { answer: "I could not find your orders.", reached: false };
      }
      const got = (yield* ask("get_order", { order_id: order.id })).value as { shipment_id: string };
      const sent = (yield* ask("get_shipment", { shipment_id: got.shipment_id })).value as Record<string, string>;
      return {
        answer: `Order ${order.id} went out with ${sent.carrier} on ${sent.shipped_on}, tracking number ${sent.tracking_number}; it is ${sent.status === "delivered" ? "delivered" : "on its way"}, ${sent.due_on}.`,
        reached: true,
      };
    },
  };
}

/** A person wants to know what they ordered, in whole or of one status. */
export function history(deck: Deck): Scenario {
  const { random } = deck;
  const customer = deck.customer("history");
  const who = introduce(random, customer);
  const status = random.chance(0.35) ? random.pick(["pending", "shipped", "delivered", "cancelled"]) : undefined;
  return {
    kind: "order_history",
    request: `${who.words} ${status ? `Which of my orders are ${status}?` : random.pick(["What have I ordered so far?", "Please read me my orders with what is in them.", "How much have I spent with you?"])}`,
    *steps() {
      const found = (yield* who.find()).value as { customer_id: string };
      const listed = (yield* ask("list_orders", { customer_id: found.customer_id, ...(status ? { status } : {}) }))
        .value as Summary[];
      if (listed.length === 0) return { answer: `You have no ${status ?? ""} orders with us.`, reached: true };
      for (const { order_id } of listed.slice(0, 6)) yield* ask("get_order", { order_id });
      return {
        answer: `You have ${listed.length} orders: ${listed.map((row) => `${row.order_id} (${row.status})`).join(", ")}.`,
        reached: true,
      };
    },
  };
}

/** A person wants to know where all their parcels are. */
export function parcels(deck: Deck): Scenario {
  const sent = (id: string) => deck.seed.orders.some((row) => row.customer.id === id && row.shippedOn !== null);
  const customer = deck.customer("parcels", (row) => sent(row.id));
  const who = introduce(deck.random, customer);
  return {
    kind: "parcels",
    request: `${who.words} ${deck.random.pick(["Where are my parcels?", "Who brings my parcels, and when?"])}`,
    *steps() {
      const found = (yield* who.find()).value as { customer_id: string };
      const listed = (yield* ask("list_orders", { customer_id: found.customer_id })).value as Summary[];
      const told: string[] = [];
      for (const { order_id, status } of listed) {
        if (status !== "shipped" && status !== "delivered") continue;
        const order = (yield* ask("get_order", { order_id })).value as { shipment_id: string };
        const row = (yield* ask("get_shipment", { shipment_id: order.shipment_id })).value as Record<string, string>;
        told.push(
          `${order_id} with ${row.carrier}, ${row.status === "delivered" ? "delivered on" : "due on"} ${row.due_on}`,
        );
      }
      return { answer: `Your parcels: ${told.join("; ")}.`, reached: true };
    },
  };
}

/** A person asks about one order's content. */
export function orderDetails(deck: Deck): Scenario {
  const { random } = deck;
  const order = deck.order("details", () => true);
  return {
    kind: "order_details",
    request: random.pick([
      `What is in order ${order.id} and what did it cost?`,
      `How was ${order.id} paid?`,
      `Which address does order ${order.id} go to?`,
      `What is the state of ${order.id}?`,
    ]),
    *steps(habits) {
      yield* ask("get_order", { order_id: order.id });
      if (habits.chance(0.4)) yield* ask("get_customer", { customer_id: order.customer.id });
      return {
        answer: `Order ${order.id} is ${order.status}: ${order.items.map((line) => `${line.quantity} × ${line.product.name}`).join(", ")}, ${dollars(totalOf(order.items))} in all, to ${order.customer.address.street}, ${order.customer.address.city}.`,
        reached: true,
      };
    },
  };
}

/** A person looks for a product by category, price or words. */
export function browse(deck: Deck): Scenario {
  const { random } = deck;
  const like = deck.product("browse", () => true);
  const args: Record<string, unknown> = {};
  let request = "";
  const style = Number(deck.option("browse", ["0", "1", "2", "3", "4", "5"]));
  if (style <= 3) args.category = like.category;
  if (style === 0)
    request = `Show me all ${like.category === "lamps" || like.category === "chairs" ? like.category : `${like.category} products`} you have.`;
  if (style === 1 || style === 2) {
    args.max_price = Math.ceil(like.price / 500) * 5;
    request = `What do you have in ${like.category} for up to $${args.max_price}?`;
  }
  if (style === 2 || style === 3) {
    args.in_stock = true;
    request = `${request || `I am looking for something in ${like.category}.`} It must be in stock.`;
  }
  if (style >= 4) {
    const word = random.pick(like.name.split(" ").filter((each) => each.length > 3));
    args.query = word.toLowerCase();
    request = `Do you sell anything called "${word.toLowerCase()}"?`;
    if (style === 5) args.in_stock = true;
  }
  return {
    kind: "browse",
    request,
    *steps(habits) {
      const found = (yield* ask("search_products", args)).value as {
        product_id: string;
        name: string;
        price: number;
      }[];
      const first = found[0];
      if (!first) return { answer: "I found no such products.", reached: true };
      if (habits.chance(0.4)) yield* ask("get_product", { product_id: first.product_id });
      return {
        answer: `I found ${found.map((row) => `${row.name} at $${row.price.toFixed(2)}`).join(", ")}.`,
        reached: true,
      };
    },
  };
}

/** A person asks for a product's price or stock by its name. */
export function productFacts(deck: Deck): Scenario {
  const { random } = deck;
  const product = deck.product("facts", () => true);
  return {
    kind: "product_facts",
    request: random.pick([
      `How much is the ${product.name}?`,
      `Is the ${product.name} in stock?`,
      `How many of the ${product.name} do you have left?`,
    ]),
    *steps() {
      const found = (yield* ask("search_products", { query: product.name })).value as { product_id: string }[];
      if (!found[0]) return { answer: `I found no ${product.name}.`, reached: false };
      const row = (yield* ask("get_product", { product_id: found[0].product_id })).value as {
        price: number;
        stock: number;
      };
      return { answer: `The ${product.name} is $${row.price.toFixed(2)}; ${row.stock} in stock.`, reached: true };
    },
  };
}

/** A person asks what came back for a cancelled order. */
export function refundFacts(deck: Deck): Scenario {
  const order = deck.order("refunded", (row) => row.status === "cancelled");
  return {
    kind: "refund_facts",
    request: deck.random.pick([
      `Has my refund for ${order.id} gone out?`,
      `How much did I get back for order ${order.id}?`,
    ]),
    *steps(habits) {
      const got = (yield* ask("get_order", { order_id: order.id })).value as { refund_id: string };
      const row = (yield* ask("get_refund", { refund_id: got.refund_id })).value as {
        card_amount: number;
        credit_amount: number;
        issued_on: string;
      };
      if (habits.chance(0.3)) yield* ask("get_customer", { customer_id: order.customer.id });
      return {
        answer: `The refund ${got.refund_id} was issued on ${row.issued_on}: $${row.card_amount.toFixed(2)} to the card and $${row.credit_amount.toFixed(2)} as store credit.`,
        reached: true,
      };
    },
  };
}

/** A person asks what store credit they have. */
export function creditBalance(deck: Deck): Scenario {
  const customer = deck.customer("balance");
  const who = introduce(deck.random, customer);
  return {
    kind: "credit_balance",
    request: `${who.words} How much store credit do I have?`,
    *steps() {
      const found = (yield* who.find()).value as { store_credit: number };
      return { answer: `You have $${found.store_credit.toFixed(2)} of store credit.`, reached: true };
    },
  };
}

/** A person asks for something that is not there. */
export function nothingThere(deck: Deck): Scenario {
  const { random } = deck;
  const other = deck.customer("stranger");
  const number = random.int(20, 95);
  const handle = other.email.split("@")[0];
  const made: Readonly<Record<string, readonly [args: Record<string, unknown>, request: string]>> = {
    find_customer_by_email: [{ email: `${handle}@mail.example` }, `What orders does ${handle}@mail.example have?`],
    find_customer_by_name: [
      { name: other.name, postcode: `1${number}00` },
      `I'm ${other.name}, postcode 1${number}00. Where are my orders?`,
    ],
    get_order: [{ order_id: `SO-19${number}7` }, `Where is order SO-19${number}7?`],
    get_customer: [{ customer_id: `C-90${number}` }, `What tier is customer C-90${number}?`],
    list_orders: [{ customer_id: `C-91${number}` }, `Which orders does account C-91${number} have?`],
    get_product: [{ product_id: `P-9${number}` }, `How much is product P-9${number}?`],
    get_shipment: [{ shipment_id: `SH-99${number}` }, `Where is shipment SH-99${number}?`],
    get_refund: [{ refund_id: `RF-0099${number}` }, `What came of refund RF-0099${number}?`],
    search_products: nothingSold(deck),
  };
  const tool = deck.option("nothing", Object.keys(made));
  const [args, request] = made[tool] as [Record<string, unknown>, string];
  return {
    kind: "nothing_there",
    request,
    *steps() {
      const got = yield* ask(tool, args);
      return {
        answer: got.isError ? `I could not find that: ${got.text}.` : "No, we have nothing like that.",
        reached: true,
      };
    },
  };
}

function nothingSold({ random }: Deck): readonly [args: Record<string, unknown>, request: string] {
  if (random.chance(0.5)) {
    const query = random.pick(["sofa", "bicycle", "curtain", "telescope"]);
    return [{ query }, `Do you sell a ${query}?`];
  }
  const category = random.pick(["chairs", "bedding", "storage"]);
  const max_price = random.int(2, 14);
  return [{ category, max_price }, `Is there anything in ${category} for up to $${max_price}?`];
}
