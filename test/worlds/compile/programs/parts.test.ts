import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TableModel } from "../../../../worlds/bundle.ts";
import { learnAllocator } from "../../../../worlds/compile/programs/allocator.ts";
import {
  arg,
  cell,
  column,
  constant,
  type Expr,
  evaluate,
  type Facts,
  UNKNOWN,
} from "../../../../worlds/compile/programs/expressions/expr.ts";
import { CELL_KEY, type Names, print } from "../../../../worlds/compile/programs/expressions/print.ts";
import { SimulatedState } from "../../../../worlds/compile/programs/simulate.ts";
import { maskedText } from "../../../../worlds/compile/programs/state/kinds.ts";
import type { Json, JsonObject } from "../../../../worlds/json.ts";
import { createWorld } from "../../../../worlds/world.ts";
import { behaves } from "../../fixtures/behaviour.ts";

const ROWS: readonly JsonObject[] = [
  { kite_id: "k1", colour: "red", tail: 4 },
  { kite_id: "k2", colour: "blue", tail: 9 },
  { kite_id: "k3", colour: "red", tail: 1 },
];
const CELLS: JsonObject = { wind: 12, crew: ["Ada", "Cy"], motto: "Up and away", stock: { rope: 2, string: 1 } };
const FACTS: Facts = {
  cells: new Map(Object.entries(CELLS)),
  tables: new Map([["kites", { rows: new Map(ROWS.map((row) => [String(row.kite_id), row])), complete: true }]]),
};
const NAMES: Names = {
  table: (table) => table,
  column: (_, name) => name,
  complete: () => true,
  cells: "state",
  key: () => "kite_id",
  made: "made_as",
};
const model = (name: string, key: string): TableModel => TableModel.parse({ name, key: [key], columns: [] });

/** What a world answers to a call whose behaviour is an expression as it is printed. */
function answered(expr: Expr, args: JsonObject): Json {
  const world = createWorld(
    {
      v: 1,
      name: "kites",
      tools: [{ name: "tell", inputSchema: { type: "object" } }],
      tables: [model("state", "of"), model("kites", "kite_id")],
      now: 0,
      behaviours: {
        tell: {
          ...behaves("list kites"),
          behaviour: { v: 1, steps: [{ op: "answer", expr: `{"told": ${print(expr, { names: NAMES })}}` }] },
        },
      },
      exceptions: [],
      gaps: [],
    },
    {
      tables: {
        state: { [CELL_KEY]: { of: CELL_KEY, ...CELLS } },
        kites: Object.fromEntries(ROWS.map((row, i) => [String(row.kite_id), { ...row, made_as: i }])),
      },
      drawn: {},
    },
  );
  const answer = world.call("tell", args);
  return answer.isError ? `error: ${answer.answerClass}` : ((answer.value as JsonObject).told as Json);
}

const asked: Expr = column({ table: "kites", key: [arg("kite")] }, "tail");
const ARGS: JsonObject = { kite: "k2", by: 5, name: "Bo" };

