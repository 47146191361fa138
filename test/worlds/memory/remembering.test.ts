import { expect, test } from "vitest";
import { callsByTool, observe } from "../../../worlds/compile/observations.ts";
import { remember } from "../../../worlds/compile/remembering.ts";
import { Course, Memory } from "../../../worlds/memory/index.ts";
import type { MemoryModel } from "../../../worlds/memory/schema.ts";
import type { ObservedCall } from "../../../worlds/observation.ts";

const answered = (tool: string, key: string, value: object): ObservedCall => ({
  tool,
  args: { key },
  result: JSON.stringify(value),
  isError: false,
});

const sessions = observe(
  Array.from({ length: 8 }, (_, i) => ({
    id: `s${i}`,
    group: `task ${i % 3}`,
    calls: ["a", "b"].flatMap((key) => [
      answered("look", key, { key, seen: 1 }),
      answered("touch", key, { key, done: i % 2 }),
    ]),
  })),
);
const missed = new Set(callsByTool(sessions).get("look"));
const listing = (readOnlyHint: boolean) => [
  { name: "look", inputSchema: {}, annotations: { readOnlyHint: true } },
  { name: "touch", inputSchema: {}, annotations: { readOnlyHint } },
];

test("sessions that were remembered before are remembered as anew, whatever was asked of them then", () => {
  const ways = [false, true].flatMap((hint) =>
    [{ all: true }, {}, { helped: new Set(["touch"]) }].map((rest) => ({ listing: listing(hint), rest })),
  );
  const texts = [...ways, ...ways.reverse()].map(({ listing, rest }) => {
    const anew = JSON.stringify(remember([...sessions], missed, listing, rest));
    expect(JSON.stringify(remember(sessions, missed, listing, rest))).toBe(anew);
    expect(JSON.stringify(remember(sessions, missed, listing, rest))).toBe(anew);
    return anew;
  });
  expect(new Set(texts).size).toBeGreaterThan(2);
});

test("what calls with texts that were shown were answered is not the answer to one that never was", () => {
  const name = (i: number, n: number) => `place ${i}.${n}`;
  const shown = observe(
    Array.from({ length: 12 }, (_, i) => ({
      id: `s${i}`,
      group: `task ${i}`,
      calls: [
        { tool: "list", args: {}, result: JSON.stringify([name(i, 1), name(i, 2)]), isError: false },
        ...[1, 2].map((n) => ({ tool: "look", args: { at: name(i, n) }, result: '"open"', isError: false })),
        { tool: "look", args: { code: i }, result: JSON.stringify(`behind ${i}`), isError: false },
      ],
    })),
  );
  const tools = ["list", "look"].map((tool) => ({ name: tool, inputSchema: {}, annotations: { readOnlyHint: true } }));
  const looked = new Set(callsByTool(shown).get("look"));
  const course = new Course(new Memory(remember(shown, looked, tools) as MemoryModel), "another task");
  course.hear({ tool: "list", args: {}, value: ["place 99.1"], ok: true });
  expect(course.recall("look", { at: "place 99.1" })?.answer.value).toBe('"open"');
  expect(course.recall("look", { at: "nowhere that was shown" })).toBeUndefined();
});

test("what a call gives is repeated as it is, and not where it is written as ids are kept", () => {
  const burnt = observe(
    Array.from({ length: 12 }, (_, i) => {
      const what = `old ${"abcdefghijkl"[i]} letters`;
      return {
        id: `s${i}`,
        calls: [{ tool: "burn", args: { what }, result: `There is no ${what} here.`, isError: true }],
      };
    }),
  );
  const calls = new Set(callsByTool(burnt).get("burn"));
  const memory = new Memory(remember(burnt, calls, [{ name: "burn", inputSchema: {} }], { all: true }) as MemoryModel);
  const recalled = (what: string) => new Course(memory, undefined).recall("burn", { what })?.answer.value;
  expect(recalled("trash")).toBe("There is no trash here.");
  for (const what of ["\ue0000\ue000", "a \ue0021\ue002 b", "\ue000"]) expect(recalled(what)).toBeUndefined();
});

test("a tool that answers sessions of one history otherwise is not remembered by its history, others are", () => {
  const log = observe(
    Array.from({ length: 12 }, (_, i) => ({
      id: `s${i}`,
      group: `task ${i % 4}`,
      calls: [
        { tool: "read_log", args: {}, result: `Entries of task ${i % 4}`, isError: false },
        { tool: "add_entry", args: { text: i < 8 ? "x" : "y" }, result: `Added on 2026-03-${10 + i}.`, isError: false },
      ],
    })),
  );
  const tools = ["read_log", "add_entry"].map((name) => ({ name, inputSchema: {} }));
  const all = new Set(log.flatMap(({ calls }) => calls));
  const course = new Course(new Memory(remember(log, all, tools) as MemoryModel), "task 1");
  expect(course.exact("read_log", {})?.answer.value).toBe("Entries of task 1");
  course.hear({ tool: "read_log", args: {}, value: "Entries of task 1", ok: true });
  expect(course.exact("add_entry", { text: "y" })).toBeUndefined();
});
