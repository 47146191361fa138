import { describe, expect, test } from "vitest";
import type { ToolDefinition } from "../../../../worlds/bundle.ts";
import { compile } from "../../../../worlds/compile/index.ts";
import { manifest, unlistedAnswer } from "../../../../worlds/compile/listing.ts";
import { callsByTool, observe } from "../../../../worlds/compile/observations.ts";
import { compilePrograms, type ProgramWorld } from "../../../../worlds/compile/programs/compile.ts";
import { orderOf } from "../../../../worlds/compile/programs/expressions/order.ts";
import { Judge, type Score } from "../../../../worlds/compile/utility.ts";
import type { JsonObject } from "../../../../worlds/json.ts";
import type { ObservedTrace } from "../../../../worlds/observation.ts";
import { createWorld } from "../../../../worlds/world.ts";
import type { World } from "../../../../worlds/world-api.ts";
import { type Maker, sessions } from "./services.ts";
import { Kiln, Wharf, Wire } from "./wharf.ts";

const seeds = (first: number, n: number): number[] => Array.from({ length: n }, (_, i) => first + i);

function learnt(make: Maker, n = 48): ProgramWorld {
  const observed = observe(sessions(make, seeds(0, n)));
  const byTool = callsByTool(observed);
  return compilePrograms(observed, byTool, manifest(undefined, byTool), "service");
}

function unseen(make: Maker, world: ProgramWorld): Score {
  const train = observe(sessions(make, seeds(0, 48)));
  const held = observe(sessions(make, seeds(200, 16)));
  return new Judge([...train, ...held]).scoreOf(world, held, train);
}

const freshOf = ({ bundle, base }: ProgramWorld): World => createWorld(bundle, base);
const ask = (world: World, tool: string, args: JsonObject = {}): unknown => {
  const { isError, answerClass, value } = world.call(tool, args);
  return answerClass === "error:not_served" ? "gap" : isError ? { refused: value } : value;
};

describe("a wharf", () => {
  const make: Maker = () => new Wharf();
  const world = learnt(make);

  test("is answered in sessions that nobody saw", () => {
    const { calls, right, wrong } = unseen(make, world);
    expect(right / calls).toBeGreaterThanOrEqual(0.93);
    expect(wrong / calls).toBeLessThanOrEqual(0.02);
  });

  test("numbers a crate after the largest that is there", () => {
    const wharf = freshOf(world);
    for (const goods of ["salt", "tar", "rope"]) ask(wharf, "stow_crate", { goods, kilos: 10 });
    ask(wharf, "discard_crate", { crate_id: "crate-1" });
    expect(ask(wharf, "stow_crate", { goods: "tar", kilos: 5 })).toEqual({ crate_id: "crate-4" });
    ask(wharf, "discard_crate", { crate_id: "crate-4" });
    expect(ask(wharf, "stow_crate", { goods: "tar", kilos: 5 })).toEqual({ crate_id: "crate-4" });
  });

  test("has states that only later readings show, and counts, sums and shares of them", () => {
    const wharf = freshOf(world);
    for (const kilos of [10, 20, 30]) ask(wharf, "stow_crate", { goods: "salt", kilos });
    ask(wharf, "set_state", { crate_id: "crate-2", state: "loaded" });
    expect(ask(wharf, "get_ledger")).toEqual({ crates: 3, loaded: 1, loaded_percent: 33, kilos_kept: 60 });
    ask(wharf, "set_state", { crate_id: "crate-3", state: "lost" });
    expect(ask(wharf, "get_ledger")).toEqual({ crates: 3, loaded: 1, loaded_percent: 33, kilos_kept: 30 });
  });

  test("refuses what names one crate twice, and claims nothing of crates that are not there", () => {
    const wharf = freshOf(world);
    for (const kilos of [10, 20]) ask(wharf, "stow_crate", { goods: "salt", kilos });
    const no = { refused: { error: "These two cannot be chained" } };
    expect(ask(wharf, "chain_crates", { crate_id: "crate-1", to: "crate-1" })).toEqual(no);
    expect(ask(wharf, "chain_crates", { crate_id: "crate-1", to: "crate-2" })).toEqual({ done: true });
    expect(ask(wharf, "set_state", { crate_id: "crate-7", state: "lost" })).not.toEqual({ done: true });
  });

  test("says in its own words that a text has no lines", () => {
    const wharf = freshOf(world);
    expect(ask(wharf, "get_tally")).toEqual({ tally: "Tally of the wharf\n(bare boards)" });
    ask(wharf, "stow_crate", { goods: "rope", kilos: 5 });
    expect(ask(wharf, "get_tally")).toEqual({ tally: "Tally of the wharf\n[crate-1] of rope is waiting" });
  });
});

