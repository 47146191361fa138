import { beforeAll, describe, expect, test } from "vitest";
import type { BaseState, Bundle } from "../../../worlds/bundle.ts";
import { compile } from "../../../worlds/compile/index.ts";
import { draw } from "../../../worlds/draw/index.ts";
import type { JsonObject } from "../../../worlds/json.ts";
import type { ObservedCall, ObservedTrace } from "../../../worlds/observation.ts";
import { Random } from "../../../worlds/samples/desk/random.ts";
import { Beginnings, withStart } from "../../../worlds/starts.ts";
import { generateTasks } from "../../../worlds/tasks/generate.ts";
import { grade } from "../../../worlds/tasks/grading/grade.ts";
import { reviewTask } from "../../../worlds/tasks/grading/review.ts";
import type { Task } from "../../../worlds/tasks/schema.ts";
import { playCall, playNothing, playScript } from "../../../worlds/tasks/trial.ts";

/** A barrel: a level within a capacity. Each session begins with the level of its group. */
class Barrel {
  private litres: number;

  constructor(litres: number) {
    this.litres = litres;
  }

  call(tool: string, args: JsonObject): ObservedCall {
    const litres = Number(args.litres);
    const answer = (value: unknown, isError = false): ObservedCall => ({
      tool,
      args,
      result: JSON.stringify(value),
      isError,
    });
    if (tool === "fill_barrel") {
      if (this.litres + litres > 60) return answer({ error: "The barrel holds 60 litres" }, true);
      this.litres += litres;
    }
    if (tool === "drain_barrel") {
      if (litres > this.litres) return answer({ error: "There is less than that in it" }, true);
      this.litres -= litres;
    }
    return answer({ litres: this.litres });
  }
}

type Act = readonly [tool: string, args: JsonObject];

function session(id: string, group: string, level: number, acts: readonly Act[], rest: Partial<ObservedTrace> = {}) {
  const barrel = new Barrel(level);
  return { id, group, calls: acts.map(([tool, args]) => barrel.call(tool, args)), ...rest };
}

/** Sessions of no request, from which the barrel is learnt. */
function practice(): ObservedTrace[] {
  return Array.from({ length: 60 }, (_, i) => {
    const random = new Random(i * 31 + 7);
    const acts = Array.from({ length: random.int(8, 14) }, (): Act => {
      if (random.chance(0.4)) return ["get_level", {}];
      return [random.chance(0.5) ? "fill_barrel" : "drain_barrel", { litres: random.int(1, 20) }];
    });
    return session(`practice ${i}`, `practice ${i % 6}`, [5, 12, 20, 33, 41, 50][i % 6] as number, acts);
  });
}

const LEVEL: Act = ["get_level", {}];
const fill = (litres: number): Act => ["fill_barrel", { litres }];
const drain = (litres: number): Act => ["drain_barrel", { litres }];

