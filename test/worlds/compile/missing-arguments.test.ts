import { describe, expect, test } from "vitest";
import type { ToolDefinition } from "../../../worlds/bundle.ts";
import { compile } from "../../../worlds/compile/index.ts";
import type { JsonObject } from "../../../worlds/json.ts";
import type { ObservedCall, ObservedTrace } from "../../../worlds/observation.ts";
import { createWorld } from "../../../worlds/world.ts";

const listed = (name: string, ...required: string[]): ToolDefinition => ({
  name,
  inputSchema: { type: "object", properties: { boat: { type: "string" }, berth: { type: "string" } }, required },
});
const tools = [listed("get_boat", "boat"), listed("get_berth", "berth"), listed("moor", "boat", "berth")];

const says = (tool: string, argument: string): string => `{"error": "${tool}: '${argument}' is required"}`;
const refused = (tool: string, args: JsonObject, result: string, isError = false): ObservedCall => ({
  tool,
  args,
  result,
  isError,
});
/** Eight sessions, so that ways are tried on held-out ones, two of which have calls that were refused. */
const traces = (calls: readonly ObservedCall[]): ObservedTrace[] =>
  Array.from({ length: 8 }, (_, i) => ({
    id: `s${i}`,
    calls: [
      { tool: "get_boat", args: { boat: "Tern" }, result: '{"boat":"Tern","length":9}', isError: false },
      ...(calls[i] ? [calls[i]] : []),
    ],
  }));
const BOTH = [refused("get_boat", {}, says("get_boat", "boat")), refused("get_berth", {}, says("get_berth", "berth"))];

const worldOf = (calls: readonly ObservedCall[]) => {
  const { bundle, base } = compile(traces(calls), { name: "harbour", tools });
  return createWorld(bundle, base);
};

describe("a call that lacks one required argument", () => {
  test("is refused as two tools were, by a tool that was never asked so", () => {
    const { value, isError, changes } = worldOf(BOTH).call("moor", { boat: "Tern" });
    expect({ value, isError, changes }).toEqual({
      value: { error: "moor: 'berth' is required" },
      isError: false,
      changes: [],
    });
  });

  test("is refused with the flag that the refusals had", () => {
    const flagged = BOTH.map((call) => ({ ...call, isError: true }));
    expect(worldOf(flagged).call("moor", { berth: "4" })).toMatchObject({ isError: true });
  });

  test("is refused in words alone, where the service flags no refusal", () => {
    const said = (tool: string, argument: string) => refused(tool, {}, `${tool}: '${argument}' is required`);
    const world = worldOf([said("get_boat", "boat"), said("get_berth", "berth")]);
    const { value, isError, answerClass, changes } = world.call("moor", { boat: "Tern" });
    expect(value).toBe("moor: 'berth' is required");
    expect({ isError, answerClass, changes }).toEqual({ isError: false, answerClass: "data", changes: [] });
  });

  test("says the name of the argument, whatever that name is", () => {
    const odd = { ...listed("sink", "$&"), inputSchema: { type: "object", required: ["$&"] } };
    const { bundle, base } = compile(traces(BOTH), { name: "harbour", tools: [...tools, odd] });
    expect(createWorld(bundle, base).call("sink", {}).value).toEqual({ error: "sink: '$&' is required" });
  });

  const other = (calls: readonly ObservedCall[]) => worldOf(calls).call("moor", { boat: "Tern" }).text;
  const told = says("moor", "berth");

  test.each<[string, ObservedCall[]]>([
    ["one tool alone says so", [BOTH[0] as ObservedCall, BOTH[0] as ObservedCall]],
    ["another tool says it otherwise", [...BOTH, refused("moor", { berth: "4" }, '{"error": "No boat."}')]],
    ["another tool takes the call", [...BOTH, refused("moor", { berth: "4" }, '{"moored": true}')]],
    ["the refusal does not name the argument", BOTH.map((call) => ({ ...call, result: '{"error": "Bad request"}' }))],
  ])("is not told so where %s", (_, calls) => expect(other(calls)).not.toBe(told));

  test.each([{}, { boat: 4 }])("is not told so where more is wrong with it: %j", (args) => {
    expect(worldOf(BOTH).call("moor", args).text).not.toContain("is required");
  });
});
