import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../worlds/json.ts";
import { callsRequired } from "../../../worlds/tasks/checks/calls.ts";
import { generateTasks } from "../../../worlds/tasks/generate.ts";
import { grade } from "../../../worlds/tasks/grading/grade.ts";
import type { Check, FinishedTrial, Script, Task } from "../../../worlds/tasks/schema.ts";
import { playCall, playScript } from "../../../worlds/tasks/trial.ts";
import { createWorld } from "../../../worlds/world.ts";
import { shop, shopRows } from "../fixtures/shop.ts";

const env = { bundle: shop, base: shopRows };
const drawn = createWorld(shop, shopRows, { seed: "w" });
const tasks = generateTasks(shop, shopRows, {
  seed: "seen",
  count: 120,
  families: ["lookup", "multi_hop", "filter", "aggregate", "no_data"],
});
const orders = Object.entries(shopRows.tables.orders ?? {});

type Calls = Script["calls"];
/** The right words of a task, after other calls. */
function saysIt(task: Task, calls: Calls): string {
  const right = playScript(drawn.fork(), task.script, task.turns.length + 1);
  const world = drawn.fork();
  const made = calls.map(({ tool, args }) => playCall(world, tool, args));
  return grade(task, { calls: made, answers: right.answers, diff: world.diff() }, env).end;
}
const rowOf = (key: string): JsonObject => shopRows.tables.orders?.[key] as JsonObject;
/** An order other than this one that was placed on the same day. */
const placedWith = (own: string) =>
  orders.find(([key, row]) => key !== own && row.placed_on === rowOf(own).placed_on)?.[0] ?? "";
const lookups = generateTasks(shop, shopRows, { seed: "days", count: 200, families: ["lookup"] });
const day = lookups.find(
  ({ family, script: { calls, answer } }) =>
    family === "lookup" &&
    calls.length === 1 &&
    answer.startsWith("The placed date is {$1.placed_on}.") &&
    placedWith(String(calls[0]?.args.order_id)) !== "",
) as Task;
const asked = String(day.script.calls[0]?.args.order_id);
const another = placedWith(asked);

describe("a value that several rows share", () => {
  // Finding C28.
  it("is not met by reading another row, nor by reading none", () => {
    expect(saysIt(day, [{ tool: "get_order", args: { order_id: another } }])).toBe("failed");
    expect(saysIt(day, [])).toBe("failed");
    expect(saysIt(day, [{ tool: "search_orders", args: { customer_id: String(rowOf(another).customer_id) } }])).toBe(
      "failed",
    );
  });
  it("is met by the row's own reading, and by a list that holds the row", () => {
    expect(saysIt(day, [{ tool: "get_order", args: { order_id: asked } }])).toBe("met");
    expect(saysIt(day, [{ tool: "search_orders", args: { customer_id: String(rowOf(asked).customer_id) } }])).toBe(
      "met",
    );
  });
  it("needs the right reading in every family that asks for facts", () => {
    const tried: Record<string, number> = {};
    for (const task of tasks) {
      const last = task.script.calls.at(-1) as Calls[number];
      if (!["get_order", "get_customer"].includes(last.tool) || task.family === "no_data") continue;
      const right = playScript(drawn.fork(), task.script, task.turns.length + 1);
      const words = (trial: FinishedTrial) => trial.answers.at(-1)?.text;
      const table = last.tool === "get_order" ? "orders" : "customers";
      const [param = ""] = Object.keys(last.args);
      const own = right.calls.at(-1)?.args[param];
      for (const key of Object.keys(shopRows.tables[table] ?? {})) {
        if (key === own) continue;
        const calls = [...task.script.calls.slice(0, -1), { tool: last.tool, args: { [param]: key } }];
        let trial: FinishedTrial;
        try {
          trial = playScript(drawn.fork(), { ...task.script, calls }, task.turns.length + 1);
        } catch {
          continue;
        }
        if (words(trial) !== words(right)) continue;
        tried[task.family] = (tried[task.family] ?? 0) + 1;
        expect([task.request, key, grade(task, trial, env).end]).toEqual([task.request, key, "failed"]);
      }
    }
    // What two hops lead to here, a product's stock, no two products share.
    for (const family of ["lookup", "filter", "aggregate"]) expect(tried[family] ?? 0).toBeGreaterThan(0);
  });
});

