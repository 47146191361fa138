import { describe, expect, test } from "vitest";
import type { BaseState } from "../../worlds/bundle.ts";
import { draw } from "../../worlds/draw/index.ts";
import { beginning, startOf, withStart } from "../../worlds/starts.ts";
import { shop } from "./fixtures/shop.ts";

const base: BaseState = {
  tables: { meters: { m: { of: "m", unit: "l" } }, notes: {} },
  drawn: {},
  starts: {
    first: { meters: { m: { litres: 5, open: true } }, notes: { n1: { id: "n1", text: "leak" } } },
    second: { meters: { m: { litres: 12, open: false } } },
    third: { meters: { m: { open: true } }, notes: { n2: { id: "n2", text: "rust" } } },
  },
  recorded: {},
};

describe("a drawn state", () => {
  for (const seed of ["1", "2", "3", "4"])
    test(`begins as each group began, whichever start was drawn (seed ${seed})`, () => {
      const drawn = JSON.parse(JSON.stringify(draw(shop, base, { seed }))) as BaseState;
      for (const group of ["first", "second", "third"]) {
        const { tables, recorded } = beginning(drawn, group);
        const own = startOf(base, group).tables;
        expect(tables.meters).toEqual(own.meters);
        expect(tables.notes ?? {}).toEqual(own.notes ?? {});
        expect(recorded).toEqual({ task: group });
      }
    });

  test("is itself without a group, and for one that evidence does not show", () => {
    const drawn = draw(shop, base, { seed: "1" });
    expect(beginning(drawn, undefined)).toBe(drawn);
    expect(beginning(drawn, "nobody's")).toBe(drawn);
    expect(beginning(drawn, "__proto__")).toBe(drawn);
  });

  test("begins as a group's own where all began alike, and not where rows were added", () => {
    const { starts: _starts, ...alike } = base;
    const drawn = draw(shop, alike, { seed: "1" });
    expect(beginning(drawn, "first")).toEqual({ ...drawn, recorded: { task: "first" } });
    expect(beginning(drawn, "first")).toBe(beginning(drawn, "first"));
    const { recorded: _recorded, ...edited } = drawn;
    expect(beginning(edited, "first")).toBe(edited);
  });

  test("answers one object for a group, so that worlds share it", () => {
    const drawn = draw(shop, base, { seed: "1" });
    expect(beginning(drawn, "first")).toBe(beginning(drawn, "first"));
    const env = { bundle: shop, base: drawn };
    expect(withStart(env, { start: "first" }).base).toBe(beginning(drawn, "first"));
    expect(withStart(env, {})).toBe(env);
  });

  test("knows no other start where rows were drawn beside the observed ones", () => {
    expect(draw(shop, base, { seed: "1", augment: true }).others).toBeUndefined();
  });

  test("holds the starts of 200 groups at most, those that tell most", () => {
    const starts = Object.fromEntries(
      Array.from({ length: 300 }, (_, i) => [
        `g${i}`,
        { meters: { m: i % 3 === 0 ? { litres: i } : { litres: i, open: true } } },
      ]),
    );
    const others = draw(shop, { ...base, starts }, { seed: "1" }).others ?? {};
    expect(Object.keys(others)).toHaveLength(200);
    expect(Object.keys(others).every((group) => Number(group.slice(1)) % 3 !== 0)).toBe(true);
  });
});
