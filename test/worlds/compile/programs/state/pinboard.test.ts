import { describe, expect, test } from "vitest";
import { manifest } from "../../../../../worlds/compile/listing.ts";
import { callsByTool, observe } from "../../../../../worlds/compile/observations.ts";
import { compilePrograms } from "../../../../../worlds/compile/programs/compile.ts";
import {
  column,
  constant,
  type Env,
  evaluate,
  type Row,
  UNKNOWN,
} from "../../../../../worlds/compile/programs/expressions/expr.ts";
import { linesText } from "../../../../../worlds/compile/programs/state/lines.ts";
import type { JsonObject } from "../../../../../worlds/json.ts";
import type { Random } from "../../../../../worlds/samples/desk/random.ts";
import { Starts } from "../../../../../worlds/starts.ts";
import type { World } from "../../../../../worlds/world-api.ts";
import { type Answered, type Asked, data, refused, type Service, sessions } from "../services.ts";

interface Note {
  readonly note_id: string;
  readonly title: string;
  done: boolean;
  starred: boolean;
}

const TITLES = ["paint", "nails", "glue", "rope", "chalk", "lamp oil", "twine", "wax"];

/** Notes whose next number follows the largest that is there, written out as a table of which each column has its own words. */
class Pinboard implements Service {
  readonly tools = ["pin_note", "unpin_note", "finish_note", "star_note", "show_board"];
  private readonly notes: Note[] = [];
  private next: Asked[] = [["show_board", {}]];

  call(tool: string, { note_id, title }: JsonObject): Answered {
    if (tool === "pin_note") {
      const number = Math.max(0, ...this.notes.map((note) => Number(note.note_id.slice(2)))) + 1;
      this.notes.push({ note_id: `n-${number}`, title: String(title), done: false, starred: false });
      return data(this.notes.at(-1));
    }
    if (tool === "show_board") {
      const rows = this.notes.map(
        (note) =>
          `| ${note.note_id} | ${note.title} | ${note.done ? "finished" : "to do"} | ${note.starred ? "*" : "-"} |`,
      );
      return data({ board: ["| Note | Title | State | Star |", ...rows, ""].join("\n"), notes: this.notes });
    }
    const at = this.notes.findIndex((note) => note.note_id === note_id);
    const note = this.notes[at];
    if (!note) return refused("There is no such note.");
    if (tool === "unpin_note") this.notes.splice(at, 1);
    if (tool === "finish_note") note.done = true;
    if (tool === "star_note") note.starred = true;
    return data(tool === "unpin_note" ? { unpinned: note_id as string } : note);
  }

  ask(random: Random): Asked {
    const next = this.next.shift();
    if (next) return next;
    const newest = this.notes.at(-1)?.note_id;
    if (newest && random.chance(0.15)) {
      this.next = [["show_board", {}]];
      return ["unpin_note", { note_id: newest }];
    }
    if (random.chance(0.3)) return ["pin_note", { title: random.pick(TITLES) }];
    if (random.chance(0.4) || !newest) return ["show_board", {}];
    const { note_id, starred, done } = random.pick(this.notes);
    // What is finished is hardly ever starred: both words at once are seldom seen.
    if (done || starred || random.chance(0.2)) return ["show_board", {}];
    return [random.chance(0.5) ? "finish_note" : "star_note", { note_id }];
  }
}

function worldOf(): World {
  const seeds = Array.from({ length: 24 }, (_, i) => i);
  const train = observe(sessions(() => new Pinboard(), seeds));
  const byTool = callsByTool(train);
  const tools = manifest(undefined, byTool);
  return new Starts(compilePrograms(train, byTool, tools, "pinboard")).fresh("another task");
}

describe("a pinboard", () => {
  test("makes notes though some come again under a number that was taken away", () => {
    const made = worldOf().call("pin_note", { title: "rope" });
    expect(made.value).toEqual({ note_id: "n-1", title: "rope", done: false, starred: false });
  });

  test("writes each column of a table by what it rests on, in combinations that were not seen", () => {
    const note = (at: number, done: boolean, starred: boolean): [string, Row] => [
      `n-${at}`,
      { note_id: `n-${at}`, title: TITLES[at % 8] as string, done, starred },
    ];
    const envOf = (notes: [string, Row][]): Env => ({
      args: {},
      facts: { cells: new Map(), tables: new Map([["notes", { rows: new Map(notes), complete: true }]]) },
    });
    const written = (notes: [string, Row][]): string =>
      notes
        .map(
          ([id, { title, done, starred }]) =>
            `| ${id} | ${String(title)} | ${done ? "finished" : "to do"} | ${starred ? "*" : "-"} |\n`,
        )
        .join("");
    const boards = Array.from({ length: 12 }, (_, i) => [note(i, i % 3 === 0, false), note(i + 1, false, i % 3 === 1)]);
    const examples = boards.map((notes, session) => ({
      env: envOf(notes),
      target: `Board\n${written(notes)}`,
      session,
    }));
    const own = ["note_id", "title", "done", "starred"].map((name) => column("row", name));
    const text = linesText(examples, "notes", constant(true), own, []);
    const both = [note(1, true, true), note(2, false, false)];
    expect(text && evaluate(text, envOf(both))).toBe(`Board\n${written(both)}`);

    const seldom = Array.from({ length: 40 }, (_, i) => [
      note(i, i % 3 === 0, i === 7),
      note(i + 1, i % 4 === 0, false),
    ]);
    const shown = seldom.map((notes, session) => ({ env: envOf(notes), target: `Board\n${written(notes)}`, session }));
    const hardly = linesText(shown, "notes", constant(true), own, []);
    const plain = [note(1, true, false), note(2, false, false)];
    expect(hardly && evaluate(hardly, envOf(plain))).toBe(`Board\n${written(plain)}`);
    // What one session alone shows is not known: no word is written in its place.
    expect(hardly && evaluate(hardly, envOf(both))).toBe(UNKNOWN);
  });
});
