import { describe, expect, test } from "vitest";
import { callsByTool, observe, type Session } from "../../../../../worlds/compile/observations.ts";
import { compilePrograms } from "../../../../../worlds/compile/programs/compile.ts";
import { learn } from "../../../../../worlds/compile/programs/index.ts";
import { Judge } from "../../../../../worlds/compile/utility.ts";
import { Starts } from "../../../../../worlds/starts.ts";
import { sessions } from "../services.ts";
import { KEEPERS, Kennel } from "./kennel.ts";

const seeds = (first: number, n: number): number[] => Array.from({ length: n }, (_, i) => first + i);
const make = (_: unknown, task: number) => new Kennel(task);
const train = observe(sessions(make, seeds(0, 60)));
const tools = new Kennel(0).tools.map((name) => ({ name, inputSchema: { type: "object" as const } }));

describe("a kennel: lists that arguments sort and cut, and rows that are shown to who is signed in", () => {
  const world = compilePrograms(train, callsByTool(train), tools, "kennel");
  const fresh = (task: string) => new Starts(world).fresh(task);

  test("unseen sessions are answered", () => {
    const held = observe(sessions(make, seeds(100, 20)));
    const { calls, right, wrong } = new Judge([...train, ...held]).scoreOf(world, held, train);
    expect(right / calls).toBeGreaterThanOrEqual(0.9);
    expect(wrong / calls).toBeLessThanOrEqual(0.01);
  });

  test("a page of a sorted list, with how many there are in all", () => {
    for (const args of [{ sort: "name", page: 2 }, { breed: "poodle", sort: "age" }, { page: 3 }, {}])
      expect(fresh("task 0").call("find_dogs", args).value).toEqual(
        JSON.parse(String(new Kennel(0).call("find_dogs", args).result)),
      );
  });

  test("an order that nobody asked for is none that is known", () => {
    expect(fresh("task 0").call("find_dogs", { sort: "tag" }).servedBy).toBe("gap");
  });

  test("the first so many of who is signed in", () => {
    const [fork, kennel] = [fresh("task 1"), new Kennel(1)];
    for (const [tool, args] of [
      ["list_own_dogs", { most: 2 }],
      ["change_keeper", { keeper: "Ana" }],
      ["list_own_dogs", { most: 1 }],
      ["list_own_dogs", {}],
    ] as const)
      expect(fork.call(tool, args).value).toEqual(JSON.parse(String(kennel.call(tool, args).result)));
  });

  test("in a task that no session shows, whose dogs they are is not claimed before somebody is signed in", () => {
    const fork = fresh("another task");
    expect(fork.call("list_own_dogs", {}).servedBy).toBe("gap");
    expect(fork.call("show_dog", { tag: "D11" }).servedBy).toBe("gap");
    fork.call("change_keeper", { keeper: "Cleo" });
    expect(fork.call("show_dog", { tag: "D11" }).isError).toBe(true);
    expect(fork.call("list_own_dogs", {}).servedBy).not.toBe("gap");
  });

  test("words without a mark for a tag that no dog has", () => {
    expect(fresh("task 0").call("show_dog", { tag: "D99" })).toMatchObject({
      isError: false,
      value: "No dog with tag D99.",
    });
  });
});

describe("who is signed in, told by what succeeds", () => {
  const { starts } = learn(train, tools);

  test("is known in every task, though no answer says it", () => {
    for (const task of [0, 1, 2, 3])
      expect(starts.groups.get(`task ${task}`)?.cells.get("keeper")).toBe(KEEPERS[task % 3]);
  });

  test("and is not, where others succeed too", () => {
    // Half of the refusals succeed: a dog is shown to whom it does not belong.
    let n = 0;
    const spoilt = train.map(
      (session): Session => ({
        ...session,
        calls: session.calls.map((call) =>
          call.answerClass === "error:failed" && n++ % 2 === 0
            ? { ...call, ok: true, answerClass: "data", value: JSON.parse(shown(String(call.args.tag))) }
            : call,
        ),
      }),
    );
    expect(n).toBeGreaterThan(20);
    const groups = [...learn(spoilt, tools).starts.groups.values()];
    expect(groups.filter(({ cells }) => cells.has("keeper"))).toEqual([]);
  });
});

/** A dog as its own keeper is shown it. */
function shown(tag: string): string {
  for (const task of [0, 1, 2]) {
    const { result, isError } = new Kennel(task).call("show_dog", { tag });
    if (!isError) return String(result);
  }
  return "{}";
}