describe("an expression means in a world what it means over facts", () => {
  test.each<[string, Expr, Json]>([
    ["adds to a cell", { op: "add", a: cell("wind"), b: arg("by") }, 17],
    ["takes from a column of a row that is asked for", { op: "subtract", a: asked, b: arg("by") }, 4],
    [
      "decides by a value",
      {
        op: "decide",
        on: arg("kite"),
        cases: [
          ["k1", constant(1)],
          ["k2", constant("two")],
        ],
      },
      "two",
    ],
    [
      "finds the row that has a value",
      { op: "holder", table: "kites", column: "colour", value: constant("red") },
      "k1",
    ],
    ["finds no row that has a value", { op: "holder", table: "kites", column: "colour", value: arg("name") }, null],
    ["computes of two numbers", { op: "math", name: "quotient", of: [asked, arg("by")] }, 1.8],
    ["computes of a list", { op: "math", name: "median", of: [constant([9, 1, 4])] }, 4],
    ["computes of a text", { op: "math", name: "calculate", of: [constant("2 + 3 * 4")] }, 14],
    ["appends to a list", { op: "append", list: cell("crew"), value: arg("name") }, ["Ada", "Cy", "Bo"]],
    ["takes out of a list", { op: "remove", list: cell("crew"), value: constant("Cy") }, ["Ada"]],
    ["puts at the end", { op: "last", list: cell("crew"), value: constant("Ada") }, ["Cy", "Ada"]],
    [
      "appends each entry of a list",
      { op: "append", each: true, list: cell("crew"), value: constant(["Ada", "Bo"]) },
      ["Ada", "Cy", "Ada", "Bo"],
    ],
    [
      "takes each entry of a list out",
      { op: "remove", each: true, list: cell("crew"), value: constant(["Ada", "Bo"]) },
      ["Cy"],
    ],
    [
      "adds each entry of a list that is not there, once",
      { op: "include", each: true, list: cell("crew"), value: constant(["Bo", "Ada", "Bo"]) },
      ["Ada", "Cy", "Bo"],
    ],
    [
      "inserts each entry of a list in order",
      { op: "insert", each: true, list: cell("crew"), value: constant(["Di", "Bo", "Ada"]) },
      ["Ada", "Bo", "Cy", "Di"],
    ],
    [
      "leaves a list as it is where it has all that is inserted",
      { op: "insert", each: true, list: constant(["Cy", "Ada"]), value: constant(["Ada"]) },
      ["Cy", "Ada"],
    ],
    ["takes the last entry away", { op: "shorter", a: cell("crew"), gone: true }, ["Ada"]],
    ["leaves an empty list", { op: "shorter", a: constant(["Ada"]), gone: false }, []],
    ["leaves nothing of an emptied list", { op: "shorter", a: constant(["Ada"]), gone: true }, null],
    ["reads an entry of a map", { op: "entry", map: cell("stock"), key: constant("rope") }, 2],
    ["reads no entry of a map", { op: "entry", map: cell("stock"), key: arg("kite") }, null],
    [
      "changes an entry of a map",
      { op: "put", map: cell("stock"), key: constant("rope"), value: arg("by") },
      { rope: 5, string: 1 },
    ],
    [
      "adds an entry to a map",
      {
        op: "put",
        map: cell("stock"),
        key: arg("kite"),
        value: { op: "append", list: constant([]), value: arg("by") },
      },
      { rope: 2, string: 1, k2: [5] },
    ],
    [
      "takes an entry out of a map",
      { op: "put", map: cell("stock"), key: constant("rope"), value: constant(null) },
      { string: 1 },
    ],
    [
      "takes an entry out of a map where nothing is left of it",
      { op: "put", map: cell("stock"), key: constant("rope"), value: { op: "shorter", a: constant([1]), gone: true } },
      { string: 1 },
    ],
    ["follows a path", { op: "resolve", a: constant("/barn/west"), b: constant("../loft/./box") }, "/barn/loft/box"],
    ["follows a path from the root", { op: "resolve", a: constant("/barn/west"), b: constant("/") }, "/"],
    ["stays at the root", { op: "resolve", a: constant("/barn"), b: constant("../..") }, "/"],
    ["follows a path that has no root", { op: "resolve", a: constant("barn"), b: constant("west") }, "barn/west"],
    ["tells the last part of a path", { op: "leaf", a: constant("/barn/west") }, "west"],
    ["inserts in order", { op: "insert", list: cell("crew"), value: arg("name") }, ["Ada", "Bo", "Cy"]],
    ["finds an entry in a list", { op: "contains", a: cell("crew"), b: constant("Ada") }, true],
    ["finds no part of an entry in a list", { op: "contains", a: cell("crew"), b: constant("Ad") }, false],
    ["finds a part of a text in any case", { op: "contains", a: cell("motto"), b: constant("AWAY") }, true],
    ["writes a text small", { op: "lower", a: cell("motto") }, "up and away"],
    ["finds a part of a text alone", { op: "holds", a: cell("motto"), b: constant("AND") }, true],
    ["finds no text in what is null", { op: "holds", a: arg("nobody"), b: constant("a") }, false],
    ["knows a text's form", { op: "fits", a: arg("kite"), pattern: "^k[0-9]$" }, true],
    ["knows a value of a fixed list", { op: "within", a: arg("kite"), b: constant(["k1", "k2"]) }, true],
    ["knows that nothing is no value of a list", { op: "within", a: arg("nobody"), b: constant(["k1"]) }, false],
    ["says a text with values", { op: "text", parts: ["Wind ", cell("wind"), " at ", arg("kite")] }, "Wind 12 at k2"],
    [
      "counts rows that meet a condition",
      { op: "count", table: "kites", where: { op: "eq", a: column("row", "colour"), b: constant("red") } },
      2,
    ],
    ["sums a column", { op: "total", table: "kites", column: "tail", where: constant(true) }, 14],
    ["cuts a long text", { op: "cut", a: cell("motto"), length: 6 }, "Up and..."],
    ["leaves a short text", { op: "cut", a: cell("motto"), length: 11 }, "Up and away"],
    ["knows that a row exists", { op: "exists", of: { table: "kites", key: [arg("kite")] } }, true],
    [
      "finds the first row that meets a condition",
      { op: "first", table: "kites", where: { op: "less", a: column("row", "tail"), b: constant(4) } },
      "k3",
    ],
    ["chooses", { op: "if", test: { op: "most", a: asked, b: arg("by") }, met: constant("low"), otherwise: asked }, 9],
  ])("%s", (_, expr, expected) => {
    expect(evaluate(expr, { args: ARGS, facts: FACTS })).toEqual(expected);
    expect(answered(expr, ARGS)).toEqual(expected);
  });

  test.each<[string, Expr]>([
    ["a case that was never seen", { op: "decide", on: arg("kite"), cases: [["k1", constant(1)]] }],
    ["a change of what is no map", { op: "put", map: cell("motto"), key: arg("kite"), value: constant(1) }],
    ["a change of a map that is not there", { op: "put", map: arg("nobody"), key: arg("kite"), value: arg("by") }],
    [
      "a change under a key that was not given",
      { op: "put", map: cell("stock"), key: arg("nobody"), value: arg("by") },
    ],
    [
      "an entry that is taken out of no map",
      { op: "put", map: arg("nobody"), key: arg("kite"), value: constant(null) },
    ],
    ["an entry of what is no map", { op: "entry", map: cell("motto"), key: arg("kite") }],
    ["an entry of a map that is not there", { op: "entry", map: arg("nobody"), key: arg("kite") }],
    ["an entry under a key that was not given", { op: "entry", map: cell("stock"), key: arg("nobody") }],
    ["an entry more in what is no list", { op: "append", list: cell("motto"), value: arg("kite") }],
    ["an entry more in a list that is not there", { op: "append", list: arg("nobody"), value: arg("kite") }],
    ["an entry less in a list that is not there", { op: "remove", list: arg("nobody"), value: arg("kite") }],
    ["an entry put last in a list that is not there", { op: "last", list: arg("nobody"), value: arg("kite") }],
    ["an entry put in order into a list that is not there", { op: "insert", list: arg("nobody"), value: arg("kite") }],
    ["entries more from what is no list", { op: "append", each: true, list: cell("crew"), value: arg("kite") }],
    [
      "entries less in a list that is not there",
      { op: "remove", each: true, list: arg("nobody"), value: cell("crew") },
    ],
    ["entries put in order from what is no list", { op: "insert", each: true, list: cell("crew"), value: arg("kite") }],
    [
      "entries put from a list that is not there",
      { op: "include", each: true, list: cell("crew"), value: arg("nobody") },
    ],
    ["an entry put into a list that is not there", { op: "include", list: arg("nobody"), value: arg("kite") }],
    [
      "an entry more in a list of a map that has none",
      {
        op: "put",
        map: cell("stock"),
        key: arg("kite"),
        value: { op: "append", list: { op: "entry", map: cell("stock"), key: arg("kite") }, value: arg("by") },
      },
    ],
    ["the rest of what is no list", { op: "shorter", a: cell("motto"), gone: false }],
    ["the rest of a list that is not there", { op: "shorter", a: arg("nobody"), gone: true }],
    ["the rest of a list that is empty", { op: "shorter", a: constant([]), gone: false }],
    ["a sum with what is unknown", { op: "add", a: cell("wind"), b: { op: "unknown" } }],
  ])("answers nothing for %s", (_, expr) => {
    expect(evaluate(expr, { args: ARGS, facts: FACTS })).toBe(UNKNOWN);
    expect(answered(expr, ARGS)).toBe("error: error:not_served");
  });

  test("adds any whole numbers alike", () => {
    const sum: Expr = { op: "add", a: cell("wind"), b: arg("by") };
    fc.assert(
      fc.property(fc.integer({ min: -1_000_000, max: 1_000_000 }), (by) => {
        expect(answered(sum, { by })).toBe(evaluate(sum, { args: { by }, facts: FACTS }));
      }),
      { numRuns: 30 },
    );
  });
});

