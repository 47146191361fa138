import { describe, expect, test } from "vitest";
import type { ToolDefinition } from "../../../../../worlds/bundle.ts";
import { type CompileResult, compile } from "../../../../../worlds/compile/index.ts";
import { type Call, callsByTool, observe, type Session } from "../../../../../worlds/compile/observations.ts";
import { type Facts, type Row, UNKNOWN } from "../../../../../worlds/compile/programs/expressions/expr.ts";
import { compileRecords } from "../../../../../worlds/compile/programs/records/index.ts";
import { type ExportTable, exportTables } from "../../../../../worlds/compile/programs/records/tables.ts";
import { type ListView, learnView, listed } from "../../../../../worlds/compile/programs/records/views.ts";
import { Judge } from "../../../../../worlds/compile/utility.ts";
import type { JsonObject } from "../../../../../worlds/json.ts";
import { createWorld } from "../../../../../worlds/world.ts";
import type { World } from "../../../../../worlds/world-api.ts";
import { type Maker, sessions } from "../services.ts";
import { CLUB_TOOLS, Club, CRATES, CRATES_EXPORT, MEMBERS, STORE_TOOLS, Store } from "./export-services.ts";

const seeds = (first: number, n: number): number[] => Array.from({ length: n }, (_, i) => first + i);
const store: Maker = () => new Store();
const club: Maker = () => new Club();

const compiled = (
  make: Maker,
  tools: readonly ToolDefinition[],
  records: Readonly<Record<string, unknown>>,
  n = 24,
): CompileResult => compile(sessions(make, seeds(0, n)), { name: "service", tools, records });

/** Shares of calls of unseen sessions that a world answers rightly and wrongly. */
function unseen(world: CompileResult, make: Maker): { right: number; wrong: number } {
  const held = observe(sessions(make, seeds(300, 15)));
  const { calls, right, wrong } = new Judge([...observe(sessions(make, seeds(0, 24))), ...held]).scoreOf(
    world,
    held,
    [],
  );
  expect(calls).toBeGreaterThan(150);
  return { right: right / calls, wrong: wrong / calls };
}

const gap = (world: World, tool: string, args: JsonObject): void => {
  expect(world.call(tool, args)).toMatchObject({ answerClass: "error:not_served", isError: true });
};
const told = (world: World, tool: string, args: JsonObject): unknown => world.call(tool, args).value;

describe("a store whose crates an export lists", () => {
  const made = compiled(store, STORE_TOOLS, { crates: CRATES_EXPORT });
  const fresh = (): World => createWorld(made.bundle, made.base);

  test("is answered in sessions that nobody saw", () => {
    const { right, wrong } = unseen(made, store);
    expect(right).toBeGreaterThanOrEqual(0.97);
    expect(wrong).toBeLessThanOrEqual(0.01);
  });

  test("starts with the rows of the export, in the form in which answers show them", () => {
    const [table] = made.bundle.tables;
    expect(table).toMatchObject({ name: "crates", key: ["crate_no"] });
    for (const row of CRATES) expect(made.base.tables.crates?.[String(row.crate_no)]).toMatchObject(row);
    expect(Object.keys(made.base.tables.crates ?? {})).toHaveLength(CRATES.length);
  });

  test("shows what was added, moved and retired in searches by text, bay and weight", () => {
    const world = fresh();
    expect(told(world, "add_crate", { label: "Slate slabs 1", bay: "B1", weight: 99 })).toBe(
      "Crate C-0119 is in bay B1.",
    );
    expect(told(world, "add_crate", { label: "Slate slabs 2", bay: "B1", weight: 98 })).toBe(
      "Crate C-0120 is in bay B1.",
    );
    const slabs = [
      { crate_no: "C-0119", label: "Slate slabs 1", bay: "B1", weight: 99 },
      { crate_no: "C-0120", label: "Slate slabs 2", bay: "B1", weight: 98 },
    ];
    expect(told(world, "find_crates", { text: "SLATE" })).toEqual({ crates: slabs });
    expect(world.call("move_crate", { crate_no: "C-0120", to: "A2" }).isError).toBe(false);
    expect(told(world, "find_crates", { text: "slate", bay: "B1" })).toEqual({ crates: slabs.slice(0, 1) });
    expect(told(world, "get_crate", { crate_no: "C-0120" })).toEqual({ ...slabs[1], bay: "A2" });
    expect(world.call("retire_crate", { crate_no: "C-0119" }).isError).toBe(false);
    expect(told(world, "find_crates", { at_least: 99 })).toEqual({ crates: [] });
  });

  test("refuses in the words that were observed, and changes nothing then", () => {
    const world = fresh();
    expect(world.call("move_crate", { crate_no: "C-0001", to: "Q5" })).toMatchObject({
      isError: true,
      value: { error: "Bay is one of 'A1', 'A2', 'B1', 'B2'" },
      changes: [],
    });
    expect(world.call("get_crate", { crate_no: "C-7777" })).toMatchObject({
      isError: true,
      value: { error: "There is no crate C-7777" },
    });
    expect(told(world, "get_crate", { crate_no: "C-0001" })).toEqual(CRATES[0]);
  });

  test("does not know what a tool does that nobody called, and then what crates there are", () => {
    const world = fresh();
    gap(world, "merge_crates", { first: "C-0001", second: "C-0004" });
    gap(world, "find_crates", { bay: "A1" });
  });

  test("is the same bytes in any order of the traces", () => {
    const traces = sessions(store, seeds(0, 16));
    const options = { name: "service", tools: STORE_TOOLS, records: { crates: CRATES_EXPORT } };
    const bytes = ({ bundle, base }: CompileResult): string => JSON.stringify({ bundle, base });
    expect(bytes(compile([...traces].reverse(), options))).toBe(bytes(compile(traces, options)));
  });
});

