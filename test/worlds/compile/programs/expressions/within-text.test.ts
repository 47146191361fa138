import { expect, test } from "vitest";
import { manifest } from "../../../../../worlds/compile/listing.ts";
import { callsByTool, observe } from "../../../../../worlds/compile/observations.ts";
import { compilePrograms } from "../../../../../worlds/compile/programs/compile.ts";
import { arg } from "../../../../../worlds/compile/programs/expressions/expr.ts";
import { echoOf } from "../../../../../worlds/compile/programs/expressions/within-text.ts";
import type { JsonObject } from "../../../../../worlds/json.ts";
import { Starts } from "../../../../../worlds/starts.ts";

test("what every call was given stands in the words of its refusal", () => {
  const calls = (text: string, ...given: JsonObject[]) => given.map((args) => ({ args, text }));
  expect(echoOf(calls("no entry 1 of hall", { id: 1, place: "hall" }, { id: 1, place: "attic" }))).toEqual({
    op: "text",
    parts: ["no entry ", arg("id"), " of hall"],
  });
  expect(echoOf(calls("no entry 1", { id: 1 }, { id: 2 }))).toBeUndefined();
  expect(echoOf(calls("no entries", { id: 1 }))).toBeUndefined();
  expect(echoOf(calls("no entry 12", { id: 1 }))).toBeUndefined();
  expect(echoOf(calls("3.0 of 5 (2)", { stars: 2 }), false)).toBeUndefined();
  expect(echoOf([...calls("no entry 1", { id: 1 }), ...calls("entry 1 is shut", { id: 1 })])).toBeUndefined();
});

test("a refusal of one row is not said of another in its words", () => {
  const sessions = observe(
    Array.from({ length: 12 }, (_, i) => ({
      id: `s${i}`,
      calls: [
        { tool: "list_entries", args: {}, result: '{"entries":[]}', isError: false },
        { tool: "drop_entry", args: { id: 1 }, result: '{"ok":false,"reason":"no entry 1"}', isError: false },
      ],
    })),
  );
  const tools = callsByTool(sessions);
  const world = new Starts(compilePrograms(sessions, tools, manifest(undefined, tools), "entries")).fresh("s0");
  expect(world.call("drop_entry", { id: 1 }).text).toContain("no entry 1");
  expect(world.call("drop_entry", { id: 2 }).text).not.toContain("no entry 1");
});

test("words that refuse, and that nothing marks as a refusal, hold what their call was given", () => {
  const shelf = (id: string) => ({
    tool: "show_shelf",
    args: { shelf: id },
    result:
      id === "00"
        ? "❌ Shelf `00` is not there."
        : `# Shelf ${id.toUpperCase()}\n\n- **Id:** ${id}\n- **Books:** ${id.charCodeAt(0)}`,
    isError: false,
  });
  const sessions = observe(
    Array.from({ length: 12 }, (_, i) => ({
      id: `s${i}`,
      calls: [shelf("a1"), shelf("b2"), shelf("00"), shelf("c3")],
    })),
  );
  const tools = callsByTool(sessions);
  const world = new Starts(compilePrograms(sessions, tools, manifest(undefined, tools), "shelves")).fresh("s0");
  expect(world.call("show_shelf", { shelf: "00" }).value).toBe("❌ Shelf `00` is not there.");
  expect(world.call("show_shelf", { shelf: "9f" }).value).toBe("❌ Shelf `9f` is not there.");
});
