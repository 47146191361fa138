import { describe, expect, test } from "vitest";
import { compileExpression } from "../../../worlds/behaviour/expression.ts";
import { Frame } from "../../../worlds/behaviour/frame.ts";
import { GapSignal } from "../../../worlds/behaviour/signals.ts";
import { BehaviourSyntaxError } from "../../../worlds/errors.ts";
import type { Json, JsonObject } from "../../../worlds/json.ts";
import { prepareBase } from "../../../worlds/state/base.ts";
import { WorldState } from "../../../worlds/state/state.ts";
import { UNKNOWN } from "../../../worlds/unknown.ts";

const rows: Record<string, JsonObject> = {
  a: { id: "a", n: 1, owner: "x", tags: ["p"] },
  b: { id: "b", n: 2, owner: "y", tags: [] },
};

function value(text: string, change: (state: WorldState) => void = () => {}): Json | undefined {
  const state = new WorldState(prepareBase({ tables: { items: rows }, drawn: {} }));
  change(state);
  const scope = { tables: new Set(["items"]), names: new Map(), nextSlot: 0, hasRow: false, reads: () => {} };
  const frame = new Frame({ u: null, f: false } as JsonObject, 0, state, { draw: () => "k" });
  return compileExpression(text, scope)(frame);
}

const lost = (state: WorldState) => state.forget("items", "a", ["n", "owner"]);
const maybeMore = (state: WorldState) => state.forgetTable("items", { made: true });

describe("unknown in expressions", () => {
  test.each([
    ["unknown()", UNKNOWN],
    ["unknown() + 1", UNKNOWN],
    ["1 - unknown()", UNKNOWN],
    ["-unknown()", UNKNOWN],
    ["unknown() == unknown()", UNKNOWN],
    ["unknown() != null", UNKNOWN],
    ["unknown() < 3", UNKNOWN],
    ["null < unknown()", false],
    ["!unknown()", UNKNOWN],
    ["false && unknown()", false],
    ["unknown() && false", false],
    ["true && unknown()", UNKNOWN],
    ["true || unknown()", true],
    ["unknown() || true", true],
    ["unknown() || false", UNKNOWN],
    ["unknown() ? 1 : 1", 1],
    ["unknown() ? 1 : 2", UNKNOWN],
    ['unknown() ? {"a": [1]} : {"a": [1]}', { a: [1] }],
    ["unknown().field.of[3]", UNKNOWN],
    ["has(unknown().f)", UNKNOWN],
    ["size(unknown())", UNKNOWN],
    ["string(unknown())", UNKNOWN],
    ['"x" in [unknown(), "x"]', true],
    ['"y" in [unknown(), "x"]', UNKNOWN],
    ["unknown() in [1]", UNKNOWN],
    ["[1, unknown()].sum()", UNKNOWN],
    ["[1, unknown()].max()", UNKNOWN],
    ["size([1, unknown()])", 2],
    ["[1, unknown()][0]", 1],
    ["[1, unknown()].exists(v, v == 1)", true],
    ["[1, unknown()].exists(v, v == 2)", UNKNOWN],
    ["[1, unknown()].all(v, v == 2)", false],
    ["[1, unknown()].all(v, v == 1)", UNKNOWN],
    ["[1, unknown()].filter(v, v == 1)", UNKNOWN],
    ["[1, unknown()].count(v, v == 1)", UNKNOWN],
    ['{"a": 1, "b": unknown()}.a', 1],
    ['{"a": 1, "b": unknown()} == {"a": 2, "b": 1}', false],
    ['{"a": 1, "b": unknown()} == {"a": 1, "b": 1}', UNKNOWN],
    ['json({"a": unknown()})', UNKNOWN],
    ["null_as_unknown(null)", UNKNOWN],
    ['unknown_as_null({"a": unknown(), "b": 1})', { a: null, b: 1 }],
    ['lookup("items", unknown())', UNKNOWN],
    ['lookup("items", "c")', null],
  ])("%s", (text, expected) => {
    expect(value(text)).toEqual(expected);
    if (expected === UNKNOWN) expect(value(text)).toBe(UNKNOWN);
  });

  test.each([
    "known(unknown())",
    "told(unknown())",
    "error(unknown())",
    "unknown() ? true : not_served()",
    'unknown() ? error("no") : true',
    'unknown() && error("no")',
    'generate("{unknown()}")',
  ])("%s is a gap", (text) => {
    expect(() => value(text)).toThrow(GapSignal);
  });

  test("a refusal that both sides give is given", () => {
    expect(() => value('unknown() ? error("no") : error("no")')).toThrow("answered an error");
  });

  test.each([
    ['lookup("items", "a").n', UNKNOWN],
    ['lookup("items", "a").tags', ["p"]],
    ['lookup("items", lookup("items", "a").owner)', UNKNOWN],
    ['rows("items").filter(r, r.n == 2)', UNKNOWN],
    ['rows("items").filter(r, r.id == "b")', [rows.b]],
    ['rows("items").exists(r, r.n == 2)', true],
    ['rows("items").exists(r, r.n == 3)', UNKNOWN],
    ['rows("items").filter(r, r.owner == "y" && r.id == "b")', [rows.b]],
    ['rows("items").filter(r, r.owner == "y")', UNKNOWN],
    ['rows("items").map(r, r.n).sum()', UNKNOWN],
    ['size(rows("items"))', 2],
  ])("%s where a row's n and owner are unknown", (text, expected) => {
    expect(value(text, lost)).toEqual(expected);
  });

  test.each([
    ['rows("items")', UNKNOWN],
    ['size(rows("items"))', UNKNOWN],
    ['lookup("items", "c")', UNKNOWN],
    ['lookup("items", "c") == null', UNKNOWN],
    ['lookup("items", "b").n', 2],
    ['rows("items").filter(r, r.id == "b")', UNKNOWN],
    ['rows("items").exists(r, r.id == "b")', true],
    ['rows("items").exists(r, r.id == "c")', UNKNOWN],
    ['rows("items").all(r, r.n > 1)', false],
    ['rows("items").all(r, r.n > 0)', UNKNOWN],
  ])("%s where rows may have been made", (text, expected) => {
    expect(value(text, maybeMore)).toEqual(expected);
  });
});

test("a row that was there at the start and was removed is known to be gone, and no other", () => {
  const gone = 'removed("items", "a")';
  expect(value(gone)).toBe(false);
  expect(value(gone, (state) => state.delete("items", "a"))).toBe(true);
  expect(value('removed("items", "c")', (state) => state.delete("items", "a"))).toBe(false);
  expect(
    value(gone, (state) => {
      state.delete("items", "a");
      state.put("items", "a", { id: "a" });
    }),
  ).toBe(false);
  const unknownAfter = (state: WorldState): void => {
    state.delete("items", "a");
    state.forgetTable("items", { made: true });
  };
  expect(value(gone, unknownAfter)).toBe(false);
  expect(value('removed("items", unknown())')).toBe(UNKNOWN);
  expect(() => value('removed("items")')).toThrow(BehaviourSyntaxError);
});
