import { expect, test } from "vitest";
import { findCreations } from "../../../../worlds/compile/programs/creations.ts";
import type { Kinds } from "../../../../worlds/compile/programs/state/kinds.ts";
import { rowId, type Timeline } from "../../../../worlds/compile/programs/state/touches.ts";
import type { JsonObject } from "../../../../worlds/json.ts";

/** A call with the rows that its answer shows. */
type Seen = readonly [tool: string, args: JsonObject, ...keys: string[]];

const kinds = { act: ({ tool }: { tool: string }) => tool } as unknown as Kinds;

/** Acts that are found to make notes in sessions, each with what its calls were given and showed. */
function makersIn(sessions: readonly (readonly Seen[])[]): string[] {
  const timelines = sessions.map((seen) => {
    const first = new Map<string, number>();
    for (const [at, [, , ...keys]] of seen.entries())
      for (const key of keys) if (!first.has(rowId("notes", key))) first.set(rowId("notes", key), at);
    const calls = seen.map(([tool, args]) => ({ tool, args, ok: true }));
    const observations = seen.map(([, , ...keys]) => ({
      rows: keys.map((key) => ({ place: { table: "notes", path: "$" }, key })),
    }));
    return { session: { calls }, observations, first } as unknown as Timeline;
  });
  return [...findCreations(timelines, new Set(["read"]), kinds).keys()];
}

test("rows that come again under a key that was taken away say nothing against the call that makes them", () => {
  const reused: Seen[] = [
    ["pin", {}, "n-1"],
    ["pin", {}, "n-2"],
    ["unpin", { id: "n-2" }],
    ["pin", {}, "n-2"],
  ];
  expect(makersIn([reused, reused])).toEqual(["pin"]);
});

test("a call that shows again and again what a write was given makes no rows, though two were new", () => {
  const played: Seen[] = Array.from({ length: 4 }, (): Seen[] => [
    ["queue", { id: "n-5" }],
    ["play", {}, "n-5"],
  ]).flat();
  const started: Seen[] = [["play", {}, "n-1"], ...played];
  expect(makersIn([started, started])).toEqual([]);
});

test("a call that shows what was shown before and nobody took away makes no rows", () => {
  const shown: Seen[] = [
    ["pin", {}, "n-1"],
    ["star", { id: "n-1" }, "n-1"],
    ["pin", {}, "n-1"],
  ];
  expect(makersIn([shown, shown])).toEqual([]);
});
