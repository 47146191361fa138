import { deskLiveTraces, deskTraces } from "../test/helpers/desk-traces.ts";
import { behaves } from "../test/worlds/fixtures/behaviour.ts";
import type { BaseState, Bundle } from "../worlds/bundle.ts";
import { compile } from "../worlds/compile/index.ts";
import type { JsonObject } from "../worlds/json.ts";
import { createWorld, prepare, prepareBase } from "../worlds/world.ts";
import type { World } from "../worlds/world-api.ts";
import { against, type BenchLine, rates } from "./harness.ts";

const TOOLS: Record<string, readonly ["read" | "write", string]> = {
  get_order: ["read", 'read orders by order_id else error "Error: order not found"'],
  get_user: ["read", 'read users by user_id else error "Error: user not found"'],
  find_user: ["read", 'read users by email as {user_id} else error "Error: user not found"'],
  list_orders: ["read", "list orders where row.user_id == {user_id} as {order_id, status}"],
  set_address: [
    "write",
    'update orders by order_id set address.street = {street}, address.city = {city} require row.status == "pending" else error "Error: the order has left" else error "Error: order not found"',
  ],
  cancel_order: [
    "write",
    'update orders by order_id set status = "cancelled", payments append {"amount": row.total, "type": "refund"} require row.status == "pending" else error "Error: not pending" else error "Error: order not found"',
  ],
};

const text = (n: number, length: number): string => `${n.toString(36)}-`.repeat(length).slice(0, length);

/** A shop of 500 users, 1,000 orders and 50 products with nested variants: 1,550 rows, 1.3 MB of JSON. */
export function retail(): { bundle: Bundle; base: BaseState } {
  const users: Record<string, JsonObject> = {};
  const orders: Record<string, JsonObject> = {};
  const products: Record<string, JsonObject> = {};
  for (let i = 0; i < 50; i++) {
    const variants = Array.from({ length: 12 }, (_, k) => [
      `${i * 100 + k}`,
      {
        item_id: `${i * 100 + k}`,
        options: { color: text(k, 8), size: text(k + 1, 8) },
        available: k % 3 > 0,
        price: i + k + 0.49,
      },
    ]);
    products[`P${i}`] = {
      product_id: `P${i}`,
      name: text(i, 20),
      variants: Object.fromEntries(variants) as JsonObject,
    };
  }
  for (let i = 0; i < 500; i++)
    users[`u_${i}`] = {
      user_id: `u_${i}`,
      name: { first_name: text(i, 7), last_name: text(i + 7, 9) },
      email: `user${i}@example.com`,
      address: { street: text(i, 18), city: text(i, 9), zip: `${10000 + i}`, country: "USA" },
      payment_methods: {
        [`card_${i}`]: { source: "credit_card", brand: "visa", last_four: `${1000 + i}`, id: `card_${i}` },
      },
      orders: [`#W${i * 2}`, `#W${i * 2 + 1}`],
    };
  for (let i = 0; i < 1000; i++)
    orders[`#W${i}`] = {
      order_id: `#W${i}`,
      user_id: `u_${i >> 1}`,
      address: { street: text(i, 18), city: text(i, 9), zip: `${10000 + i}`, country: "USA" },
      items: Array.from({ length: 4 }, (_, k) => ({
        name: text(i + k, 18),
        product_id: `P${(i + k) % 50}`,
        item_id: `${((i + k) % 50) * 100 + k}`,
        price: i + k + 0.25,
        options: { color: text(k, 10), size: text(i, 6), material: text(i + k, 12) },
      })),
      fulfillments: [
        { tracking_id: [`${1e11 + i}`], item_ids: Array.from({ length: 4 }, (_, k) => `${((i + k) % 50) * 100 + k}`) },
      ],
      status: "pending",
      total: i + 0.75,
      payments: [{ transaction_type: "payment", amount: i + 0.75, payment_method_id: `card_${i >> 1}` }],
    };
  const tables = { users, orders, products };
  const bundle: Bundle = {
    v: 1,
    name: "retail",
    now: 1_750_000_000,
    tools: Object.entries(TOOLS).map(([name]) => {
      const names =
        name === "set_address"
          ? ["order_id", "street", "city"]
          : name.endsWith("_order")
            ? ["order_id"]
            : name === "find_user"
              ? ["email"]
              : ["user_id"];
      const properties = Object.fromEntries(names.map((field) => [field, { type: "string" }]));
      return { name, inputSchema: { type: "object", properties, required: names } };
    }),
    tables: [
      { name: "users", key: ["user_id"], columns: [] },
      { name: "orders", key: ["order_id"], columns: [] },
      { name: "products", key: ["product_id"], columns: [] },
    ],
    behaviours: Object.fromEntries(
      Object.entries(TOOLS).map(([name, [effect, line]]) => [name, behaves(line, effect)]),
    ),
    exceptions: [],
    gaps: [],
  };
  return { bundle, base: { tables, drawn: {} } };
}