describe("keys of new rows", () => {
  test("count on from the first of a session, with zeros where they had them", () => {
    const counter = { kind: "counter", prefix: "K-", width: 3, first: 7, number: false, largest: undefined };
    expect(learnAllocator([["K-007", "K-008"], ["K-007"], ["K-007", "K-008", "K-009"]], false)).toEqual(counter);
    expect(
      learnAllocator(
        [
          ["4", "5"],
          ["4", "5", "6"],
        ],
        true,
      ),
    ).toMatchObject({ kind: "counter", first: 4, number: true });
  });

  test.each([
    ["k-3", 3, true],
    ["k-4", 3, false],
    ["k-3", 1, undefined],
  ])(
    "follow the largest that is there, or the last made, as sessions that took one away show: %s %d times",
    (made, n, largest) => {
      const makings = Array.from({ length: n }, () => ({ last: "k-3", held: ["k-1", "k-2"], made: [made] }));
      const keys = Array.from({ length: 4 }, () => ["k-1", "k-2", "k-3"]);
      expect(learnAllocator(keys, false, makings)).toMatchObject({ kind: "counter", largest });
    },
  );

  test("come in a fixed order where every session had the same", () => {
    const same = ["wren", "rook", "kite"];
    expect(learnAllocator([same, same.slice(0, 2), same], false)).toEqual({ kind: "sequence", keys: same });
  });

  test("are drawn where sessions share none", () => {
    expect(
      learnAllocator(
        [
          ["t_9fa0c1", "t_77b2e0"],
          ["t_03ddee", "t_b1a2c3"],
        ],
        false,
      ),
    ).toEqual({
      kind: "drawn",
      prefix: "t_",
      alphabet: "x",
      width: 6,
      number: false,
    });
  });

  test("are nothing where none were made", () => {
    expect(learnAllocator([[], []], false)).toBeUndefined();
  });
});

