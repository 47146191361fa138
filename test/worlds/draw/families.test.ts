import { describe, expect, it } from "vitest";
import type { BaseState } from "../../../worlds/bundle.ts";
import { audit, draw } from "../../../worlds/draw/index.ts";
import type { JsonObject } from "../../../worlds/json.ts";
import { shop } from "../fixtures/shop.ts";

const bundle = { ...shop, tables: [] };
const STREETS = ["Cedar Street", "Elm Avenue", "Mill Lane", "Dock Road", "High Street"];

/** Growers who list their crates; a crate repeats its grower's address and has one label of its own, which names it. */
function orchard(): BaseState {
  const tables = { growers: {}, crates: {}, labels: {} } as Record<string, Record<string, JsonObject>>;
  for (let i = 0; i < 24; i += 1) {
    const grower = `G${4100 + i * 13}`;
    const address = { street: `${118 + i * 37} ${STREETS[i % 5]}`, post: `${90_010 + i * 331}`, land: "US" };
    const crates = [0, 1].map((k) => `C${70_000 + i * 97 + k * 11}`);
    (tables.growers ?? {})[grower] = { id: grower, address, crates, sort: ["apple", "pear"][i % 2] as string };
    for (const [k, crate] of crates.entries()) {
      const label = `L${500_000 + i * 401 + k * 83}`;
      (tables.crates ?? {})[crate] = { id: crate, grower, address, label, weight: 10 + ((i * 7 + k * 3) % 4) };
      (tables.labels ?? {})[label] = { id: label, crate, colour: ["red", "blue", "green"][(i + k) % 3] as string };
    }
  }
  return { tables, drawn: {} };
}

const base = orchard();
const observed = (table: string, path: (row: JsonObject) => unknown) =>
  new Set(Object.values(base.tables[table] ?? {}).map((row) => path(row as JsonObject)));
const addressOf = (row: JsonObject) => (row.address as JsonObject).street;

describe.each(["1", "2", "3"])("families of parts that were seldom seen, drawn with seed %s", (seed) => {
  // Two digits tell labels apart, and most of them were never looked up: a new one is easily an observed crate's.
  const labelOf = new Map([...observed("crates", (row) => row.label)].map((label, i) => [label, `L${10 + i}`]));
  const few = structuredClone(base.tables) as Record<string, Record<string, JsonObject>>;
  for (const crate of Object.values(few.crates ?? {})) crate.label = labelOf.get(crate.label) as string;
  few.labels = Object.fromEntries(
    Object.values(few.labels ?? {})
      .slice(0, 30)
      .map((row) => [labelOf.get(row.id) as string, { ...row, id: labelOf.get(row.id) as string }]),
  );
  const made = draw(bundle, { tables: few, drawn: {} }, { seed, augment: true });

  it("name no part that an observed row names", () => {
    expect((made.drawn.crates ?? []).length).toBeGreaterThan(3);
    for (const key of made.drawn.crates ?? [])
      expect([...labelOf.values()]).not.toContain(made.tables.crates?.[key]?.label);
  });
});

describe.each(["1", "2", "3"])("families drawn with seed %s", (seed) => {
  const made = draw(bundle, base, { seed, augment: true });
  const rows = (table: string) => (made.drawn[table] ?? []).map((key) => made.tables[table]?.[key] as JsonObject);

  it("live at no observed address, though their parts repeat it", () => {
    expect(rows("growers").length).toBeGreaterThan(3);
    for (const [table, path] of [["growers", addressOf], ["crates", addressOf]] as const) // biome-ignore format: one line
      for (const row of rows(table)) expect(observed(table, path), table).not.toContain(path(row));
    for (const crate of rows("crates"))
      expect(made.tables.growers?.[crate.grower as string]).toMatchObject({ address: crate.address });
  });

  it("have their only parts to themselves", () => {
    const named = Object.values(made.tables.crates ?? {}).map((row) => (row as JsonObject).label);
    expect(new Set(named).size).toBe(named.length);
    for (const crate of rows("crates"))
      expect(made.tables.labels?.[crate.label as string]).toMatchObject({ crate: crate.id });
    expect(audit(bundle, made)).toMatchObject({ contradictions: [], flags: [] });
  });

  it("are flagged by the audit where one was given an observed address", () => {
    const [grower] = made.drawn.growers as [string];
    const [other] = Object.values(base.tables.growers ?? {}) as [JsonObject];
    const copy = { ...(made.tables.growers?.[grower] as JsonObject), address: other.address as JsonObject };
    const copied = { ...made, tables: { ...made.tables, growers: { ...made.tables.growers, [grower]: copy } } };
    expect(audit(bundle, copied).flags).toContainEqual(
      expect.objectContaining({ kind: "duplicate", table: "growers", key: grower }),
    );
  });
});
