import { expect, test } from "vitest";
import { compile } from "../../../../worlds/compile/index.ts";
import type { ObservedTrace } from "../../../../worlds/observation.ts";
import { createWorld } from "../../../../worlds/world.ts";

const worldOf = (seen: readonly (readonly [string, string])[]) => {
  const trace: ObservedTrace = {
    id: "t",
    calls: seen.map(([expression, result]) => ({ tool: "compute", args: { expression }, result, isError: false })),
  };
  const { bundle, base } = compile([trace], { name: "sums" });
  const world = createWorld(bundle, base);
  return (expression: string) => {
    const { answerClass, text } = world.call("compute", { expression });
    return answerClass === "data" ? text : answerClass;
  };
};

test("one calculation teaches those that every way of writing it writes alike", () => {
  const ask = worldOf([["12 + 30", "42.0"]]);
  expect(ask("500 - 299")).toContain("201.0");
  expect(ask("10 / 3")).toBe("error:not_served");
  expect(ask("2.25 * 3")).toBe("error:not_served");
});

test("a second one with decimals tells how they are rounded", () => {
  const ask = worldOf([
    ["12 + 30", "42.0"],
    ["10 / 3", "3.33"],
  ]);
  expect(ask("20 / 3")).toContain("6.67");
  expect(ask("5 * 4")).toContain("20.0");
});

test("a refused calculation is none", () => {
  const ask = worldOf([["1 + 1", "2.00"]]);
  expect(ask("two plus two")).not.toContain("4");
});
