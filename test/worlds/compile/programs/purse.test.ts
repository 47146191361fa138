import { describe, expect, test } from "vitest";
import { manifest } from "../../../../worlds/compile/listing.ts";
import { callsByTool, observe } from "../../../../worlds/compile/observations.ts";
import { compilePrograms, type ProgramWorld } from "../../../../worlds/compile/programs/compile.ts";
import { constant } from "../../../../worlds/compile/programs/expressions/expr.ts";
import { exceptUnsettled } from "../../../../worlds/compile/programs/expressions/unsettled-values.ts";
import { maskedTokens } from "../../../../worlds/compile/programs/state/kinds.ts";
import { Judge } from "../../../../worlds/compile/utility.ts";
import { isAgreed } from "../../../../worlds/floor/calibration.ts";
import type { Json, JsonObject } from "../../../../worlds/json.ts";
import type { ObservedTrace } from "../../../../worlds/observation.ts";
import { Starts } from "../../../../worlds/starts.ts";
import type { World } from "../../../../worlds/world-api.ts";
import { Purse } from "./purse.ts";
import { sessions } from "./services.ts";

const seeds = (first: number, n: number): number[] => Array.from({ length: n }, (_, i) => first + i);

function compiled(traces: readonly ObservedTrace[]): ProgramWorld {
  const observed = observe(traces);
  const byTool = callsByTool(observed);
  return compilePrograms(observed, byTool, manifest(undefined, byTool), "stall");
}

const NOT_SERVED = { answerClass: "error:not_served", changes: [] };
const train = sessions((_, task) => new Purse(task), seeds(0, 40));
const stall = compiled(train);
const begin = (group: string, world = stall): World => new Starts(world).fresh(group);

describe("a purse that refusals tell", () => {
  test("unseen sessions are answered", () => {
    const held = observe(sessions((_, task) => new Purse(task), seeds(100, 15)));
    const known = observe(train);
    const { calls, right, wrong } = new Judge([...known, ...held]).scoreOf(stall, held, known);
    expect(right / calls).toBeGreaterThanOrEqual(0.97);
    expect(wrong / calls).toBeLessThanOrEqual(0.01);
  });

  test("a purchase is refused in the same words, with what it needs and what is there", () => {
    const refusal = begin("task 0").call("reserve_goods", { price: 40.25, count: 2 + 1 });
    expect(refusal).toMatchObject({ isError: true, changes: [] });
    expect(refusal.value).toEqual({ error: "Too little money: 120.75 needed, 80.50 there." });
    expect(begin("task 1").call("reserve_goods", { price: 40.25, count: 3 })).toMatchObject({ isError: false });
  });

  test("what a task starts with that nobody saw is not known where refusals are frequent", () => {
    expect(begin("another task").call("reserve_goods", { price: 2.25, count: 2 })).toMatchObject(NOT_SERVED);
  });

  test("a reason shuts the tools that were seen to give it, lists with a message among them", () => {
    const world = begin("task 1");
    world.call("close_stall", {});
    expect(world.call("show_stamps", {}).value).toEqual({ error: "The stall is closed. Open it to see stamps." });
    expect(world.call("goods_list", {})).toMatchObject({
      isError: false,
      value: ["Error: The stall is closed. Open it to see it."],
    });
    world.call("open_stall", {});
    expect(world.call("goods_list", {}).value).toEqual({ numbers: [9, "first"] });
  });

  test("a list shows what calls made", () => {
    const world = begin("task 3");
    world.call("reserve_goods", { price: 2.25, count: 2 });
    expect(world.call("goods_list", {}).value).toEqual({ numbers: [9, "first", 501] });
  });
});

/** Sessions of six tasks, two each, of calls that are written out. */
const written = (calls: (task: number, trial: number) => readonly (readonly [string, JsonObject, Json])[]) =>
  seeds(0, 12).map((i): ObservedTrace => {
    const task = Math.floor(i / 2);
    const of = calls(task, i % 2).map(([tool, args, value]) => ({
      tool,
      args,
      result: JSON.stringify(value),
      isError: typeof value === "object" && value !== null && "error" in value,
    }));
    return { id: `written ${i}`, group: `job ${task}`, calls: of };
  });

