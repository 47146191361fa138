import { describe, expect, test } from "vitest";
import type { ToolDefinition } from "../../../../worlds/bundle.ts";
import { compile } from "../../../../worlds/compile/index.ts";
import { formsOf, keyedForms, rowsOf } from "../../../../worlds/compile/tables/record-forms.ts";
import { asShown, rowsAsShown } from "../../../../worlds/compile/tables/record-values.ts";
import { measureFidelity } from "../../../../worlds/fidelity/index.ts";
import type { JsonObject } from "../../../../worlds/json.ts";
import type { ObservedTrace } from "../../../../worlds/observation.ts";
import { createWorld } from "../../../../worlds/world.ts";
import { deskExport, deskLiveTraces, deskTraces } from "../../../helpers/desk-traces.ts";
import { recordedTools } from "../../samples/desk/help.ts";

describe("the desk's database", () => {
  const all = deskTraces();
  const some = all.slice(0, Math.floor(all.length / 3));
  const tools = recordedTools() as ToolDefinition[];
  const records = deskExport();
  const unseen = deskLiveTraces(77, 60);
  const compiled = compile(some, { name: "desk", tools, records });

  test("completes the first state that few recordings show", () => {
    const without = measureFidelity(compile(some, { name: "desk", tools }), unseen, some);
    const completed = measureFidelity(compiled, unseen, some);
    expect(completed.identical_volatile - without.identical_volatile).toBeGreaterThan(completed.calls * 0.1);
    expect(completed.not_served).toBeLessThan(without.not_served / 2);
  });

  test("holds every row as the export has it, and no more", () => {
    for (const [table, rows] of Object.entries(records))
      expect(Object.keys(compiled.base.tables[table] ?? {})).toHaveLength(rows.length);
  });

  test("leaves open whether a switch leaves out rows like which no question with it answered any", () => {
    const world = createWorld(compiled.bundle, compiled.base);
    expect(world.call("search_products", { query: "linen", in_stock: true }).answerClass).toBe("error:not_served");
    expect(world.call("search_products", { query: "linen" }).answerClass).toBe("data");
  });

  test("says of a key it lacks what the system says", () => {
    const world = createWorld(compiled.bundle, compiled.base);
    expect(world.call("get_order", { order_id: "SO-19999" })).toMatchObject({
      isError: true,
      text: "Order SO-19999 not found",
    });
  });
});

const SEATS = { available: 4, price: 80 };
const flight = (flight_number: string, origin: string) => ({ flight_number, origin, destination: "OSL" });
const DATES = ["2026-05-01", "2026-05-02", "2026-05-03"];

test("rows that a table's key asks for are taken out of the rows that hold them", () => {
  const traces: ObservedTrace[] = DATES.slice(0, 2).map((date, i) => ({
    id: `t${i}`,
    calls: [
      {
        tool: "search_flights",
        args: { origin: "BGO", date },
        result: JSON.stringify(
          ["AB1", "AB2"].map((number) => ({ ...flight(number, "BGO"), date, ...SEATS, price: 80 + i })),
        ),
        isError: false,
      },
    ],
  }));
  const records = {
    planes: Object.fromEntries(
      ["AB1", "AB2", "AB3"].map((number) => [
        number,
        { ...flight(number, "BGO"), dates: Object.fromEntries(DATES.map((date) => [date, { ...SEATS, price: 99 }])) },
      ]),
    ),
  };
  const { base, report } = compile(traces, { name: "flights", records });
  const [name = ""] = Object.keys(report.tables);
  expect([...(report.tables[name]?.key ?? [])].sort()).toEqual(["date", "flight_number"]);
  const rows = Object.values(base.tables[name] ?? {});
  expect(rows).toHaveLength(9);
  // What sessions found otherwise than the export has it is theirs alone.
  expect(rows.filter(({ price }) => price === 99)).toHaveLength(9);
  expect(Object.values(base.starts?.t0?.[name] ?? {}).map(({ price }) => price)).toEqual([80, 80]);
  expect(rows.find((row) => row.flight_number === "AB3" && row.date === DATES[2])).toEqual({
    ...flight("AB3", "BGO"),
    date: DATES[2],
    ...SEATS,
    price: 99,
  });
});

describe("a value of an export", () => {
  test("is taken as answers show its kind, however deep it stands", () => {
    expect(asShown("12.50", [9, 8.25])).toBe(12.5);
    expect(asShown("12a", [9])).toBe("12a");
    expect(asShown("TRUE", [false])).toBe(true);
    expect(asShown(94110, ["94103"])).toBe("94110");
    expect(asShown("", [null, 3])).toBe(null);
    expect(asShown('[{"n":"2"}]', [[{ n: 1 }]])).toEqual([{ n: 2 }]);
    expect(asShown({ a: { left: "4" }, b: "x" }, [{ a: { left: 3 }, b: "y" }])).toEqual({ a: { left: 4 }, b: "x" });
    expect(asShown({ sea: "7" }, [{ river: 2, lake: 3 }])).toEqual({ sea: 7 });
  });

  test("is left out where it is empty and answers leave it out, and put in where all that it lacks show the same", () => {
    const shown: JsonObject[] = [
      { id: "a", ended: "2026-01-01", notes: null },
      { id: "b", notes: null },
      { id: "c", notes: "x" },
    ];
    const given = new Map<string, JsonObject>([
      ["a", { id: "a", ended: "2026-01-01" }],
      ["b", { id: "b", ended: null }],
      ["c", { id: "c", ended: "", notes: "x" }],
      ["d", { id: "d", ended: null }],
    ]);
    const observed = new Map(shown.map((row) => [row.id as string, row]));
    expect([...rowsAsShown(given, { shown, observed: (key) => observed.get(key) }).values()]).toEqual([
      { id: "a", ended: "2026-01-01", notes: null },
      { id: "b", notes: null },
      { id: "c", notes: "x" },
      { id: "d", notes: null },
    ]);
  });
});

describe("rows of an export", () => {
  test("are found two maps deep, under keys that stand nowhere in them", () => {
    const given = { T1: { days: { mon: { left: 1 }, tue: { left: 2 } } }, T2: { days: { mon: { left: 3 } } } };
    const forms = formsOf(rowsOf(given)).flatMap((form) => keyedForms(form, ["train", "day"]));
    expect(forms.map((rows) => [...rows.values()])).toContainEqual([
      { train: "T1", day: "mon", left: 1 },
      { train: "T1", day: "tue", left: 2 },
      { train: "T2", day: "mon", left: 3 },
    ]);
  });

  test("are no rows where two different ones stand under one key", () => {
    const given = [
      { train: "T1", left: 1 },
      { train: "T1", left: 2 },
    ];
    expect(formsOf(rowsOf(given)).flatMap((form) => keyedForms(form, ["train"]))).toEqual([]);
  });
});

test("a table of nothing that was seen stays out", () => {
  const traces: ObservedTrace[] = [
    {
      id: "t",
      calls: [{ tool: "get_user", args: { user_id: "u1" }, result: '{"user_id":"u1","name":"A"}', isError: false }],
    },
  ];
  const { base } = compile(traces, { name: "users", records: { ledger: [{ entry: 1, debit: 2, credit: 3 }] } });
  expect(Object.values(base.tables).flatMap((rows) => Object.values(rows))).toEqual([{ user_id: "u1", name: "A" }]);
});
