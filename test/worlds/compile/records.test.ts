import { describe, expect, test } from "vitest";
import type { ToolDefinition } from "../../../worlds/bundle.ts";
import { compile } from "../../../worlds/compile/index.ts";
import { measureFidelity } from "../../../worlds/fidelity/index.ts";
import type { ObservedTrace } from "../../../worlds/observation.ts";
import { createWorld } from "../../../worlds/world.ts";
import { deskExport, deskLiveTraces, deskTraces } from "../../helpers/desk-traces.ts";
import { recordedTools } from "../samples/desk/help.ts";

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
    expect(without.knowable / without.calls).toBeLessThan(0.85);
    expect(completed.knowable / completed.calls).toBeGreaterThan(0.9);
    expect(completed.identical_volatile - without.identical_volatile).toBeGreaterThan(completed.calls * 0.1);
    expect(completed.not_served).toBeLessThan(without.not_served / 2);
  });

  test("holds every row as the export has it, and no more", () => {
    for (const [table, rows] of Object.entries(records))
      expect(Object.keys(compiled.base.tables[table] ?? {})).toHaveLength(rows.length);
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
  // What traces showed stands over the export.
  expect(rows.filter(({ price }) => price === 99)).toHaveLength(5);
  expect(rows.find((row) => row.flight_number === "AB3" && row.date === DATES[2])).toEqual({
    ...flight("AB3", "BGO"),
    date: DATES[2],
    ...SEATS,
    price: 99,
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