describe("a club whose tools show two columns of its export", () => {
  const made = compiled(club, CLUB_TOOLS, { members: MEMBERS });
  const fresh = (): World => createWorld(made.bundle, made.base);

  test("is answered by a column that no answer shows where a filter rests on it", () => {
    const { right, wrong } = unseen(made, club);
    expect(right).toBeGreaterThanOrEqual(0.97);
    expect(wrong).toBe(0);
    const rows = MEMBERS.filter(({ town }) => town === "Brack").map(({ member_id, name }) => ({ member_id, name }));
    expect(told(fresh(), "members_of", { town: "Brack" })).toEqual(rows);
    expect(told(fresh(), "members_of", { town: "Elsewhere" })).toEqual([]);
  });

  test("answers nothing that rests on columns which no answer showed", () => {
    const world = fresh();
    expect(told(world, "member_field", { member_id: 203, field: "name" })).toEqual({ name: MEMBERS[3]?.name });
    gap(world, "member_field", { member_id: 203, field: "phone" });
    gap(world, "member_field", { member_id: 203, field: "town" });
    gap(world, "members_of", { town: "" });
  });

  test("says that nobody has a number that the export lacks", () => {
    expect(told(fresh(), "member_field", { member_id: 999, field: "name" })).toBe("Nobody has this number.");
  });

  test("knows nothing of a member that a tool was called for which nobody observed", () => {
    const world = fresh();
    gap(world, "expel", { member_id: 203 });
    gap(world, "members_of", { town: MEMBERS[3]?.town as string });
  });
});

describe("an export that nothing binds to", () => {
  test("makes no world of its own", () => {
    const observed = observe(sessions(club, seeds(0, 16)));
    const options = { name: "service", tools: CLUB_TOOLS, records: { boats: [{ boat_id: "b1", sail: "red" }] } };
    expect(compileRecords(observed, callsByTool(observed), CLUB_TOOLS, options)).toBeUndefined();
    const odd = { ...options, records: { boats: [], ships: "none", crew: [null, 3, { name: null }] } };
    expect(compileRecords(observed, callsByTool(observed), CLUB_TOOLS, odd)).toBeUndefined();
  });
});

describe("a list whose rows are known in part", () => {
  const [table] = exportTables({ crates: CRATES }, []) as [ExportTable];
  const [session] = observe([
    { id: "one", calls: [{ tool: "all", args: {}, result: JSON.stringify(CRATES.slice(0, 3)), isError: false }] },
  ]) as [Session];
  const [call] = session.calls as readonly [Call];
  const rows = new Map<string, Row>([...table.rows].slice(0, 3));
  rows.set("C-0004", { ...rows.get("C-0004"), weight: UNKNOWN });
  const before: Facts = { cells: new Map(), tables: new Map([["crates", { rows, complete: true }]]) };

  test("is learnt, and ordered by nothing that is not known", () => {
    const view = learnView([{ call, before }], [table], { names: [], extra: [] });
    expect(view).toMatchObject({ table: "crates", order: undefined, limit: undefined });
    expect(listed(view as ListView, {}, before)).toBe(UNKNOWN);
  });
});
