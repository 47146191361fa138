import { Random } from "../random.ts";
import {
  type Args,
  type Call,
  call,
  type Data,
  fieldOf,
  type InventedService,
  num,
  type Plan,
  Refusal,
  rowsOf,
  str,
  tool,
} from "../service.ts";

type Thing = Data & { id: string; object: string };

const ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz0123456789";
const CUSTOMERS = ["Aurelia Foods", "Beacon Dental", "Cinder & Co", "Dune Outdoor", "Elmwood School"];
const PRODUCTS: readonly (readonly [string, number, string | null])[] = [
  ["Starter plan", 1900, "month"],
  ["Team plan", 4900, "month"],
  ["Onboarding session", 25000, null],
  ["Printed manual", 3550, null],
];
const START = 1_765_200_000;
const feeOf = (amount: number) => Math.round(amount * 0.029) + 30;
const code = (random: Random, prefix: string) =>
  `${prefix}_${Array.from({ length: 14 }, () => random.pick([...ALPHABET])).join("")}`;

/** A payment platform: customers, prices, invoices that are drafted, finalized and paid, subscriptions and refunds. */
export const payments: InventedService = {
  name: "payments",
  form: "mcp",
  refusals: "object",
  tools: [
    tool("list_customers", "List customers, the newest first.", {
      email: "string?",
      limit: "integer? 3 by default",
      starting_after: "string? the last id of the page before",
    }),
    tool("create_customer", "Create a customer.", { name: "string", email: "string?" }),
    tool("retrieve_customer", "Retrieve a customer.", { customer: "string" }),
    tool("list_prices", "List prices with their products."),
    tool("list_invoices", "List invoices of a customer.", { customer: "string", status: "draft|open|paid|void?" }),
    tool("create_invoice", "Create a draft invoice.", { customer: "string", days_until_due: "integer?" }),
    tool("create_invoice_item", "Add a price to a draft invoice.", {
      invoice: "string",
      price: "string",
      quantity: "integer? 1 by default",
    }),
    tool("finalize_invoice", "Finalize a draft invoice.", { invoice: "string" }),
    tool("pay_invoice", "Pay an open invoice by the customer's card.", { invoice: "string" }),
    tool("void_invoice", "Void an open invoice.", { invoice: "string" }),
    tool("list_payment_intents", "List payments of a customer.", { customer: "string" }),
    tool("create_refund", "Refund a payment, wholly or in part.", { payment_intent: "string", amount: "integer?" }),
    tool("list_subscriptions", "List subscriptions.", { customer: "string?" }),
    tool("cancel_subscription", "Cancel a subscription.", { subscription: "string", at_period_end: "boolean?" }),
    tool("retrieve_balance", "Retrieve the balance."),
  ],
  start(task, session) {
    const fixed = new Random("payments");
    let clock = START + session.between(0, 86_400);
    const things = new Map<string, Thing>();
    const balance = { available: 184_250, pending: 0 };
    const add = (object: string, prefix: string, fields: Data, created?: number): Thing => {
      const id = code(created === undefined ? session : fixed, prefix);
      if (created === undefined) clock += session.between(1, 20);
      const made = { id, object, created: created ?? clock, ...fields };
      things.set(id, made);
      return made;
    };
    const every = (object: string) => [...things.values()].filter((one) => one.object === object).reverse();
    const find = (object: string, id: unknown) => {
      const found = things.get(str(id));
      if (found?.object !== object) throw new Refusal(`No such ${object.replace("_", "")}: '${id}'`, 404);
      return found;
    };
    const page = (data: readonly Data[], has_more = false) => ({ object: "list", data, has_more });
    CUSTOMERS.forEach((name, i) => {
      const email = `billing@${name.toLowerCase().replace(/\W+/g, "")}.example`;
      const card = i === 3 ? null : { brand: fixed.pick(["visa", "mastercard"]), last4: String(4242 + i * 311) };
      add("customer", "cus", { name, email, balance: 0, card, delinquent: false }, START - 9_000_000 + i * 700_000);
    });
    PRODUCTS.forEach(([name, unit_amount, interval], i) => {
      const recurring = interval === null ? null : { interval, interval_count: 1 };
      const product = { id: code(fixed, "prod"), name };
      add("price", "price", { product, currency: "usd", unit_amount, recurring }, START - 8_000_000 + i);
    });
    const prices = every("price").reverse();
    const customers = every("customer").reverse();
    const subscribe = (customer: Thing, price: Thing, quantity: number, at: number) => {
      const items = [{ price: price.id, quantity, amount: num(price.unit_amount) * quantity }];
      const fields = { status: "active", cancel_at_period_end: false, current_period_end: START + 1_300_000 + at };
      add("subscription", "sub", { customer: customer.id, ...fields, items: { data: items } }, START - 900_000 + at);
    };
    subscribe(customers[0] as Thing, prices[0] as Thing, 1, 0);
    subscribe(customers[1] as Thing, prices[1] as Thing, 6, 40_000);
    const intent = (customer: unknown, amount: number, invoice: string | null, created?: number) => {
      const fields = { amount, amount_refunded: 0, currency: "usd", customer, invoice, status: "succeeded" };
      return add("payment_intent", "pi", fields, created);
    };
    intent(customers[0]?.id, 1900, null, START - 500_000);
    intent(customers[1]?.id, 29_400, null, START - 400_000);
    intent(customers[2]?.id, 3550, null, START - 300_000);
    if (task.chance(0.4)) subscribe(customers[4] as Thing, prices[0] as Thing, task.between(2, 5), 80_000);
    if (task.chance(0.3)) intent(customers[task.between(0, 2)]?.id, task.between(2, 9) * 1000, null, START - 200_000);
    const shown = (invoice: Thing): Data => {
      const { lines, days, ...fields } = invoice;
      const total = (lines as Data[]).reduce((sum, row) => sum + num(row.amount), 0);
      const amount_paid = fields.status === "paid" ? total : 0;
      const amount_remaining = fields.status === "void" ? 0 : total - amount_paid;
      return { ...fields, lines: { object: "list", data: lines }, total, amount_paid, amount_remaining };
    };
    const inStatus = (id: unknown, status: string, what: string) => {
      const invoice = find("invoice", id);
      if (invoice.status !== status)
        throw new Refusal(`You can only ${what} ${status} invoices. This invoice is ${invoice.status}.`);
      return invoice;
    };
    let numbered = 117;
    const handlers = {
      list_customers: ({ email, limit, starting_after }: Args) => {
        const rows = every("customer").filter((one) => email === undefined || one.email === email);
        if (starting_after !== undefined) find("customer", starting_after);
        const from = rows.findIndex(({ id }) => id === starting_after) + 1;
        const some = rows.slice(from, from + num(limit, 3)).map(({ id, name, email }) => ({ id, name, email }));
        return page(some, from + some.length < rows.length);
      },
      create_customer: ({ name, email }: Args) => {
        if (email !== undefined && !str(email).includes("@")) throw new Refusal(`Invalid email address: ${email}`);
        return add("customer", "cus", { name, email: email ?? null, balance: 0, card: null, delinquent: false });
      },
      retrieve_customer: ({ customer }: Args) => find("customer", customer),
      list_prices: () => page(every("price")),
      list_invoices: ({ customer, status }: Args) => {
        find("customer", customer);
        const own = every("invoice").filter((one) => one.customer === customer);
        const rows = own.map(shown).filter((one) => status === undefined || one.status === status);
        return page(rows.map(({ id, number, status, total }) => ({ id, number, status, total })));
      },
      create_invoice: ({ customer, days_until_due }: Args) => {
        find("customer", customer);
        const days = days_until_due === undefined ? null : num(days_until_due);
        const collection_method = days === null ? "charge_automatically" : "send_invoice";
        const fields = { number: null, customer, status: "draft", collection_method, due_date: null };
        return shown(add("invoice", "in", { ...fields, lines: [], days }));
      },
      create_invoice_item: ({ invoice, price, quantity }: Args) => {
        const draft = inStatus(invoice, "draft", "add items to");
        const { unit_amount, product } = find("price", price);
        const n = num(quantity, 1);
        if (!Number.isInteger(n) || n < 1) throw new Refusal(`Invalid integer: ${quantity}`);
        const amount = num(unit_amount) * n;
        const row = { id: code(session, "il"), price, description: fieldOf(product, "name"), quantity: n, amount };
        (draft.lines as Data[]).push(row);
        return { object: "line_item", ...row, invoice: draft.id };
      },
      finalize_invoice: ({ invoice }: Args) => {
        const draft = inStatus(invoice, "draft", "finalize");
        if ((draft.lines as Data[]).length === 0)
          throw new Refusal("Nothing to invoice: this invoice has no line items.");
        draft.status = "open";
        draft.number = `PX-0${numbered++}`;
        if (draft.days !== null) draft.due_date = clock + num(draft.days) * 86_400;
        return shown(draft);
      },
      pay_invoice: ({ invoice }: Args) => {
        const open = inStatus(invoice, "open", "pay");
        if (find("customer", open.customer).card === null)
          throw new Refusal("This customer has no attached payment source or default payment method.", 402);
        const total = num(shown(open).total);
        open.payment_intent = intent(open.customer, total, open.id).id;
        open.status = "paid";
        balance.pending += total - feeOf(total);
        return shown(open);
      },
      void_invoice: ({ invoice }: Args) => {
        const open = inStatus(invoice, "open", "void");
        open.status = "void";
        return shown(open);
      },
      list_payment_intents: ({ customer }: Args) => {
        find("customer", customer);
        return page(every("payment_intent").filter((one) => one.customer === customer));
      },
      create_refund: ({ payment_intent, amount }: Args) => {
        const paid = find("payment_intent", payment_intent);
        const left = num(paid.amount) - num(paid.amount_refunded);
        const back = num(amount, left);
        if (left === 0) throw new Refusal(`Payment ${paid.id} has already been refunded.`);
        if (!(back > 0)) throw new Refusal("Amount must be greater than zero.");
        if (back > left)
          throw new Refusal(`Refund amount (${back}) is greater than unrefunded amount on payment (${left})`);
        paid.amount_refunded = num(paid.amount_refunded) + back;
        balance.available -= back;
        const fields = { amount: back, currency: "usd", payment_intent, reason: null, status: "succeeded" };
        return add("refund", "re", fields);
      },
      list_subscriptions: ({ customer }: Args) =>
        page(every("subscription").filter((one) => (customer ?? one.customer) === one.customer)),
      cancel_subscription: ({ subscription, at_period_end }: Args) => {
        const found = find("subscription", subscription);
        if (found.status === "canceled") throw new Refusal(`No active subscription: '${subscription}'`, 404);
        if (at_period_end === true) found.cancel_at_period_end = true;
        else Object.assign(found, { status: "canceled", canceled_at: clock });
        return found;
      },
      retrieve_balance: () => ({
        object: "balance",
        available: [{ amount: balance.available, currency: "usd" }],
        pending: [{ amount: balance.pending, currency: "usd" }],
      }),
    };
    const customer = task.pick(customers);
    const price = task.pick(prices);
    const quantity = task.pick([undefined, 2, 3, 12]);
    const amount = task.pick([undefined, undefined, 500, 1900, 5000]);
    const name = task.pick(["Fennel Studio", "Gale Motors", "Harrow Press"]);
    const email = task.pick([undefined, "pay@studio.example", "accounts.example"]);
    const days = task.pick([undefined, 14, 30]);
    const kind = task.between(0, 5);
    const what = `${quantity ?? 1} x ${fieldOf(price.product, "name")}`;
    const wishes = [
      `Bill ${customer.name} (${customer.email}) for ${what}${days ? `, due in ${days} days` : ""}, and charge it.`,
      `We have a new customer, ${name}${email ? ` (${email})` : ""}. Draft an invoice for ${what} and send it.`,
      `Refund ${customer.name}'s last payment${amount ? `, ${amount} cents of it` : ""}. What is our balance then?`,
      `What do we know about ${customer.name}, and what have they paid us? Bill them for ${what} as well.`,
      `${customer.name} leaves us. End the subscription${amount ? " when its period ends" : " now"}.`,
      `An invoice for ${customer.name} over ${what} was a mistake: make it as it was, then void it and check.`,
    ];
    const invoiced = function* (id: string): Generator<Call, string, unknown> {
      const rows = rowsOf(yield call("list_prices"));
      const found = rows.find((one) => one.id === price.id);
      const made = yield call("create_invoice", { customer: id, days_until_due: days });
      const invoice = fieldOf(made, "id") ?? "in_none";
      yield call("create_invoice_item", { invoice, price: str(found?.id, price.id), quantity });
      yield call("finalize_invoice", { invoice });
      return invoice;
    };
    function* plan(): Plan {
      if (kind === 1) {
        const id = fieldOf(yield call("create_customer", { name, email }), "id");
        const other = id ?? fieldOf(yield call("create_customer", { name }), "id") ?? customer.id;
        yield call("pay_invoice", { invoice: yield* invoiced(other) });
        yield call("list_invoices", { customer: other });
        yield call("retrieve_customer", { customer: other });
        return;
      }
      const listed = rowsOf(yield call("list_customers", kind === 0 ? { email: str(customer.email) } : { limit: 10 }));
      const id = str(listed.find((one) => one.name === customer.name)?.id, customer.id);
      yield call("retrieve_customer", { customer: id });
      if (kind === 0) {
        yield call("pay_invoice", { invoice: yield* invoiced(id) });
        yield call("list_payment_intents", { customer: id });
        yield call("retrieve_balance");
      } else if (kind === 2) {
        yield call("retrieve_balance");
        const [paid] = rowsOf(yield call("list_payment_intents", { customer: id }));
        yield call("create_refund", { payment_intent: str(paid?.id, "pi_none"), amount });
        yield call("list_payment_intents", { customer: id });
        yield call("retrieve_balance");
      } else if (kind === 4) {
        yield call("list_payment_intents", { customer: id });
        const [own] = rowsOf(yield call("list_subscriptions", { customer: id }));
        const at_period_end = amount ? true : undefined;
        yield call("cancel_subscription", { subscription: str(own?.id, "sub_none"), at_period_end });
        yield call("list_subscriptions", { customer: task.pick([undefined, id]) });
        yield call("retrieve_customer", { customer: id });
      } else {
        if (kind === 3) yield call("list_payment_intents", { customer: id });
        const invoice = yield* invoiced(id);
        if (kind === 5) yield call("void_invoice", { invoice });
        yield call("list_invoices", { customer: id, status: kind === 3 ? "open" : undefined });
      }
    }
    const some = customers.map(({ id }) => id);
    return {
      request: wishes[kind] as string,
      handlers,
      plan: plan(),
      stray: (random) =>
        random.pick([
          call("list_customers", { starting_after: random.pick([undefined, ...some]) }),
          call("list_prices"),
          call("retrieve_customer", { customer: random.pick([...some, "cus_none"]) }),
          call("list_subscriptions", { customer: random.pick([undefined, ...some]) }),
          call("list_payment_intents", { customer: random.pick(some) }),
          call("list_invoices", { customer: customer.id, status: random.pick([undefined, "paid", "open"]) }),
          call("retrieve_balance"),
        ]),
    };
  },
};
