import fc from "fast-check";
import { expect, test } from "vitest";
import type { Row } from "../../../../worlds/compile/programs/expressions/expr.ts";
import { Layered } from "../../../../worlds/compile/programs/records/layered.ts";

test("rows under changes hold what a map would hold, in its order", () => {
  const key = fc.constantFrom("a", "b", "c", "d", "e");
  const change = fc.tuple(key, fc.option(fc.integer(), { nil: undefined }));
  fc.assert(
    fc.property(fc.array(change, { maxLength: 12 }), (changes) => {
      const plain = new Map<string, Row>([
        ["a", { n: 1 }],
        ["b", { n: 2 }],
        ["c", { n: 3 }],
      ]);
      let rows: ReadonlyMap<string, Row> = new Map(plain);
      for (const [of, n] of changes) {
        const before = [...rows];
        const next = Layered.with(rows, of, n === undefined ? undefined : { n });
        expect([...rows]).toEqual(before);
        rows = next;
        if (n === undefined) plain.delete(of);
        else plain.set(of, { n });
        expect([...rows]).toEqual([...plain]);
        expect([...rows.keys()]).toEqual([...plain.keys()]);
        expect(rows.size).toBe(plain.size);
        for (const one of "abcde") expect(rows.get(one)).toEqual(plain.get(one));
      }
    }),
  );
});
