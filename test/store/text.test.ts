import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalText, columnText, lookupText, sha256 } from "../../store/text.ts";

describe("canonical text", () => {
  it("is the same for equal values and reads back as them", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalText(value);
        expect(canonicalText(JSON.parse(text))).toBe(text);
        if (!JSON.stringify(value).includes("\\ud"))
          expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
    expect(canonicalText({ b: 1e21, a: [undefined, "\u0000", { d: null, c: -0 }] })).toBe(
      '{"a":[null,"\\u0000",{"c":0,"d":null}],"b":1e+21}',
    );
  });

  it("has U+FFFD for each lone surrogate, in keys too, and keeps text that only looks like one", () => {
    expect(canonicalText({ "\udc00": ["\ud800x", "\ud83d\ude00", "\\ud800"] })).toBe(
      '{"\ufffd":["\ufffdx","\ud83d\ude00","\\\\ud800"]}',
    );
  });

  it("is written once, where no lone surrogate has to be replaced", () => {
    let written = 0;
    const toJSON = () => {
      written += 1;
      return "x";
    };
    expect(canonicalText({ a: { toJSON } })).toBe('{"a":"x"}');
    expect(written).toBe(1);
  });

  it("refuses what JSON has no form for", () => {
    expect(() => canonicalText(undefined)).toThrow();
    expect(() => canonicalText({ a: Number.NaN })).toThrow();
  });
});

describe("column text", () => {
  it("has nothing that a database cannot hold, and changes nothing else", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const kept = columnText(text);
        expect(kept.isWellFormed() && !kept.includes("\0")).toBe(true);
        expect(kept.length).toBe(text.length);
        if (text.isWellFormed() && !text.includes("\0")) expect(kept).toBe(text);
      }),
    );
  });
});

describe("lookup text", () => {
  it("tells types and values apart and is never long", () => {
    const values = ["1", 1, true, "true", "", "x".repeat(1000), `${"x".repeat(1000)}y`, "sha256:00"];
    expect(new Set(values.map(lookupText)).size).toBe(values.length);
    for (const value of values) expect(lookupText(value).length).toBeLessThanOrEqual(200);
  });
});

it("sha256 is that of the text's UTF-8", () => {
  expect(sha256("é")).toBe(createHash("sha256").update(Buffer.from("é")).digest("hex"));
});
