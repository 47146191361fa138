import { describe, expect, it } from "vitest";
import { describedReads } from "../../../worlds/compile/described-reads.ts";
import { observe } from "../../../worlds/compile/observations.ts";

const tools = ["rooms", "my_bookings", "updates", "locks", "notifies", "set_room"].map((name) => ({
  name,
  inputSchema: {},
}));
const sessions = observe([
  { id: "s", calls: [{ tool: "set_room", args: { room: "a" }, result: { ok: true }, isError: false }] },
]);

describe("a tool that is called by one word", () => {
  it.each([
    ["rooms", true],
    ["my_bookings", true],
    // What a tool does in the third person looks like a plural.
    ["updates", undefined],
    ["locks", undefined],
    ["set_room", undefined],
  ])("%s: told to be a reading is %s", (name, told) =>
    expect(describedReads(sessions, tools).find((tool) => tool.name === name)?.annotations?.readOnlyHint).toBe(told),
  );
});
