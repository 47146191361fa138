import { expect, test } from "vitest";
import { compile } from "../../../../worlds/compile/index.ts";
import type { ObservedTrace } from "../../../../worlds/observation.ts";
import { Starts } from "../../../../worlds/starts.ts";

/** A lamp under a lid: what it is shows only while the lid is open, and shaking the box turns it red. */
function session(i: number): ObservedTrace {
  let [lid, lamp] = [i % 3 !== 0, i % 2 ? "green" : "blue"];
  const call = (tool: string, result: string) => ({ tool, args: {}, result, isError: false });
  const look = () => call("check_box", `Box: ${lid ? lamp : "covered"}\nSeal: intact`);
  const sight = () => call("check_lid", `Lid: ${lid ? "open" : "closed"}`);
  const flip = (to: boolean) => {
    lid = to;
    return call(to ? "open_lid" : "close_lid", to ? "The lid is open." : "The lid is closed.");
  };
  const shake = () => {
    lamp = "red";
    return call("shake_box", "Shaken.");
  };
  const plans = [
    () => [look(), sight(), flip(false), look(), sight(), flip(true), look()],
    () => [look(), sight(), flip(true), look(), sight(), shake(), look(), sight()],
    () => [look(), flip(false), look(), shake(), look(), flip(true), look()],
    () => [look(), flip(true), look(), flip(false), look(), flip(true), look()],
  ];
  const calls = (plans[Math.floor(i / 12) % plans.length] as (typeof plans)[0])();
  return { id: `box-${String(i).padStart(3, "0")}`, group: `box ${i % 12}`, calls };
}

test("what was hidden comes to light as it was", () => {
  const compiled = compile(
    Array.from({ length: 96 }, (_, i) => session(i)),
    { name: "box" },
  );
  for (const lamp of [1, 2]) {
    const world = new Starts(compiled).fresh(`box ${lamp}`);
    for (const tool of ["close_lid", "check_box", "open_lid"]) world.call(tool, {});
    expect(world.call("check_box", {}).value).toBe(`Box: ${lamp % 2 ? "green" : "blue"}\nSeal: intact`);
  }
});
