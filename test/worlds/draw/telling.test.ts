import { describe, expect, it } from "vitest";
import type { BaseState } from "../../../worlds/bundle.ts";
import { secondOf, shiftedTime } from "../../../worlds/draw/identity.ts";
import { audit, draw } from "../../../worlds/draw/index.ts";
import type { JsonObject } from "../../../worlds/json.ts";
import { shop } from "../fixtures/shop.ts";

const bundle = { ...shop, tables: [] };
const RATES = { small: 0.1, large: 0.2, huge: 0.35 } as const;
const TIERS = Object.keys(RATES) as (keyof typeof RATES)[];
const NOUNS = ["ladder", "carpet", "window", "kettle", "garden hose", "lamp", "chair"];
const DEEDS = ["please mend the", "bring a new", "come back for the", "never again that", "wrap the"];

/** Rentals: each with a moment, a code, words and a total of its own; the tier goes with its rate, and with nothing else. */
function rentals(): BaseState {
  const things = Array.from({ length: 9 }, (_, i) => ({ thing: `TH-${210 + i * 7}`, price: 5.25 + i * 3.1 }));
  const tables: BaseState["tables"] = { members: {}, rentals: {} };
  for (let i = 0; i < 15; i += 1)
    (tables.members ?? {})[`M${300 + i * 11}`] = {
      id: `M${300 + i * 11}`,
      dob: `19${60 + i}-0${1 + (i % 9)}-1${i % 9}`,
    };
  const members = Object.keys(tables.members ?? {});
  for (let i = 0; i < 48; i += 1) {
    const id = `R${70_001 + i * 137}`;
    const lines = Array.from({ length: 1 + (i % 3) }, (_, k) => ({
      ...things[(i * 5 + k * 2) % 9],
      days: 1 + ((i + k) % 4),
    }));
    const tier = TIERS[(i * 7) % 3] as keyof typeof RATES;
    const hour = String((i * 5) % 24).padStart(2, "0");
    (tables.rentals ?? {})[id] = {
      id,
      member: members[(i * 4) % members.length] as string,
      made_at: `2025-0${1 + (i % 6)}-${String(1 + ((i * 3) % 27)).padStart(2, "0")}T${hour}:${String((i * 17) % 60).padStart(2, "0")}:${String((i * 29) % 60).padStart(2, "0")}`,
      code: `PX-${48_213 + i * 911}`,
      note: `${DEEDS[i % 5]} ${NOUNS[i % 7]} ${i % 2 ? "today" : "at noon"}`,
      tier,
      rate: RATES[tier],
      colour: ["red", "blue"][(i * 3) % 2] as string,
      lines: lines as never,
      total: Math.round(lines.reduce((sum, line) => sum + (line.price ?? 0) * line.days, 0) * 100) / 100,
    };
  }
  return { tables, drawn: {} };
}

const base = rentals();
const observed = Object.values(base.tables.rentals ?? {});

describe.each(["1", "2", "3"])("rows drawn with seed %s", (seed) => {
  const made = draw(bundle, base, { seed, augment: true });
  const rows = (made.drawn.rentals ?? []).map((key) => made.tables.rentals?.[key] as JsonObject);

  it("share no value with an observed row that few rows hold, nor with each other", () => {
    expect(rows.length).toBe(12);
    for (const column of ["made_at", "code", "note"]) {
      const known = observed.map((row) => row[column]);
      for (const row of rows) expect(known, column).not.toContain(row[column]);
      expect(new Set(rows.map((row) => row[column])).size, column).toBe(rows.length);
    }
  });

  // Finding B17.
  it("have not most of their columns from one observed row", () => {
    for (const row of rows)
      for (const other of observed) {
        const same = ["member", "tier", "colour", "lines", "total"].filter(
          (column) => JSON.stringify(row[column]) === JSON.stringify(other[column]),
        );
        expect(same.length).toBeLessThan(5);
      }
  });

  it("keep joins, totals, elements, and what goes together; moments keep their form", () => {
    const things = new Set(
      observed.flatMap((row) => (row.lines as JsonObject[]).map(({ days: _, ...thing }) => JSON.stringify(thing))),
    );
    for (const row of rows) {
      expect(made.tables.members).toHaveProperty([row.member as string]);
      expect(row.rate).toBe(RATES[row.tier as keyof typeof RATES]);
      const lines = row.lines as { thing: string; price: number; days: number }[];
      expect(lines.reduce((sum, line) => sum + line.price * line.days, 0)).toBeCloseTo(row.total as number, 2);
      for (const { days: _, ...thing } of lines) expect(things).toContain(JSON.stringify(thing));
      expect(row.made_at).toMatch(/^2025-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/);
      expect(row.code).toMatch(/^PX-\d{5}$/);
    }
    const report = audit(bundle, made);
    expect(report.contradictions).toEqual([]);
    expect(report.flags.filter(({ kind }) => kind === "duplicate")).toEqual([]);
  });
});