describe("the order of a list", () => {
  test("is not claimed where nothing explains it, and one row has none", () => {
    const make: Maker = (random) => new Wire(random);
    const world = learnt(make);
    expect(unseen(make, world).wrong).toBe(0);
    const wire = freshOf(world);
    ask(wire, "land_bird", { kind: "wren" });
    expect(ask(wire, "get_birds")).toEqual({ birds: [{ bird_id: "bird-1", kind: "wren" }] });
    ask(wire, "land_bird", { kind: "rook" });
    expect(ask(wire, "get_birds")).toBe("gap");
  });

  test("of a column that is equal in all rows is that in which rows came to be", () => {
    const rows = ["a", "b", "c"].map((key) => ({ key, row: { rank: 1 } }));
    const newest = { by: undefined, descending: false, newest: true };
    expect(
      orderOf(
        [1, 2, 3].map(() => ({ shown: ["c", "b", "a"], rows })),
        ["rank"],
      ),
    ).toEqual(newest);
    expect(orderOf([{ shown: ["b", "a", "c"], rows }], ["rank"])).toBeUndefined();
  });
});

describe("an argument that no success was given", () => {
  const kiln = (): World => freshOf(learnt(() => new Kiln()));

  test.each([
    ["another sign", { glaze: "ash", pots: -5 }],
    ["nothing", { glaze: "ash", pots: 0 }],
    ["a choice nobody made", { glaze: "neon", pots: 10 }],
  ])("is no success: %s", (_, args) => {
    const world = kiln();
    expect(ask(world, "glaze_pots", { glaze: "ash", pots: 10 })).toEqual({ glazed: 10 });
    expect(ask(world, "glaze_pots", args)).toBe("gap");
  });

  test("is refused as it was seen to be, and past that nobody knows", () => {
    const world = kiln();
    expect(ask(world, "glaze_pots", { glaze: "ash", pots: 45 })).toEqual({ refused: { error: "Too many pots" } });
    expect(ask(world, "glaze_pots", { glaze: "ash", pots: 60 })).toBe("gap");
  });
});

describe("a tool that does not exist", () => {
  const tools: ToolDefinition[] = [{ name: "harbour.tide", inputSchema: { type: "object" } }];
  const told = (tool: string): string => `${tool} is no tool here.`;
  const trace = (i: number, unknown: string, says = told): ObservedTrace => ({
    id: `t${i}`,
    group: "harbour",
    calls: [
      { tool: "harbour.tide", args: {}, result: "high", isError: false },
      { tool: unknown, args: {}, result: says(unknown), isError: false },
    ],
  });

  test("answers alike for every unknown name, and is no tool of the world", () => {
    const { bundle, base } = compile([trace(0, "tide"), trace(1, "harbour.wind")], { name: "harbour", tools });
    expect(bundle.tools.map(({ name }) => name)).toEqual(["harbour.tide"]);
    const { isError, text } = createWorld(bundle, base).call("moon", {});
    expect({ isError, text }).toEqual({ isError: false, text: told("moon") });
  });

  test("is not told where the answer lists tools: another session may have others", () => {
    const lists = (tool: string): string => `${told(tool)} Tools: harbour.tide`;
    const traces = [trace(0, "tide", lists), trace(1, "harbour.wind", lists)];
    expect(unlistedAnswer(tools, callsByTool(observe(traces)))).toBeUndefined();
    expect(compile(traces, { name: "harbour", tools }).bundle.tools.map(({ name }) => name)).toEqual(["harbour.tide"]);
  });

  test("is not told where unlisted names are answered otherwise", () => {
    const fog = { tool: "fog", args: {}, result: "thick", isError: false };
    const works: ObservedTrace = { ...trace(2, "tide"), id: "t9", calls: [fog] };
    expect(unlistedAnswer(tools, callsByTool(observe([trace(0, "tide"), trace(1, "tide"), works])))).toBeUndefined();
    expect(unlistedAnswer(undefined, callsByTool(observe([trace(0, "tide"), trace(1, "tide")])))).toBeUndefined();
  });
});
