import { expect, test } from "vitest";
import { parseLine } from "../../../../worlds/behaviour/line.ts";
import type { BaseState, Bundle } from "../../../../worlds/bundle.ts";
import type { ObservedTrace } from "../../../../worlds/observation.ts";
import { Replayer } from "../../../../worlds/tasks/observed/replay.ts";
import { createWorld } from "../../../../worlds/world.ts";

/** A door whose code may be tried three times: a wrong code is refused, and counted. */
const bundle: Bundle = {
  v: 1,
  name: "door",
  tools: [{ name: "enter_code", description: "", inputSchema: { type: "object" } }],
  tables: [{ name: "doors", key: ["door_id"], columns: [] }],
  now: 0,
  behaviours: {
    enter_code: {
      effect: "write",
      behaviour: parseLine(
        'update doors by door_id set tries = (args.code == "1234" ? 3 : row.tries - 1), open = args.code == "1234"; refuse "Error: Wrong code." when args.code != "1234"; answer "Open."',
      ),
      rendering: { wrap: [], text: "json" },
      volatile: [],
      support: { seen: 1, reproduced: 1 },
    },
  },
  exceptions: [],
  gaps: [],
} as unknown as Bundle;
const base: BaseState = { tables: { doors: { D1: { door_id: "D1", tries: 3, open: false } } }, drawn: {} };

function replayed(...results: readonly (readonly [code: string, result: string, isError: boolean])[]) {
  const trace: ObservedTrace = {
    id: "one",
    calls: results.map(([code, result, isError]) => ({
      tool: "enter_code",
      args: { door_id: "D1", code },
      result,
      isError,
    })),
  } as ObservedTrace;
  return new Replayer({ bundle, base }, [trace]).replay(trace, createWorld(bundle, base));
}

test("what a refusal changes in the world stays where the recorded trial was refused in the same words", () => {
  const { diff } = replayed(["0000", "Error: Wrong code.", true], ["1111", "Error: Wrong code.", true]);
  expect(diff).toMatchObject([{ table: "doors", key: "D1", after: { tries: 1 } }]);
});

test("a call that was refused changes nothing where the world would have taken it, or refused it otherwise", () => {
  expect(replayed(["1234", "Error: Wrong code.", true]).diff).toEqual([]);
  expect(replayed(["0000", "Error: The door is locked.", true]).diff).toEqual([]);
});

test("a change is corrected from the row as the journal holds it, also where a call before left cells unknown", () => {
  const written = (line: string) => ({
    ...{ effect: "write", behaviour: parseLine(line), rendering: { wrap: [], text: "json" }, volatile: [] },
    support: { seen: 1, reproduced: 1 },
  });
  const columns = ["door_id", "colour", "wear"].map((name) => ({ name }));
  const painted = {
    ...bundle,
    tools: ["use_door", "paint_door"].map((name) => ({ name, description: "", inputSchema: { type: "object" } })),
    tables: [{ name: "doors", key: ["door_id"], columns }],
    behaviours: {
      use_door: written('update doors by door_id set wear = unknown(); answer "Used."'),
      paint_door: written('update doors by door_id set colour = "grey"; answer "Painted."'),
    },
  } as unknown as Bundle;
  const drawn: BaseState = { tables: { doors: { D1: { door_id: "D1", colour: "white", wear: 1 } } }, drawn: {} };
  const args = { door_id: "D1" };
  const trace = {
    id: "one",
    calls: [
      { tool: "use_door", args, result: "Used.", isError: false },
      { tool: "paint_door", args, result: '{"door_id":"D1","colour":"red"}', isError: false },
    ],
  } as ObservedTrace;
  const world = createWorld(painted, drawn);
  const { diff, corrected } = new Replayer({ bundle: painted, base: drawn }, [trace]).replay(trace, world);
  expect(corrected).toBe(1);
  expect(diff).toMatchObject([{ table: "doors", key: "D1", after: { door_id: "D1", colour: "red" } }]);
  // What nobody knows of the row stays so.
  expect(world.row("doors", "D1")).toEqual({ door_id: "D1", colour: "red" });
});
