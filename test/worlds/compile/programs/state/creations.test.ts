import { expect, test } from "vitest";
import { manifest } from "../../../../../worlds/compile/listing.ts";
import { callsByTool, observe } from "../../../../../worlds/compile/observations.ts";
import { compilePrograms } from "../../../../../worlds/compile/programs/compile.ts";
import { findCreations } from "../../../../../worlds/compile/programs/creations.ts";
import type { Kinds } from "../../../../../worlds/compile/programs/state/kinds.ts";
import { rowId, type Timeline } from "../../../../../worlds/compile/programs/state/touches.ts";
import type { JsonObject } from "../../../../../worlds/json.ts";
import { Starts } from "../../../../../worlds/starts.ts";

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

test("rows of a tool after which hardly any was read begin as those of other tools do", () => {
  const sessions = Array.from({ length: 8 }, (_, i) => {
    const tree = (at: number, felled: boolean) => ({ tree_id: `t-${at}`, kind: `kind ${i}`, felled });
    const seen: [tool: string, args: JsonObject, result: JsonObject][] = [
      ["plant_tree", { kind: `kind ${i}` }, { tree_id: "t-1" }],
      ["show_tree", { tree_id: "t-1" }, tree(1, false)],
      ["fell_tree", { tree_id: "t-1" }, { tree_id: "t-1" }],
      ["show_tree", { tree_id: "t-1" }, tree(1, true)],
      ["move_tree_here", { kind: `kind ${i}` }, { tree_id: "t-2" }],
      ...(i === 0 ? [] : [["fell_tree", { tree_id: "t-2" }, { tree_id: "t-2" }] as (typeof seen)[number]]),
      ["show_tree", { tree_id: "t-2" }, tree(2, i > 0)],
    ];
    const calls = seen.map(([tool, args, result]) => ({ tool, args, result: JSON.stringify(result), isError: false }));
    return { id: `session ${i}`, group: `task ${i}`, calls };
  });
  const train = observe(sessions);
  const byTool = callsByTool(train);
  const fork = new Starts(compilePrograms(train, byTool, manifest(undefined, byTool), "trees")).fresh("another");
  fork.call("plant_tree", { kind: "elm" });
  fork.call("move_tree_here", { kind: "oak" });
  expect(fork.call("show_tree", { tree_id: "t-2" }).value).toEqual({ tree_id: "t-2", kind: "oak", felled: false });
});
