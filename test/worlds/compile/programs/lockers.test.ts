import { describe, expect, test } from "vitest";
import type { ToolDefinition } from "../../../../worlds/bundle.ts";
import { describedReads } from "../../../../worlds/compile/described-reads.ts";
import { compile } from "../../../../worlds/compile/index.ts";
import { observe, type Session } from "../../../../worlds/compile/observations.ts";
import { unmarkedRefusals } from "../../../../worlds/compile/programs/state/unmarked-refusals.ts";
import { Judge } from "../../../../worlds/compile/utility.ts";
import type { Json } from "../../../../worlds/json.ts";
import { Starts } from "../../../../worlds/starts.ts";
import { LOCKER_TOOLS, Lockers } from "./lockers.ts";
import { sessions } from "./services.ts";

const seeds = (first: number, n: number): number[] => Array.from({ length: n }, (_, i) => first + i);
const train = sessions(() => new Lockers(), seeds(0, 40));
const tools = [...LOCKER_TOOLS];

describe("lockers: readings without a verb, refusals without a mark, numbers for keys", () => {
  const world = compile(train, { name: "lockers", tools });

  test("unseen sessions are answered", () => {
    const held = observe(sessions(() => new Lockers(), seeds(100, 15)));
    const known = observe(train);
    const { calls, right, wrong } = new Judge([...known, ...held]).scoreOf(world, held, known);
    expect(right / calls).toBeGreaterThanOrEqual(0.95);
    expect(wrong / calls).toBeLessThanOrEqual(0.01);
  });

  test("what refuses without a mark is served without one, and changes nothing", () => {
    const fork = new Starts(world).fresh("task 0");
    expect(fork.call("locker", { locker_number: 2999 })).toMatchObject({
      isError: false,
      value: { message: "Locker 2999 does not exist." },
    });
    const made = fork.call("rent_locker", { owner: "Ada", size: "small" }).value as { locker_number: number };
    fork.call("give_back", { locker_number: made.locker_number });
    const again = fork.call("give_back", { locker_number: made.locker_number });
    expect(again).toMatchObject({ isError: false, changes: [], answerClass: "data" });
    expect(again.value).toEqual({ message: `Locker ${made.locker_number} was given back.` });
  });

  test("the manifest stays as it was listed", () => {
    expect(world.bundle.tools).toEqual(tools);
  });
});

const toldOf = (of: readonly ToolDefinition[]) =>
  describedReads(observe(train), of).flatMap(({ name, annotations }) => (annotations?.readOnlyHint ? [name] : []));

describe("readings that a listing or evidence tells", () => {
  test("by the verb of a description", () => {
    expect(toldOf(tools)).toEqual(["locker", "rented"]);
  });

  test("a hint that is given is kept, and what changes answers is no reading whatever it says of itself", () => {
    const said = tools.map((tool) => ({ ...tool, description: "Show something." }));
    expect(toldOf(said)).toEqual(["locker", "rented"]);
    const hinted = tools.map((tool) => ({ ...tool, annotations: { readOnlyHint: false } }));
    expect(toldOf(hinted)).toEqual([]);
  });

  describe("by answers that stay as they were", () => {
    const told = (description: string, given: number, writer = "set_locker") => {
      const args = { number: 7 };
      const calls = Array.from({ length: 5 }, (_, i) => [
        { tool: writer, args: { number: 9 }, result: '{"done":true}', isError: false },
        { tool: "locker", args, result: `{"state":"${i}"}`, isError: false },
        { tool: "shine_of_locker", args: { number: given }, result: '{"state":"done"}', isError: false },
        { tool: "locker", args, result: `{"state":"${i}"}`, isError: false },
      ]).map((list, i) => ({ id: `s${i}`, calls: list }));
      return describedReads(observe(calls), [
        { name: writer, inputSchema: { type: "object" } },
        { name: "locker", inputSchema: { type: "object" } },
        { name: "shine_of_locker", description, inputSchema: { type: "object" } },
      ]).flatMap(({ name, annotations }) => (annotations?.readOnlyHint ? [name] : []));
    };

    test("around calls about the same thing", () => {
      expect(told("The polish of it.", 7)).toEqual(["locker", "shine_of_locker"]);
      expect(told("The polish of it.", 8)).toEqual(["locker"]);
    });
    test("but for an act that no list of verbs holds, where its name and its description begin alike", () => {
      expect(told("Shine a locker.", 7)).toEqual(["locker"]);
    });
    test("a noun after an article is no verb", () => {
      expect(told("The open lockers.", 7)).toEqual(["locker", "shine_of_locker"]);
      expect(told("A shine of lockers.", 7)).toEqual(["locker", "shine_of_locker"]);
    });
    test("and not where nothing that was called may change anything", () => {
      expect(told("The polish of it.", 7, "get_locker")).toEqual([]);
    });
  });
});

