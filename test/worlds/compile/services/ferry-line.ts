import type { Json, JsonObject } from "../../../../worlds/json.ts";
import { Random } from "../../../../worlds/samples/desk/random.ts";

export type Place = "deck" | "berth" | "suite";
export const PLACES: readonly Place[] = ["deck", "berth", "suite"];
export const DAYS = Array.from({ length: 8 }, (_, i) => `2026-08-${String(i + 3).padStart(2, "0")}`);

/** One day of a sailing as the line's own database has it: what it costs only where it can be booked. */
export interface Day {
  state: "open" | "full" | "cancelled" | "arrived";
  left?: Record<Place, number>;
  fares?: Record<Place, number>;
  delay?: number;
}

export interface Sailing {
  readonly from: string;
  readonly to: string;
  readonly leaves: string;
  readonly arrives: string;
  readonly ship: string;
  readonly days: Record<string, Day>;
}

export interface Purse extends JsonObject {
  kind: "card" | "voucher";
  purse_id: string;
}

export interface Customer {
  name: { first: string; last: string };
  email: string;
  tier: "plain" | "silver" | "gold";
  purses: Record<string, Purse>;
  bookings: string[];
  segment: string;
}

export interface Leg {
  sailing: string;
  date: string;
  fare: number;
}

export interface Booking {
  customer_id: string;
  place: Place;
  legs: Leg[];
  guests: { first: string; last: string }[];
  bikes: number;
  paid_bikes: number;
  insured: "yes" | "no";
  payments: { purse_id: string; amount: number }[];
  made_at: string;
  status?: "cancelled";
  channel: string;
}

/** A ferry line's whole database, nested as the line keeps it. */
export interface FerryDatabase {
  readonly sailings: Record<string, Sailing>;
  readonly customers: Record<string, Customer>;
  readonly bookings: Record<string, Booking>;
  readonly harbours: { code: string; name: string; country: string; quays: number }[];
  readonly ledger: { entry: number; debit: number; credit: number }[];
}

const HARBOURS = ["OSK", "VIS", "HEL", "ABO", "TAL", "KIE"];
const NAMES = ["Oskarshamn", "Visby", "Helsinki", "Abo", "Tallinn", "Kiel"];
const FIRST = ["Ada", "Bo", "Cai", "Dag", "Eva", "Finn", "Gro", "Hal", "Ida", "Jon"];
const LAST = ["Aas", "Berg", "Dahl", "Eide", "Falk", "Holm", "Lund", "Moe", "Rud", "Vik"];

function dayOf(random: Random, base: number): Day {
  if (random.chance(0.12)) return { state: "cancelled" };
  if (random.chance(0.12)) return { state: "arrived", delay: random.int(0, 40) };
  const full = random.chance(0.08);
  const left = () => (full ? 0 : random.int(0, 9));
  return {
    state: full ? "full" : "open",
    left: { deck: left(), berth: left(), suite: left() },
    fares: { deck: base + random.int(0, 30), berth: base * 2 + random.int(0, 60), suite: base * 5 + random.int(0, 90) },
  };
}

