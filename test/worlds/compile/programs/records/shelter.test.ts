import { describe, expect, test } from "vitest";
import { callsByTool, observe } from "../../../../../worlds/compile/observations.ts";
import type { ProgramWorld } from "../../../../../worlds/compile/programs/compile.ts";
import { compileRecords } from "../../../../../worlds/compile/programs/records/index.ts";
import { Judge } from "../../../../../worlds/compile/utility.ts";
import type { JsonObject } from "../../../../../worlds/json.ts";
import { createWorld } from "../../../../../worlds/world.ts";
import type { World } from "../../../../../worlds/world-api.ts";
import { type Maker, sessions } from "../services.ts";
import { ANIMALS, SHELTER_TOOLS, Shelter } from "./shelter.ts";

const seeds = (first: number, n: number): number[] => Array.from({ length: n }, (_, i) => first + i);
const shelter: Maker = () => new Shelter();

function learnt(n: number, first = 0): ProgramWorld {
  const observed = observe(sessions(shelter, seeds(first, n)));
  return compileRecords(observed, callsByTool(observed), SHELTER_TOOLS, {
    name: "service",
    tools: SHELTER_TOOLS,
  }) as ProgramWorld;
}
const told = (world: World, tool: string, args: JsonObject): unknown => world.call(tool, args).value;
/** What the service itself answers after calls. */
function real(calls: readonly (readonly [string, JsonObject])[]): unknown {
  const service = new Shelter();
  return calls.map(([tool, args]) => JSON.parse(String(service.call(tool, args).result))).at(-1);
}

describe("a shelter whose animals sessions listed in parts", () => {
  const made = learnt(60);
  const fresh = (): World => createWorld(made.bundle, made.base);

  test("is answered in sessions that nobody saw", () => {
    const held = observe(sessions(shelter, seeds(700, 20)));
    const { calls, right, wrong } = new Judge(held).scoreOf(made, held, []);
    expect(right / calls).toBeGreaterThan(0.9);
    expect(wrong / calls).toBeLessThanOrEqual(0.02);
  });

  test.each<JsonObject>([
    {},
    { kind: "dog", limit: 3 },
    { kind: "cat", skip: 4 },
    { skip: 20 },
    { order: "weight", limit: 2, skip: 1 },
    { order: "name", name: "co" },
    { adoptable: true, limit: 8 },
    { adoptable: false, kind: "goat" },
  ])("lists the part, the order and the count that are asked for: %j", (args) => {
    expect(told(fresh(), "find_animals", args)).toEqual(real([["find_animals", args]]));
  });

  test("does not say what stands in an order, or under a number, that nobody asked for", () => {
    for (const args of [{ order: "age" }, { limit: -1 }, { limit: 0 }] as JsonObject[])
      expect(fresh().call("find_animals", args).answerClass).toBe("error:not_served");
  });

  test("keeps what follows from a state beside it, in reads, lists and sums", () => {
    const { tag, kind } = ANIMALS.find(({ state }) => state === "sick") as (typeof ANIMALS)[number];
    const cured = ["see_vet", { tag, reason: "cure" }] as const;
    for (const asked of [
      ["get_animal", { tag }],
      ["find_animals", { kind, limit: 8 }],
      ["sum_up", { kind }],
    ] as const) {
      const world = fresh();
      const [tool, args] = asked;
      expect(told(world, ...cured)).toEqual({ tag, state: "well" });
      expect(told(world, tool, args)).toEqual(real([cured, asked]));
    }
    expect(told(fresh(), "see_vet", { tag, reason: "check" })).toEqual({ tag, state: "sick" });
  });

  test("takes a new animal for what it is where its state is not given", () => {
    const world = fresh();
    const taken = ["take_in", { name: "Hugo", kind: "goat", weight: 9 }] as const;
    expect(told(world, ...taken)).toEqual({ tag: "S35" });
    expect(told(world, "get_animal", { tag: "S35" })).toEqual(real([taken, ["get_animal", { tag: "S35" }]]));
  });

  test("refuses in the words of the service for the state that a row is in", () => {
    const { tag } = ANIMALS.find(({ state }) => state === "adopted") as (typeof ANIMALS)[number];
    const set = { tag, field: "state", value: "well" };
    expect(fresh().call("set_animal", set)).toMatchObject({
      isError: true,
      value: { error: `${tag} has left (adopted)` },
    });
    expect(fresh().call("sum_up", { kind: "yak" }).isError).toBe(true);
  });
});