/** The same steps by hand: an overlay map over the parsed rows, each operation written out, each answer serialised. */
function byHand(base: BaseState) {
  const orders = new Map(Object.entries(base.tables.orders as Record<string, JsonObject>));
  let overlay = new Map<string, JsonObject>();
  const log: unknown[] = [];
  return {
    reset(): void {
      overlay = new Map();
      log.length = 0;
    },
    get(id: string): string {
      const row = overlay.get(id) ?? orders.get(id);
      const answer = row ? JSON.stringify(row) : "Error: order not found";
      log.push({ tool: "get_order", id, answer });
      return answer;
    },
    setAddress(id: string, street: string, city: string): string {
      const row = overlay.get(id) ?? orders.get(id);
      if (!row) return "Error: order not found";
      if (row.status !== "pending") return "Error: the order has left";
      const changed = { ...row, address: { ...(row.address as JsonObject), street, city } };
      overlay.set(id, changed);
      const answer = JSON.stringify(changed);
      log.push({ tool: "set_address", id, street, city, answer });
      return answer;
    },
  };
}

/** Heap bytes that an unused fork holds, over 100,000 of them. */
function forkBytes(world: World): number {
  const collect = (globalThis as { gc?: () => void }).gc ?? (() => {});
  const forks: World[] = new Array(100_000);
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < forks.length; i++) forks[i] = world.fork();
  collect();
  return (process.memoryUsage().heapUsed - before) / forks.length;
}

/** Calls per second of live desk sessions on a world compiled from the desk's recordings, and on the same without trust and memory. */
function compiledCalls(): { readonly layered: number; readonly bare: number } {
  const { bundle, base } = compile(deskTraces(), { name: "desk" });
  const { trust: _trust, memory: _memory, ...plain } = bundle;
  const frozen = prepareBase(base);
  const sessions = deskLiveTraces(7, 60);
  let ends = 0;
  const callsOf = (of: Bundle) => {
    const world = createWorld(prepare(of), frozen, { seed: "bench" });
    return (batch: number) => {
      for (let n = 0; n < batch; )
        for (const { calls } of sessions) {
          world.reset();
          for (const { tool, args } of calls) ends += world.call(tool, args).text.length;
          n += calls.length;
        }
    };
  };
  // Whole sessions only: as many calls as all of them hold.
  const batch = sessions.reduce((sum, { calls }) => sum + calls.length, 0);
  const found = rates({ layered: callsOf(bundle), bare: callsOf(plain) }, { batch });
  if (ends === 0) throw new Error("nothing was answered");
  return found;
}

