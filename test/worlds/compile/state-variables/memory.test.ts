import { describe, expect, test } from "vitest";
import { compile } from "../../../../worlds/compile/index.ts";
import type { ObservedCall, ObservedTrace } from "../../../../worlds/observation.ts";
import { Random } from "../../../../worlds/samples/desk/random.ts";
import { Starts } from "../../../../worlds/starts.ts";

/** Theatres whose stage shows one of many pictures, by which theatre it is and which levers were pulled: no rule tells which. */
const THEATRES = 12;
const LEVERS = ["red", "blue", "green"] as const;
type Deed = (typeof LEVERS)[number] | "bell";

class Theatre {
  private readonly pulled = new Set<string>();
  private readonly number: number;

  constructor(number: number) {
    this.number = number;
  }

  private picture(salt: string): string {
    return `P${new Random(`${salt}${this.number}${[...this.pulled].sort().join()}`.split("").reduce((h, c) => (h * 31 + c.charCodeAt(0)) % 99_991, 7)).int(1, 900)}x`;
  }

  call(tool: string): ObservedCall {
    const ordered = tool === "release_order";
    const args = ordered ? { order_id: `O${500 + this.number}` } : {};
    const held = ordered && !this.pulled.has("red");
    const lever = tool.replace("pull_", "");
    const result = held
      ? "Error: The order is held"
      : ordered
        ? JSON.stringify({ order_id: `O${500 + this.number}`, seat: 7 })
        : tool === "view_stage"
          ? `Stage: ${this.picture("stage")}`
          : tool === "view_hall"
            ? `Hall: ${this.picture("hall")}`
            : "Done.";
    if (tool.startsWith("pull_")) this.pulled.add(lever);
    return { tool, args, result, isError: held };
  }
}

const act = (deed: Deed): string => (deed === "bell" ? "ring_bell" : `pull_${deed}`);

function session(i: number): ObservedTrace {
  const number = i % THEATRES;
  const random = new Random(40 + i);
  const theatre = new Theatre(number);
  const deeds = random.shuffle<Deed>([...LEVERS, "bell", "bell"]).slice(0, 4);
  const calls = [
    "view_stage",
    "view_hall",
    "release_order",
    ...deeds.flatMap((deed) => [act(deed), "view_stage", "view_hall", "release_order"]),
  ];
  return {
    id: `night-${String(i).padStart(3, "0")}`,
    group: `theatre ${number}`,
    calls: calls.map((tool) => theatre.call(tool)),
  };
}

const compiled = compile(
  Array.from({ length: 10 * THEATRES }, (_, i) => session(i)),
  { name: "theatres" },
);
const starts = new Starts(compiled);

/** What is answered in a theatre after some deeds, and what is so. */
function played(number: number, deeds: readonly Deed[], tool: string, group = `theatre ${number}`) {
  const [world, theatre] = [starts.fresh(group), new Theatre(number)];
  for (const deed of deeds) {
    const call = theatre.call(act(deed));
    expect(world.call(call.tool, call.args).isError).toBe(false);
  }
  const { args, result } = theatre.call(tool);
  const { value, answerClass } = world.call(tool, args);
  return { told: value, true: result, known: answerClass !== "error:not_served" };
}

describe("what a session of the same group heard", () => {
  test("is the answer wherever the same was done, in any order and whatever else was done that changes nothing", () => {
    let known = 0;
    for (let number = 0; number < THEATRES; number++)
      for (const deeds of [["blue", "bell", "red"], ["bell", "green", "bell", "bell", "red"], ["green"]] as Deed[][]) {
        const answer = played(number, deeds, "view_stage");
        if (!answer.known) continue;
        known++;
        expect(answer.told).toBe(answer.true);
      }
    expect(known).toBeGreaterThan(2 * THEATRES);
  });

  test("is no answer of another group, nor after what nobody did", () => {
    expect(played(3, ["red"], "view_stage", "elsewhere").known).toBe(false);
    const world = starts.fresh("theatre 3");
    for (let n = 0; n < 2; n++) for (const lever of LEVERS) world.call(act(lever), {});
    expect(world.call("view_stage", {}).answerClass).toBe("error:not_served");
  });

  test("is how an act that is told an id was refused", () => {
    for (let number = 0; number < THEATRES; number++) {
      expect(played(number, ["bell"], "release_order").told).toBe("Error: The order is held");
      expect(played(number, ["red"], "release_order").told).toEqual({ order_id: `O${500 + number}`, seat: 7 });
    }
  });

  test("is no answer after far more deeds than anyone did, of which no more are noted", () => {
    const world = starts.fresh("theatre 2");
    const order = { order_id: "O502" };
    const refusal = "Error: The order is held";
    world.call(act("blue"), {});
    expect(JSON.stringify(world.lastEntry(0)?.changes)).toContain("pull_blue");
    expect(world.call("release_order", order).value).toBe(refusal);
    for (let n = 0; n < 50; n++) world.call(act("blue"), {});
    expect(JSON.stringify(world.lastEntry(0)?.changes)).not.toContain("pull_blue");
    world.call(act("red"), {});
    expect(world.call("release_order", order).value).not.toBe(refusal);
  });

  test("is kept beside the system, whose rows nothing of it changes", () => {
    const own = new Set(compiled.bundle.tables.filter(({ internal }) => internal).map(({ name }) => name));
    const world = starts.fresh("theatre 1");
    const told = world.call("pull_red", {}).changes;
    const entry = world.lastEntry(0);
    expect(entry?.changes.some(({ table }) => own.has(table))).toBe(true);
    expect([...told, ...world.diff()].filter(({ table }) => own.has(table))).toEqual([]);
    // What is kept is taken back, and restored, with the rest.
    const before = starts.fresh("theatre 1").digest();
    const after = world.digest();
    world.undo();
    expect(world.digest()).toBe(before);
    if (entry) world.restore([entry]);
    expect(world.digest()).toBe(after);
  });
});
