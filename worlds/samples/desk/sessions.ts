import { createDesk, type DeskAnswer } from "./desk.ts";
import { Random } from "./random.ts";
import { drawScenarios } from "./scenarios/index.ts";
import { Deck, type DeskCall, type Reply } from "./scenarios/scenario.ts";
import { PLACES } from "./scenarios/writing.ts";
import { type Seed, seedRows } from "./seed.ts";

/** One session: its calls in order, for a desk with nothing done yet. */
export interface LiveSession {
  readonly calls: readonly DeskCall[];
}

/** What a desk said to a call, as a client reads it: JSON as data, anything else as its text. */
export function replyOf(answer: DeskAnswer): Reply {
  if (answer.isError) return { ...answer, value: answer.text };
  return { ...answer, value: JSON.parse(answer.text) as unknown };
}

/**
 * Sessions that no recording holds, drawn from `seed`: two of three serve a person as the recorded ones do, the third
 * makes calls in no plan, each valid by the schemas and about records that exist. No call names an id that its session
 * was given by a write, since every desk numbers its own.
 */
export function liveSessions(seed: number, n: number): LiveSession[] {
  const rows = seedRows();
  const random = new Random(seed ^ 0x5eed);
  const deck = new Deck(rows, random);
  const issued = new Set([
    ...rows.orders.map((order) => order.id),
    ...rows.orders
      .map((_, i) => `RF-${String(101 + i).padStart(6, "0")}`)
      .slice(0, rows.orders.filter((order) => order.cancelReason).length),
  ]);
  const planned = drawScenarios(deck, random, n);
  return planned.map((scenario, i) => {
    if (i % 3 === 2) return { calls: wander(rows, random) };
    const desk = createDesk();
    const calls: DeskCall[] = [];
    const given = new Set<string>();
    const steps = scenario.steps(random);
    let next = steps.next();
    while (!next.done) {
      const { tool, args } = next.value;
      const reply = replyOf(desk.call(tool, args) as DeskAnswer);
      if (!Object.values(args).some((value) => given.has(String(value)))) calls.push(next.value);
      for (const [id] of reply.isError ? [] : reply.text.matchAll(/\b(?:SO|RF)-\d+\b/g))
        if (!issued.has(id)) given.add(id);
      next = steps.next(reply);
    }
    desk.close();
    return { calls };
  });
}

/** The real desk's answers to a session, from a fresh database. */
export function answerLive(session: LiveSession): DeskAnswer[] {
  const desk = createDesk();
  const answers = session.calls.map(({ tool, args }) => {
    const answer = desk.call(tool, args);
    if (!answer) throw new Error(`the desk has no tool of that name: ${tool}`);
    return answer;
  });
  desk.close();
  return answers;
}

function wander(rows: Seed, random: Random): DeskCall[] {
  const order = random.pick(rows.orders);
  const calls: DeskCall[] = [];
  const touched = new Map<string, DeskCall>();
  const read = (tool: string, args: Record<string, unknown>): DeskCall => {
    const call = { tool, args };
    touched.set(JSON.stringify(call), call);
    return call;
  };
  const line = random.pick(order.items);
  const product = random.chance(0.5) ? line.product : random.pick(rows.products);
  const of = { order_id: order.id };
  const [street, city, postcode] = random.pick(PLACES);
  const amount = random.int(1, 60) / 2;
  const reads = [
    () => read("get_order", of),
    () => read("get_customer", { customer_id: order.customer.id }),
    () => read("get_product", { product_id: product.id }),
    () => read("get_product", { product_id: line.product.id }),
    () => read("list_orders", { customer_id: order.customer.id }),
    () => read("find_customer_by_email", { email: order.customer.email }),
    () =>
      read("search_products", {
        category: product.category,
        ...(random.chance(0.5) ? { in_stock: random.chance(0.8) } : {}),
      }),
  ];
  const writes: (() => DeskCall)[] = [
    () => ({
      tool: "cancel_order",
      args: { ...of, reason: random.pick(["no_longer_needed", "ordered_by_mistake", "too_slow", "other"]) },
    }),
    () => ({ tool: "change_address", args: { ...of, street, city, postcode } }),
    () => ({ tool: "exchange_item", args: { ...of, product_id: line.product.id, new_product_id: product.id } }),
    () => ({
      tool: "return_item",
      args: {
        ...of,
        product_id: line.product.id,
        reason: random.pick(["damaged", "wrong_item", "not_as_described", "changed_mind"]),
      },
    }),
    () => ({ tool: "apply_credit", args: { ...of, amount } }),
    () => ({
      tool: "place_order",
      args: { customer_id: order.customer.id, product_id: product.id, quantity: random.int(1, 4) },
    }),
  ];
  for (let i = random.int(2, 4); i > 0; i--) calls.push(random.pick(reads)());
  for (let i = random.int(1, 2); i > 0; i--) calls.push(random.pick(writes)());
  calls.push(...touched.values());
  return calls;
}
