import { expect, test } from "vitest";
import { manifest } from "../../../../../worlds/compile/listing.ts";
import { callsByTool, observe } from "../../../../../worlds/compile/observations.ts";
import { compilePrograms } from "../../../../../worlds/compile/programs/compile.ts";
import type { Json, JsonObject } from "../../../../../worlds/json.ts";
import { Starts } from "../../../../../worlds/starts.ts";

type Seen = readonly [tool: string, args: JsonObject, result: Json];

/** A world of sessions with what they were answered, each of a task of its own, at the start of one. */
function worldOf(sessions: readonly (readonly Seen[])[], task = "another") {
  const train = observe(
    sessions.map((seen, i) => ({
      id: `session ${i}`,
      group: `task ${i}`,
      calls: seen.map(([tool, args, result]) => {
        const text = typeof result === "string" ? result : JSON.stringify(result);
        return { tool, args, result: text, isError: false };
      }),
    })),
  );
  const byTool = callsByTool(train);
  return new Starts(compilePrograms(train, byTool, manifest(undefined, byTool), "test")).fresh(task);
}

test("a row that is made takes what it shows from the row that its parent stands in", () => {
  const sessions = Array.from({ length: 10 }, (_, i): Seen[] => {
    const rooms = [0, 1].map((n) => ({
      room_id: `r-${i}${n}`,
      label: `Room ${i * 7 + n}`,
      shelves: [0, 1].map((m) => ({ shelf_id: `s-${i}${n}${m}`, height: 30 + i + n + m })),
    }));
    const [room, shelf] = [rooms[i % 2], rooms[i % 2]?.shelves[(i >> 1) % 2]] as const;
    const box = { box_id: "x-1", shelf_id: shelf?.shelf_id ?? "", where: room?.label ?? "" };
    return [
      ["list_rooms", {}, { rooms }],
      ["add_box", { shelf_id: box.shelf_id }, { box_id: "x-1" }],
      ["show_box", { box_id: "x-1" }, box],
    ];
  });
  const world = worldOf(sessions, "task 3");
  world.call("add_box", { shelf_id: "s-300" });
  const box = { box_id: "x-1", shelf_id: "s-300", where: "Room 21" };
  expect(world.call("show_box", { box_id: "x-1" }).value).toEqual(box);
});

test("a list takes in each entry of a list that was given, once", () => {
  const tools = ["saw", "file", "plane", "awl", "rasp", "vice"];
  const sessions = Array.from({ length: 12 }, (_, i): Seen[] => {
    const held = [tools[i % 6] as string, "brush"];
    const put = [tools[i % 6] as string, tools[(i + 1) % 6] as string];
    return [
      ["get_bin", { bin_id: "b-1" }, { bin_id: "b-1", tools: held }],
      ["fill_bin", { bin_id: "b-1", tools: put }, { filled: true }],
      ["get_bin", { bin_id: "b-1" }, { bin_id: "b-1", tools: [...held, put[1] as string] }],
    ];
  });
  const world = worldOf(sessions, "task 0");
  world.call("fill_bin", { bin_id: "b-1", tools: ["vice", "saw", "awl"] });
  expect(world.call("get_bin", { bin_id: "b-1" }).value).toEqual({
    bin_id: "b-1",
    tools: ["saw", "brush", "vice", "awl"],
  });
});