describe("readings that other sessions of a task tell", () => {
  const told = (after: string, name = "glow") => {
    const call = (tool: string, result: string, number = 7) => ({ tool, args: { number }, result, isError: false });
    const pair = (i: number) => [
      { id: `a${i}`, group: `${i}`, calls: [call("set_lamp", "set"), call("get_lamp", `lamp ${i}`)] },
      { id: `b${i}`, group: `${i}`, calls: [call("set_lamp", "set"), call(name, "warm"), call("get_lamp", after + i)] },
    ];
    const again = {
      id: "c",
      calls: Array.from({ length: 4 }, (_, i) => [
        call("get_hall", "dark", i),
        call(name, "warm", 9),
        call("get_hall", "dark", i),
      ]).flat(),
    };
    return describedReads(observe([0, 1, 2].flatMap(pair).concat({ group: "c", ...again })), [
      { name: "set_lamp", inputSchema: { type: "object" } },
      { name, inputSchema: { type: "object" } },
    ]).flatMap((tool) => (tool.annotations?.readOnlyHint ? [tool.name] : []));
  };
  test("as what they asked was answered alike with such a call and without", () => {
    expect(told("lamp ")).toEqual(["glow"]);
    expect(told("bright ")).toEqual([]);
  });
  test("and a name that is a noun in the plural, unless answers differ after it", () => {
    expect(told("lamp ", "lamps")).toEqual(["lamps"]);
  });
});

describe("refusals that nothing marks", () => {
  const session = (tool: string, values: readonly Json[]): Session[] => [
    {
      ...(observe([
        { id: "s", calls: values.map((value) => ({ tool, args: {}, result: JSON.stringify(value), isError: false })) },
      ])[0] as Session),
    },
  ];
  const found = (values: readonly Json[]): Json[] => {
    const of = session("book", values);
    const refuses = unmarkedRefusals(of);
    return of.flatMap(({ calls }) => calls.filter(refuses).map(({ value }) => value));
  };
  const success = { room: 4, price: 20 };

  test("a message alone, or beside values that stay", () => {
    const full = { message: "The room is not free." };
    expect(found([success, full])).toEqual([full]);
    const failed = { status: "failed", why: "The room is not free." };
    expect(found([{ status: "done", room: 4 }, failed])).toEqual([failed]);
  });

  test.each<[string, readonly Json[]]>([
    ["a tool that answers nothing else", [{ message: "The room is not free." }, { message: "The room is taken." }]],
    [
      "a field that successes have too",
      [{ ...success, message: "Not refundable, mind." }, { message: "Not free now." }],
    ],
    ["words of success", [success, { message: "The room is booked." }]],
    ["values beside it that vary", [success, { left: 1, note: "Not many left." }, { left: 2, note: "Not many left." }]],
    ["no message", [success, { message: "no" }]],
  ])("are none: %s", (_, values) => {
    expect(found(values)).toEqual([]);
  });
});
