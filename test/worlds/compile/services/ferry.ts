import { calculate } from "../../../../worlds/behaviour/functions/numbers.ts";
import type { Json, JsonObject } from "../../../../worlds/json.ts";
import type { ObservedCall, ObservedTrace } from "../../../../worlds/observation.ts";
import { Random } from "../../../../worlds/samples/desk/random.ts";
import {
  type Booking,
  type Customer,
  DAYS,
  type FerryDatabase,
  ferryDatabase,
  type Leg,
  PLACES,
  type Place,
} from "./ferry-line.ts";

class Refusal extends Error {}

const BIKE = 35;
const INSURANCE = 18;
const NEW_BOOKINGS = ["NB9001", "NB9002", "NB9003", "NB9004"];
const NEW_VOUCHERS = ["voucher_88001", "voucher_88002", "voucher_88003"];

const customerOf = (db: FerryDatabase, id: Json | undefined): Customer => {
  const found = db.customers[String(id)];
  if (!found) throw new Refusal(`Customer ${String(id)} not found`);
  return found;
};

const bookingOf = (db: FerryDatabase, id: Json | undefined): Booking => {
  const found = db.bookings[String(id)];
  if (!found) throw new Refusal(`Booking ${String(id)} not found`);
  return found;
};

const shownBooking = (id: string, { channel: _, ...shown }: Booking): Json =>
  JSON.parse(JSON.stringify({ booking_id: id, ...shown })) as Json;

function shownCustomer(id: string, { segment: _, ...shown }: Customer): Json {
  return JSON.parse(JSON.stringify({ customer_id: id, ...shown })) as Json;
}

/** Open sailings of a day, by the hour they leave. */
function openOn(db: FerryDatabase, { from, to, date }: JsonObject): JsonObject[] {
  return Object.entries(db.sailings)
    .flatMap(([sailing, { days, ship: _, ...rest }]) => {
      const day = days[String(date)];
      if (day?.state !== "open" || (from && rest.from !== from) || (to && rest.to !== to)) return [];
      return [{ sailing, ...rest, left: { ...day.left }, fares: { ...day.fares } } as JsonObject];
    })
    .sort((a, b) => (String(a.leaves) + String(a.sailing) < String(b.leaves) + String(b.sailing) ? -1 : 1));
}

function transfers(db: FerryDatabase, { from, to, date }: JsonObject): Json {
  const dated = (row: JsonObject): JsonObject => ({ ...row, date: date as string });
  const firsts = openOn(db, { from, date } as JsonObject);
  return firsts.flatMap((a) =>
    openOn(db, { from: a.to, to, date } as JsonObject)
      .filter((b) => String(b.leaves) > String(a.arrives))
      .map((b) => [dated(a), dated(b)]),
  );
}

/** The legs asked for with their fares; takes `guests` places of each that `held` does not hold already. */
function take(db: FerryDatabase, asked: JsonObject[], place: Place, guests: number, held: readonly Leg[] = []): Leg[] {
  const legs = asked.map(({ sailing, date }): Leg => {
    const same = held.find((leg) => leg.sailing === sailing && leg.date === date);
    if (same) return same;
    const days = db.sailings[String(sailing)]?.days;
    if (!days) throw new Refusal(`Sailing ${String(sailing)} not found`);
    const day = days[String(date)];
    if (day?.state !== "open" || !day.left || !day.fares)
      throw new Refusal(`Sailing ${String(sailing)} cannot be booked on ${String(date)}`);
    if (day.left[place] < guests) throw new Refusal(`Not enough places left on sailing ${String(sailing)}`);
    return { sailing: String(sailing), date: String(date), fare: day.fares[place] };
  });
  for (const leg of legs) {
    const left = db.sailings[leg.sailing]?.days[leg.date]?.left;
    if (left && !held.includes(leg)) left[place] -= guests;
  }
  return legs;
}

function charge(customer: Customer, purse_id: string, amount: number): void {
  const purse = customer.purses[purse_id];
  if (!purse) throw new Refusal("Purse not found");
  if (purse.kind !== "voucher") return;
  if ((purse.amount as number) < amount) throw new Refusal("The voucher does not cover the amount");
  purse.amount = (purse.amount as number) - amount;
}

function book(db: FerryDatabase, args: JsonObject): Json {
  const customer = customerOf(db, args.customer_id);
  const guests = args.guests as Booking["guests"];
  const payments = args.payments as Booking["payments"];
  const copy = structuredClone(db.sailings);
  const legs = take({ ...db, sailings: copy }, args.legs as JsonObject[], args.place as Place, guests.length);
  const due =
    (legs.reduce((sum, { fare }) => sum + fare, 0) + (args.insured === "yes" ? INSURANCE : 0)) * guests.length +
    BIKE * (args.paid_bikes as number);
  const paid = payments.reduce((sum, { amount }) => sum + amount, 0);
  if (paid !== due) throw new Refusal(`The crossing costs ${due}, but the payments add up to ${paid}`);
  for (const { purse_id, amount } of payments) charge(customer, purse_id, amount);
  Object.assign(db.sailings, copy);
  const id = NEW_BOOKINGS.find((next) => !db.bookings[next]) as string;
  customer.bookings.push(id);
  db.bookings[id] = {
    customer_id: String(args.customer_id),
    place: args.place as Place,
    legs,
    guests,
    bikes: args.bikes as number,
    paid_bikes: args.paid_bikes as number,
    insured: args.insured as Booking["insured"],
    payments,
    made_at: "2026-08-01T12:00:00",
    channel: "agent",
  };
  return shownBooking(id, db.bookings[id] as Booking);
}

