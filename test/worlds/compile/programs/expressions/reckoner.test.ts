import { describe, expect, test } from "vitest";
import { round } from "../../../../../worlds/behaviour/functions/numbers.ts";
import { manifest } from "../../../../../worlds/compile/listing.ts";
import { callsByTool, observe } from "../../../../../worlds/compile/observations.ts";
import { compilePrograms } from "../../../../../worlds/compile/programs/compile.ts";
import { arg } from "../../../../../worlds/compile/programs/expressions/expr.ts";
import { fitExpression } from "../../../../../worlds/compile/programs/expressions/fit.ts";
import { Judge } from "../../../../../worlds/compile/utility.ts";
import type { JsonObject } from "../../../../../worlds/json.ts";
import { Starts } from "../../../../../worlds/starts.ts";
import { sessions } from "../services.ts";
import { Reckoner } from "./reckoner.ts";

const seeds = (first: number, n: number): number[] => Array.from({ length: n }, (_, i) => first + i);

const train = sessions((_, task) => new Reckoner(task), seeds(0, 40));
const observed = observe(train);
const byTool = callsByTool(observed);
const world = compilePrograms(observed, byTool, manifest(undefined, byTool), "workshop");
const asked = (tool: string, args: JsonObject) => new Starts(world).fresh("another task").call(tool, args);

describe("tools that compute", () => {
  test("sessions that nobody saw are answered as the service does", () => {
    const held = observe(sessions((_, task) => new Reckoner(task), seeds(100, 15)));
    const { calls, right, wrong } = new Judge([...observed, ...held]).scoreOf(world, held, observed);
    expect(wrong).toBe(0);
    // All but what a formula of the stock that is in no list of functions comes to, and a stock that nobody read.
    expect(right / calls).toBeGreaterThanOrEqual(0.75);
  });

  test.each<[string, JsonObject, unknown]>([
    ["share_out", { a: 100, b: 7 }, { each: 14.2857143 }],
    ["spread", { numbers: [1, 2, 4] }, { spread: 1.2472 }],
    ["left_over", { a: 87, b: 13 }, { rest: 9 }],
    ["grow", { a: 80, b: 100 }, "More by 25.0 %"],
    ["grow", { a: 80, b: 50.5 }, "Less by 36.9 %"],
    ["measure", { a: 50, from: "ft", to: "m" }, { size: 15.24 }],
    ["work_out", { sum: "12 * 12" }, "12 * 12 is 144"],
  ])("%s computes what it was not seen to", (tool, args, answer) => {
    expect(asked(tool, args)).toMatchObject({ isError: false, value: answer });
  });

  test("what they were refused for is refused, and what has no value is not answered", () => {
    expect(asked("share_out", { a: 100, b: 0 })).toMatchObject({ isError: true });
    expect(asked("work_out", { sum: "twelve" })).toMatchObject({ answerClass: "error:not_served" });
    expect(asked("work_out", { sum: "7 / 2" })).toMatchObject({ answerClass: "error:not_served" });
    expect(asked("work_out", { sum: "7 ** 2" })).toMatchObject({ answerClass: "error:not_served" });
    expect(asked("spread", { numbers: [] })).toMatchObject({ answerClass: "error:not_served" });
    expect(asked("measure", { a: 50, from: "ft", to: "pound" })).toMatchObject({ answerClass: "error:not_served" });
  });

  test("a unit that no session names is not known to the service", () => {
    expect(asked("measure", { a: 50, from: "yd", to: "m" })).toMatchObject({ answerClass: "error:not_served" });
    expect(asked("measure", { a: 50, from: "meters", to: "m" })).toMatchObject({ answerClass: "error:not_served" });
  });

  test.each([
    [[1.234, 8.766, 5.552, 9.999, 3.147], "round_to_unless_half"],
    [[1.234, 8.766, 5.552, 9.999, 3.145], "round_to"],
  ])("of %j the rounding is %s: a half is rounded where one was seen to be", (numbers, name) => {
    const examples = numbers.map((x, session) => ({
      env: { args: { x }, facts: { cells: new Map(), tables: new Map() } },
      target: round(x, 2),
      session,
    }));
    expect(fitExpression(examples, [arg("x")])?.expr).toMatchObject({ op: "math", name });
  });

  test("a tool that answers what its arguments tell and changes something still changes it", () => {
    const session = new Starts(world).fresh("task 1");
    const before = (session.call("show_stock", {}).value as { stock: number }).stock;
    session.call("deliver", { a: 3, b: 20 });
    expect(session.call("show_stock", {}).value).toEqual({ stock: before + 60 });
  });

  test("what follows from the state besides is taken for no function of the arguments", () => {
    expect(asked("mix", { a: 91 })).toMatchObject({ answerClass: "error:not_served" });
  });
});
