import { expect, test } from "vitest";
import { manifest } from "../../../../../worlds/compile/listing.ts";
import { callsByTool, observe } from "../../../../../worlds/compile/observations.ts";
import { compilePrograms } from "../../../../../worlds/compile/programs/compile.ts";

/** The tables of a line whose boost is set, by the rates without and with it: its gadgets are as quick as it is. */
function tablesOf(rates: readonly [string, string]) {
  const sessions = observe(
    Array.from({ length: 12 }, (_, i) => {
      const read = (tool: string, value: unknown) => ({
        tool,
        args: {},
        result: JSON.stringify(value),
        isError: false,
      });
      const order = [...(i % 2 ? [true, false, true] : [false, true, false]), i % 3 === 0];
      const calls = order.flatMap((on) => [
        { tool: "set_boost", args: { on }, result: '{"done":true}', isError: false },
        read("get_rate", { rate: rates[on ? 1 : 0] }),
        read(
          "list_gadgets",
          ["tv", "pc", "lamp"].map((gadget) => ({ gadget, speed: on ? "quick" : "slow" })),
        ),
      ]);
      return { id: `s${i}`, calls };
    }),
  );
  const tools = callsByTool(sessions);
  const { bundle } = compilePrograms(sessions, tools, manifest(undefined, tools), "line");
  return bundle.tables.map(({ name, key }) => [name, ...key]);
}

test("a cell points where it holds paths, and not where a unit has a slash", () => {
  expect(tablesOf(["/slow", "/quick"])).toContainEqual(["list_gadgets", "rate"]);
  expect(tablesOf(["12 Mbit/s", "40 Mbit/s"])).toEqual(tablesOf(["12 megabits", "40 megabits"]));
});
