import { expect, it } from "vitest";
import { finishedTrial } from "../../../chapters/sandboxes/worlds/worlds.ts";
import type { BaseState, Bundle } from "../../../worlds/bundle.ts";
import { playCall } from "../../../worlds/tasks/trial.ts";
import { createWorld } from "../../../worlds/world.ts";
import { behaves } from "../../worlds/fixtures/behaviour.ts";

/** `paint` counts its calls in a table of the compiler's own; nobody knows what it does to a room. */
const bundle: Bundle = {
  v: 1,
  name: "rooms",
  tools: ["set", "paint", "burn"].map((name) => ({ name, inputSchema: { type: "object" as const } })),
  tables: [
    { name: "rooms", key: ["id"], columns: [{ name: "state", types: ["string"], present: 1 }] },
    { name: "steps", key: ["id"], columns: [], internal: true },
  ],
  now: 0,
  behaviours: {
    set: behaves('update rooms by id set state = {to}; update steps by id = "1" set n += 1; answer "done"', "write"),
  },
  exceptions: [],
  gaps: [],
  footprints: {
    paint: { tables: { rooms: { named: ["state"] } } },
    burn: { tables: { rooms: { others: "*", made: true } } },
  },
};
const base: BaseState = {
  tables: { rooms: { R1: { id: "R1", state: "free" } }, steps: { "1": { id: "1", n: 0 } } },
  drawn: {},
};

it("a trial read from a journal is that of calls made here: what only became unknown was not changed", () => {
  const calls = [
    ["set", { id: "R1", to: "let" }],
    ["paint", { id: "R1" }],
    ["set", { id: "R1", to: "let" }],
    ["paint", { id: "R1" }],
    ["set", { id: "R1", to: "free" }],
    ["burn", {}],
  ] as const;
  const here = createWorld(bundle, base);
  const made = calls.map(([tool, args]) => playCall(here, tool, args));
  const served = createWorld(bundle, base);
  const entries = calls.map(([tool, args], i) => {
    served.call(tool, args);
    const entry = served.lastEntry(i);
    if (entry === undefined) throw new Error("no entry");
    return entry;
  });
  const { calls: read, diff } = finishedTrial(entries, served, []);
  expect(made.map(({ changed }) => changed)).toEqual([true, false, false, false, true, false]);
  expect(read.map(({ at: _at, ...call }) => call)).toEqual(made);
  expect(diff).toEqual(here.diff());
});
