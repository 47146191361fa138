import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { align, jsonDifferences, textParts } from "../../../../chapters/findings/viewer/align.ts";
import { answerRows } from "../../../../chapters/findings/viewer/pair.ts";

const same = (x: string, y: string) => (x === y ? 1 : 0);

describe("align", () => {
  it("pairs what is alike in order and leaves the rest to one side", () => {
    expect(align([..."abcd"], [..."axcd"], same)).toEqual([
      { a: "a", b: "a" },
      { a: "b" },
      { b: "x" },
      { a: "c", b: "c" },
      { a: "d", b: "d" },
    ]);
    expect(align([], [..."ab"], same)).toEqual([{ b: "a" }, { b: "b" }]);
  });

  it("prefers the pair that is most alike", () => {
    const likeness = (x: string, y: string) => (x === y ? 3 : x[0] === y[0] ? 1 : 0);
    expect(align(["g1", "g2"], ["g2"], likeness)).toEqual([{ a: "g1" }, { a: "g2", b: "g2" }]);
  });

  it("keeps every item of both sides once and in order, also where they are too long to be aligned", () => {
    const word = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 30 });
    fc.assert(
      fc.property(word, word, (a, b) => {
        const rows = align(a, b, same);
        expect(rows.flatMap((row) => row.a ?? [])).toEqual(a);
        expect(rows.flatMap((row) => row.b ?? [])).toEqual(b);
      }),
    );
    const long = Array.from({ length: 3000 }, (_, i) => String(i));
    expect(align(long, long.slice(1), same)).toHaveLength(3000);
  });
});

describe("textParts", () => {
  it("tells what only one text says, and both texts can be read back", () => {
    const [a, b] = ["The order is shipped today.", "The order was shipped yesterday."];
    const parts = textParts(a, b);
    const of = (arm: "a" | "b") =>
      parts.flatMap(({ text, only }) => (only === undefined || only === arm ? text : [])).join("");
    expect([of("a"), of("b")]).toEqual([a, b]);
    expect(parts.filter(({ only }) => only === "b").map(({ text }) => text)).toEqual(["was", "yesterday."]);
    expect([textParts("", ""), textParts("x", "x")]).toEqual([[], [{ text: "x" }]]);
  });
});

describe("jsonDifferences", () => {
  it("names every place by its path, with the value of each side that has one", () => {
    const a = { id: 1, lines: [{ sku: "A" }, { sku: "B" }], note: null, same: { x: [1] } };
    const b = { id: 1, lines: [{ sku: "A" }, { sku: "C" }, 3], extra: true, same: { x: [1] } };
    expect(jsonDifferences(a, b)).toEqual([
      { path: "lines[1].sku", a: "B", b: "C" },
      { path: "lines[2]", b: 3 },
      { path: "note", a: null },
      { path: "extra", b: true },
    ]);
    expect(jsonDifferences([], {})).toEqual([{ path: "", a: [], b: {} }]);
    expect(jsonDifferences("x", "x")).toEqual([]);
  });
});

it("answers that have little in common stand one after the other, and alike ones as one text", () => {
  const parts = (x: string, y: string) => answerRows([{ text: x }], [{ text: y }])[0]?.text;
  const [none, found] = ["I could not find that: no refund.", "This refund found: RF-446758 of $60.06, paid that day."];
  expect(parts(none, found)).toEqual([{ text: none, only: "a" }, { text: "\n\n" }, { text: found, only: "b" }]);
  expect(parts("It costs 5 euros.", "It costs 7 euros.")).toEqual([
    { text: "It costs " },
    { text: "5", only: "a" },
    { text: "7", only: "b" },
    { text: " euros." },
  ]);
  expect(parts(none, "")).toEqual([{ text: none, only: "a" }]);
});
