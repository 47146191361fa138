import { describe, expect, test } from "vitest";
import { namedWriter } from "../../../../worlds/compile/effects.ts";
import { manifest } from "../../../../worlds/compile/listing.ts";
import { callsByTool, observe, type Session } from "../../../../worlds/compile/observations.ts";
import { learnAllocator } from "../../../../worlds/compile/programs/allocator.ts";
import { compilePrograms } from "../../../../worlds/compile/programs/compile.ts";
import { arg, column, type Expr, evaluate } from "../../../../worlds/compile/programs/expressions/expr.ts";
import { fitExpression } from "../../../../worlds/compile/programs/expressions/fit.ts";
import { findReaders } from "../../../../worlds/compile/programs/expressions/readers.ts";
import { shownTables } from "../../../../worlds/compile/programs/records/shown.ts";
import { Kinds } from "../../../../worlds/compile/programs/state/kinds.ts";
import { findKeyed } from "../../../../worlds/compile/programs/state/layout.ts";
import type { Json, JsonObject } from "../../../../worlds/json.ts";
import { Starts } from "../../../../worlds/starts.ts";
import type { World } from "../../../../worlds/world-api.ts";
import { Garden } from "./garden.ts";
import { sessions } from "./services.ts";

const traces = sessions(
  (_, task) => new Garden(task),
  Array.from({ length: 48 }, (_, i) => i),
);
const observed = observe(traces);
const world = compilePrograms(observed, callsByTool(observed), manifest(undefined, callsByTool(observed)), "garden");
const start = (group: string): World => new Starts(world).fresh(group);
const said = (of: World, tool: string, args: JsonObject = {}): Json | undefined => of.call(tool, args).value;

describe("a garden", () => {
  test("knows who signed in, though nobody asked before", () => {
    const of = start("task 1");
    of.call("sign_in", { gardener: "Finn" });
    expect(said(of, "who_digs")).toEqual({ gardener: "Finn", digging: true });
  });

  test("changes the fields that are given within an object, to any value, and leaves the others", () => {
    const of = start("task 1");
    of.call("sign_in", { gardener: "Rut" });
    of.call("change_plot", { plot_id: 20, changes: { rows: 8 } });
    expect(said(of, "get_plot", { plot_id: 20 })).toMatchObject({ crop: "kale", rows: 8 });
    of.call("change_plot", { plot_id: 20, changes: { crop: "leek" } });
    expect(said(of, "get_plot", { plot_id: 20 })).toMatchObject({ crop: "leek", rows: 8 });
  });

  test("counts on from where each task begins, with short values for what is not given", () => {
    for (const [task, plot_id] of [["task 0", 21] as const, ["task 2", 25] as const]) {
      const of = start(task);
      of.call("sign_in", { gardener: "Ode" });
      const plot = { crop: "leek", remark: "", rows: 1, digger: "Ode" };
      expect(said(of, "dig_plot", { crop: "leek" })).toEqual({ plot_id, ...plot });
      expect(said(of, "dig_plot", { crop: "leek" })).toEqual({ plot_id: plot_id + 1, ...plot });
    }
  });

  test("does not say a number where nobody knows with which the task begins", () => {
    const of = start("a task that no session shows");
    of.call("sign_in", { gardener: "Ode" });
    expect(of.call("dig_plot", { crop: "leek" })).toMatchObject({ answerClass: "error:not_served", changes: [] });
  });
});

test("what a nested argument says is taken, whatever it is, and what it does not say stays", () => {
  const facts = { cells: new Map(), tables: new Map() };
  const hues = ["red", "teal", "plum", "rust", "jade", "sand", "iris", "coal"];
  const examples = [...hues, ...hues].map((hue, i) => {
    const changes: JsonObject = i % 2 === 0 ? { hue } : { size: i };
    const row = { hue: hues[(i + 3) % hues.length] as string };
    return { env: { args: { changes }, facts, row }, target: i % 2 === 0 ? hue : row.hue, session: i };
  });
  const own = column("row", "hue");
  const found = fitExpression(examples, [arg("changes", "hue"), own], own, 2, "hue")?.expr as Expr;
  const row = { hue: "grey" };
  expect(evaluate(found, { args: { changes: { hue: "umber" } }, facts, row })).toBe("umber");
  expect(evaluate(found, { args: { changes: { size: 3 } }, facts, row })).toBe("grey");
});

