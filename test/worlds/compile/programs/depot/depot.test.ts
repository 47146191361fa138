import { describe, expect, test } from "vitest";
import { manifest } from "../../../../../worlds/compile/listing.ts";
import { callsByTool, observe } from "../../../../../worlds/compile/observations.ts";
import { compilePrograms } from "../../../../../worlds/compile/programs/compile.ts";
import { Judge } from "../../../../../worlds/compile/utility.ts";
import type { JsonObject } from "../../../../../worlds/json.ts";
import { Starts } from "../../../../../worlds/starts.ts";
import type { World } from "../../../../../worlds/world-api.ts";
import { sessions } from "../services.ts";
import { Depot } from "./depot.ts";

const seeds = (first: number, n: number): number[] => Array.from({ length: n }, (_, i) => first + i);
const make = (random: ConstructorParameters<typeof Depot>[0], task: number) => new Depot(random, task);
const train = observe(sessions(make, seeds(0, 40)));
const byTool = callsByTool(train);
const depot = compilePrograms(train, byTool, manifest(undefined, byTool), "depot");
const begin = (group: string): World => new Starts(depot).fresh(group);
const ask = (world: World, tool: string, args: JsonObject = {}): unknown => {
  const { isError, answerClass, value } = world.call(tool, args);
  return answerClass === "error:not_served" ? "gap" : isError ? { refused: value } : value;
};
const refusal = (error: string) => ({ refused: { error } });

describe("a depot", () => {
  test("is answered in sessions that nobody saw", () => {
    const held = observe(sessions(make, seeds(100, 15)));
    const { calls, right, wrong } = new Judge([...train, ...held]).scoreOf(depot, held, train);
    expect(right / calls).toBeGreaterThanOrEqual(0.99);
    expect(wrong).toBe(0);
  });

  test("generates what no row is kept under, and repeats what it was given though nobody knows the state", () => {
    const world = begin("another task");
    const badges = ["otto", "otto"].map((name) => {
      const { badge, ...rest } = ask(world, "begin_shift", { name }) as JsonObject;
      expect(rest).toEqual({ name, minutes: 480 });
      return badge;
    });
    expect(badges[0]).toMatch(/^[0-9a-f]{10}$/);
    expect(badges[0]).not.toBe(badges[1]);
  });

  test("shows a job to who holds it alone, and one that was handed over to its new holder", () => {
    const world = begin("task 0");
    expect(ask(world, "show_job", { job_no: 42 })).toEqual(refusal("Job 42 is held by another."));
    ask(world, "begin_shift", { name: "otto" });
    expect(ask(world, "show_job", { job_no: 42 })).toMatchObject({ holder: "otto" });
    ask(world, "assign_job", { job_no: 42, to: "rune" });
    expect(ask(world, "show_job", { job_no: 42 })).toEqual(refusal("Job 42 is held by another."));
    ask(world, "begin_shift", { name: "rune" });
    expect(ask(world, "show_job", { job_no: 42 })).toMatchObject({ holder: "rune" });
  });

  test("tells by what succeeds who is on duty at the start, where nobody asks", () => {
    expect(ask(begin("task 3"), "on_duty")).toEqual({ name: "ida" });
  });

  test("refuses the steps from one state to another that no success took, in one sentence about both", () => {
    const world = begin("task 1");
    const move = (state: string): unknown => ask(world, "move_job", { job_no: 42, state });
    expect(move("done")).toEqual(refusal("Job 42 cannot go from open to done."));
    expect(move("begun")).toEqual({ job_no: 42, state: "begun" });
    expect(move("begun")).toEqual(refusal("Job 42 cannot go from begun to begun."));
    expect(move("done")).toEqual({ job_no: 42, state: "done" });
  });

  test("lists the own jobs by rank and number, as many as are asked for", () => {
    const world = begin("task 0");
    const numbers = (args: JsonObject): unknown =>
      (ask(world, "my_jobs", args) as readonly JsonObject[]).map(({ job_no }) => job_no);
    expect(numbers({})).toEqual([41, 44, 48]);
    expect(numbers({ most: 2 })).toEqual([41, 44]);
    ask(world, "begin_shift", { name: "rune" });
    expect(numbers({ most: 1 })).toEqual([43]);
  });
});