describe("what a row is of", () => {
  const all = base.tables.rentals as Record<string, JsonObject>;
  const several = (row: JsonObject) => Array.isArray(row.lines) && row.lines.length > 1;
  const parts = ({ lines }: JsonObject) => JSON.stringify([...((lines ?? []) as JsonObject[])].map(String).sort());
  const text = (row: JsonObject) => parts({ lines: ((row.lines ?? []) as JsonObject[]).map((l) => JSON.stringify(l)) });

  it("is no observed row's, though one was seen without", () => {
    const [first = "", ...rest] = Object.keys(all);
    const { lines: _, total: __, ...seen } = all[first] as JsonObject;
    const partial = { ...base, tables: { ...base.tables, rentals: { ...all, [first]: seen } } };
    const known = new Set(
      rest
        .map((key) => all[key] as JsonObject)
        .filter(several)
        .map(text),
    );
    const made = draw(bundle, partial, { seed: "1", augment: true });
    const rows = (made.drawn.rentals ?? []).map((key) => made.tables.rentals?.[key] as JsonObject).filter(several);
    expect(rows.length).toBeGreaterThan(4);
    for (const row of rows) expect(known.has(text(row)), JSON.stringify(row)).toBe(false);
    expect(audit(bundle, made)).toMatchObject({ contradictions: [], flags: [] });
  });

  it("is told by the audit, in any order", () => {
    const [key = "", row] = Object.entries(all).find(([, one]) => several(one)) ?? [];
    const made = draw(bundle, base, { seed: "2", augment: true });
    const [copy = ""] = made.drawn.rentals ?? [];
    const lines = [...((row as JsonObject).lines as JsonObject[])].reverse();
    const copied = { ...(made.tables.rentals?.[copy] as JsonObject), lines, total: (row as JsonObject).total ?? null };
    const state = { ...made, tables: { ...made.tables, rentals: { ...made.tables.rentals, [copy]: copied } } };
    expect(audit(bundle, state).flags).toContainEqual(
      expect.objectContaining({ kind: "duplicate", key: copy, detail: expect.stringContaining(key) }),
    );
  });
});

describe("a row that says otherwise than whom it refers to", () => {
  const street = (i: number) => `${17 + i * 23} ${["Oak", "Elm", "Fir"][i % 3]} Street`;
  const people = Object.fromEntries(
    Array.from({ length: 12 }, (_, i) => [`P${100 + i}`, { id: `P${100 + i}`, street: street(i) }]),
  );
  const parcels = Object.fromEntries(
    Array.from({ length: 60 }, (_, i) => {
      const to = `P${100 + (i % 12)}`;
      // Each fifth goes to somebody else's door.
      const place = { street: i % 5 === 0 ? `${900 + i} Birch Road` : (people[to]?.street ?? "") };
      return [`Z${5_001 + i * 13}`, { id: `Z${5_001 + i * 13}`, to, place, weight: 1 + (i % 4) }];
    }),
  );
  const state: BaseState = { tables: { people, parcels }, drawn: {} };
  const own = Object.values(parcels)
    .map(({ place }) => place.street)
    .filter((one) => one.includes("Birch"));

  it("has that to itself", () => {
    for (const seed of ["1", "2", "3"]) {
      const made = draw(bundle, state, { seed, augment: true });
      const rows = (made.drawn.parcels ?? []).map((key) => made.tables.parcels?.[key] as JsonObject);
      expect(rows.length).toBeGreaterThan(5);
      for (const { place } of rows) expect(own).not.toContain((place as JsonObject).street);
      expect(rows.some(({ to, place }) => people[String(to)]?.street === (place as JsonObject).street)).toBe(true);
    }
  });
});

describe("the audit of copies", () => {
  const [first = {}] = observed;
  const planted = (row: JsonObject) =>
    audit(bundle, {
      tables: { ...base.tables, rentals: { ...base.tables.rentals, R99999: { ...row, id: "R99999" } } },
      drawn: { rentals: ["R99999"] },
    }).flags.filter(({ kind }) => kind === "duplicate");

  // Finding B17: the audit flags it.
  it("sees a row under another key and another owner, and one with a single value of few rows", () => {
    expect(planted({ ...first, member: "M311" })).toHaveLength(1);
    const other = { ...first, made_at: "2025-01-02T01:01:01", code: "PX-11111", note: "something else altogether" };
    expect(planted(other)).toHaveLength(1);
    const [line] = first.lines as JsonObject[];
    const apart = { ...other, lines: [{ ...line, days: 2 }, line] as never, total: 15.75, colour: "blue" };
    expect(planted(apart)).toEqual([]);
    expect(planted({ ...apart, code: first.code as string })).toMatchObject([
      { kind: "duplicate", detail: expect.stringContaining("code") },
    ]);
  });
});

it("moves a moment within its day alone", () => {
  expect(secondOf("2024-05-01T23:59:30Z")).toBe(86_370);
  expect(shiftedTime("2024-05-01T23:59:30Z", 29)).toBe("2024-05-01T23:59:59Z");
  expect(shiftedTime("2024-05-01T23:59:30Z", 30)).toBe("2024-05-01T23:59:30Z");
  expect(shiftedTime("2024-05-01 10:05", -600)).toBe("2024-05-01 09:55");
  expect(shiftedTime("2024-05-01", 60)).toBe("2024-05-01");
});