describe("counted keys", () => {
  const begun = [
    ["4", "5"],
    ["4", "5", "6"],
    ["9", "10"],
    ["9", "10", "11"],
  ];

  test("begin by group where groups of several sessions agree in it", () => {
    const firsts = new Map([
      ["a", 4],
      ["b", 9],
    ]);
    expect(learnAllocator(begun, true, [], ["a", "a", "b", "b"])).toMatchObject({ kind: "counter", firsts });
  });

  test("begin by no group that contradicts itself", () => {
    expect(learnAllocator(begun, true, [], ["a", "b", "a", "b"])).not.toHaveProperty("firsts");
  });
});

const session = (id: number, calls: readonly (readonly [string, JsonObject, Json])[]): Session =>
  observe([
    {
      id: `s${id}`,
      group: `t${id}`,
      calls: calls.map(([tool, args, value]) => ({ tool, args, result: JSON.stringify(value), isError: false })),
    },
  ])[0] as Session;

test("objects of the same form under an id are of one table, though no session shows one of them twice", () => {
  const all = [1, 2, 3, 4].map((n) =>
    session(n, [
      ["show_kite", { kite_id: n }, { id: n, colour: "red", tail: n }],
      ["sew_kite", { colour: "blue" }, { id: n + 10, colour: "blue", tail: 2 }],
      ["show_kite", { kite_id: n + 1 }, { id: n + 1, colour: "red", tail: n + 1 }],
      ["sew_kite", { colour: "green" }, { id: n + 11, colour: "green", tail: 2 }],
    ]),
  );
  const tables = findKeyed(all).paths.map(({ tool, table }) => [tool, table]);
  expect(new Set(tables.map(([, table]) => table)).size).toBe(1);
  expect(tables.map(([tool]) => tool).sort()).toEqual(["sew_kite", "show_kite"]);
});

test("rows that sessions made are no start, though no answer said their keys when they were made", () => {
  const card = (card_id: number, motif: string) => ({ card_id, motif });
  const all = ["moon", "sea", "oak", "fox"].map((motif, n) =>
    session(n, [
      ["list_cards", {}, [card(1, "sun"), card(2, "elm")]],
      ["draw_card", { motif }, "Card drawn."],
      ["list_cards", {}, [card(1, "sun"), card(2, "elm"), card(3, motif)]],
    ]),
  );
  const kinds = new Kinds(all);
  const readers = findReaders(all, manifest(undefined, callsByTool(all)));
  const [table] = shownTables(all, readers, (call) => kinds.of(call));
  expect([...(table?.rows.keys() ?? [])]).toEqual(["1", "2"]);
});

test("tables whose keys have one name keep their rows apart, and one is whole though the other is not", () => {
  const person = (id: string) => ({ id, name: `name of ${id}`, town: "Ulm" });
  const bill = (id: string) => ({ id, total: id.length * 7, paid: false });
  const bills = ["b1", "b22", "b333", "b4444"];
  const all = [0, 1, 2, 3].map((n) =>
    session(n, [
      ["list_people", {}, { people: [person("p1"), person("p2")] }],
      ["list_bills", { page: n }, { bills: [bill(bills[n] as string)], total: 9 }],
      ["send_note", { text: "hello" }, "Sent."],
      ["list_bills", { page: n }, { bills: [bill(bills[n] as string)], total: 9 }],
    ]),
  );
  const kinds = new Kinds(all);
  const readers = findReaders(all, manifest(undefined, callsByTool(all)));
  const tables = shownTables(all, readers, (call) => kinds.of(call));
  const people = tables.find(({ columns }) => columns.includes("town"));
  expect([...(people?.rows.keys() ?? [])]).toEqual(["p1", "p2"]);
  expect(people?.shown?.closed).toBe(true);
});

test("who is authenticated is changed, by name, however the service is called before it", () => {
  expect(namedWriter("authenticate")).toBe(true);
  expect(namedWriter("guild_authenticate")).toBe(true);
  expect(namedWriter("guildAuthenticate")).toBe(true);
  expect(namedWriter("get_authenticated_user")).toBe(false);
});