/** Steps, forks, resets, diffs and digests per second of one thread, on a retail-sized world. */
export async function bench(): Promise<BenchLine[]> {
  const { bundle, base } = retail();
  const prepared = prepare(bundle);
  const frozen = prepareBase(base);
  const world = createWorld(prepared, frozen, { seed: "bench" });
  const hand = byHand(base);
  let n = 0;
  const id = (): string => {
    n = (n + 7) % 1000;
    return `#W${n}`;
  };
  let ends = 0;
  // Whoever is answered reads the text: one that was put together lazily is made whole then.
  const read = (text: string): void => {
    ends += text.charCodeAt(text.length - 1);
  };
  const get = (): void => read(world.call("get_order", { order_id: id() }).text);
  const set = (): void => read(world.call("set_address", { order_id: id(), street: "1 Main St", city: "Oslo" }).text);
  const handGet = (): void => read(hand.get(id()));
  const handSet = (): void => read(hand.setAddress(id(), "1 Main St", "Oslo"));
  const batchOf = (step: (i: number) => void, reset: () => void) => (batch: number) => {
    for (let i = 0; i < batch; i++) step(i);
    reset();
  };
  const [reset, handReset] = [() => world.reset(), () => hand.reset()];
  const steps = rates({
    reads: batchOf(get, reset),
    handReads: batchOf(handGet, handReset),
    writes: batchOf(set, reset),
    handWrites: batchOf(handSet, handReset),
    mixed: batchOf((i) => (i % 4 < 3 ? get() : set()), reset),
    handMixed: batchOf((i) => (i % 4 < 3 ? handGet() : handSet()), handReset),
    search: (batch) => {
      for (let i = 0; i < batch; i++) world.call("list_orders", { user_id: `u_${i % 500}` });
    },
  });
  let held: unknown;
  const json = JSON.stringify(base.tables);
  const changeThree = (): void => {
    world.reset();
    for (let i = 0; i < 3; i++) set();
  };
  const { parses } = rates(
    {
      parses: (batch) => {
        for (let i = 0; i < batch; i++) held = JSON.parse(json);
      },
    },
    { batch: 2 },
  );
  const state = rates({
    forks: (batch) => {
      for (let i = 0; i < batch; i++) held = world.fork();
    },
    resets: (batch) => {
      for (let i = 0; i < batch; i++) world.reset();
    },
    digested: (batch) => {
      for (let i = 0; i < batch; i++) {
        changeThree();
        held = world.digest();
      }
    },
    changed: (batch) => {
      for (let i = 0; i < batch; i++) changeThree();
    },
    diffs: (batch) => {
      changeThree();
      for (let i = 0; i < batch; i++) held = world.diff();
    },
    again: (batch) => {
      changeThree();
      for (let i = 0; i < batch; i++) held = world.digest();
    },
  });
  const compiled = compiledCalls();
  const digests = 1 / (1 / state.digested - 1 / state.changed);
  if (held === undefined || ends === 0) throw new Error("nothing was measured");
  const floor = (value: number) => ({ name: "overlay by hand", value });
  return [
    { name: "size of the base", value: json.length / 1e6, unit: "MB" },
    against("steps: reads by key", steps.reads, "/s", floor(steps.handReads)),
    against("steps: guarded updates", steps.writes, "/s", floor(steps.handWrites)),
    against("steps: three reads to one update", steps.mixed, "/s", floor(steps.handMixed)),
    { name: "steps: indexed search", value: steps.search, unit: "/s" },
    against("calls of the compiled desk", compiled.layered, "/s", {
      name: "without trust and memory",
      value: compiled.bare,
    }),
    { name: "forks", value: state.forks, unit: "/s" },
    { name: "memory of a fork", value: forkBytes(world), unit: "bytes" },
    against("resets", state.resets, "/s", { name: "parse the JSON again", value: parses }),
    { name: "diffs of 3 changed rows", value: state.diffs, unit: "/s" },
    { name: "digests of 3 newly changed rows", value: digests, unit: "/s" },
    { name: "digests of the same 3 rows again", value: state.again, unit: "/s" },
  ];
}
