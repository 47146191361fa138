import { describe, expect, test } from "vitest";
import type { ToolDefinition } from "../../../../../worlds/bundle.ts";
import { manifest } from "../../../../../worlds/compile/listing.ts";
import { callsByTool, observe } from "../../../../../worlds/compile/observations.ts";
import { compilePrograms } from "../../../../../worlds/compile/programs/compile.ts";
import { compileRecords } from "../../../../../worlds/compile/programs/records/index.ts";
import type { JsonObject } from "../../../../../worlds/json.ts";
import type { ObservedTrace } from "../../../../../worlds/observation.ts";
import { createWorld } from "../../../../../worlds/world.ts";
import type { World } from "../../../../../worlds/world-api.ts";

const tool = (name: string, names: readonly string[]): ToolDefinition => ({
  name,
  inputSchema: { type: "object", properties: Object.fromEntries(names.map((of) => [of, { type: "string" }])) },
});
const TOOLS = [
  tool("list_boats", ["owner", "state", "berth"]),
  tool("get_boat", ["boat_id"]),
  tool("scrub_boat", ["boat_id"]),
  tool("set_part", ["boat_id", "part", "value"]),
];
const OWNERS = ["ada", "bo", "cleo", "dag"];
const STATES = ["moored", "sailing", "sold"];
const BOATS = Array.from({ length: 24 }, (_, i) => ({
  boat_id: `b-${((i * 7919 + 4211) % 65_537).toString(16).padStart(4, "0")}`,
  owner: OWNERS[[0, 0, 0, 0, 1, 1, 1, 2, 2, 3][i % 10] as number] as string,
  berth: `n${(i * 11) % 4}`,
  state: STATES[(i * 5) % 3] as string,
  hull: ["worn", "clean", "worn"][(i * 7) % 3] as string,
}));

/** Boats that are listed by any of their columns, read, scrubbed, and changed while they are not sold. */
class Yard {
  private readonly rows: JsonObject[] = BOATS.map((row) => ({ ...row }));

  call(name: string, args: JsonObject) {
    const { result, isError = false } = this.answer(name, args);
    return { tool: name, args, result: typeof result === "string" ? result : JSON.stringify(result), isError };
  }

  private answer(name: string, args: JsonObject): { result: unknown; isError?: boolean } {
    const { boat_id, part, value } = args;
    const asked = Object.entries(args);
    if (name === "list_boats") return { result: this.rows.filter((row) => asked.every(([of, is]) => row[of] === is)) };
    const row = this.rows.find((one) => one.boat_id === boat_id);
    if (!row) return { result: `No boat ${boat_id}.`, isError: true };
    if (name === "get_boat") return { result: row };
    if (name === "scrub_boat") row.hull = "clean";
    else if (row.state === "sold") return { result: `Boat ${boat_id} is sold.`, isError: true };
    else row[String(part)] = value ?? null;
    return { result: name === "scrub_boat" ? "Scrubbed." : "Changed." };
  }
}

type Script = readonly (readonly [tool: string, args: JsonObject])[];
/** Sessions of tasks, each of which makes the same calls so many times. */
const repeated = (scripts: readonly Script[], times: number): ObservedTrace[] =>
  scripts.flatMap((script, task) =>
    Array.from({ length: times }, (_, n) => {
      const yard = new Yard();
      return { id: `t${task} ${n}`, group: `t${task}`, calls: script.map(([name, args]) => yard.call(name, args)) };
    }),
  );
const boat = (i: number): JsonObject => ({ boat_id: BOATS[i]?.boat_id as string });

function worldOf(traces: readonly ObservedTrace[]): World {
  const sessions = observe(traces);
  const made = compileRecords(sessions, callsByTool(sessions), TOOLS, { name: "yard", tools: TOOLS });
  if (!made) throw new Error("no world");
  return createWorld(made.bundle, made.base);
}
const ask = (world: World, name: string, args: JsonObject): unknown => {
  const { answerClass, isError, value } = world.call(name, args);
  return answerClass === "error:not_served" ? "gap" : isError ? { refused: value } : value;
};

