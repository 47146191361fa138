import { describe, expect, test } from "vitest";
import { holdOut } from "../../../worlds/compile/held-out.ts";
import { observe, type Session } from "../../../worlds/compile/observations.ts";
import {
  gainIsSure,
  isBetterWay,
  type Judged,
  type Score,
  sureGain,
  together,
  utility,
  worthwhile,
} from "../../../worlds/compile/utility.ts";

/** Sessions of one call each; `task` names the task of a session where it has one. */
const sessions = (n: number, task?: (i: number) => string): Session[] =>
  observe(
    Array.from({ length: n }, (_, i) => ({
      id: `s${String(i).padStart(4, "0")}`,
      ...(task ? { group: task(i) } : {}),
      calls: [{ tool: "roll", args: { i }, result: `${i}`, isError: false }],
    })),
  );

describe("sessions that are held out", () => {
  test("are few sessions each once, in turns", () => {
    const all = sessions(20);
    const turns = holdOut(all);
    expect(turns).toHaveLength(4);
    const held = turns.flatMap((turn) => turn.held.map(({ id }) => id));
    expect([...held].sort()).toEqual(all.map(({ id }) => id));
    for (const { train, held } of turns) expect(train.length + held.length).toBe(20);
  });

  test("are a quarter of many, in one turn", () => {
    const [turn, ...others] = holdOut(sessions(400));
    expect(others).toEqual([]);
    expect(turn?.held).toHaveLength(100);
  });

  test("leave others of their task to learn from in some tasks, and none in others", () => {
    const all = sessions(400, (i) => `task ${i % 80}`);
    const [turn] = holdOut(all);
    const known = new Set(turn?.train.map(({ group }) => group));
    const of = (has: boolean) => turn?.held.filter(({ group }) => known.has(group) === has).length ?? 0;
    expect(of(true)).toBeGreaterThan(20);
    expect(of(false)).toBeGreaterThan(20);
  });

  test("are whole tasks out of very many, spread evenly", () => {
    const [turn] = holdOut(sessions(6000, (i) => `task ${Math.floor(i / 3)}`));
    const all = [...(turn?.train ?? []), ...(turn?.held ?? [])];
    expect(all).toHaveLength(600);
    const tasks = Map.groupBy(all, ({ group }) => group);
    expect(new Set([...tasks.values()].map(({ length }) => length))).toEqual(new Set([3]));
    const places = [...tasks.keys()].map((task) => Number(task.slice(5))).sort((a, b) => a - b);
    expect(places.at(-1)).toBeGreaterThan(1980);
    expect(places[0]).toBe(0);
  });

  test("leave sessions whose calls name their place among those that are left", () => {
    for (const { train } of holdOut(sessions(20)))
      train.forEach(({ calls }, i) => {
        expect(calls.map(({ trace }) => trace)).toEqual([i]);
      });
  });
});

/** What became of calls: `+` right, `-` wrong, `.` not answered; one text a session. */
function worth(...marks: string[]): Score {
  const answers = marks.flatMap((text, s) =>
    [...text].map((mark) => ({ session: `s${s}`, served: mark !== ".", right: mark === "+" }) as Judged),
  );
  const count = (mark: string) => marks.join("").split(mark).length - 1;
  return { calls: answers.length, right: count("+"), wrong: count("-"), tools: new Map(), answers };
}

describe("what a way to answer is worth", () => {
  test("is what it gives right less five times what it gives wrong", () => {
    expect(utility(worth("+++.", "-+++"))).toBeCloseTo((6 - 5) / 8);
    const both = together([worth("+++."), worth("-+++")]);
    expect([both.calls, both.right, both.wrong, both.answers.length]).toEqual([8, 6, 1, 8]);
  });

  test("is surer by how many sessions gain, not by how many calls of one do", () => {
    expect(sureGain(worth("----------"), worth(".........."))).toBeCloseTo(1);
    expect(sureGain(worth("-", "-", "-", "-"), worth(".", ".", ".", "."))).toBeCloseTo(2);
    expect(sureGain(worth("-", "+"), worth(".", "."))).toBeCloseTo(4 / Math.sqrt(26));
    expect(sureGain(worth("+", "-"), worth("+", "-"))).toBe(0);
    expect(sureGain(worth("+"), worth("-"))).toBeLessThan(0);
  });
});

