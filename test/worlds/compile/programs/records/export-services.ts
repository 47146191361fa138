import type { ToolDefinition } from "../../../../../worlds/bundle.ts";
import type { Json, JsonObject } from "../../../../../worlds/json.ts";
import type { Random } from "../../../../../worlds/samples/desk/random.ts";
import type { Answered, Asked, Service } from "../services.ts";

const data = (value: unknown): Answered => ({ result: JSON.stringify(value), isError: false });
const text = (words: string): Answered => ({ result: words, isError: false });
const refused = (words: string): Answered => ({ result: JSON.stringify({ error: words }), isError: true });

const tool = (
  name: string,
  properties: Readonly<Record<string, string>>,
  required: readonly string[] = [],
): ToolDefinition => ({
  name,
  inputSchema: {
    type: "object",
    properties: Object.fromEntries(Object.entries(properties).map(([of, type]) => [of, { type }])),
    required: [...required],
  },
});

const BAYS = ["A1", "A2", "B1", "B2"];
const WHAT = ["Copper pipe", "Copper wire", "Pine boards", "Oak boards", "Glass pane", "Roof tiles", "Pipe clamps"];

/** Crates of a store, as its database has them: every session starts with these. */
export const CRATES: readonly JsonObject[] = Array.from({ length: 40 }, (_, i) => ({
  crate_no: `C-${String(i * 3 + 1).padStart(4, "0")}`,
  label: `${WHAT[(i * 5) % WHAT.length]} ${(i % 9) + 1}`,
  bay: BAYS[(i * 7) % 4] as string,
  weight: ((i * 37) % 83) + 5,
}));

/** The same as a CSV export holds it: every value a text. */
export const CRATES_EXPORT = CRATES.map((row) =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, String(value)])),
);

export const STORE_TOOLS = [
  tool("find_crates", { text: "string", bay: "string", at_least: "number" }),
  tool("get_crate", { crate_no: "string" }, ["crate_no"]),
  tool("add_crate", { label: "string", bay: "string", weight: "number" }, ["label", "bay", "weight"]),
  tool("move_crate", { crate_no: "string", to: "string" }, ["crate_no", "to"]),
  tool("retire_crate", { crate_no: "string" }, ["crate_no"]),
  tool("merge_crates", { first: "string", second: "string" }),
];

/** Crates that are searched, added, moved and retired. */
export class Store implements Service {
  readonly tools = STORE_TOOLS.map(({ name }) => name);
  private readonly rows = new Map(CRATES.map((row) => [String(row.crate_no), { ...row }]));

  call(name: string, args: JsonObject): Answered {
    const row = this.rows.get(String(args.crate_no));
    if (name === "find_crates") return data({ crates: this.find(args) });
    if (name === "add_crate") {
      const largest = Math.max(...[...this.rows.keys()].map((key) => Number(key.slice(2))));
      const crate_no = `C-${String(largest + 1).padStart(4, "0")}`;
      this.rows.set(crate_no, {
        crate_no,
        label: args.label as Json,
        bay: args.bay as Json,
        weight: args.weight as Json,
      });
      return text(`Crate ${crate_no} is in bay ${args.bay}.`);
    }
    if (!row) return refused(`There is no crate ${args.crate_no}`);
    if (name === "get_crate") return data(row);
    if (name === "move_crate") {
      if (!BAYS.includes(String(args.to))) return refused(`Bay is one of 'A1', 'A2', 'B1', 'B2'`);
      row.bay = args.to as Json;
    }
    if (name === "retire_crate") this.rows.delete(String(args.crate_no));
    return data({ done: true });
  }

  private find({ text: words, bay, at_least }: JsonObject): JsonObject[] {
    return [...this.rows.values()]
      .filter((row) => words === undefined || String(row.label).toLowerCase().includes(String(words).toLowerCase()))
      .filter((row) => bay === undefined || row.bay === bay)
      .filter((row) => at_least === undefined || Number(row.weight) >= Number(at_least))
      .sort((a, b) => Number(b.weight) - Number(a.weight))
      .slice(0, 6)
      .map(({ crate_no, label, bay: at, weight }) => ({ crate_no, label, bay: at, weight }) as JsonObject);
  }

  ask(random: Random): Asked {
    const keys = [...this.rows.keys()];
    const crate_no = random.chance(0.1)
      ? `C-${random.int(500, 900)}`
      : random.chance(0.5)
        ? (keys.at(-1) as string)
        : random.pick(keys);
    const dice = random.next();
    if (dice < 0.4) {
      const words = random.pick(["copper", "PIPE", "boards", "tiles 3", "Oak", "lead"]);
      const bay = random.pick(BAYS);
      const at_least = random.int(1, 12) * 8;
      const all: readonly JsonObject[] = [
        { text: words },
        { bay },
        { at_least },
        { text: words, bay },
        { bay, at_least },
        { text: words, at_least },
      ];
      return ["find_crates", random.pick(all)];
    }
    if (dice < 0.6) return ["get_crate", { crate_no }];
    if (dice < 0.75)
      return [
        "add_crate",
        { label: `${random.pick(WHAT)} ${random.int(10, 30)}`, bay: random.pick(BAYS), weight: random.int(5, 90) },
      ];
    if (dice < 0.9) return ["move_crate", { crate_no, to: random.chance(0.15) ? "Z9" : random.pick(BAYS) }];
    return ["retire_crate", { crate_no }];
  }
}

const TOWNS = ["Aldermoor", "Brack", "Calder"];

/** Members of a club. Its tools show their numbers and names, and nothing else. */
export const MEMBERS: readonly JsonObject[] = Array.from({ length: 30 }, (_, i) => ({
  member_id: 200 + i,
  name: `${["Ada", "Ben", "Cy", "Dee", "Eli"][i % 5]} ${["Moss", "Fenn", "Reed"][(i * 2) % 3]}`,
  town: TOWNS[(i * 2 + (i % 4)) % 3] as string,
  phone: `555-${String(1000 + i * 7)}`,
}));

export const CLUB_TOOLS = [
  tool("members_of", { town: "string" }, ["town"]),
  tool("member_field", { member_id: "integer", field: "string" }, ["member_id", "field"]),
  tool("note_call", { member_id: "integer", remark: "string" }, ["member_id"]),
  tool("expel", { member_id: "integer" }, ["member_id"]),
];

/** A club that is asked who lives where and who somebody is. */
export class Club implements Service {
  readonly tools = CLUB_TOOLS.map(({ name }) => name);

  call(name: string, args: JsonObject): Answered {
    if (name === "members_of")
      return data(
        MEMBERS.filter(({ town }) => town === args.town).map((row) => ({ member_id: row.member_id, name: row.name })),
      );
    if (name === "note_call") return text("Noted.");
    const row = MEMBERS.find(({ member_id }) => member_id === args.member_id);
    if (!row) return text("Nobody has this number.");
    return data({ [String(args.field)]: row[String(args.field)] });
  }

  ask(random: Random): Asked {
    if (random.chance(0.4)) return ["members_of", { town: random.pick([...TOWNS, "Nowhere"]) }];
    if (random.chance(0.2)) return ["note_call", { member_id: random.int(200, 229), remark: "called" }];
    return ["member_field", { member_id: random.int(195, 229), field: "name" }];
  }
}
