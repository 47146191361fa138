import type { Json, JsonObject } from "../../../../worlds/json.ts";
import type { ObservedTrace } from "../../../../worlds/observation.ts";
import { Random } from "../../../../worlds/samples/desk/random.ts";

export interface Answered {
  readonly result: Json;
  readonly isError: boolean;
}
export type Asked = readonly [tool: string, args: JsonObject];

/** A simulated service with state of its own. */
export interface Service {
  readonly tools: readonly string[];
  call(tool: string, args: JsonObject): Answered;
  /** A call that a client could make now. */
  ask(random: Random): Asked;
}
/** A service as sessions of a task find it. `random` draws what the service itself generates. */
export type Maker = (random: Random, task: number) => Service;

/** Tasks that sessions are shared out to. */
export const TASKS = 4;

export const data = (value: unknown): Answered => ({ result: JSON.stringify(value), isError: false });
export const refused = (text: string): Answered => ({ result: JSON.stringify({ error: text }), isError: true });

/** One session a seed: 12 to 20 calls each. */
export function sessions(make: Maker, seeds: readonly number[]): ObservedTrace[] {
  return seeds.map((seed) => {
    const task = seed % TASKS;
    const service = make(new Random(90_001 + seed * 7), task);
    const random = new Random(seed * 13 + 5);
    const calls = Array.from({ length: random.int(12, 20) }, () => {
      const [tool, args] = service.ask(random);
      return { tool, args, ...service.call(tool, args) };
    });
    return { id: `session ${String(seed).padStart(4, "0")}`, group: `task ${task}`, calls };
  });
}

/** A number that is set and read within limits. */
export class Oven implements Service {
  readonly tools = ["set_heat", "read_heat", "cool_down"];
  private heat = 20;

  call(tool: string, { degrees }: JsonObject): Answered {
    if (tool === "cool_down") this.heat = 20;
    if (tool === "set_heat") {
      if (Number(degrees) < 50 || Number(degrees) > 250) return refused("Heat lies between 50 and 250");
      this.heat = Number(degrees);
    }
    return data({ heat: this.heat, unit: "C" });
  }

  ask(random: Random): Asked {
    if (random.chance(0.5)) return ["set_heat", { degrees: random.int(0, 30) * 10 }];
    return [random.chance(0.7) ? "read_heat" : "cool_down", {}];
  }
}

/** A sum with a capacity. Each task begins with another level. */
export class Meter implements Service {
  readonly tools = ["fill", "drain", "level"];
  private litres: number;

  constructor(task: number) {
    this.litres = [5, 12, 20, 33][task] as number;
  }

  call(tool: string, args: JsonObject): Answered {
    const litres = Number(args.litres);
    if (tool === "fill") {
      if (this.litres + litres > 60) return refused("The barrel holds 60 litres");
      this.litres += litres;
    }
    if (tool === "drain") {
      if (litres > this.litres) return refused(`Not enough: ${this.litres} litres left`);
      this.litres -= litres;
    }
    return data({ litres: this.litres });
  }

  ask(random: Random): Asked {
    if (random.chance(0.35)) return ["level", {}];
    return [random.chance(0.55) ? "fill" : "drain", { litres: random.int(1, 15) }];
  }
}

const VISITORS: Readonly<Record<string, string>> = { Odalys: "7714", Tarquin: "2093", Ilse: "5568", Bram: "8831" };

/** One visitor at a time, who says a code. */
export class BadgeDesk implements Service {
  readonly tools = ["sign_in", "sign_out", "who"];
  private visitor: string | null = null;

  call(tool: string, { visitor, code }: JsonObject): Answered {
    if (tool === "who") return data({ visitor: this.visitor });
    if (tool === "sign_in") {
      if (this.visitor !== null) return refused("Somebody holds the badge");
      if (VISITORS[String(visitor)] !== code) return refused("Wrong code");
      this.visitor = String(visitor);
      return data({ badge: "handed out" });
    }
    if (this.visitor === null) return refused("Nobody holds the badge");
    this.visitor = null;
    return data({ badge: "taken back" });
  }

  ask(random: Random): Asked {
    const visitor = random.pick(Object.keys(VISITORS));
    const code = random.chance(0.75) ? VISITORS[visitor] : random.pick(["1111", "4242"]);
    if (random.chance(0.4)) return ["sign_in", { visitor, code: code as string }];
    return [random.chance(0.5) ? "sign_out" : "who", {}];
  }
}

const TITLES = ["Heron", "Quartz", "Lantern", "Thistle", "Marrow", "Cobalt", "Fennel", "Gantry", "Ember", "Willow"];

interface Book {
  book_id: string;
  title: string;
  finished: boolean;
  sequel_to: string | null;
}

/** Rows that are made, edited and finished; one may refer to another. Keys are drawn, or counted anew in every session. */
export class Shelf implements Service {
  readonly tools = ["add_book", "edit_book", "finish_book", "get_book", "list_books"];
  private readonly books = new Map<string, Book>();
  private readonly random: Random | undefined;