const listsOf = (owners: readonly string[]): Script => [
  ["list_boats", { berth: "n0" }],
  ...owners.flatMap((owner) => STATES.map((state) => ["list_boats", { owner, state }] as const)),
];

describe("what sessions of one task repeat", () => {
  const lists = listsOf(OWNERS.slice(0, 3));
  const [, ...alone] = listsOf(["dag"]);
  const missing: Script = [
    ["get_boat", { boat_id: "b-0000" }],
    ["get_boat", boat(1)],
    ["get_boat", boat(2)],
  ];

  test("does not show that all rows are known", () => {
    const scripts: Script[] = [[...lists, ...missing], lists, alone];
    expect(ask(worldOf(repeated(scripts, 10)), "get_boat", { boat_id: "b-ffff" })).toBe("gap");
    const more = repeated([...scripts, [...lists, ...alone]], 10);
    expect(ask(worldOf(more), "get_boat", { boat_id: "b-ffff" })).toEqual({ refused: "No boat b-ffff." });
  });

  test("does not show it to programs either", () => {
    const missing: Script = [["get_boat", { boat_id: "b-0000" }]];
    const reads = (boats: readonly number[]): Script => boats.map((i) => ["get_boat", boat(i)] as const);
    const answer = (scripts: readonly Script[]): unknown => {
      const sessions = observe(repeated(scripts, 10));
      const tools = callsByTool(sessions);
      const { bundle, base } = compilePrograms(sessions, tools, manifest(TOOLS, tools), "yard");
      return ask(createWorld(bundle, base), "get_boat", { boat_id: "b-0001" });
    };
    const shared: Script[] = [[...reads([0, 1, 2]), ...missing], [...reads([1, 2, 3]), ...missing], reads([2, 3, 0])];
    expect(answer(shared)).toEqual({ refused: "No boat b-0001." });
    expect(answer([...shared, reads([4])])).toBe("gap");
  });

  test("is one sight of what a write leaves", () => {
    const worn = BOATS.flatMap(({ hull, owner }, i) => (hull === "worn" && owner !== "dag" ? [i] : []));
    const scrubbed = (i: number): Script => [
      ...lists,
      ["get_boat", boat(i)],
      ["scrub_boat", boat(i)],
      ["get_boat", boat(i)],
    ];
    const [first = 0, second = 0, third = 0] = worn;
    const read = (scripts: readonly Script[]): unknown => {
      const world = worldOf(repeated(scripts, 8));
      ask(world, "scrub_boat", boat(third));
      const answer = ask(world, "get_boat", boat(third));
      return answer === "gap" ? "gap" : (answer as JsonObject).hull;
    };
    expect(read([scrubbed(first)])).toBe("gap");
    expect(read([scrubbed(first), scrubbed(second)])).toBe("clean");
  });
});

describe("a refusal that names a value", () => {
  const lists = listsOf(OWNERS);
  const berths = (i: number): Script => [
    ...lists,
    ["set_part", { ...boat(i), part: "berth", value: "n9" }],
    ["get_boat", boat(i)],
  ];
  const sold = BOATS.flatMap(({ state, berth }, i) => (state === "sold" && berth === "n2" ? [i] : []));
  const free = (state: string) => BOATS.findIndex((one) => one.state === state && one.berth !== "n2");

  test("rests on the column that holds it, not on another that all refused rows have alike", () => {
    const [first = 0, second = 0] = sold;
    const world = worldOf(
      repeated([berths(first), berths(second), berths(free("moored")), berths(free("sailing"))], 6),
    );
    const other = free("sold");
    expect(ask(world, "set_part", { ...boat(other), part: "berth", value: "n9" })).toEqual({
      refused: `Boat ${BOATS[other]?.boat_id} is sold.`,
    });
  });

  test("leaves values of its column open that no success had", () => {
    const [first = 0, second = 0] = sold;
    const world = worldOf(repeated([berths(first), berths(second), berths(free("moored"))], 8));
    expect(ask(world, "set_part", { ...boat(free("sailing")), part: "berth", value: "n9" })).toBe("gap");
    expect(ask(world, "set_part", { ...boat(free("moored")), part: "berth", value: "n9" })).toBe("Changed.");
  });
});
