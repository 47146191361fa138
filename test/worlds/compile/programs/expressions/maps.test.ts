import { describe, expect, test } from "vitest";
import { manifest } from "../../../../../worlds/compile/listing.ts";
import { callsByTool, observe } from "../../../../../worlds/compile/observations.ts";
import { compilePrograms } from "../../../../../worlds/compile/programs/compile.ts";
import type { Json, JsonObject } from "../../../../../worlds/json.ts";
import type { Random } from "../../../../../worlds/samples/desk/random.ts";
import { Starts } from "../../../../../worlds/starts.ts";
import type { World } from "../../../../../worlds/world-api.ts";
import { type Answered, type Asked, data, type Maker, refused, type Service, sessions } from "../services.ts";

const ITEMS = ["flour", "sugar", "rice", "salt", "tea", "oats"];
const SHELVES = ["top", "middle", "bottom", "door"];
const TEXTS = ["wipe it", "label the jars", "count again", "buy more", "too damp"];

/** Jars by name, and notes by shelf of which the newest can be taken off: maps whose keys calls are given. */
class Larder implements Service {
  readonly tools = ["add_jars", "use_up", "pin_note", "unpin_note", "show_jars", "show_notes"];
  private readonly jars: Record<string, number> = { flour: 3, salt: 1 };
  private readonly notes: Record<string, string[]> = { top: ["wipe it"] };

  call(tool: string, { item, jars, shelf, text }: JsonObject): Answered {
    const [of, on] = [String(item), String(shelf)];
    if (tool === "show_jars") return data({ jars: this.jars });
    if (tool === "show_notes") return data({ notes: this.notes });
    if (tool === "add_jars") this.jars[of] = (this.jars[of] ?? 0) + Number(jars);
    if (tool === "use_up") {
      if (this.jars[of] === undefined) return refused(`There is no ${of}.`);
      delete this.jars[of];
    }
    if (tool === "pin_note") {
      this.notes[on] ??= [];
      this.notes[on].push(String(text));
    }
    if (tool === "unpin_note") {
      if (this.notes[on] === undefined) return refused(`Nothing is pinned to ${on}.`);
      this.notes[on].pop();
      if (this.notes[on].length === 0) delete this.notes[on];
    }
    return data({ done: true });
  }

  ask(random: Random): Asked {
    const item = random.pick(ITEMS);
    const shelf = random.pick(SHELVES);
    if (random.chance(0.4)) return [random.chance(0.5) ? "show_jars" : "show_notes", {}];
    return random.pick<() => Asked>([
      () => ["add_jars", { item, jars: random.int(1, 9) }],
      () => ["use_up", { item }],
      () => ["pin_note", { shelf, text: random.pick(TEXTS) }],
      () => ["unpin_note", { shelf }],
    ])();
  }
}

/** Labels of jars; those of no word say "none". Sessions of the first task label the flour before they look. */
class Labels implements Service {
  readonly tools = ["label_jar", "show_labels"];
  private readonly labels: Record<string, string> = { flour: "white", salt: "fine" };
  private next: Asked[];

  constructor(task: number) {
    this.next = task === 0 ? [["label_jar", { item: "flour" }]] : [];
    this.labels.flour = `kind ${task}`;
  }

  call(tool: string, { item, word }: JsonObject): Answered {
    if (tool === "show_labels") return data({ labels: this.labels });
    this.labels[String(item)] = String(word ?? "none");
    return data({ done: true });
  }

  ask(random: Random): Asked {
    const next = this.next.shift();
    if (next) return next;
    if (random.chance(0.5)) return ["show_labels", {}];
    const word = random.chance(0.5) ? { word: random.pick(TEXTS) } : {};
    return ["label_jar", { item: random.pick(ITEMS), ...word }];
  }
}

function worldOf(make: Maker = () => new Larder(), task = "another task"): World {
  const seeds = Array.from({ length: 24 }, (_, i) => i);
  const train = observe(sessions(make, seeds));
  const byTool = callsByTool(train);
  return new Starts(compilePrograms(train, byTool, manifest(undefined, byTool), "larder")).fresh(task);
}

describe("a map whose keys calls are given", () => {
  test("holds numbers that are added to, made and taken out", () => {
    const world = worldOf();
    const jars = (): Json => world.call("show_jars", {}).value;
    expect(jars()).toEqual({ jars: { flour: 3, salt: 1 } });
    world.call("add_jars", { item: "flour", jars: 4 });
    world.call("add_jars", { item: "tea", jars: 2 });
    expect(jars()).toEqual({ jars: { flour: 7, salt: 1, tea: 2 } });
    world.call("use_up", { item: "salt" });
    expect(jars()).toEqual({ jars: { flour: 7, tea: 2 } });
    expect(world.call("use_up", { item: "salt" }).value).toEqual({ error: "There is no salt." });
  });

  test("holds lists that grow and shrink, and goes without those that are empty", () => {
    const world = worldOf();
    const notes = (): Json => world.call("show_notes", {}).value;
    world.call("pin_note", { shelf: "top", text: "buy more" });
    world.call("pin_note", { shelf: "door", text: "too damp" });
    expect(notes()).toEqual({ notes: { top: ["wipe it", "buy more"], door: ["too damp"] } });
    world.call("unpin_note", { shelf: "top" });
    world.call("unpin_note", { shelf: "door" });
    expect(notes()).toEqual({ notes: { top: ["wipe it"] } });
    expect(world.call("unpin_note", { shelf: "door" }).value).toEqual({ error: "Nothing is pinned to door." });
  });

  test("does not tell what stood under a key before a change that anything may have come before", () => {
    const make: Maker = (_, task) => new Labels(task);
    expect(worldOf(make, "task 1").call("show_labels", {}).value).toEqual({
      labels: { flour: "kind 1", salt: "fine" },
    });
    const world = worldOf(make, "task 0");
    expect(world.call("show_labels", {}).answerClass).toBe("error:not_served");
    world.call("label_jar", { item: "tea", word: "green" });
    expect(world.call("show_labels", {}).answerClass).toBe("error:not_served");
  });
});
