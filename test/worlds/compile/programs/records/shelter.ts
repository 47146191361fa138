import type { ToolDefinition } from "../../../../../worlds/bundle.ts";
import type { JsonObject } from "../../../../../worlds/json.ts";
import type { Random } from "../../../../../worlds/samples/desk/random.ts";
import { type Answered, type Asked, data, refused, type Service } from "../services.ts";

const KINDS = ["cat", "dog", "goat"];
const NAMES = ["Abel", "Bess", "Coco", "Dina", "Egon", "Fips", "Gina"];
/** What a day costs, by how an animal is. */
const RATES: Readonly<Record<string, number>> = { well: 8, sick: 21, quarantined: 35, adopted: 0 };
const STATES = Object.keys(RATES);

interface Animal {
  tag: string;
  name: string;
  kind: string;
  state: string;
  rate: number;
  weight: number;
}

const animal = (i: number): Animal => {
  const state = STATES[(i * 3 + (i >> 2)) % STATES.length] as string;
  return {
    tag: `S${i + 11}`,
    name: `${NAMES[(i * 5) % NAMES.length]} ${i % 3}`,
    kind: KINDS[(i * 7 + (i >> 3)) % KINDS.length] as string,
    state,
    rate: RATES[state] as number,
    weight: ((i * 17) % 40) + 3,
  };
};

export const ANIMALS: readonly Animal[] = Array.from({ length: 24 }, (_, i) => animal(i));

const tool = (name: string, names: Readonly<Record<string, string>>): ToolDefinition => ({
  name,
  inputSchema: {
    type: "object",
    properties: Object.fromEntries(Object.entries(names).map(([of, type]) => [of, { type }])),
  },
});

export const SHELTER_TOOLS = [
  tool("find_animals", {
    kind: "string",
    name: "string",
    adoptable: "boolean",
    order: "string",
    limit: "integer",
    skip: "integer",
  }),
  tool("get_animal", { tag: "string" }),
  tool("set_animal", { tag: "string", field: "string", value: "string" }),
  tool("see_vet", { tag: "string", reason: "string" }),
  tool("take_in", { name: "string", kind: "string", weight: "integer", state: "string" }),
  tool("release", { tag: "string" }),
  tool("sum_up", { kind: "string" }),
];

/** Animals that are found in parts of a list and summed up; what one costs follows from its state. */
export class Shelter implements Service {
  readonly tools = SHELTER_TOOLS.map(({ name }) => name);
  private rows: Animal[] = ANIMALS.map((row) => ({ ...row }));
  private next = 11 + ANIMALS.length;

  call(name: string, args: JsonObject): Answered {
    if (name === "find_animals") return this.find(args);
    if (name === "sum_up") {
      if (!KINDS.includes(String(args.kind))) return refused(`No kind '${args.kind}' here`);
      const of = this.rows.filter(({ kind }) => kind === args.kind);
      const here = of.filter(({ state }) => state !== "adopted");
      const sum = (column: "weight" | "rate") => here.reduce((all, one) => all + one[column], 0);
      return data({ kind: args.kind, all: of.length, here: here.length, weight: sum("weight"), per_day: sum("rate") });
    }
    if (name === "take_in") {
      const state = String(args.state ?? "quarantined");
      const tag = `S${this.next++}`;
      const { name: called, kind, weight } = args;
      this.rows.push({
        tag,
        name: String(called),
        kind: String(kind),
        state,
        rate: RATES[state] ?? 0,
        weight: Number(weight),
      });
      return data({ tag });
    }
    const row = this.rows.find(({ tag }) => tag === args.tag);
    if (!row) return refused(`No animal ${args.tag}`);
    if (name === "get_animal") return data({ ...row, per_week: row.rate * 7, load: row.rate * row.weight });
    if (name === "release") {
      this.rows = this.rows.filter((one) => one !== row);
      return data({ released: row.tag });
    }
    if (name === "set_animal") {
      const { field, value } = args;
      if (field !== "state" && field !== "name") return refused(`Field '${field}' is fixed`);
      if (field === "state" && row.state === "adopted") return refused(`${row.tag} has left (adopted)`);
      this.set(row, String(field), String(value));
      return data({ ok: true });
    }
    if (row.state === "sick" && args.reason === "cure") this.set(row, "state", "well");
    return data({ tag: row.tag, state: row.state });
  }

  private set(row: Animal, field: string, value: string): void {
    if (field === "name") row.name = value;
    else Object.assign(row, { state: value, rate: RATES[value] });
  }

  private find({ kind, name, adoptable, order, limit, skip }: JsonObject): Answered {
    const found = this.rows.filter(
      (one) =>
        (kind === undefined || one.kind === kind) &&
        one.name.toLowerCase().includes(String(name ?? "").toLowerCase()) &&
        (adoptable !== true || one.state === "well"),
    );
    if (order === "weight") found.sort((a, b) => b.weight - a.weight);
    if (order === "name") found.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
    const from = Number(skip ?? 0);
    const animals = found.slice(from, from + Number(limit ?? 5));
    return data({ count: found.length, more: from + animals.length < found.length, animals });
  }

  ask(random: Random): Asked {
    const tag = random.chance(0.06) ? `S${random.int(90, 99)}` : random.pick(this.rows).tag;
    const kind = random.pick(KINDS);
    const roll = random.int(0, 19);
    if (roll <= 8) {
      const asked: JsonObject = {};
      if (random.chance(0.6)) asked.kind = kind;
      if (random.chance(0.3)) asked.name = random.pick(NAMES);
      if (random.chance(0.3)) asked.adoptable = true;
      if (random.chance(0.4)) asked.order = random.pick(["name", "weight"]);
      if (random.chance(0.3)) asked.limit = random.int(1, 8);
      if (random.chance(0.3)) asked.skip = random.int(1, 6);
      return ["find_animals", asked];
    }
    if (roll <= 12) return ["get_animal", { tag }];
    if (roll <= 14) {
      const value = random.pick(STATES);
      return [
        "set_animal",
        random.chance(0.2) ? { tag, field: "name", value: "Zora" } : { tag, field: "state", value },
      ];
    }
    if (roll <= 16) return ["see_vet", { tag, reason: random.pick(["cure", "check"]) }];
    if (roll === 17) {
      const state = random.chance(0.5) ? { state: random.pick(STATES) } : {};
      return ["take_in", { name: "Hugo", kind, weight: random.int(4, 30), ...state }];
    }
    if (roll === 18) return ["release", { tag }];
    return ["sum_up", { kind: random.chance(0.15) ? "emu" : kind }];
  }
}