/** Sessions of users, nobody's graded but the last group's. */
const ASKED: ObservedTrace[] = [
  ...[0, 1].map((n) =>
    session(`a${n}`, "asked a", 17, n === 0 ? [LEVEL, fill(9), LEVEL] : [fill(9), LEVEL], {
      request: "Could you put 9 litres into the barrel for me?",
    }),
  ),
  session("b0", "asked b", 26, [LEVEL, fill(4), LEVEL, drain(11)], {
    request: "Please fill in 4 litres.",
    turns: ["Thanks. Now take 11 litres out again."],
  }),
  // What these two did differs in all that they changed: nothing tells which was right.
  session("c0", "asked c", 30, [LEVEL, fill(6)], { request: "Put 6 litres in, or take 8 out, as you see fit." }),
  session("c1", "asked c", 30, [LEVEL, drain(8)], { request: "Put 6 litres in, or take 8 out, as you see fit." }),
  // No word of the user's tells how much.
  session("d0", "asked d", 22, [LEVEL, fill(13)], { request: "Top it up a little, would you?" }),
  // All sessions put in the same: they had it from the task, though no word says it.
  ...[0, 1].map((n) =>
    session(`f${n}`, "asked f", 22, n === 0 ? [fill(6)] : [LEVEL, fill(6)], {
      request: "The usual amount, please.",
      reward: 1,
    }),
  ),
  // Nobody rewarded these: what they agree on may be beside what was asked.
  ...[0, 1].map((n) => session(`l${n}`, "asked l", 22, [fill(6)], { request: "As we always do, please." })),
  // The level is read and put in once more.
  ...[0, 1].map((n) =>
    session(`g${n}`, "asked g", 11, [LEVEL, fill(11)], {
      request: "Fill in as much as there is in it now.",
      reward: 1,
    }),
  ),
  // The first turn was another service's: nothing here met it.
  session("h0", "asked h", 14, [fill(7)], {
    request: "Book me a table for two tonight.",
    turns: ["And put 7 litres into the barrel."],
    unanswered: [0],
  }),
  ...[0, 1].map((n) =>
    session(`i${n}`, "asked i", 14, [fill(5)], {
      request: "My neighbour has sold me 5 litres.",
      turns: ["Could you put them into the barrel?"],
      unanswered: [0],
    }),
  ),
  // One session met with silence what another one met.
  ...[0, 1].map((n) =>
    session(`k${n}`, "asked k", 14, [fill(8)], {
      request: "Good morning!",
      turns: ["Please put 8 litres into the barrel."],
      ...(n === 0 ? { unanswered: [0] } : {}),
    }),
  ),
  // No change shows the figure that these ask for.
  ...[
    "Drain 3 litres, please, and tell me how many are left.",
    "Drain 3 litres. What's the balance after that?",
    "I need to check the balance of my barrel. Drain 3 litres, too.",
  ].map((request, n) => session(`m${n}`, `asked m${n}`, 41, [LEVEL, drain(3)], { request, reward: 1 })),
  session("n0", "asked n", 41, [drain(4)], {
    request: "Drain 4 off my balance, please. I forgot how many I had.",
    reward: 1,
  }),
  session("e0", "asked e", 8, [LEVEL, drain(3)], { request: "Drain 3 litres, please.", reward: 1 }),
  session("e1", "asked e", 8, [LEVEL, drain(5)], { request: "Drain 3 litres, please.", reward: 0 }),
];

let bundle: Bundle;
let base: BaseState;
let tasks: Task[];
const of = (start: string) => tasks.filter((task) => task.start === start);

beforeAll(() => {
  const compiled = compile([...practice(), ...ASKED], { name: "cellar" });
  bundle = compiled.bundle;
  base = JSON.parse(JSON.stringify(draw(bundle, compiled.base, { seed: "1" }))) as BaseState;
  tasks = generateTasks(bundle, base, { seed: "1", count: 40, families: ["mined"], mined: ASKED });
});

