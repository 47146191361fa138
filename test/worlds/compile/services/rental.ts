import type { Json, JsonObject } from "../../../../worlds/json.ts";
import type { ObservedCall, ObservedTrace } from "../../../../worlds/observation.ts";

/** A seeded generator: the same seed, the same sessions. */
function random(seed: number): (n: number) => number {
  let state = seed >>> 0 || 1;
  return (n) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 4294967296) * n);
  };
}

const cents = (value: number) => Math.round(value * 100) / 100;

interface Wallet extends JsonObject {
  kind: string;
}

/**
 * A boat rental: members with wallets, kits of parts with prices, rentals whose parts are swapped, and cruises that
 * are paid for in parts.
 */
export class Rental {
  readonly members = new Map<string, JsonObject & { wallets: Record<string, Wallet> }>();
  readonly kits = new Map<string, JsonObject & { parts: Record<string, JsonObject> }>();
  readonly rentals = new Map<string, JsonObject>();
  readonly legs = new Map<string, JsonObject>();
  private booked = 0;

  constructor() {
    for (let k = 0; k < 12; k++) {
      const parts: Record<string, JsonObject> = {};
      for (let p = 0; p < 5; p++) {
        const part_id = `P${700 + k * 5 + p}`;
        parts[part_id] = { part_id, price: cents(20 + k * 3.1 + p * 7.35), stocked: (k + p) % 4 !== 3 };
      }
      this.kits.set(`K${10 + k}`, { kit_id: `K${10 + k}`, name: `Kit ${k}`, parts });
    }
    for (let m = 0; m < 24; m++) {
      const member_id = `m_${300 + m}`;
      const wallets: Record<string, Wallet> = { [`card_${m}1`]: { kind: "card", id: `card_${m}1` } };
      if (m % 3 !== 2) wallets[`prepaid_${m}2`] = { kind: "prepaid", id: `prepaid_${m}2`, balance: cents(4 + m * 1.5) };
      this.members.set(member_id, { member_id, name: `Member ${m}`, wallets });
      const lines = [m % 12, (m + 5) % 12].map((k, n) => {
        const kit = this.kits.get(`K${10 + k}`) as JsonObject & { parts: Record<string, JsonObject> };
        const part = Object.values(kit.parts)[1 + ((m + n) % 3)] as JsonObject;
        return { kit_id: kit.kit_id as string, part_id: part.part_id as string, price: part.price as number };
      });
      this.rentals.set(`R-${40 + m}`, {
        rental_id: `R-${40 + m}`,
        member_id,
        status: m % 5 === 4 ? "returned" : "open",
        lines,
        charges: [{ kind: "payment", amount: cents(lines.reduce((sum, { price }) => sum + price, 0)) }],
      });
    }
    for (let leg = 0; leg < 10; leg++)
      for (const day of ["03", "04", "05"])
        this.legs.set(`L${leg}/${day}`, {
          leg: `L${leg}`,
          day: `2026-07-${day}`,
          fares: { deck: 30 + leg * 4 + Number(day), cabin: 90 + leg * 9 },
        });
  }

  call(tool: string, args: JsonObject): { value: Json; isError: boolean } {
    const error = (text: string) => ({ value: `Error: ${text}`, isError: true });
    const data = (value: Json | undefined) =>
      value === undefined ? error("not found") : { value: structuredClone(value), isError: false };
    if (tool === "get_member") return data(this.members.get(String(args.member_id)));
    if (tool === "get_kit") return data(this.kits.get(String(args.kit_id)));
    if (tool === "get_rental") return data(this.rentals.get(String(args.rental_id)));
    if (tool === "find_leg") return data(this.legs.get(`${args.leg}/${String(args.day).slice(-2)}`));
    if (tool === "swap_parts") return this.swap(args, error, data);
    if (tool === "book_cruise") return this.book(args, error, data);
    return error("no such tool");
  }

  private swap(
    args: JsonObject,
    error: (text: string) => { value: Json; isError: boolean },
    data: (value: Json) => { value: Json; isError: boolean },
  ): { value: Json; isError: boolean } {
    const rental = this.rentals.get(String(args.rental_id));
    if (!rental) return error("rental not found");
    if (rental.status !== "open") return error("only open rentals can be changed");
    const [old, fresh] = [args.part_ids as string[], args.new_part_ids as string[]];
    if (old.length !== fresh.length) return error("the number of parts must match");
    const wallet = this.members.get(rental.member_id as string)?.wallets[String(args.wallet_id)];
    if (!wallet) return error("no such wallet");
    let due = 0;
    const lines = structuredClone(rental.lines) as { kit_id: string; part_id: string; price: number }[];
    for (const [i, id] of old.entries()) {
      const line = lines.find(({ part_id }) => part_id === id);
      const part = line && this.kits.get(line.kit_id)?.parts[fresh[i] as string];
      if (!line || !part?.stocked) return error(`part ${fresh[i]} is not available`);
      due += (part.price as number) - line.price;
      Object.assign(line, { part_id: part.part_id, price: part.price });
    }
    due = cents(due);
    if (wallet.kind === "prepaid" && (wallet.balance as number) < due)
      return error("the prepaid balance is too low for the difference");
    if (wallet.kind === "prepaid") wallet.balance = cents((wallet.balance as number) - due);
    rental.lines = lines as unknown as Json;
    (rental.charges as Json[]).push({
      kind: due > 0 ? "payment" : "refund",
      amount: Math.abs(due),
      wallet_id: args.wallet_id as string,
    });
    return data(rental);
  }

