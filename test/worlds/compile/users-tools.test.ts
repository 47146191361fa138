import { describe, expect, it } from "vitest";
import { compile } from "../../../worlds/compile/index.ts";
import { measureFidelity } from "../../../worlds/fidelity/index.ts";
import type { Json, JsonObject } from "../../../worlds/json.ts";
import type { ObservedTrace } from "../../../worlds/observation.ts";
import { generateTasks } from "../../../worlds/tasks/generate.ts";
import { createWorld } from "../../../worlds/world.ts";

/** A line desk and the phone in its caller's hand: each side has tools, and both see one line. */
class Line {
  private readonly roaming: Record<string, boolean> = {};

  call(tool: string, { number }: JsonObject): { value: Json; isError: boolean } {
    const line = String(number);
    if (tool === "set_roaming") this.roaming[line] = true;
    else if (tool !== "phone_status" && tool !== "get_line") return { value: `no tool ${tool}`, isError: true };
    return { value: { number: line, roaming: this.roaming[line] ?? false }, isError: false };
  }
}

const USERS = new Set(["phone_status"]);

const traces = Array.from({ length: 12 }, (_, i): ObservedTrace => {
  const line = new Line();
  const number = `07${100 + (i % 5)}`;
  const calls = ["get_line", "phone_status", "set_roaming", "phone_status", "get_line"].map((tool) => {
    const { value, isError } = line.call(tool, { number });
    const by = USERS.has(tool) ? { by: "user" as const } : {};
    return { tool, args: { number }, result: JSON.stringify(value), isError, ...by };
  });
  return { id: `s${i}`, calls };
});

const tool = (name: string) => ({
  name,
  inputSchema: { type: "object", properties: { number: { type: "string" } }, required: ["number"] },
});
const listing = [tool("get_line"), tool("set_roaming")];
const names = (tools: readonly { readonly name: string }[] | undefined) => tools?.map(({ name }) => name);

describe("tools of the user's side", () => {
  it.each([
    ["without a listing", undefined],
    ["beside the agent's listing", listing],
    ["where a listing names them too", [...listing, tool("phone_status")]],
  ])("are not in the agent's manifest %s", (_, tools) => {
    const { bundle } = compile(traces, { name: "line", ...(tools === undefined ? {} : { tools }) });
    expect(names(bundle.tools)).toEqual(["get_line", "set_roaming"]);
    expect(names(bundle.user_tools)).toEqual(["phone_status"]);
  });

  it("are in it where the agent was answered by them too, or called what its listing offers", () => {
    const shared = traces.map((trace, i) => ({
      ...trace,
      calls: i === 0 ? trace.calls.map(({ by: _, ...call }) => call) : trace.calls,
    }));
    const { bundle } = compile(shared, { name: "line", tools: listing });
    expect(names(bundle.tools)).toEqual(["get_line", "set_roaming", "phone_status"]);
    expect(bundle.user_tools).toBeUndefined();
    const [first, ...rest] = traces as [ObservedTrace, ...ObservedTrace[]];
    const refused = { tool: "phone_status", args: { number: "x" }, result: "Error: no such tool", isError: true };
    const tried = [{ ...first, calls: [...first.calls, refused] }, ...rest];
    expect(names(compile(tried, { name: "line", tools: listing }).bundle.tools)).toEqual(["get_line", "set_roaming"]);
    const offered = compile(tried, { name: "line", tools: [...listing, tool("phone_status")] });
    expect(names(offered.bundle.tools)).toContain("phone_status");
  });

  it("are answered to the user, on the same state, and are unknown names to the agent", () => {
    const { bundle, base } = compile(traces, { name: "line", tools: listing });
    const world = createWorld(bundle, base);
    expect(world.tools).toBe(bundle.tools);
    const args = { number: "07100" };
    expect(world.call("phone_status", args).answerClass).toMatch(/^error:(unknown_tool|not_served)$/);
    expect(world.call("phone_status", args, "user").value).toEqual({ number: "07100", roaming: false });
    world.call("set_roaming", args);
    expect(world.call("phone_status", args, "user").value).toEqual({ number: "07100", roaming: true });
    expect(world.call("get_line", args, "user").value).toEqual({ number: "07100", roaming: true });
  });

  it("are replayed as the user's where fidelity is measured", () => {
    const compiled = compile(traces, { name: "line", tools: listing });
    const { tools } = measureFidelity(compiled, traces.slice(0, 4), traces);
    expect(tools.phone_status).toMatchObject({ calls: 8, identical: 8, not_served: 0 });
  });

  it("are nothing that an agent could do in the user's place: no task is mined from such a session", () => {
    const { bundle, base } = compile(traces, { name: "line", tools: listing });
    const asked = traces.map((trace, i) => ({
      ...trace,
      request: `Please turn on roaming for my line 07${100 + (i % 5)}.`,
      finalAnswer: "Roaming is on now.",
      reward: 1,
    }));
    const alone = asked.map((trace) => ({ ...trace, calls: trace.calls.filter(({ by }) => by !== "user") }));
    const mined = (from: readonly ObservedTrace[]) =>
      generateTasks(bundle, base, { seed: "1", count: 3, families: ["mined"], mined: from });
    expect(mined(alone).length).toBeGreaterThan(0);
    expect(mined(asked)).toEqual([]);
  });
});