function rebook(db: FerryDatabase, args: JsonObject): Json {
  const booking = bookingOf(db, args.booking_id);
  const customer = customerOf(db, booking.customer_id);
  const place = args.place as Place;
  const n = booking.guests.length;
  const copy = structuredClone(db.sailings);
  const held = booking.place === place ? booking.legs : [];
  const legs = take({ ...db, sailings: copy }, args.legs as JsonObject[], place, n, held);
  const sum = (of: readonly Leg[]) => of.reduce((total, { fare }) => total + fare, 0);
  const due = (sum(legs) - sum(booking.legs)) * n;
  charge(customer, String(args.purse_id), due);
  Object.assign(db.sailings, copy);
  if (due !== 0) booking.payments.push({ purse_id: String(args.purse_id), amount: due });
  Object.assign(booking, { place, legs });
  return shownBooking(String(args.booking_id), booking);
}

function addBikes(db: FerryDatabase, args: JsonObject): Json {
  const booking = bookingOf(db, args.booking_id);
  const due = BIKE * Math.max(0, (args.paid_bikes as number) - booking.paid_bikes);
  charge(customerOf(db, booking.customer_id), String(args.purse_id), due);
  if (due !== 0) booking.payments.push({ purse_id: String(args.purse_id), amount: due });
  Object.assign(booking, { bikes: args.bikes, paid_bikes: args.paid_bikes });
  return shownBooking(String(args.booking_id), booking);
}

function renameGuests(db: FerryDatabase, args: JsonObject): Json {
  const booking = bookingOf(db, args.booking_id);
  const guests = args.guests as Booking["guests"];
  if (guests.length !== booking.guests.length) throw new Refusal("The number of guests cannot be changed");
  booking.guests = guests;
  return shownBooking(String(args.booking_id), booking);
}

function cancel(db: FerryDatabase, args: JsonObject): Json {
  const booking = bookingOf(db, args.booking_id);
  booking.payments.push(...booking.payments.map(({ purse_id, amount }) => ({ purse_id, amount: -amount })));
  booking.status = "cancelled";
  return shownBooking(String(args.booking_id), booking);
}

function voucher(db: FerryDatabase, args: JsonObject): Json {
  const customer = customerOf(db, args.customer_id);
  const id = NEW_VOUCHERS.find((next) => !customer.purses[next]) as string;
  customer.purses[id] = { kind: "voucher", purse_id: id, amount: args.amount as number };
  return `Voucher ${id} over ${String(args.amount)} was added for customer ${String(args.customer_id)}.`;
}

const TOOLS: Readonly<Record<string, (db: FerryDatabase, args: JsonObject) => Json>> = {
  get_customer: (db, args) => shownCustomer(String(args.customer_id), customerOf(db, args.customer_id)),
  get_booking: (db, args) => shownBooking(String(args.booking_id), bookingOf(db, args.booking_id)),
  find_sailings: (db, args) => openOn(db, args),
  find_transfers: transfers,
  sailing_status: (db, { sailing, date }) => {
    const day = db.sailings[String(sailing)]?.days[String(date)];
    if (!day) throw new Refusal(`Sailing ${String(sailing)} on ${String(date)} not found`);
    return day.state;
  },
  list_harbours: (db) => db.harbours.map(({ code, name }) => ({ code, name })),
  book_crossing: book,
  change_sailings: rebook,
  change_bikes: addBikes,
  change_guests: renameGuests,
  cancel_booking: cancel,
  issue_voucher: voucher,
  compute: (_, { expression }) => calculate(String(expression)).toFixed(2),
};

type Ask = (tool: string, args: JsonObject) => Json;

const rows = (value: Json): JsonObject[] => (Array.isArray(value) ? (value.flat() as JsonObject[]) : []);

/** Looks for a way from one harbour to another: the legs to book, and what a guest pays for them. */
function way(ask: Ask, random: Random, place: Place): { legs: JsonObject[]; fares: number[] } | undefined {
  for (let tries = random.int(1, 4); tries > 0; tries--) {
    const [from, to] = random.shuffle(["OSK", "VIS", "HEL", "ABO", "TAL", "KIE"]) as [string, string];
    const date = random.pick(DAYS);
    const direct = rows(ask("find_sailings", { from, to, date }));
    const found =
      direct.length > 0 ? [random.pick(direct)] : rows(ask("find_transfers", { from, to, date })).slice(0, 2);
    if (found.length === 0) continue;
    return {
      legs: found.map(({ sailing }) => ({ sailing: sailing as string, date })),
      fares: found.map(({ fares }) => (fares as Record<string, number>)[place] as number),
    };
  }
  return undefined;
}

