import { expect, it } from "vitest";
import { Bundle } from "../../../../worlds/bundle.ts";
import { withinLimits } from "../../../../worlds/compile/conditions/within-limits.ts";
import { recordedOnly } from "../../../../worlds/compile/fit/fit-tool.ts";
import { observe } from "../../../../worlds/compile/observations.ts";
import { compileRows } from "../../../../worlds/compile/rows.ts";

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

// Finding A33.
it("what is compiled of answers longer than that is a bundle that can be read, and the tool is a gap that says why", () => {
  const terms = "These are the terms. ".repeat(250);
  const traces = Array.from({ length: 12 }, (_, n) => ({
    id: `s${n}`,
    calls: [n, n + 1, n + 2].flatMap((id) => [
      { tool: "get_item", args: { id: `R-${id}` }, result: { id: `R-${id}`, size: id * 3 }, isError: false },
      { tool: "accept", args: { id: `R-${id}` }, result: { accepted: true, terms }, isError: false },
    ]),
  }));
  const { bundle } = compileRows(observe(traces), { name: "desk" });
  expect(Bundle.safeParse(JSON.parse(JSON.stringify(bundle))).error?.issues).toBeUndefined();
  expect(bundle.gaps).toMatchObject([
    { tool: "accept", reason: expect.stringContaining("longer than a behaviour may be") },
  ]);
});