describe("no data", () => {
  it("is not met by saying so without looking", () => {
    const none = tasks.filter(({ family }) => family === "no_data");
    expect(none.length).toBeGreaterThan(10);
    for (const task of none) {
      expect([task.request, saysIt(task, [])]).toEqual([task.request, "failed"]);
      const [call] = task.script.calls;
      expect(saysIt(task, [call as Calls[number]])).toBe("met");
      if (call?.tool === "get_order")
        expect(saysIt(task, [{ tool: call.tool, args: { order_id: asked } }])).toBe("failed");
    }
  });
});

describe("a required call that another reading may stand for", () => {
  type Required = Extract<Check, { kind: "calls_required" }>;
  const calls: Required["calls"] = [{ tool: "get_parcel", args: [{ path: "id", op: "equals", value: "S1" }] }];
  const one = (tool: string, args: JsonObject, answer: unknown, answer_class = "data") => [
    { tool, args, answer, answer_class, is_error: answer_class.startsWith("error"), changed: false },
  ];
  const ends = (shown: Required["shown"], made: FinishedTrial["calls"]) =>
    callsRequired(calls, made, { shown, tables: { parcels: { S1: {}, S2: {} } } }).verdict;
  const delivered: Required["shown"] = { named: [["S1"], ["TR-9"]], facts: [{ value: "delivered", kind: "text" }] };

  it("is met by any answer that holds the row's name and its value in one record", () => {
    expect(ends(delivered, one("all", {}, [{ id: "S1", status: "delivered" }]))).toBe("met");
    expect(ends(delivered, one("all", {}, { parcels: { S1: { status: "delivered" } } }))).toBe("met");
    expect(ends(delivered, one("all", {}, { rows: [{ ref: { id: "s1" }, state: { status: "Delivered" } }] }))).toBe(
      "met",
    );
    expect(ends(delivered, one("track", { number: "TR-9" }, { status: "delivered" }))).toBe("met");
    expect(ends(delivered, one("track", { number: "TR-9" }, "It was delivered on Monday."))).toBe("met");
    expect(ends(delivered, one("list", {}, "TR-9: delivered; TR-8: lost"))).toBe("met");
  });
  it("is not met by another record's value, by a part of a name, or by an answer that lacks either", () => {
    expect(ends(delivered, one("all", {}, [{ id: "S1" }, { id: "S2", status: "delivered" }]))).toBe("not_met");
    expect(ends(delivered, one("all", {}, [{ id: "S12", status: "delivered" }]))).toBe("not_met");
    expect(ends(delivered, one("track", { number: "TR-9" }, { status: "lost" }))).toBe("not_met");
    expect(ends(delivered, one("get_parcel", { id: "S2" }, { status: "delivered" }))).toBe("not_met");
    expect(ends(undefined, one("all", {}, [{ id: "S1", status: "delivered" }]))).toBe("not_met");
  });
  it("that looks for what is not there is met by asking for it, or by answers that hold every row", () => {
    const absent = { named: [["S7"]], facts: [], absent_from: "parcels" };
    expect(ends(absent, one("track", { number: "S7" }, "not found", "error:not_found"))).toBe("met");
    expect(ends(absent, one("track", { number: "S7" }, "no such tool", "error:unknown_tool"))).toBe("not_met");
    expect(ends(absent, one("track", { number: "S7" }, "a gap", "error:not_served"))).toBe("not_met");
    expect(ends(absent, one("all", {}, [{ id: "S1" }, { id: "S2" }]))).toBe("met");
    expect(ends(absent, [...one("page", { n: 1 }, [{ id: "S1" }]), ...one("page", { n: 2 }, [{ id: "S2" }])])).toBe(
      "met",
    );
    expect(ends(absent, one("all", {}, [{ id: "S1" }]))).toBe("not_met");
  });
});
