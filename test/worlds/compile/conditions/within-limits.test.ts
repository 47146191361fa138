import { expect, it } from "vitest";
import { withinLimits } from "../../../../worlds/compile/conditions/within-limits.ts";
import { recordedOnly } from "../../../../worlds/compile/fit/fit-tool.ts";

const reading = (expr: string) => ({
  behaviour: { v: 1 as const, steps: [{ op: "answer" as const, expr }] },
  effect: "read" as const,
  how: "read",
});

// Finding A33.
it("an explanation longer than a behaviour may be is no candidate, and its tool's recorded answers say why", () => {
  const [short, long] = [reading("1"), reading(`'${"x".repeat(5000)}'`)];
  const recorded = recordedOnly("read");
  const kept = withinLimits(
    new Map([
      ["fits", [short, recorded]],
      ["some", [long, short, recorded]],
      ["none", [long]],
    ]),
  );
  expect(kept.get("fits")).toEqual([short, recorded]);
  expect(kept.get("some")).toMatchObject([{ how: "read" }, { how: "recorded", why: expect.any(String) }]);
  expect(kept.get("none")).toEqual([{ ...recorded, why: expect.stringContaining("longer than a behaviour may be") }]);
});