  constructor(random?: Random) {
    this.random = random;
  }

  private newId(): string {
    if (!this.random) return `vol-${this.books.size + 1}`;
    const { random } = this;
    return Array.from({ length: 12 }, () => random.int(0, 15).toString(16)).join("");
  }

  call(tool: string, args: JsonObject): Answered {
    if (tool === "list_books") return data({ books: [...this.books.values()] });
    if (tool === "add_book") {
      const before = (args.sequel_to as string | undefined) ?? null;
      if (before !== null && !this.books.has(before)) return refused(`No book ${before}`);
      const book = { book_id: this.newId(), title: String(args.title), finished: false, sequel_to: before };
      this.books.set(book.book_id, book);
      return data(book);
    }
    const book = this.books.get(String(args.book_id));
    if (!book) return refused(`No book ${args.book_id}`);
    if (tool === "edit_book") book.title = String(args.title);
    if (tool === "finish_book") {
      if (book.finished) return refused("The book is finished");
      book.finished = true;
    }
    return data(book);
  }

  ask(random: Random): Asked {
    const known = [...this.books.keys()];
    const title = `${random.pick(TITLES)} ${random.int(1, 90)}`;
    const book_id =
      known.length > 0 && random.chance(0.85) ? random.pick(known) : random.pick(["vol-77", "f00dfeed0001"]);
    const at = known.length < 2 ? 0 : random.next();
    if (at < 0.3) return ["add_book", random.chance(0.3) ? { title, sequel_to: book_id } : { title }];
    if (at < 0.45) return ["edit_book", { book_id, title }];
    if (at < 0.6) return ["finish_book", { book_id }];
    return at < 0.82 ? ["get_book", { book_id }] : ["list_books", {}];
  }
}

interface Step {
  step_id: string;
  text: string;
  done: boolean;
}

/** Rows nested in rows. */
export class Recipes implements Service {
  readonly tools = ["new_recipe", "add_step", "tick_step", "get_recipe"];
  private readonly recipes = new Map<string, { recipe_id: string; dish: string; steps: Step[] }>();
  private steps = 0;

  call(tool: string, args: JsonObject): Answered {
    if (tool === "new_recipe") {
      const recipe = { recipe_id: `dish${this.recipes.size + 1}`, dish: String(args.dish), steps: [] };
      this.recipes.set(recipe.recipe_id, recipe);
      return data(recipe);
    }
    const recipe = this.recipes.get(String(args.recipe_id));
    if (!recipe) return refused(`Recipe ${args.recipe_id} is unknown`);
    if (tool === "get_recipe") return data(recipe);
    if (tool === "add_step") {
      this.steps++;
      const step = { step_id: `st${this.steps}`, text: String(args.text), done: false };
      recipe.steps.push(step);
      return data(step);
    }
    const step = recipe.steps.find(({ step_id }) => step_id === args.step_id);
    if (!step) return refused(`Step ${args.step_id} is unknown`);
    step.done = true;
    return data(step);
  }

  ask(random: Random): Asked {
    const known = [...this.recipes.values()];
    if (known.length === 0 || random.chance(0.15)) return ["new_recipe", { dish: `${random.pick(TITLES)} soup` }];
    const { recipe_id, steps } = random.pick(known);
    const asked = random.chance(0.9) ? recipe_id : "dish40";
    const at = random.next();
    if (at < 0.35)
      return ["add_step", { recipe_id: asked, text: `Stir ${random.pick(TITLES)} ${random.int(2, 60)} times` }];
    const step_id = steps.length > 0 && random.chance(0.9) ? random.pick(steps).step_id : "st90";
    return at < 0.6 ? ["tick_step", { recipe_id: asked, step_id }] : ["get_recipe", { recipe_id: asked }];
  }
}

/** A list that is shown as a numbered text. */
export class Basket implements Service {
  readonly tools = ["put_in", "take_out", "show_basket"];
  private readonly empty: string;
  private things: string[] = [];

  /** `empty` is what it shows when nothing is in. */
  constructor(empty = "In the basket:\n") {
    this.empty = empty;
  }

  call(tool: string, args: JsonObject): Answered {
    const thing = String(args.thing);
    if (tool === "show_basket") {
      const lines = this.things.map((one, i) => `${i + 1}. ${one}`);
      return { result: lines.length > 0 ? `In the basket:\n${lines.join("\n")}` : this.empty, isError: false };
    }
    if (tool === "put_in") {
      this.things.push(thing);
      return { result: `Put ${thing} in.`, isError: false };
    }
    if (!this.things.includes(thing)) return { result: `Error: there is no ${thing}.`, isError: true };
    this.things = this.things.filter((one) => one !== thing);
    return { result: `Took ${thing} out.`, isError: false };
  }

  ask(random: Random): Asked {
    const left = TITLES.filter((title) => !this.things.includes(title));
    const at = random.next();
    if (at < 0.4 && left.length > 0) return ["put_in", { thing: random.pick(left) }];
    return at < 0.6 ? ["take_out", { thing: random.pick(TITLES) }] : ["show_basket", {}];
  }
}

