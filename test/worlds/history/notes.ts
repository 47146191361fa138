import type { Json, JsonObject } from "../../../worlds/json.ts";
import type { ObservedTrace } from "../../../worlds/observation.ts";
import { random } from "../../../worlds/tasks/random.ts";

/** A service of notes: ids are drawn anew in every session, some notes are there from the start. */
export class Notes {
  private readonly rows = new Map<string, JsonObject>();
  private readonly draw: () => string;

  constructor(seed: string) {
    const rng = random(`ids ${seed}`);
    this.draw = () =>
      `note-${rng
        .below(16 ** 7)
        .toString(16)
        .padStart(7, "0")}`;
    for (const [id, text] of [
      ["welcome-1", "Welcome"],
      ["rules-1", "The rules"],
    ] as const)
      this.rows.set(id, { id, text, done: false });
  }

  call(tool: string, args: JsonObject): { value: Json; isError: boolean } {
    if (tool === "add_note") {
      const row = { id: this.draw(), text: args.text as Json, done: false };
      this.rows.set(row.id, row);
      return { value: row, isError: false };
    }
    if (tool === "list_notes") return { value: [...this.rows.values()], isError: false };
    const row = this.rows.get(String(args.id));
    if (!row) return { value: `Error: no note ${String(args.id)}`, isError: true };
    if (tool === "get_note") return { value: row, isError: false };
    const changed = { ...row, done: true };
    this.rows.set(String(args.id), changed);
    return { value: changed, isError: false };
  }
}

const TEXTS = ["milk", "bread", "a lamp"];

/** Sessions that add, finish and read notes. */
export function noteTraces(n: number, from = 0): ObservedTrace[] {
  return Array.from({ length: n }, (_, k): ObservedTrace => {
    const i = from + k;
    const rng = random(`session ${i}`);
    const notes = new Notes(String(i));
    const ids = ["welcome-1", "rules-1"];
    const calls = Array.from({ length: 8 }, () => {
      const pick = rng.below(5);
      const id = rng.pick(ids);
      const [tool, args]: [string, JsonObject] =
        pick === 0
          ? ["add_note", { text: rng.pick(TEXTS) }]
          : pick === 1
            ? ["finish_note", { id }]
            : pick === 2
              ? ["list_notes", {}]
              : ["get_note", { id: pick === 3 ? id : "nowhere" }];
      const { value, isError } = notes.call(tool, args);
      if (tool === "add_note") ids.push(String((value as JsonObject).id));
      return { tool, args, result: typeof value === "string" ? value : JSON.stringify(value), isError };
    });
    return { id: `session ${i}`, startedAt: 1_750_000_000 + i * 60, calls };
  });
}
