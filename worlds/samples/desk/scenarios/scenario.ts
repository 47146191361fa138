import type { Random } from "../random.ts";
import type { CustomerSeed, OrderSeed, ProductSeed, Seed } from "../seed.ts";

/** One call of the desk. */
export interface DeskCall {
  readonly tool: string;
  readonly args: Record<string, unknown>;
}

/** What the desk answered, as data where it is JSON. */
export interface Reply {
  readonly text: string;
  readonly isError: boolean;
  readonly value: unknown;
}

/** How a session ended: what the person was told, and whether they got what was right. */
export interface Outcome {
  readonly answer: string;
  readonly reached: boolean;
}

/** The calls of one session, each made on what the one before answered. */
export type Steps = Generator<DeskCall, Outcome, Reply>;

/** What a person wants of the desk, and one sensible way to serve them. `habits` decides which extra reads are made. */
export interface Scenario {
  readonly kind: string;
  readonly request: string;
  readonly steps: (habits: Random) => Steps;
}

/** Draws without putting back until a pool is used up, so that sessions reach every record. */
export class Deck {
  readonly seed: Seed;
  readonly random: Random;
  readonly #left = new Map<string, unknown[]>();

  constructor(seed: Seed, random: Random) {
    this.seed = seed;
    this.random = random;
  }

  customer(pool = "any", fits: (row: CustomerSeed) => boolean = () => true): CustomerSeed {
    return this.#draw(`customer:${pool}`, this.seed.customers, fits);
  }

  product(pool: string, fits: (row: ProductSeed) => boolean): ProductSeed {
    return this.#draw(`product:${pool}`, this.seed.products, fits);
  }

  order(pool: string, fits: (row: OrderSeed) => boolean): OrderSeed {
    return this.#draw(`order:${pool}`, this.seed.orders, fits);
  }

  /** One of the options, each as often as the others: the pool starts over when all were drawn. */
  option<T extends string>(pool: string, options: readonly T[]): T {
    return this.#draw(`option:${pool}`, options, () => true);
  }

  #draw<T>(pool: string, rows: readonly T[], fits: (row: T) => boolean): T {
    let left = this.#left.get(pool) as T[] | undefined;
    if (!left?.length) left = this.random.shuffle(rows.filter(fits));
    const drawn = left.pop();
    if (drawn === undefined) throw new Error(`no record for ${pool}`);
    this.#left.set(pool, left);
    return drawn;
  }
}

/** Makes one call and hands its answer on. */
export function* ask(tool: string, args: Record<string, unknown>): Generator<DeskCall, Reply, Reply> {
  return yield { tool, args };
}

/** How a person says who they are, and the lookup that finds them. */
export interface Introduction {
  readonly words: string;
  readonly call: DeskCall;
  readonly find: () => Generator<DeskCall, Reply, Reply>;
}

/** A person says who they are: mostly by email, else by name and postcode. */
export function introduce(random: Random, who: CustomerSeed): Introduction {
  const { name, email } = who;
  const { postcode } = who.address;
  const call = random.chance(0.6)
    ? { tool: "find_customer_by_email", args: { email } }
    : { tool: "find_customer_by_name", args: { name, postcode } };
  const words = "email" in call.args ? `My email is ${email}.` : `I'm ${name}, postcode ${postcode}.`;
  return { words, call, find: () => ask(call.tool, call.args) };
}

/** Cents as a person writes them. */
export function dollars(cents: number): string {
  return `$${(cents / 100).toFixed(2)}`;
}

/** Whether an order has not been sent yet. */
export const isPending = (row: OrderSeed) => row.status === "pending";
/** Whether an order came and its time to be returned has not ended; `today` is an ISO date. */
export const canReturn = (row: OrderSeed, today: string) =>
  row.status === "delivered" && (row.returnsUntil ?? "") >= today;
