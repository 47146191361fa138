import type { JsonObject } from "../../../../worlds/json.ts";
import type { Random } from "../../../../worlds/samples/desk/random.ts";
import { type Answered, type Asked, data, refused, type Service } from "./services.ts";

interface Room {
  readonly rooms: Map<string, Room>;
  readonly notes: Map<string, string>;
}

const room = (): Room => ({ rooms: new Map(), notes: new Map() });
const NOTES = ["roof", "lamp", "stairs", "wood", "keys"];
const TEXTS = ["dry it", "oil\nturn it twice", "three steps are loose", "cut oak\ncut ash\nstack it", "by the door"];

/** Notes in rooms that stand in each other, like files in folders, of which one is the room at hand. */
export class Attic implements Service {
  readonly tools = ["spot", "view", "go", "raise_room", "write_note", "show_note", "tear_up", "count_in"];
  private readonly path: { name: string; room: Room }[] = [];

  constructor(task: number) {
    const attic = room();
    for (const name of ["west", "east", "loft"].slice(task % 2)) attic.rooms.set(name, room());
    attic.rooms.get("east")?.rooms.set("box", room());
    attic.rooms.get("east")?.notes.set("roof", TEXTS[task] as string);
    attic.notes.set("lamp", TEXTS[task + 1] as string);
    this.path.push({ name: "attic", room: attic });
  }

  private get here(): Room {
    return this.path.at(-1)?.room as Room;
  }

  private get full(): string {
    return `/${this.path.map(({ name }) => name).join("/")}`;
  }

  call(tool: string, args: JsonObject): Answered {
    const { here } = this;
    if (tool === "spot") return data({ place: this.full });
    if (tool === "view") return data({ holds: [...here.rooms.keys(), ...here.notes.keys()].sort() });
    if (tool === "go") {
      const to = String(args.to);
      if (to === "..") {
        if (this.path.length === 1) return refused("There is nothing above the attic");
        this.path.pop();
        return data({ in: this.path.at(-1)?.name as string });
      }
      const next = here.rooms.get(to);
      if (!next) return refused(`No room ${to} in here`);
      this.path.push({ name: to, room: next });
      return data({ in: to });
    }
    if (tool === "raise_room") {
      const name = String(args.name);
      if (here.rooms.has(name) || here.notes.has(name)) return refused(`${name} is there already`);
      here.rooms.set(name, room());
      return data(null);
    }
    const note = String(args.note);
    if (tool === "write_note") {
      here.notes.set(note, String(args.text));
      return data(null);
    }
    const text = here.notes.get(note);
    if (text === undefined) return refused(`No note ${note} in here`);
    if (tool === "show_note") return data({ text });
    if (tool === "tear_up") {
      here.notes.delete(note);
      return data({ result: `${note} is torn up` });
    }
    const count = { words: text.split(/\s+/).length, lines: text.split("\n").length, characters: text.length };
    return data({ count: count[String(args.what) as keyof typeof count], what: String(args.what) });
  }

  ask(random: Random): Asked {
    const at = random.next();
    const note = random.pick([...NOTES, ...this.here.notes.keys(), ...this.here.notes.keys()]);
    if (at < 0.1) return ["spot", {}];
    if (at < 0.25) return ["view", {}];
    if (at < 0.45) return ["go", { to: random.pick(["..", "..", "box", "loft", "bin", ...this.here.rooms.keys()]) }];
    if (at < 0.53) return ["raise_room", { name: random.pick(["bin", "rack", "west", "nook"]) }];
    if (at < 0.66) return ["write_note", { note, text: random.pick(TEXTS) }];
    if (at < 0.83) return ["show_note", { note }];
    if (at < 0.9) return ["tear_up", { note }];
    return ["count_in", { note, what: random.pick(["words", "lines", "characters"]) }];
  }
}