describe("rows that some tasks start with", () => {
  const found = { crate_no: 7, weight: 12, owner: "Ida" };
  const none = { error: "Crate 7 not found." };
  const crates = compiled(
    written((task, trial) => {
      const there = task % 2 === 0;
      const look = ["get_crate", { crate_no: 7 }, there ? found : none] as const;
      const made = { crate_no: 7, weight: 3 + task, owner: "Bo" };
      if (there || trial === 0) return [look, look];
      return [
        look,
        ["create_crate", { weight: 3 + task, owner: "Bo" }, { crate_no: 7 }],
        ["get_crate", { crate_no: 7 }, made],
      ];
    }),
  );

  test("are known in the tasks that showed them, and in doubt in others", () => {
    expect(begin("job 0", crates).call("get_crate", { crate_no: 7 }).value).toEqual(found);
    expect(begin("job 1", crates).call("get_crate", { crate_no: 7 }).value).toEqual(none);
    expect(begin("another job", crates).call("get_crate", { crate_no: 7 })).toMatchObject(NOT_SERVED);
  });
});

describe("a refusal that is seldom, of tasks that showed nothing", () => {
  const bills = compiled(
    written((task, trial) => {
      const money = 100 + task * 10;
      const pay = (price: number, count: number, value: Json) => ["pay_bill", { price, count }, value] as const;
      const error = `Too little money: ${((60.5 + task) * (2 + task)).toFixed(2)} needed, ${money}.00 there.`;
      return [
        ["show_purse", {}, { money }],
        ...[70.5, 2.5 + task, 20.25, 9.75 - trial].map((price, i) => pay(price, i + 1, { paid: true })),
        ...(task < 3 && trial === 0 ? [pay(60.5 + task, 2 + task, { error })] : []),
        ["show_purse", {}, { money }],
        ["update_purse", {}, { shaken: true }],
        ["show_purse", {}, { money: 7 + ((task * 37 + trial * 11) % 50) }],
      ];
    }),
  );
  const bill = { price: 60.5, count: 4 };

  test("is told where the task is known, in words that were made of its numbers", () => {
    const refusal = begin("job 5", bills).call("pay_bill", bill);
    expect(refusal.value).toEqual({ error: "Too little money: 242.00 needed, 150.00 there." });
  });

  test("is taken not to happen where nothing is known, until something may have changed it", () => {
    const world = begin("another job", bills);
    expect(world.call("pay_bill", bill)).toMatchObject({ isError: false, value: { paid: true } });
    expect(world.call("update_purse", {})).toMatchObject({ isError: false });
    expect(world.call("pay_bill", bill)).toMatchObject(NOT_SERVED);
  });
});

describe("parts", () => {
  test("effects that fail for a few values of an argument are not known for those", () => {
    const example = (kind: string, target: Json, session: number) => ({
      env: { args: { kind }, facts: { cells: new Map(), tables: new Map() } },
      target,
      session,
    });
    const good = seeds(0, 8).map((i) => example(`kind ${i % 4}`, "on", i));
    const expr = constant("on");
    expect(exceptUnsettled(expr, good)).toBe(expr);
    const failing = [...good, example("odd", "off", 9), example("odd", "on", 10)];
    expect(exceptUnsettled(expr, failing)).toEqual({
      op: "if",
      test: { op: "contains", a: constant(["odd"]), b: { op: "arg", path: ["kind"] } },
      met: { op: "unknown" },
      otherwise: expr,
    });
    // One failure of many is an exception, and one of a row says nothing of what the call does.
    expect(exceptUnsettled(expr, [...failing, ...[11, 12].map((i) => example("odd", "on", i))])).toBe(expr);
    expect(exceptUnsettled(expr, failing, [{ op: "arg", path: ["kind"] }])).toBe(expr);
    // Of failures that no value has in common nothing is said.
    expect(exceptUnsettled(expr, [...good, ...seeds(0, 4).map((i) => example(`kind ${i}`, "off", i))])).toBe(expr);
  });

  test("what a call was given is no part of a longer number", () => {
    expect(maskedTokens("320 asked, 320.50 needed, 7 there", { price: 320 })).toEqual({
      masked: "{price} asked, # needed, # there",
      amounts: [320.5, 7],
    });
  });

  test("one session of another task is no agreement where the task is known", () => {
    expect(isAgreed("question", { support: 1, of: 1 }, true)).toBe(false);
    expect(isAgreed("question", { support: 2, of: 2 }, true)).toBe(true);
    expect(isAgreed("question", { support: 1, of: 1 }, false)).toBe(true);
    expect(isAgreed("task", { support: 1, of: 1 }, true)).toBe(true);
  });
});
