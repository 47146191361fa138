import { describe, expect, test } from "vitest";
import { assignments } from "../../../../worlds/compile/fit/assignments.ts";
import type { Json, JsonObject } from "../../../../worlds/json.ts";

const setOf = (path: string, cel: string, vals: readonly Json[], rows: readonly JsonObject[]) =>
  assignments(new Map([[path, { cel, cost: 1, vals }]]), rows)[0];

describe("a list that a call gives a row", () => {
  const rows = [{ tags: ["x"] }, { tags: [] }];

  test("is open where it is in no order and all that were seen were in order", () => {
    const vals = [["a", "b"], ["c"]];
    expect(setOf("tags", "args.tags", vals, rows)?.expr).toBe(
      "(args.tags == args.tags.sort() ? args.tags : not_served())",
    );
  });

  test("is taken as it is where one that was in no order was", () => {
    const vals = [["b", "a"], ["c"]];
    expect(setOf("tags", "args.tags", vals, rows)?.expr).toBe("args.tags");
  });
});

describe("a number that a call gives a row", () => {
  test("is open where there is one already and there never was: it may take its place or be added", () => {
    expect(setOf("paid", "args.amount", [5, 7], [{ paid: 0 }, { paid: 0 }])?.expr).toBe(
      "(row.paid == 0 ? args.amount : not_served())",
    );
  });

  test("takes the place of what was, where it did or where it is named so", () => {
    expect(setOf("paid", "args.amount", [5, 7], [{ paid: 0 }, { paid: 3 }])?.expr).toBe("args.amount");
    expect(setOf("paid", "args.paid", [5, 7], [{ paid: 0 }, { paid: 0 }])?.expr).toBe("args.paid");
  });
});

test("an item is added to a list that was empty whenever it was listed alone", () => {
  const item = '[{"n": args.n}]';
  const vals = [[{ n: 1 }], [{ n: 2 }]];
  expect(setOf("notes", item, vals, [{ notes: [] }, { notes: [] }])).toMatchObject({
    op: "append",
    expr: '{"n": args.n}',
  });
  expect(setOf("notes", item, vals, [{ notes: [] }, { notes: [{ n: 9 }] }])).toMatchObject({ op: "=" });
});
