import { describe, expect, test } from "vitest";
import { compile } from "../../../worlds/compile/index.ts";
import type { JsonObject } from "../../../worlds/json.ts";
import type { ObservedCall, ObservedTrace } from "../../../worlds/observation.ts";
import { createWorld } from "../../../worlds/world.ts";

interface Kayak extends JsonObject {
  readonly kayak_id: string;
  readonly state: string;
  readonly left: number;
}

/** Kayaks by number: every fourth is under repair, every third has no seat left, or one. */
const KAYAKS: readonly Kayak[] = Array.from({ length: 24 }, (_, n) => ({
  kayak_id: `K${100 + n}`,
  state: n % 4 === 3 ? "repair" : "ready",
  left: n % 3 === 2 ? n % 2 : 2 + (n % 3),
}));

/** Bookings that have no kayak yet. */
const BOOKINGS = Array.from({ length: 16 }, (_, n) => ({
  booking_id: `R${n}`,
  owner: `Person ${n}`,
  kayaks: [] as string[],
  guests: [] as string[],
}));

const call = (tool: string, args: JsonObject, result: JsonObject | string): ObservedCall => ({
  tool,
  args,
  result: typeof result === "string" ? result : JSON.stringify(result),
  isError: typeof result === "string",
});

const kayak = (id: string) => KAYAKS.find(({ kayak_id }) => kayak_id === id) as Kayak;

/** A booking takes kayaks that are ready and have a seat for every guest. */
function take(booking: (typeof BOOKINGS)[number], kayaks: string[], guests: string[]): JsonObject | string {
  const bad = kayaks.find((id) => kayak(id).state !== "ready");
  if (bad !== undefined) return `Kayak ${bad} is not ready`;
  const full = kayaks.find((id) => kayak(id).left < guests.length);
  return full === undefined ? { ...booking, kayaks, guests } : `Kayak ${full} has no seats`;
}

const NAMES = ["Ann", "Bo", "Cy"];

/** What the booking with that number asks for: two kayaks, of which the first may be any, for one guest to three. */
function asked(n: number, any: boolean): { kayaks: string[]; guests: string[] } {
  const guests = NAMES.slice(0, 1 + (n % 3));
  const good = KAYAKS.filter(({ state, left }) => state === "ready" && left >= guests.length);
  const ids = [good[(n * 5 + 3) % good.length], good[(n * 3) % good.length]].map((one) => (one as Kayak).kayak_id);
  const [bad] = any ? [KAYAKS[(n * 7) % KAYAKS.length]?.kayak_id as string] : ids;
  return { kayaks: [...new Set([bad as string, ...ids.slice(1)])], guests };
}

function traces(any: boolean): ObservedTrace[] {
  return BOOKINGS.map((booking, n) => {
    const { booking_id } = booking;
    const { kayaks, guests } = asked(n, any);
    return {
      id: `s${n}`,
      calls: [
        call("get_booking", { booking_id }, booking),
        ...kayaks.slice(0, 1).map((kayak_id) => call("get_kayak", { kayak_id }, kayak(kayak_id))),
        call("take_kayaks", { booking_id, kayaks, guests }, take(booking, kayaks, guests)),
      ],
    };
  });
}

function worldOf(any: boolean) {
  const records = { kayaks: [...KAYAKS], bookings: BOOKINGS };
  const { bundle, base } = compile(traces(any), { name: "kayaks", records });
  return createWorld(bundle, base);
}

const ready = KAYAKS.filter(({ state, left }) => state === "ready" && left >= 3).map((one) => one.kayak_id);
const repaired = KAYAKS.filter(({ state, left }) => state !== "ready" && left >= 3).map((one) => one.kayak_id);
const full = KAYAKS.filter(({ state, left }) => state === "ready" && left === 0).map((one) => one.kayak_id);

describe("rows that a list argument names", () => {
  const [booking] = BOOKINGS;
  const { booking_id } = booking as (typeof BOOKINGS)[number];
  const ask = (world: ReturnType<typeof worldOf>, id: string, guests = NAMES) =>
    world.fork().call("take_kayaks", { booking_id, kayaks: [ready[0] as string, id], guests });

  test("that are not as those of every success are a gap, where no refusal says what they are", () => {
    const world = worldOf(false);
    expect(ask(world, ready[1] as string).answerClass).toBe("data");
    expect(ask(world, repaired[0] as string).answerClass).toBe("error:not_served");
    expect(ask(world, full[0] as string).answerClass).toBe("error:not_served");
  });

  test("are refused in the words of the refusals that name them", () => {
    const world = worldOf(true);
    for (const id of [...repaired, ...full])
      expect(ask(world, id).text).toBe(take(booking as (typeof BOOKINGS)[number], [ready[0] as string, id], NAMES));
  });
});

test("what the row that is changed holds already need not be as what it takes", () => {
  const fee = (id: string) => ({ kayak_id: id, fee: 10 + (Number(id.slice(1)) % 7) });
  const trips = Array.from({ length: 18 }, (_, n) => {
    const guests = NAMES.slice(0, 1 + (n % 3));
    const good = KAYAKS.filter(({ state, left }) => state === "ready" && left >= guests.length);
    const held = KAYAKS[(n * 7) % KAYAKS.length]?.kayak_id as string;
    const next = good[(n * 5 + 1) % good.length]?.kayak_id as string;
    const last = good[(n * 3 + 2) % good.length]?.kayak_id as string;
    const row = { trip_id: `T${n}`, owner: `Person ${n}`, guests: [...guests], kayaks: [fee(held), fee(last)] };
    return { row, ids: [...new Set([next, held, ...(n % 2 === 0 ? [last] : [])])] };
  });
  const change = ({ row, ids }: (typeof trips)[number]) => ({ ...row, kayaks: ids.map(fee) });
  const seen = trips.map((trip, n): ObservedTrace => {
    const { trip_id } = trip.row;
    return {
      id: `s${n}`,
      calls: [
        call("get_trip", { trip_id }, trip.row),
        call(
          "get_kayak",
          { kayak_id: trip.ids[0] as string },
          { ...kayak(trip.ids[0] as string), fee: fee(trip.ids[0] as string).fee },
        ),
        call("set_kayaks", { trip_id, kayaks: trip.ids }, change(trip)),
      ],
    };
  });
  const records = {
    kayaks: KAYAKS.map((one) => ({ ...one, fee: fee(one.kayak_id).fee })),
    trips: trips.map(({ row }) => row),
  };
  const { bundle, base } = compile(seen, { name: "trips", records });
  const world = createWorld(bundle, base);
  const ask = (n: number, ids: string[]) =>
    world.fork().call("set_kayaks", { trip_id: `T${n}`, kayaks: ids }).answerClass;
  const holding = trips.findIndex(
    ({ row }) => kayak((row.kayaks[0] as { kayak_id: string }).kayak_id).state !== "ready",
  );
  const held = trips[holding]?.ids[1];
  expect(ask(holding, [ready[0] as string, held as string])).toBe("data");
  const other = trips.findIndex(
    ({ ids }) => !ids.includes(repaired[0] as string) && !ids.includes(repaired[1] as string),
  );
  expect(ask(other, [ready[0] as string, repaired[0] as string])).toBe("error:not_served");
});