describe("tasks from recorded sessions", () => {
  test("begin as their sessions began, and say what they rest on", () => {
    expect(of("asked a")).toMatchObject([{ family: "mined", rests_on: { runs: 2, rewarded: false } }]);
    expect(of("asked b")).toMatchObject([{ rests_on: { runs: 1, rewarded: false } }]);
    expect(of("asked e")).toMatchObject([{ rests_on: { runs: 1, rewarded: true } }]);
    expect(JSON.stringify(of("asked a")[0]?.checks)).toContain("26");
    expect(JSON.stringify(of("asked e")[0]?.checks)).toContain('"litres":5');
  });

  test("keep only the calls that their check needs", () => {
    expect(of("asked b")[0]?.script.calls).toEqual([
      { tool: "fill_barrel", args: { litres: 4 } },
      { tool: "drain_barrel", args: { litres: 11 } },
    ]);
  });

  test("are not written where sessions agree on nothing, or where no word tells the amount", () => {
    expect(of("asked c")).toEqual([]);
    expect(of("asked d")).toEqual([]);
  });

  test("are not written where the request asks for a figure that no change shows", () => {
    expect([0, 1, 2].flatMap((n) => of(`asked m${n}`))).toEqual([]);
    expect(of("asked n")).toHaveLength(1);
  });

  test("take a number that all rewarded sessions gave alike as told, and keep the reading that tells it", () => {
    expect(of("asked f")).toMatchObject([
      { rests_on: { runs: 2, agreed: [6] }, script: { calls: [{ args: { litres: 6 } }] } },
    ]);
    expect(of("asked l")).toEqual([]);
    expect(of("asked g")[0]?.script.calls.map(({ tool }) => tool)).toEqual(["get_level", "fill_barrel"]);
  });

  test("leave out a turn that every session met with silence, and what only it told", () => {
    expect(of("asked h")).toMatchObject([{ request: "Put 7 litres into the barrel.", turns: [] }]);
    expect(of("asked i")).toEqual([]);
    expect(of("asked k")[0]?.request).toBe("Good morning!");
  });

  test("pass review, and are met by any way there and by no other end", () => {
    for (const task of tasks) expect(reviewTask(task, { bundle, base }).certificate).toMatchObject({ passed: true });
    const [task] = of("asked a") as [Task];
    const worlds = new Beginnings({ bundle, base, seed: "1" });
    const end = (acts: readonly Act[]) => {
      const world = worlds.fresh(task);
      const calls = acts.map(([tool, args]) => playCall(world, tool, args));
      const trial = { calls, answers: [{ text: "Done." }], diff: world.diff() };
      return grade(task, trial, withStart({ bundle, base }, task)).end;
    };
    expect(end([fill(9)])).toBe("met");
    expect(end([LEVEL, fill(4), fill(5), LEVEL])).toBe("met");
    expect(end([fill(10), drain(1)])).toBe("met");
    expect(end([fill(8)])).toBe("failed");
    expect(end([LEVEL])).toBe("failed");
    expect(end([fill(9), drain(2)])).toBe("failed");
    expect(grade(task, playNothing(), withStart({ bundle, base }, task)).end).toBe("failed");
  });

  test("are played from their own start: on another group's their script ends elsewhere", () => {
    const [task] = of("asked b") as [Task];
    const worlds = new Beginnings({ bundle, base, seed: "1" });
    const place = withStart({ bundle, base }, task);
    const { turns } = task;
    expect(grade(task, playScript(worlds.fresh(task), task.script, turns.length + 1), place).end).toBe("met");
    const elsewhere = playScript(worlds.fresh({ start: "asked a" }), task.script, turns.length + 1);
    expect(grade(task, elsewhere, place).end).toBe("failed");
  });

  describe("are none where the request asks for", () => {
    const written = (...asked: readonly (readonly [request: string, ...acts: Act[]])[]) => {
      const groups = ["asked a", "asked b", "asked c", "asked d"];
      const mined = asked.map(([request, ...acts], n) => session(`x${n}`, groups[n]!, 30, acts, { request }));
      return generateTasks(bundle, base, { seed: "1", count: 9, families: ["mined"], mined }).map(({ start }) => start);
    };

    test("other acts in the same words elsewhere", () => {
      const see = (litres: number) => `Please see to the barrel: ${litres} litres.`;
      expect(written([see(3), fill(3)], [see(4), fill(4)], [see(5), fill(5)])).toHaveLength(3);
      expect(written([see(3), fill(3)], [see(4), drain(4)], [see(5), fill(5)])).toEqual([]);
      // Where few differ, the words are theirs: one session may have gone astray.
      const more = written([see(3), fill(3)], [see(4), fill(4)], [see(5), fill(5)], [see(6), drain(6)]);
      expect(more.toSorted()).toEqual(["asked a", "asked b", "asked c"]);
    });

    test("what no session did, by a tool that it names", () => {
      expect(written(["Please put in 9 litres.", fill(9)])).toHaveLength(1);
      expect(written(["Please put in 9 litres. If it runs over, drain the barrel.", fill(9)])).toEqual([]);
    });
  });

  test("are none without sessions, and none of sessions that say nothing", () => {
    const none = (mined: readonly ObservedTrace[]) =>
      generateTasks(bundle, base, { seed: "1", count: 5, families: ["mined"], mined });
    expect(none([])).toEqual([]);
    expect(none([session("x", "asked a", 17, [], { request: "Hello?" })])).toEqual([]);
    expect(none([session("x", "asked a", 17, [fill(9)])])).toEqual([]);
    expect(none([{ ...session("x", "asked a", 17, [fill(9)]), request: "Do __proto__ 9 litres" }])).toHaveLength(1);
  });
});
