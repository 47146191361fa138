import { describe, expect, test } from "vitest";
import { manifest } from "../../../../worlds/compile/listing.ts";
import { callsByTool, observe } from "../../../../worlds/compile/observations.ts";
import { compilePrograms } from "../../../../worlds/compile/programs/compile.ts";
import { Judge } from "../../../../worlds/compile/utility.ts";
import { Starts } from "../../../../worlds/starts.ts";
import { Attic } from "./attic.ts";
import { type Maker, sessions } from "./services.ts";

const make: Maker = (_, task) => new Attic(task);
const seeds = (first: number, n: number): number[] => Array.from({ length: n }, (_, i) => first + i);
const train = observe(sessions(make, seeds(0, 40)));
const byTool = callsByTool(train);
const attic = compilePrograms(train, byTool, manifest(undefined, byTool), "attic");
const start = (task: number) => new Starts(attic).fresh(`task ${task}`);

describe("rooms that stand in each other, with one at hand", () => {
  test("unseen sessions are answered, and none wrongly", () => {
    const held = observe(sessions(make, seeds(100, 15)));
    const { calls, right, wrong } = new Judge([...train, ...held]).scoreOf(attic, held, train);
    expect(calls).toBeGreaterThan(200);
    expect(right / calls).toBeGreaterThanOrEqual(0.7);
    expect(wrong / calls).toBeLessThanOrEqual(0.01);
  });

  test("the room at hand decides what a view shows, as each task begins", () => {
    expect(start(1).call("view", {}).value).toEqual({ holds: ["east", "lamp", "loft"] });
    const world = start(0);
    expect(world.call("view", {}).value).toEqual({ holds: ["east", "lamp", "loft", "west"] });
    expect(world.call("go", { to: "east" }).value).toEqual({ in: "east" });
    expect(world.call("view", {}).value).toEqual({ holds: ["box", "roof"] });
    expect(world.call("spot", {}).value).toEqual({ place: "/attic/east" });
    expect(world.call("go", { to: ".." }).value).toEqual({ in: "attic" });
    expect(world.call("view", {}).value).toEqual({ holds: ["east", "lamp", "loft", "west"] });
  });

  test("what is put into a room stands there and in no other, and not twice", () => {
    const world = start(0);
    expect(world.call("raise_room", { name: "bin" }).isError).toBe(false);
    expect(world.call("view", {}).value).toEqual({ holds: ["bin", "east", "lamp", "loft", "west"] });
    expect(world.call("raise_room", { name: "bin" }).isError).toBe(true);
    expect(world.call("go", { to: "loft" }).isError).toBe(false);
    expect(world.call("view", {}).value).toEqual({ holds: [] });
    expect(world.call("write_note", { note: "keys", text: "by the door" }).isError).toBe(false);
    expect(world.call("view", {}).value).toEqual({ holds: ["keys"] });
    expect(world.call("show_note", { note: "keys" }).value).toEqual({ text: "by the door" });
    expect(world.call("tear_up", { note: "keys" }).isError).toBe(false);
    expect(world.call("view", {}).value).toEqual({ holds: [] });
    expect(world.call("go", { to: "east" })).toMatchObject({ isError: true });
  });
});
