import { expect, test } from "vitest";
import { manifest } from "../../../../../worlds/compile/listing.ts";
import { callsByTool, observe } from "../../../../../worlds/compile/observations.ts";
import { compilePrograms } from "../../../../../worlds/compile/programs/compile.ts";
import { arg } from "../../../../../worlds/compile/programs/expressions/expr.ts";
import { echoOf } from "../../../../../worlds/compile/programs/expressions/within-text.ts";
import { Starts } from "../../../../../worlds/starts.ts";

test("what every call was given stands in the words of its refusal", () => {
  expect(
    echoOf("no entry 1 of hall", [
      { id: 1, place: "hall" },
      { id: 1, place: "attic" },
    ]),
  ).toEqual({
    op: "text",
    parts: ["no entry ", arg("id"), " of hall"],
  });
  expect(echoOf("no entry 1", [{ id: 1 }, { id: 2 }])).toBeUndefined();
  expect(echoOf("no entries", [{ id: 1 }])).toBeUndefined();
  expect(echoOf("no entry 12", [{ id: 1 }])).toBeUndefined();
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