describe("the kind of a text", () => {
  test("leaves holes for what the call was given and marks for other numbers", () => {
    expect(maskedText("Moved Wren to 4, 12 left", { bird: "Wren", to: 4 })).toBe("Moved {bird} to {to}, # left");
  });

  test("takes the longer argument first and whole words alone", () => {
    expect(maskedText("ant ants red ant", { a: "ant", b: "red ant" })).toBe("{a} ants {b}");
  });

  test("is the same whatever the arguments are", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{3,9}$/), fc.integer({ min: 0, max: 9999 }), (bird, n) => {
        expect(maskedText(`<${bird}> ${n}!`, { bird })).toBe("<{bird}> #!");
      }),
    );
  });
});

test("what was seen of a state stays as it was, whatever is written afterwards", () => {
  const state = new SimulatedState({ cells: new Map(), tables: new Map() });
  state.put("lamps", "L1", { on: false });
  const first = state.facts();
  state.put("lamps", "L1", { on: true });
  const rows = state.facts().tables.get("lamps")?.rows;
  state.put("lamps", "L2", { on: false });
  state.remove("lamps", "L1");
  state.complete("lamps");
  state.put("lamps", "L3", { on: true });
  const last = state.facts();
  expect([...(first.tables.get("lamps")?.rows ?? [])]).toEqual([["L1", { on: false }]]);
  expect([...(rows ?? [])]).toEqual([["L1", { on: true }]]);
  expect([...(last.tables.get("lamps")?.rows ?? [])]).toEqual([
    ["L2", { on: false }],
    ["L3", { on: true }],
  ]);
  expect(last.tables.get("lamps")?.complete).toBe(true);
});

test("many writes to a table that nobody looked at between copy none of its rows", () => {
  const state = new SimulatedState({ cells: new Map(), tables: new Map() });
  state.put("lamps", "L0", {});
  const rows = new Set<unknown>();
  for (let i = 1; i < 5; i++) {
    state.put("lamps", `L${i}`, {});
    rows.add((state as unknown as { tables: Map<string, { rows: unknown }> }).tables.get("lamps")?.rows);
  }
  expect(rows.size).toBe(1);
});
