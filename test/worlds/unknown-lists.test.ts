import { describe, expect, it } from "vitest";
import { requiredOf } from "../../worlds/tasks/changes.ts";
import { shown, shownChange, UNKNOWN } from "../../worlds/unknown.ts";

describe("a list with an element that nobody knows", () => {
  it("is left out of a new row, so that no task requires it", () => {
    const change = shownChange({ table: "orders", key: "1", after: { id: "1", tags: ["a", UNKNOWN] } })!;
    expect(change.after).toEqual({ id: "1" });
    expect(requiredOf([change], [change])[0]!.fields).toEqual({ id: "1" });
  });
  it("reads as before where that was known, which is no change", () => {
    expect(shown(["a", UNKNOWN], ["a"])).toEqual(["a"]);
    const change = { table: "orders", key: "1", before: { tags: ["a"] }, after: { tags: [UNKNOWN] } };
    expect(shownChange(change)).toBeUndefined();
  });
  it("keeps what is known of records within it", () => {
    expect(shown([{ id: 1, by: UNKNOWN }, "x"], undefined)).toEqual([{ id: 1 }, "x"]);
  });
  it("is left out where it was unknown before as well", () => {
    expect(shown([UNKNOWN], [UNKNOWN, "b"])).toBeUndefined();
  });
});
