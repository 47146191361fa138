import { expect, test } from "vitest";
import { manifest } from "../../../../worlds/compile/listing.ts";
import { callsByTool, observe } from "../../../../worlds/compile/observations.ts";
import { compilePrograms } from "../../../../worlds/compile/programs/compile.ts";
import type { JsonObject } from "../../../../worlds/json.ts";
import { Starts } from "../../../../worlds/starts.ts";

/** Sessions of a van whose doors are locked, whose pedal has three stops, whose tank takes any amount with a mode, a label and a driver. */
const traces = Array.from({ length: 30 }, (_, n) => {
  const doors = [["left"], ["right", "rear"], ["rear"]][n % 3] as string[];
  const calls: [string, JsonObject][] = [
    ["set_locks", { doors }],
    ["get_van", {}],
    ["set_pedal", { level: [0.25, 0.5, 1][n % 3] as number }],
    ["get_van", {}],
    ["set_tank", { litres: 5 + ((n * 7) % 31) }],
    ["get_van", {}],
    ["set_mode", { mode: ["eco", "sport", "tow"][n % 3] as string }],
    ["set_label", { label: ["Bread for town", "Spare van", "Out on Monday"][n % 3] as string }],
    ["get_van", {}],
    ["set_driver", { driver: ["Ada", "Bo", "ada"][n % 3] as string }],
    ["get_van", {}],
  ];
  const van: JsonObject = { locked: "none", level: 0.25, litres: 5, mode: "eco", label: "Van 1", driver: "none" };
  return {
    id: `s${n}`,
    group: `task ${n % 3}`,
    calls: calls.map(([tool, args]) => {
      if ("doors" in args) van.locked = (args.doors as string[]).join(" and ");
      else Object.assign(van, args);
      return { tool, args, result: JSON.stringify(tool === "get_van" ? van : { done: true, ...args }), isError: false };
    }),
  };
});
const observed = observe(traces);
const byTool = callsByTool(observed);
const world = compilePrograms(observed, byTool, manifest(undefined, byTool), "van");
const classOf = (tool: string, args: JsonObject): string =>
  new Starts(world).fresh("task 0").call(tool, args).answerClass;

test.each<[string, JsonObject]>([
  ["set_locks", { doors: ["rear", "left"] }],
  ["set_pedal", { level: 0.5 }],
  ["set_tank", { litres: 40 }],
  ["set_mode", { mode: "sport" }],
])("what successes showed is answered: %s %o", (tool, args) => {
  expect(classOf(tool, args)).toBe("data");
});

test.each<[string, JsonObject]>([
  ["set_locks", { doors: ["sunroof"] }],
  ["set_locks", { doors: ["rear", "sunroof"] }],
  ["set_pedal", { level: 7 }],
  ["set_pedal", { level: -0.5 }],
  ["set_pedal", { level: 0 }],
  ["set_tank", { litres: 1_000_000 }],
  ["set_tank", { litres: -5 }],
  ["set_tank", { litres: 0 }],
  ["set_mode", { mode: "hover" }],
])("what no success came near is a gap: %s %o", (tool, args) => {
  expect(classOf(tool, args)).toBe("error:not_served");
});

test.each([
  ["of several words", "set_label", { label: "Do not use" }],
  ["that others wrote in large or small letters", "set_driver", { driver: "Cleo" }],
])("a text %s is written as people please: a new one is taken as well", (_, tool, args) => {
  const session = new Starts(world).fresh("task 0");
  expect(session.call(tool, args).value).toMatchObject(args);
  expect(session.call("get_van", {}).value).toMatchObject(args);
});
