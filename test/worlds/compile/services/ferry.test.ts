import { describe, expect, test } from "vitest";
import { compile } from "../../../../worlds/compile/index.ts";
import { observe } from "../../../../worlds/compile/observations.ts";
import { measureFidelity } from "../../../../worlds/fidelity/index.ts";
import type { JsonObject } from "../../../../worlds/json.ts";
import { createWorld } from "../../../../worlds/world.ts";
import { ferrySessions } from "./ferry.ts";
import { type Day, ferryDatabase, ferryExport } from "./ferry-line.ts";

const train = ferrySessions(3, 60);
const unseen = ferrySessions(103, 40);
const records = ferryExport();
const compiled = compile(train, { name: "ferry", records });
const report = measureFidelity(compiled, unseen, train);
const db = ferryDatabase();
const world = () => createWorld(compiled.bundle, compiled.base);
const rightly = (tool: string) => {
  const counts = report.tools[tool];
  return counts === undefined ? 0 : counts.identical_volatile / counts.calls;
};

describe("a ferry line whose database was handed out as it is kept", () => {
  test("is answered far more often than from its sessions alone, and seldom wrongly", () => {
    const without = measureFidelity(compile(train, { name: "ferry" }), unseen, train);
    expect(report.identical_volatile).toBeGreaterThan(without.identical_volatile * 1.7);
    expect(report.identical_volatile / report.calls).toBeGreaterThan(0.82);
    expect(report.wrong_success / report.calls).toBeLessThan(0.03);
  });

  test("has every day of every sailing as a row, numbers as numbers", () => {
    const rows = Object.values(compiled.base.tables.sailings ?? {});
    expect(rows).toHaveLength(Object.values(db.sailings).flatMap(({ days }) => Object.keys(days)).length);
    const fares = rows.flatMap((row) => Object.values((row.fares ?? {}) as JsonObject));
    expect(fares.length).toBeGreaterThan(100);
    expect(new Set(fares.map((fare) => typeof fare))).toEqual(new Set(["number"]));
  });

  test("searches all sailings, leaving out those that cannot be booked, of which no answer says so", () => {
    expect(rightly("find_sailings")).toBe(1);
    expect(JSON.stringify(compiled.bundle.behaviours.find_sailings?.behaviour)).toContain("open");
    expect(rightly("sailing_status")).toBe(1);
  });

  test("hides what no tool shows", () => {
    const [id = "", booking] = Object.entries(db.bookings)[0] ?? [];
    expect(compiled.base.tables.bookings?.[id]?.channel).toBe(booking?.channel);
    expect(world().call("get_booking", { booking_id: id }).value).not.toHaveProperty("channel");
    expect(world().call("cancel_booking", { booking_id: id }).value).not.toHaveProperty("channel");
  });

  const [sailing = "", { days } = { days: {} as Record<string, Day> }] =
    Object.entries(db.sailings).find(([, { days: of }]) => {
      const states = Object.values(of).map(({ state }) => state);
      return states.includes("open") && states.includes("cancelled");
    }) ?? [];
  const dayOf = (state: string, left = 0) =>
    Object.keys(days).find((day) => days[day]?.state === state && (days[day]?.left?.deck ?? 0) >= left) as string;
  const guests = (n: number) => Array.from({ length: n }, (_, i) => ({ first: "Per", last: `Strand ${i}` }));
  const booking = (date: string, n: number, amount: number) => ({
    customer_id: "cu_815",
    place: "deck",
    legs: [{ sailing, date }],
    guests: guests(n),
    bikes: 2,
    paid_bikes: 1,
    insured: "yes",
    payments: [{ purse_id: "card_4005", amount }],
  });

  test("reckons what a crossing costs, and refuses another amount in the system's words", () => {
    const date = dayOf("open", 2);
    const due = ((days[date]?.fares?.deck as number) + 18) * 2 + 35;
    expect(world().call("book_crossing", booking(date, 2, due)).value).toMatchObject({
      booking_id: "NB9001",
      legs: [{ sailing, date, fare: days[date]?.fares?.deck }],
    });
    expect(world().call("book_crossing", booking(date, 2, due - 3)).text).toContain(
      `The crossing costs ${due}, but the payments add up to ${due - 3}`,
    );
  });

  test("books nothing on a sailing that is not as those of all successes, or has too few places", () => {
    expect(world().call("book_crossing", booking(dayOf("cancelled"), 1, 88)).isError).toBe(true);
    const date = dayOf("open", 2);
    const { text } = world().call("book_crossing", booking(date, 14, 14 * ((days[date]?.fares?.deck ?? 0) + 18) + 35));
    expect(text).toContain(`Not enough places left on sailing ${sailing}`);
  });

  test("changes no more guests than there were", () => {
    const [id = "", { guests: were } = { guests: [] }] = Object.entries(db.bookings)[0] ?? [];
    const { bundle, base } = compile(ferrySessions(1, 20), { name: "ferry", records });
    const change = (n: number) =>
      createWorld(bundle, base).call("change_guests", { booking_id: id, guests: guests(n) }).isError;
    expect(change(were.length)).toBe(false);
    expect(change(were.length + 1)).toBe(true);
  });

  test("is observed alike in any order of the traces", () => {
    expect(observe([...train].reverse())).toEqual(observe(train));
  });
});
