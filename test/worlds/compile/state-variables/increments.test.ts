import { expect, test } from "vitest";
import { bounded, shifted } from "../../../../worlds/compile/state-variables/increments.ts";

const features = (of: string, by: string) =>
  new Map([
    ["r_target", of],
    ["args.by", by],
  ]);

test("a number that an argument moves is not told beyond what was seen", () => {
  const shift = bounded({ kind: "shift", of: "r_target", by: "args.by", sign: 1 }, ["18", "25", "warm"]);
  expect(shifted(shift, features("23", "2"))).toBe("25");
  expect(shifted(shift, features("24", "2"))).toBeUndefined();
});

test("a counter goes on", () => {
  const counter = bounded({ kind: "shift", of: "r_target", by: 1, sign: 1 }, ["1", "2"]);
  expect(shifted(counter, features("7", "0"))).toBe("8");
});
