import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type Holding,
  hasBit,
  inBoth,
  noBits,
  setBit,
  together,
} from "../../../../../worlds/compile/programs/expressions/holding.ts";

/** What a condition says of each example: it holds, it does not, or nobody knows. */
const said = fc.constantFrom(true, false, undefined);
/** An example: what two conditions say of it, and whether it is wanted, another one, or does not count. */
const example = fc.record({ a: said, b: said, as: fc.constantFrom("wanted", "other", "none") });

function holding(all: readonly (boolean | undefined)[]): Holding {
  const [yes, maybe] = [noBits(all.length), noBits(all.length)];
  for (const [i, one] of all.entries()) {
    if (one === true) setBit(yes, i);
    if (one !== false) setBit(maybe, i);
  }
  return { yes, maybe };
}

test("conditions are counted together over any number of examples as they are one by one", () => {
  fc.assert(
    fc.property(fc.array(example, { maxLength: 100 }), (all) => {
      const [a, b] = [holding(all.map((one) => one.a)), holding(all.map((one) => one.b))];
      const [wanted, others] = [noBits(all.length), noBits(all.length)];
      for (const [i, { as }] of all.entries()) if (as !== "none") setBit(as === "wanted" ? wanted : others, i);
      const holds = (one: (typeof all)[number]) => one.a === true && one.b === true;
      const fails = (one: (typeof all)[number]) => one.a === false || one.b === false;
      expect(together(a, b, wanted, others)).toEqual({
        hits: all.filter((one) => holds(one) && one.as === "wanted").length,
        misses: all.filter((one) => holds(one) && one.as === "other").length,
        open: all.filter((one) => !holds(one) && !fails(one) && one.as !== "none").length,
      });
      const both = { yes: inBoth(a.yes, b.yes), maybe: inBoth(a.maybe, b.maybe) };
      expect(all.map((_, i) => hasBit(both.yes, i))).toEqual(all.map(holds));
      expect(all.map((_, i) => hasBit(both.maybe, i))).toEqual(all.map((one) => !fails(one)));
    }),
  );
});