  private book(
    args: JsonObject,
    error: (text: string) => { value: Json; isError: boolean },
    data: (value: Json) => { value: Json; isError: boolean },
  ): { value: Json; isError: boolean } {
    const guests = args.guests as string[];
    const legs = (args.legs as JsonObject[]).map(({ leg, day }) => {
      const row = this.legs.get(`${leg}/${String(day).slice(-2)}`);
      return {
        leg: leg as string,
        day: day as string,
        fare: ((row?.fares ?? {}) as Record<string, number>)[String(args.deck)] ?? 0,
      };
    });
    const total =
      legs.reduce((sum, { fare }) => sum + fare, 0) * guests.length +
      (args.insured ? 15 * guests.length : 0) +
      8 * (args.coolers as number);
    const paid = (args.payments as { amount: number }[]).reduce((sum, { amount }) => sum + amount, 0);
    if (paid !== total) return error(`the cruise costs ${total}, but ${paid} was paid`);
    this.booked++;
    return data({
      cruise_id: `CR${this.booked}00`,
      member_id: args.member_id as string,
      deck: args.deck as string,
      legs,
      guests,
      coolers: args.coolers as number,
      insured: args.insured as boolean,
      paid: args.payments as Json,
    });
  }
}

type Ask = (tool: string, args: JsonObject) => Json;

function swapSession(ask: Ask, pick: (n: number) => number): void {
  const m = pick(24);
  const member = ask("get_member", { member_id: `m_${300 + m}` }) as { wallets: Record<string, Wallet> };
  const rental = ask("get_rental", { rental_id: `R-${40 + m}` }) as { lines: { kit_id: string; part_id: string }[] };
  const chosen = pick(3) === 0 ? rental.lines : [rental.lines[pick(2)] as { kit_id: string; part_id: string }];
  const fresh = chosen.map(({ kit_id, part_id }) => {
    const { parts } = ask("get_kit", { kit_id }) as { parts: Record<string, JsonObject> };
    const others = Object.keys(parts).filter((id) => id !== part_id);
    return others[pick(others.length)] as string;
  });
  const wallets = Object.keys(member.wallets);
  ask("swap_parts", {
    rental_id: `R-${40 + m}`,
    part_ids: chosen.map(({ part_id }) => part_id),
    new_part_ids: pick(9) === 0 ? [] : fresh,
    wallet_id: pick(10) === 0 ? "prepaid_999" : (wallets[pick(wallets.length)] as string),
  });
  ask("get_member", { member_id: `m_${300 + m}` });
  ask("get_rental", { rental_id: `R-${40 + m}` });
}

function cruiseSession(ask: Ask, pick: (n: number) => number): void {
  const deck = pick(2) === 0 ? "deck" : "cabin";
  const legs = Array.from({ length: 1 + pick(3) }, () => ({ leg: `L${pick(10)}`, day: `2026-07-0${3 + pick(3)}` }));
  const fares = legs.map((leg) => (ask("find_leg", leg) as { fares: Record<string, number> }).fares[deck] as number);
  const guests = Array.from({ length: 1 + pick(3) }, (_, i) => `Guest ${pick(9)}${i}`);
  const [coolers, insured] = [pick(3), pick(3) === 0];
  const total =
    fares.reduce((sum, fare) => sum + fare, 0) * guests.length + (insured ? 15 * guests.length : 0) + 8 * coolers;
  const first = pick(total);
  const book = (off: number) =>
    ask("book_cruise", {
      member_id: `m_${300 + pick(24)}`,
      deck,
      legs,
      guests,
      coolers,
      insured,
      payments: [
        { wallet_id: "w1", amount: first },
        { wallet_id: "w2", amount: total - first - off },
      ],
    });
  if (pick(4) === 0) book(5 + pick(20));
  else book(0);
}

/** Sessions with every tool, from a seed. */
export function rentalTraces(n: number, seed: number): ObservedTrace[] {
  const pick = random(seed);
  return Array.from({ length: n }, (_, index) => {
    const system = new Rental();
    const calls: ObservedCall[] = [];
    const ask: Ask = (tool, args) => {
      const { value, isError } = system.call(tool, args);
      calls.push({ tool, args, result: typeof value === "string" ? value : JSON.stringify(value), isError });
      return value;
    };
    if (index % 3 === 2) cruiseSession(ask, pick);
    else swapSession(ask, pick);
    return { id: `r${seed}-${index}`, group: `g${seed}-${index}`, startedAt: 1_780_000_000 + index, calls };
  });
}