const clock = (minutes: number) =>
  `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;

function sailingsOf(random: Random): Record<string, Sailing> {
  const out: Record<string, Sailing> = {};
  let number = 310;
  for (const from of HARBOURS)
    for (const to of HARBOURS) {
      if (from === to || random.chance(0.35)) continue;
      for (let n = random.int(1, 2); n > 0; n--) {
        number += random.int(1, 4);
        const leaves = random.int(5 * 60, 15 * 60);
        const base = random.int(30, 90);
        out[`FL${number}`] = {
          from,
          to,
          leaves: clock(leaves),
          arrives: clock(leaves + random.int(120, 400)),
          ship: random.pick(["Freja", "Idun", "Njord"]),
          days: Object.fromEntries(DAYS.map((day) => [day, dayOf(random, base)])),
        };
      }
    }
  return out;
}

function customerOf(random: Random, n: number): Customer {
  const [first, last] = [FIRST[n % 10] as string, LAST[(n * 7 + Math.floor(n / 10)) % 10] as string];
  const purses: Record<string, Purse> = { [`card_${4000 + n}`]: { kind: "card", purse_id: `card_${4000 + n}` } };
  for (let v = random.int(0, 2); v > 0; v--) {
    const id = `voucher_${5000 + n * 3 + v}`;
    purses[id] = { kind: "voucher", purse_id: id, amount: random.int(20, 900) };
  }
  return {
    name: { first, last },
    email: `${first.toLowerCase()}.${last.toLowerCase()}${n}@example.com`,
    tier: random.pick(["plain", "plain", "silver", "gold"]),
    purses,
    bookings: [],
    segment: random.pick(["leisure", "freight"]),
  };
}

/** The database, always the same: 60 customers, some 40 sailings over eight days, 110 bookings. */
export function ferryDatabase(): FerryDatabase {
  const random = new Random(4711);
  const sailings = sailingsOf(random);
  const customers: Record<string, Customer> = {};
  for (let n = 0; n < 60; n++) customers[`cu_${810 + n}`] = customerOf(random, n);
  const bookings: Record<string, Booking> = {};
  const numbers = Object.keys(sailings);
  for (let n = 0; n < 110; n++) {
    const customer_id = random.pick(Object.keys(customers));
    const customer = customers[customer_id] as Customer;
    const place = random.pick(PLACES);
    const guests = [customer.name, { first: random.pick(FIRST), last: random.pick(LAST) }].slice(0, random.int(1, 2));
    const legs = Array.from({ length: random.int(1, 2) }, () => {
      const sailing = random.pick(numbers);
      const date = random.pick(DAYS);
      return { sailing, date, fare: sailings[sailing]?.days[date]?.fares?.[place] ?? random.int(40, 300) };
    });
    const bikes = random.int(0, 3);
    const insured = random.pick(["yes", "no"] as const);
    const paid_bikes = Math.max(0, bikes - (customer.tier === "gold" ? 2 : 1));
    const amount =
      legs.reduce((sum, { fare }) => sum + fare, 0) * guests.length +
      35 * paid_bikes +
      (insured === "yes" ? 18 : 0) * guests.length;
    const id = `B${random.pick(["K", "M", "R"])}${7100 + n * 7}`;
    customer.bookings.push(id);
    bookings[id] = {
      customer_id,
      place,
      legs,
      guests,
      bikes,
      paid_bikes,
      insured,
      payments: [{ purse_id: Object.keys(customer.purses)[0] as string, amount }],
      made_at: `2026-07-${String(random.int(10, 28))}T09:00:00`,
      ...(random.chance(0.1) ? { status: "cancelled" as const } : {}),
      channel: random.pick(["web", "desk"]),
    };
  }
  return {
    sailings,
    customers,
    bookings,
    harbours: HARBOURS.map((code, i) => ({
      code,
      name: NAMES[i] as string,
      country: "SEFIDE".slice(i, i + 2),
      quays: i + 2,
    })),
    ledger: Array.from({ length: 30 }, (_, entry) => ({ entry, debit: random.int(1, 99), credit: random.int(1, 99) })),
  };
}

const text = (value: Json): Json =>
  typeof value === "number"
    ? String(value)
    : Array.isArray(value)
      ? value.map(text)
      : value !== null && typeof value === "object"
        ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, text(item)]))
        : value;

/**
 * The database as the line would hand it out: nested as it is kept, ids as keys alone, what sailings cost and
 * bookings count written as text.
 */
export function ferryExport(): Record<string, Json> {
  const { sailings, customers, bookings, harbours, ledger } = JSON.parse(JSON.stringify(ferryDatabase())) as {
    [K in keyof FerryDatabase]: Json;
  };
  return {
    sailings: text(sailings as Json),
    customers: customers as Json,
    bookings: text(bookings as Json),
    harbours: harbours as Json,
    ledger: ledger as Json,
  };
}
