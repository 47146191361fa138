import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareKeys, drawKey, joinKey, KEY_SEPARATOR } from "../../../worlds/state/keys.ts";

describe("keys", () => {
  it("joins parts and has no key for what cannot be part of one", () => {
    expect(joinKey(["F1", 7, true])).toBe(`F1${KEY_SEPARATOR}7${KEY_SEPARATOR}true`);
    for (const part of [undefined, null, [], {}]) expect(joinKey(["F1", part])).toBeUndefined();
  });

  it("orders runs of digits as numbers", () => {
    const keys = ["R10", "R9", "a2b10", "a2b9", "10", "9", "R", "R9x", "ORD-000012", "ORD-7"];
    expect(keys.sort(compareKeys)).toEqual([
      "9",
      "10",
      "ORD-7",
      "ORD-000012",
      "R",
      "R9",
      "R9x",
      "R10",
      "a2b9",
      "a2b10",
    ]);
  });

  it("is a total order", () => {
    const key = fc.string({ unit: fc.constantFrom("a", "b", "0", "1", "9", "-", "é"), maxLength: 8 });
    fc.assert(
      fc.property(key, key, key, (a, b, c) => {
        expect(Math.sign(compareKeys(a, b))).toBe(0 - Math.sign(compareKeys(b, a)));
        expect(compareKeys(a, b) === 0).toBe(a === b);
        if (compareKeys(a, b) <= 0 && compareKeys(b, c) <= 0) expect(compareKeys(a, c)).toBeLessThanOrEqual(0);
      }),
      { numRuns: 3000 },
    );
  });

  it("draws the same key for the same seed and number, of the kind and width asked for", () => {
    const shapes = { n: /^[1-9][0-9]*$/, x: /^[0-9a-f]+$/, a: /^[A-Z0-9]+$/, w: /^[a-z0-9]+$/ };
    for (const [kind, shape] of Object.entries(shapes))
      for (const width of [2, 7, 64]) {
        const key = drawKey("seed", 3, kind, width);
        expect(key).toHaveLength(width);
        expect(key).toMatch(shape);
        expect(drawKey("seed", 3, kind, width)).toBe(key);
        expect(drawKey("seed", 4, kind, width)).not.toBe(key);
      }
    expect(new Set(Array.from({ length: 2000 }, (_, i) => drawKey("s", i, "n", 9))).size).toBe(2000);
    expect(() => drawKey("s", 0, "q", 5)).toThrow("kind");
    expect(() => drawKey("s", 0, "n", 65)).toThrow("width");
  });
});