const BOATS = Array.from({ length: 14 }, (_, i) => ({
  boat_id: `B${(i * 37) % 100}`,
  name: `${TITLES[i % TITLES.length]} ${["Star", "Queen", "Wake"][i % 3]}`,
  harbour: ["Norrvik", "Sallow Bay", "Pellan"][(i * 5) % 3] as string,
  rig: i % 4 < 2 ? "sloop" : "ketch",
  berths: 2 + (i % 5),
}));

/** Fixed rows that three filters and a limit narrow. */
export class Boats implements Service {
  readonly tools = ["find_boats", "get_boat"];
  private readonly boats: readonly (typeof BOATS)[number][];
  private readonly limits: boolean;

  /** Lists by name, or in an order that no column has; with a limit to them, or without. */
  constructor(order: "by name" | "as stored", limits: boolean) {
    this.boats = order === "by name" ? [...BOATS].sort((a, b) => (a.name < b.name ? -1 : 1)) : BOATS;
    this.limits = limits;
  }

  call(tool: string, { harbour, rig, berths, limit, boat_id }: JsonObject): Answered {
    if (tool === "get_boat") {
      const boat = BOATS.find((one) => one.boat_id === boat_id);
      return boat ? data(boat) : refused(`There is no boat ${boat_id}`);
    }
    const found = this.boats.filter(
      (one) =>
        (harbour === undefined || one.harbour === harbour) &&
        (rig === undefined || one.rig === rig) &&
        (berths === undefined || one.berths >= Number(berths)),
    );
    return data({ boats: found.slice(0, limit === undefined ? undefined : Number(limit)) });
  }

  ask(random: Random): Asked {
    if (random.chance(0.3)) return ["get_boat", { boat_id: random.chance(0.8) ? random.pick(BOATS).boat_id : "B999" }];
    return [
      "find_boats",
      {
        ...(random.chance(0.4) ? { harbour: random.pick(["Norrvik", "Sallow Bay", "Pellan"]) } : {}),
        ...(random.chance(0.4) ? { rig: random.pick(["sloop", "ketch"]) } : {}),
        ...(random.chance(0.4) ? { berths: random.int(2, 6) } : {}),
        ...(this.limits && random.chance(0.3) ? { limit: random.int(1, 4) } : {}),
      },
    ];
  }
}

interface Tray {
  tray: string;
  plates: string[];
  trays: Tray[];
}

/** Plates on trays that stand in each other, like files in folders. */
export class Trays implements Service {
  readonly tools = ["stack_tray", "put_plate", "shift_plate", "look_at"];
  private readonly root: Tray = { tray: "table", plates: [], trays: [] };
  private readonly all = new Map<string, Tray>([["table", this.root]]);

  call(tool: string, args: JsonObject): Answered {
    const tray = this.all.get(String(args.tray));
    if (!tray) return refused(`No tray ${args.tray}`);
    if (tool === "look_at")
      return data({ tray: tray.tray, plates: tray.plates, trays: tray.trays.map((one) => one.tray) });
    if (tool === "stack_tray") {
      const name = String(args.name);
      if (this.all.has(name)) return refused(`Tray ${name} stands already`);
      const made: Tray = { tray: name, plates: [], trays: [] };
      tray.trays.push(made);
      this.all.set(name, made);
      return data({ stacked: name, on: tray.tray });
    }
    const plate = String(args.plate);
    const holder = [...this.all.values()].find(({ plates }) => plates.includes(plate));
    if (tool === "put_plate") {
      if (holder) return refused(`Plate ${plate} is in use`);
    } else {
      if (!holder) return refused(`No plate ${plate}`);
      holder.plates.splice(holder.plates.indexOf(plate), 1);
    }
    tray.plates.push(plate);
    return data({ plate, tray: tray.tray });
  }

  ask(random: Random): Asked {
    const tray = random.chance(0.9) ? random.pick([...this.all.keys()]) : "shed";
    const plate = random.pick(["blue", "chipped", "gilded", "oval", "tin", "square"]);
    const at = random.next();
    if (at < 0.2) return ["stack_tray", { tray, name: random.pick(["oak", "steel", "wicker", "cork"]) }];
    if (at < 0.42) return ["put_plate", { tray, plate }];
    return at < 0.58 ? ["shift_plate", { tray, plate }] : ["look_at", { tray }];
  }
}

export const SERVICES: Readonly<Record<string, Maker>> = {
  oven: () => new Oven(),
  meter: (_, task) => new Meter(task),
  "badge desk": () => new BadgeDesk(),
  "shelf with drawn keys": (random) => new Shelf(random),
  "shelf with counted keys": () => new Shelf(),
  recipes: () => new Recipes(),
  basket: () => new Basket(),
  "basket with another text when empty": () => new Basket("The basket is empty."),
  boats: () => new Boats("by name", false),
  "boats with a limit": () => new Boats("by name", true),
  "boats as stored": () => new Boats("as stored", false),
  trays: () => new Trays(),
};
