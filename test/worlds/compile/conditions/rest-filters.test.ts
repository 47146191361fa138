import { describe, expect, test } from "vitest";
import { restFilters } from "../../../../worlds/compile/conditions/rest-filters.ts";

const row = (state: string, left: number, more: object = {}) => ({ state, left, kind: "a", ...more });
const open = [row("open", 1), row("open", 3), row("open", 9), row("open", 2), row("open", 4)];

describe("what tells answered rows from those left out", () => {
  test("is a value that all of the ones have and none of the others", () => {
    const closed = [row("shut", 4), row("late", 2)];
    const rest = restFilters(open, closed, [...open, ...closed]);
    expect(rest?.tests.map(({ cel }) => cel)).toEqual(['row.state == "open"']);
    expect(rest?.openTests).toEqual([]);
  });

  test("may take two tests, or an amount that is there", () => {
    const left = [row("shut", 4), row("open", 0)];
    const cels = restFilters(open, left, [...open, ...left])?.tests.map(({ cel }) => cel);
    expect(cels?.sort()).toEqual(["row.left > 0", 'row.state == "open"']);
  });

  test("is not made up where nothing tells them apart", () => {
    expect(restFilters(open, [row("open", 5)], [...open, row("open", 5)])).toBeUndefined();
  });

  test("is a doubt where nobody asked for the rows that are otherwise", () => {
    const rest = restFilters(open, [], [...open, row("shut", 4)]);
    expect(rest?.tests).toEqual([]);
    expect(rest?.openTests.map(({ cel }) => cel)).toEqual(['row.state == "open"']);
  });
});
