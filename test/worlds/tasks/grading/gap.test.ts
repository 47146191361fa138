import { describe, expect, it } from "vitest";
import type { BaseState, Bundle, TableModel } from "../../../../worlds/bundle.ts";
import type { JsonObject } from "../../../../worlds/json.ts";
import { grade } from "../../../../worlds/tasks/grading/grade.ts";
import type { Check, FinishedTrial, Task } from "../../../../worlds/tasks/schema.ts";
import { playCall } from "../../../../worlds/tasks/trial.ts";
import { createWorld } from "../../../../worlds/world.ts";
import { behaves } from "../../fixtures/behaviour.ts";

const seed = "7";
const table = (name: string, column: string): TableModel => ({
  name,
  key: ["id"],
  columns: [{ name: column, types: ["string"], present: 1 }],
});
/** Rooms are read, booked and cleaned; nobody knows what `clean` and `paint` change of a room, or what `sniff` reads. */
const bundle: Bundle = {
  v: 1,
  name: "rooms",
  tools: ["read", "book", "clean", "paint", "sniff", "bill", "close"].map((name) => ({
    name,
    inputSchema: { type: "object" as const },
  })),
  tables: [table("rooms", "state"), table("stays", "room")],
  now: 0,
  behaviours: {
    read: behaves('answer lookup("rooms", args.id).state'),
    book: behaves('insert stays set room = args.id key "S{n:6}" as {id}', "write"),
    bill: behaves('answer lookup("stays", args.stay).room'),
  },
  exceptions: [],
  gaps: [],
  footprints: {
    clean: { tables: { rooms: { named: ["state"] } } },
    paint: { tables: { rooms: { named: ["state"] } } },
    close: { tables: { stays: { others: "*", made: true } } },
  },
};
const base: BaseState = {
  tables: { rooms: { R1: { id: "R1", state: "free" }, R2: { id: "R2", state: "let" } }, stays: {} },
  drawn: {},
};

const looked: Check = { kind: "calls_required", calls: [{ tool: "read" }] };
const told: Check = { kind: "answer_includes", facts: [{ value: "free", kind: "text" }] };
const task = (request: string, calls: Task["script"]["calls"], checks: Check[]): Task => ({
  id: "task_x",
  family: "lookup",
  cell: {},
  voice: { persona: "p", register: "plain" },
  request,
  turns: [],
  script: { calls, answer: "x", class: "answered" },
  checks,
  tier: "deterministic",
});
const state = (checks: Check[]) =>
  task("What is the state of room R1?", [{ tool: "read", args: { id: "R1" } }], checks);

function play(calls: readonly (readonly [string, JsonObject])[], text = "I cannot tell."): FinishedTrial {
  const world = createWorld(bundle, base, { seed });
  const made = calls.map(([tool, args]) => playCall(world, tool, args));
  return { calls: made, answers: [{ text }], diff: world.diff() };
}
const ended = (of: Task, calls: Parameters<typeof play>[0], text?: string) =>
  grade(of, play(calls, text), { bundle, base, seed });

describe("a gap of a needed call", () => {
  it("that only a call which nobody needed has brought about is the agent's", () => {
    const calls = [
      ["clean", { id: "R1" }],
      ["read", { id: "R1" }],
    ] as const;
    expect(play(calls).calls.map(({ answer_class }) => answer_class)).toEqual(["error:not_served", "error:not_served"]);
    expect(ended(state([told]), calls)).toMatchObject({ end: "failed" });
    expect(ended(state([looked]), calls)).toMatchObject({ end: "failed" });
    expect(ended(state([told]), [calls[1], calls[0], calls[1]])).toMatchObject({ end: "failed" });
  });

  it("that the world has anyway is the world's, whatever was called before it", () => {
    const unknown = task("Sniff at room R1.", [{ tool: "sniff", args: { id: "R1" } }], [told]);
    for (const before of [[], [["clean", { id: "R1" }]], [["read", { id: "R1" }]]] as const)
      expect(ended(unknown, [...before, ["sniff", { id: "R1" }]])).toMatchObject({ end: "invalid" });
  });

  it("after a needed change that the world does not know is the world's", () => {
    const calls = [
      { tool: "paint", args: { id: "R1" } },
      { tool: "read", args: { id: "R1" } },
    ];
    const painted = task("Paint room R1 and tell me its state.", calls, [looked]);
    const made = calls.map(({ tool, args }) => [tool, args] as const);
    expect(ended(painted, made)).toMatchObject({ end: "invalid" });
    expect(ended(painted, [...made.slice(0, 1), ["clean", { id: "R2" }], ...made.slice(1)])).toMatchObject({
      end: "invalid",
    });
  });

  it("is looked for among the rows that the session made", () => {
    const calls = [
      { tool: "book", args: { id: "R1" } },
      { tool: "bill", args: { stay: "$1.id" } },
    ];
    const billed = task("Book room R1 and bill it.", calls, [{ kind: "calls_required", calls: [{ tool: "bill" }] }]);
    const stay = play([["book", { id: "R1" }]]).calls[0]?.answer as { id: string };
    expect(
      ended(billed, [
        ["book", { id: "R1" }],
        ["bill", { stay: stay.id }],
      ]),
    ).toMatchObject({ end: "met" });
    expect(
      ended(billed, [
        ["book", { id: "R1" }],
        ["close", {}],
        ["bill", { stay: stay.id }],
      ]),
    ).toMatchObject({ end: "failed" });
  });
});
