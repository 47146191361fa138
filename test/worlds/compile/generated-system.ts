import type { Json, JsonObject } from "../../../worlds/json.ts";
import type { ObservedTrace } from "../../../worlds/observation.ts";
import { type Random, random } from "../../../worlds/tasks/random.ts";

/** A tool of a generated system: what it is asked with and what it does. */
interface Tool {
  readonly name: string;
  args(state: State, draw: Random): JsonObject;
  /** Undefined is a refusal: there is no such row. */
  call(state: State, args: JsonObject): Json | undefined;
}

interface State {
  readonly rows: Map<string, JsonObject>;
  readonly notes: Map<string, JsonObject>;
}

const LEVELS = ["low", "middle", "high"];
const OWNERS = ["ann", "bob", "cleo"];

const boxId = (state: State, draw: Random): JsonObject => ({ box_id: draw.pick([...state.rows.keys()]) });
const change = (state: State, args: JsonObject, set: (row: JsonObject) => JsonObject): JsonObject | undefined => {
  const row = state.rows.get(String(args.box_id));
  if (!row) return undefined;
  const after = { ...row, ...set(row) };
  state.rows.set(String(args.box_id), after);
  return after;
};

/** What systems are made of: two reading tools always, and some of the others. */
const READS: readonly Tool[] = [
  { name: "get_box", args: boxId, call: ({ rows }, args) => rows.get(String(args.box_id)) },
  {
    name: "get_note",
    args: ({ notes }, draw) => ({ note_id: draw.pick([...notes.keys()]) }),
    call: ({ notes }, args) => notes.get(String(args.note_id)),
  },
  {
    name: "get_note_level",
    args: ({ notes }, draw) => ({ note_id: draw.pick([...notes.keys()]) }),
    call: ({ notes, rows }, args) => ({
      level: rows.get(String(notes.get(String(args.note_id))?.box_id))?.level as Json,
    }),
  },
  {
    name: "search_boxes",
    args: (_, draw) => ({ owner: draw.pick(OWNERS) }),
    call: ({ rows }, args) => [...rows.values()].filter((row) => row.owner === args.owner),
  },
];

const WRITES: readonly Tool[] = [
  {
    name: "set_level",
    args: (state, draw) => ({ ...boxId(state, draw), level: draw.pick(LEVELS) }),
    call: (state, args) => change(state, args, () => ({ level: args.level as Json })),
  },
  {
    name: "rename_box",
    args: (state, draw) => ({ ...boxId(state, draw), label: `label ${draw.below(90)}` }),
    call: (state, args) => change(state, args, () => ({ label: args.label as Json })) && { ok: true },
  },
  {
    name: "fill_box",
    args: (state, draw) => ({ ...boxId(state, draw), amount: 1 + draw.below(5) }),
    call: (state, args) => change(state, args, (row) => ({ held: (row.held as number) + (args.amount as number) })),
  },
  {
    name: "shake_box",
    args: boxId,
    call: (state, args) =>
      change(state, args, (row) => ({
        level: LEVELS[(String(row.label).length * 7 + (row.held as number) * 5) % 3] as string,
      })) && { done: true },
  },
  {
    name: "hand_over_box",
    args: (state, draw) => ({ ...boxId(state, draw), owner: draw.pick(OWNERS) }),
    call: (state, args) => change(state, args, () => ({ owner: args.owner as Json })),
  },
  {
    name: "delete_box",
    args: boxId,
    call: ({ rows }, args) => (rows.delete(String(args.box_id)) ? { deleted: args.box_id as Json } : undefined),
  },
  {
    name: "create_box",
    args: (_, draw) => ({ owner: draw.pick(OWNERS), label: `made ${draw.below(90)}` }),
    call: ({ rows }, args) => {
      const box_id = `B-${200 + rows.size}`;
      const row: JsonObject = { box_id, owner: args.owner as Json, label: args.label as Json, level: "low", held: 0 };
      rows.set(box_id, row);
      return row;
    },
  },
];

function fresh(): State {
  const boxes = Array.from({ length: 14 }, (_, i): [string, JsonObject] => [
    `B-${100 + i}`,
    {
      box_id: `B-${100 + i}`,
      owner: OWNERS[i % 3] as string,
      label: `box ${i}`,
      level: LEVELS[(i * 2) % 3] as string,
      held: i % 4,
    },
  ]);
  const notes = Array.from({ length: 14 }, (_, i): [string, JsonObject] => [
    `N-${500 + i}`,
    { note_id: `N-${500 + i}`, box_id: `B-${100 + i}`, text: `about ${i}` },
  ]);
  return { rows: new Map(boxes), notes: new Map(notes) };
}

/** Sessions of a small system of some tables and tools, both by the seed. */
export function generatedSessions(seed: string, n: number, kind: string): ObservedTrace[] {
  const own = random(`system ${seed}`);
  const reads = [READS[0] as Tool, ...own.shuffled(READS.slice(1)).slice(0, 1 + own.below(3))];
  const tools = [...reads, ...own.shuffled(WRITES).slice(0, 2 + own.below(3))];
  return Array.from({ length: n }, (_, s): ObservedTrace => {
    const draw = random(`${seed} ${kind} ${s}`);
    const state = fresh();
    const focus = draw.pick([...state.rows.keys()]);
    const calls = Array.from({ length: 10 }, () => {
      const tool = draw.below(2) === 0 ? draw.pick(reads) : draw.pick(tools);
      const args = tool.args(state, draw);
      // Sessions come back to one row: what a call left is looked at again.
      if (args.box_id !== undefined && draw.below(3) > 0) args.box_id = focus;
      if (args.note_id !== undefined && draw.below(3) > 0) args.note_id = `N-${400 + Number(focus.slice(2))}`;
      const value = tool.call(state, args);
      return value === undefined
        ? { tool: tool.name, args, result: `Error: Box ${String(args.box_id)} not found`, isError: true }
        : { tool: tool.name, args, result: JSON.stringify(value), isError: false };
    });
    return { id: `${kind} ${s}`, group: `${kind} ${s}`, startedAt: 1_750_000_000 + s, calls };
  });
}
