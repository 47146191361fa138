import { describe, expect, it } from "vitest";
import { compile } from "../../../worlds/compile/index.ts";
import { declareTools } from "../../../worlds/declare.ts";
import type { Json, JsonObject } from "../../../worlds/json.ts";
import type { ObservedTrace } from "../../../worlds/observation.ts";
import { mayChange, shownEffect } from "../../../worlds/shown-effects.ts";

/** A house: its lamp is read and switched, its door is only ever told to lock, its bell is only rung. */
class House {
  private lamp = "off";

  call(tool: string, args: JsonObject): Json {
    if (tool === "switch_lamp") this.lamp = String(args.to);
    if (tool === "switch_lamp" || tool === "get_lamp") return { lamp: this.lamp };
    if (tool === "get_address") return { street: "Elm Row 4" };
    if (tool === "get_code") return { code: 1 };
    return { door: "locked" };
  }
}

const PLAN: readonly (readonly [string, JsonObject])[] = [
  ["get_lamp", {}],
  ["get_address", {}],
  ["lockDoor", {}],
  ["get_lamp", {}],
  ["switch_lamp", { to: "on" }],
  ["get_lamp", {}],
  ["get_address", {}],
  ["update_note", { text: "x" }],
  ["get_lamp", {}],
];

const traces = Array.from({ length: 10 }, (_, i): ObservedTrace => {
  const house = new House();
  const plan: typeof PLAN = i === 0 ? [...PLAN, ["get_code", {}]] : PLAN;
  const calls = plan.map(([tool, args]) => {
    return { tool, args, result: JSON.stringify(house.call(tool, args)), isError: false };
  });
  return { id: `s${i}`, calls };
});

const tool = (name: string, readOnlyHint?: boolean) => ({
  name,
  inputSchema: { type: "object", properties: {} },
  ...(readOnlyHint === undefined ? {} : { annotations: { readOnlyHint } }),
});

describe("what is known of a tool's effect", () => {
  const { bundle } = compile(traces, { name: "house" });

  it("is none where readings around its calls were unchanged, with how often", () => {
    for (const name of ["get_lamp", "get_address"]) {
      expect(shownEffect(bundle, name)).toMatchObject({ effect: "none", by: "seen" });
      expect(shownEffect(bundle, name).n).toBeGreaterThanOrEqual(10);
      expect(mayChange(bundle, name)).toBe(false);
    }
  });

  it("is unknown of a tool that is named otherwise and was never shown to change anything, and of one hardly seen", () => {
    for (const name of ["lockDoor", "update_note"]) {
      expect(shownEffect(bundle, name)).toMatchObject({ effect: "unknown" });
      expect(mayChange(bundle, name)).toBe(true);
    }
    expect(shownEffect(bundle, "get_code")).toEqual({ effect: "unknown", n: 0 });
    expect(mayChange(bundle, "get_code")).toBe(false);
    expect(shownEffect(bundle, "never_heard_of")).toEqual({ effect: "unknown", n: 0 });
  });

  it("is a change where a reading answered otherwise after it", () => {
    expect(shownEffect(bundle, "switch_lamp")).toMatchObject({ effect: "changes", by: "seen" });
  });

  it("is put on a manifest only where it is known", () => {
    const hints = Object.fromEntries(bundle.tools.map(({ name, annotations }) => [name, annotations]));
    expect(hints).toEqual({
      get_address: { readOnlyHint: true },
      get_code: undefined,
      get_lamp: { readOnlyHint: true },
      lockDoor: undefined,
      switch_lamp: { readOnlyHint: false },
      update_note: undefined,
    });
  });

  it("is what a listing declares, but where a change was seen; the listing stays as it is", () => {
    const tools = [tool("get_code", true), tool("lockDoor", true), tool("switch_lamp", true), tool("get_lamp", false)];
    const listed = compile(traces, { name: "house", tools }).bundle;
    expect(listed.tools.slice(0, 4)).toEqual(tools);
    expect(shownEffect(listed, "get_code")).toEqual({ effect: "none", by: "declared", n: 0 });
    expect(shownEffect(listed, "lockDoor")).toMatchObject({ effect: "none", by: "declared" });
    expect(shownEffect(listed, "switch_lamp")).toMatchObject({ effect: "changes", by: "seen" });
    expect(shownEffect(listed, "get_lamp")).toMatchObject({ effect: "changes", by: "declared" });
  });

  it("is what a person declares of a tool by its behaviour", () => {
    const said = declareTools(bundle, {
      redeclared_tools: [{ name: "lockDoor", behaviour: 'answer {"door":"locked"}' }],
    });
    if (!("bundle" in said)) throw new Error(JSON.stringify(said));
    expect(shownEffect(said.bundle, "lockDoor")).toEqual({ effect: "none", by: "declared", n: 0 });
    const gone = declareTools(bundle, { removed_tools: ["lockDoor"] });
    expect("bundle" in gone && gone.bundle.effects).not.toHaveProperty("lockDoor");
  });

  it("is not taken from what an older compiler wrote of a tool that it learnt nothing of", () => {
    const { effects: _, ...older } = bundle;
    const bare = older.tools.map(({ annotations: __, ...rest }) => rest);
    expect(shownEffect({ ...older, tools: bare }, "lockDoor").effect).toBe("unknown");
    expect(shownEffect({ ...older, tools: bare }, "get_lamp").effect).toBe("unknown");
    expect(shownEffect(older, "get_lamp")).toMatchObject({ effect: "none", by: "declared" });
    expect(shownEffect(older, "switch_lamp").effect).toBe("changes");
  });
});
