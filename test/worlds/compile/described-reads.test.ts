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

describe("a tool whose name may as well open something as show it", () => {
  const shown = (name: string, text: string) => ({
    tool: name,
    args: { name: text },
    result: { text },
    isError: false,
  });
  const calls = (tool: string) => [
    shown("get_page", "a"),
    ...Array.from({ length: 4 }, () => [shown(tool, "a"), shown("get_page", "a")]).flat(),
    { tool: "set_page", args: { name: "a" }, result: { ok: true }, isError: false },
  ];
  const hintOf = (name: string, description: string) => {
    const listed = [{ name, description }, { name: "get_page" }, { name: "set_page" }];
    const traces = [{ id: "s", calls: calls(name) }];
    const told = describedReads(
      observe(traces),
      listed.map((tool) => ({ ...tool, inputSchema: {} })),
    );
    return told.find((tool) => tool.name === name)?.annotations?.readOnlyHint;
  };

  it.each([
    ["open_page", "Shows a page.", true],
    ["open_page", "Shows a page and marks it as read.", undefined],
    ["open_page", "Opens a page.", undefined],
    ["open_page", "Returns a page.", true],
    ["open_page", "Tells whether the page was opened.", undefined],
    ["create_page", "Shows a page.", undefined],
  ])("%s, %s: told to be a reading is %s", (name, description, told) => expect(hintOf(name, description)).toBe(told));

  it("writes where nothing was read around its calls", () => {
    const traces = [{ id: "s", calls: [shown("open_page", "a"), ...calls("get_page").slice(-1)] }];
    const listed = [{ name: "open_page", description: "Shows a page." }, { name: "set_page" }];
    const told = describedReads(
      observe(traces),
      listed.map((tool) => ({ ...tool, inputSchema: {} })),
    );
    expect(told[0]?.annotations).toBeUndefined();
  });
});

it.each([
  ["Quotes what the way costs.", true],
  ["Says who is signed in.", true],
  // To name a thing may as well give it a name.
  ["Names all that stand near.", undefined],
])("a tool whose name says nothing reads by its description: %s %s", (description, told) => {
  const listed = [{ name: "toll", description }, { name: "set_room" }].map((tool) => ({ ...tool, inputSchema: {} }));
  expect(describedReads(sessions, listed)[0]?.annotations?.readOnlyHint).toBe(told);
});