/** What became of calls of several tools, one text a session for each. */
function byTool(tools: Readonly<Record<string, readonly string[]>>): Score {
  const all = Object.entries(tools).map(([tool, marks]): Score => {
    const of = worth(...marks);
    const tools = new Map([[tool, { right: of.right, wrong: of.wrong }]]);
    return { ...of, tools, answers: of.answers.map((answer) => ({ ...answer, tool, known: false })) };
  });
  return together(all);
}

/** The same answers, of sessions whose task others show too. */
const ofKnownTasks = (score: Score): Score => ({
  ...score,
  answers: score.answers.map((answer) => ({ ...answer, known: true })),
});

describe("another way to answer is taken", () => {
  const none = ["..", "..", "..", "..", "..", "..", "..", ".."];
  const gains = ["++", "++", "++", "++", "++", "++", "++", "++"];

  test("where sessions gain by the tools that are worth answering, though one is wrong too often", () => {
    const before = byTool({ door: none, lamp: none });
    const after = byTool({ door: gains, lamp: ["-+", ".", "-+", ".", ".+", ".", ".", "-."] });
    expect(gainIsSure(before, after)).toBe(false);
    expect(worthwhile(after)).toMatchObject({ right: 16, wrong: 0 });
    expect(isBetterWay(before, after)).toBe(true);
  });

  test("not where all it gains is the silence of such a tool", () => {
    const wrong = ["-.", "-.", "-.", "-.", "-.", "-.", "-.", "-."];
    const before = byTool({ door: gains, lamp: wrong });
    const after = byTool({ door: ["++", "+.", "++", "+.", "++", "+.", "++", "+."], lamp: none });
    expect(gainIsSure(before, after)).toBe(true);
    expect(isBetterWay(before, after)).toBe(false);
  });

  test("not where it loses in all, or by chance", () => {
    const before = byTool({ door: none, lamp: none });
    expect(isBetterWay(before, byTool({ door: gains, lamp: ["--", "--", ...none.slice(2)] }))).toBe(false);
    const some = byTool({ door: ["+.", ...none.slice(1)], lamp: none });
    expect(isBetterWay(some, byTool({ door: ["..", "++", ...none.slice(2)], lamp: none }))).toBe(false);
  });

  test("though too few sessions gain for it to be sure, where tasks are known", () => {
    const before = byTool({ door: none, lamp: none });
    const after = byTool({ door: [...none.slice(2), "++", "++"], lamp: none });
    expect(gainIsSure(before, after)).toBe(false);
    expect(isBetterWay(before, after)).toBe(false);
    expect(isBetterWay(before, ofKnownTasks(after))).toBe(true);
    // One session loses what two gain: below one standard error.
    const some = ofKnownTasks(byTool({ door: ["+.", ...none.slice(1)], lamp: none }));
    const others = ofKnownTasks(byTool({ door: ["..", "+.", "+.", ...none.slice(3)], lamp: none }));
    expect(sureGain(some, others)).toBeLessThan(1);
    expect(isBetterWay(some, others)).toBe(true);
    expect(isBetterWay(others, some)).toBe(false);
  });

  test("not where more tools lose than gain, whatever one of them gains", () => {
    const some = ["+.", "+.", ...none.slice(2)];
    const before = byTool({ door: none, lamp: some, bell: some });
    const after = byTool({ door: gains, lamp: none, bell: none });
    expect(gainIsSure(worthwhile(before), worthwhile(after))).toBe(true);
    expect(isBetterWay(before, after)).toBe(false);
  });

  test("each by what becomes of tools where the task is known, and where it is not", () => {
    const seen = byTool({ door: ["+", "+"] });
    expect(worthwhile(together([ofKnownTasks(seen), byTool({ door: ["-", "."] })]))).toMatchObject({
      right: 2,
      wrong: 0,
    });
  });
});