function bookSession(ask: Ask, random: Random, customer_id: string, customer: JsonObject): void {
  const place = random.pick(PLACES);
  const found = way(ask, random, place);
  if (!found) return;
  const guests = [
    customer.name as JsonObject,
    { first: "Per", last: "Strand" },
    { first: "Liv", last: "Strand" },
  ].slice(0, random.int(1, 3));
  const [paid_bikes, insured] = [random.int(0, 2), random.pick(["yes", "no"])];
  const each = found.fares.reduce((sum, fare) => sum + fare, 0) + (insured === "yes" ? INSURANCE : 0);
  const due = each * guests.length + BIKE * paid_bikes;
  ask("compute", { expression: `${each} * ${guests.length} + ${BIKE} * ${paid_bikes}` });
  const purses = Object.values(customer.purses as Record<string, JsonObject>);
  const card = purses[0]?.purse_id as string;
  const other = purses[1];
  const off = random.chance(0.15) ? random.int(1, 40) : 0;
  const part = other && random.chance(0.6) ? Math.min(due, other.amount as number) : 0;
  ask("book_crossing", {
    customer_id,
    place,
    legs: found.legs,
    guests,
    bikes: paid_bikes + 1,
    paid_bikes,
    insured,
    payments: [
      ...(part > 0 ? [{ purse_id: other?.purse_id as string, amount: part }] : []),
      ...(due > part ? [{ purse_id: card, amount: due - part - off }] : []),
    ],
  });
}

function changeSession(
  ask: Ask,
  random: Random,
  booking_id: string,
  booking: JsonObject,
  purses: readonly string[],
): void {
  const purse_id = random.chance(0.08) ? "card_1" : random.pick(purses);
  const kind = random.int(0, 5);
  if (kind === 0) {
    ask("cancel_booking", { booking_id });
  } else if (kind === 1) {
    const more = random.int(0, 2);
    ask("change_bikes", {
      booking_id,
      bikes: (booking.bikes as number) + more,
      paid_bikes: (booking.paid_bikes as number) + random.int(0, more),
      purse_id,
    });
  } else if (kind === 2) {
    const guests = [
      ...(booking.guests as JsonObject[]).slice(0, -1),
      { first: "Siv", last: random.pick(["Strand", "Nes", "Voll"]) },
    ];
    ask("change_guests", {
      booking_id,
      guests: random.chance(0.2) ? [...guests, { first: "Odd", last: "Nes" }] : guests,
    });
  } else {
    const legs = (booking.legs as JsonObject[]).map(({ sailing, date }) => ({
      sailing: sailing as string,
      date: date as string,
    }));
    const place = random.chance(0.4) ? random.pick(PLACES) : (booking.place as Place);
    const found = way(ask, random, place);
    const next = found && random.chance(0.8) ? [...legs.slice(0, -1), ...found.legs] : legs;
    ask("change_sailings", { booking_id, place, legs: next, purse_id });
  }
  if (random.chance(0.5)) ask("get_booking", { booking_id });
}

function session(ask: Ask, random: Random): void {
  const customer_id = random.chance(0.06) ? "cu_1" : `cu_${random.int(810, 869)}`;
  const customer = ask("get_customer", { customer_id });
  if (typeof customer === "string") return;
  const { bookings, purses } = customer as JsonObject & { bookings: string[]; purses: JsonObject };
  if (random.chance(0.1)) ask("list_harbours", {});
  let booking: JsonObject | undefined;
  for (const booking_id of random.shuffle(bookings).slice(0, random.int(1, 3))) {
    booking = ask("get_booking", { booking_id }) as JsonObject;
    const leg = random.pick(booking.legs as JsonObject[]);
    if (random.chance(0.4)) ask("sailing_status", { sailing: leg.sailing as string, date: leg.date as string });
  }
  if (booking && random.chance(0.65))
    changeSession(ask, random, String(booking.booking_id), booking, Object.keys(purses));
  else bookSession(ask, random, customer_id, customer as JsonObject);
  if (random.chance(0.25)) ask("issue_voucher", { customer_id, amount: random.int(1, 8) * 25 });
  if (random.chance(0.4)) ask("get_customer", { customer_id });
}

/**
 * Sessions with a ferry line of our own making, each on its database as it stands: what is searched, booked, changed,
 * cancelled and refused.
 */
export function ferrySessions(seed: number, n: number): ObservedTrace[] {
  const random = new Random(seed);
  return Array.from({ length: n }, (_, i) => {
    const db = ferryDatabase();
    const calls: ObservedCall[] = [];
    const ask: Ask = (tool, args) => {
      try {
        const value = (TOOLS[tool] as (typeof TOOLS)[string])(db, args);
        calls.push({ tool, args, result: typeof value === "string" ? value : JSON.stringify(value), isError: false });
        return JSON.parse(JSON.stringify(value)) as Json;
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        calls.push({ tool, args, result: `Error: ${error.message}`, isError: true });
        return error.message;
      }
    };
    session(ask, random);
    return { id: `ferry-${seed}-${String(i).padStart(4, "0")}`, group: `ferry ${seed} ${i}`, calls };
  });
}
