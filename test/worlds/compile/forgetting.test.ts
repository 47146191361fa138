import { describe, expect, test } from "vitest";
import type { Step } from "../../../worlds/behaviour/schema.ts";
import type { Bundle } from "../../../worlds/bundle.ts";
import { UNKNOWN_TEXT as UNKNOWN } from "../../../worlds/compile/conditions/term.ts";
import type { JsonObject } from "../../../worlds/json.ts";
import { createWorld } from "../../../worlds/world.ts";

const row = 'lookup("users", args.id)';
const pay = (expr: string): Step => ({
  op: "update",
  table: "users",
  key: [{ column: "id" }],
  set: [{ path: "purses", op: "=", expr }],
  require: [],
});

function worldWith(expr: string, more: Record<string, Step[]> = {}) {
  const steps: Record<string, Step[]> = {
    pay: [pay(expr), { op: "answer", expr: '"paid"' }],
    get_user: [{ op: "read", table: "users", key: [{ column: "id" }] }],
    get_name: [{ op: "read", table: "users", key: [{ column: "id" }], view: [{ path: "name" }] }],
    list_users: [{ op: "list", table: "users", where: "row.name == args.name" }],
    balance: [{ op: "answer", expr: `known(${row}).purses.get(args.purse).left` }],
    ...more,
  };
  const behaviours = Object.fromEntries(
    Object.entries(steps).map(([tool, list]) => [
      tool,
      {
        effect: tool.startsWith("pay") ? ("write" as const) : ("read" as const),
        behaviour: { v: 1 as const, steps: list },
        rendering: { form: "json" as const, error_flag: true },
        volatile: [],
        support: { seen: 1, reproduced: 1 },
      },
    ]),
  );
  const bundle: Bundle = {
    v: 1,
    name: "users",
    tools: Object.keys(steps).map((name) => ({ name, inputSchema: { type: "object" } })),
    tables: [{ name: "users", key: ["id"], columns: [] }],
    now: 0,
    behaviours,
    exceptions: [],
    gaps: [],
  };
  const purses: JsonObject = { a: { left: 5 }, b: { kind: "card" } };
  return createWorld(bundle, {
    tables: { users: { u1: { id: "u1", name: "A", purses }, u2: { id: "u2", name: "B", purses } } },
    drawn: {},
  });
}

const GAP = "error:not_served";

describe("a column that a call leaves unknown", () => {
  test("is a gap wherever it is shown or used, of that row alone", () => {
    const world = worldWith(UNKNOWN);
    expect(world.call("get_user", { id: "u1" }).answerClass).toBe("data");
    expect(world.call("pay", { id: "u1" }).value).toBe("paid");
    expect(world.call("get_user", { id: "u1" }).answerClass).toBe(GAP);
    expect(world.call("list_users", { name: "A" }).answerClass).toBe(GAP);
    expect(world.call("balance", { id: "u1", purse: "a" }).answerClass).toBe(GAP);
    expect(world.call("get_name", { id: "u1" }).value).toEqual({ name: "A" });
    expect(world.call("get_user", { id: "u2" }).answerClass).toBe("data");
    expect(world.call("list_users", { name: "B" }).answerClass).toBe("data");
  });

  test("is a gap where it is asked whether it is there, and there where it is known", () => {
    const asks: Step[] = [{ op: "answer", expr: `(has(known(${row}).purses) ? "has purses" : "has none")` }];
    const world = worldWith(UNKNOWN, { has_purses: asks });
    expect(world.call("has_purses", { id: "u1" }).value).toBe("has purses");
    world.call("pay", { id: "u1" });
    expect(world.call("has_purses", { id: "u1" }).answerClass).toBe(GAP);
    expect(world.call("has_purses", { id: "u2" }).value).toBe("has purses");
  });

  test("is one in whole and in part at once", () => {
    const part = `${row}.purses.merge({args.purse: ${row}.purses.get(args.purse).merge({"left": ${UNKNOWN}})})`;
    for (const tool of ["pay", "pay_all"]) {
      const world = worldWith(part, { pay_all: [pay(UNKNOWN), { op: "answer", expr: '"paid"' }] });
      expect(world.call(tool, { id: "u1", purse: "a" }).value).toBe("paid");
      expect(world.call("get_user", { id: "u1" }).answerClass).toBe(GAP);
      expect(world.call("balance", { id: "u1", purse: "a" }).answerClass).toBe(GAP);
    }
  });

  test("stays unknown under what a later call does to it besides, which is answered", () => {
    const added: Step = {
      ...(pay(`known(${row}).purses.merge({"c": {"left": 1}})`) as Extract<Step, { op: "update" }>),
      each: { name: "its_users", in: `[${row}].filter(r, r != null)` },
    };
    const world = worldWith(UNKNOWN, { pay_in: [added, { op: "answer", expr: '"added"' }] });
    expect(world.call("pay_in", { id: "u2" }).value).toBe("added");
    expect(world.call("balance", { id: "u2", purse: "c" }).value).toBe(1);
    world.call("pay", { id: "u1" });
    expect(world.call("pay_in", { id: "u1" }).value).toBe("added");
    expect(world.call("get_user", { id: "u1" }).answerClass).toBe(GAP);
  });

  test("may be one amount of one entry: the others are known", () => {
    const world = worldWith(
      `${row}.purses.merge({args.purse: ${row}.purses.get(args.purse).merge({"left": ${UNKNOWN}})})`,
    );
    expect(world.call("balance", { id: "u1", purse: "a" }).value).toBe(5);
    expect(world.call("pay", { id: "u1", purse: "a" }).value).toBe("paid");
    expect(world.call("get_user", { id: "u1" }).answerClass).toBe(GAP);
    expect(world.call("balance", { id: "u1", purse: "a" }).answerClass).toBe(GAP);
    expect(world.call("balance", { id: "u1", purse: "b" }).answerClass).not.toBe(GAP);
    expect(world.call("balance", { id: "u2", purse: "a" }).value).toBe(5);
  });
});
