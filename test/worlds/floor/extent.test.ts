import { describe, expect, test } from "vitest";
import { observe, type Session } from "../../../worlds/compile/observations.ts";
import { LEVELS, train, trainFloor } from "../../../worlds/floor/index.ts";
import type { Json, JsonObject } from "../../../worlds/json.ts";

type Used = readonly [tool: string, args: JsonObject, result: Json];

const sessions = (all: readonly (readonly Used[])[], task: (i: number) => string): Session[] =>
  observe(
    all.map((calls, i) => ({
      id: `s${String(i).padStart(3, "0")}`,
      group: task(i),
      calls: calls.map(([tool, args, result]) => ({
        tool,
        args,
        result: typeof result === "string" ? result : JSON.stringify(result),
        isError: false,
      })),
    })),
  );

/** Shelves with a price each and a bell: paint changes the shelf that it names, ring nothing, sale every price. */
const SHELVES = ["oak", "pine", "ash", "elm"];
const COLOURS = ["red", "blue", "teal", "grey"];

function shop(i: number): Used[] {
  const [one, other] = [SHELVES[i % 4] as string, SHELVES[(i + 1) % 4] as string];
  const colour = COLOURS[Math.floor(i / 4) % 4] as string;
  const price = 10 * (1 + (i % 4));
  const show = (shelf: string, own: string, cost: number): Used => ["show", { shelf }, { colour: own, cost }];
  const change: Used[] =
    i % 3 === 0
      ? [["paint", { shelf: one, colour }, "Painted."], show(one, colour, price)]
      : i % 3 === 1
        ? [["ring", { times: i }, "Ding."], show(one, "white", price)]
        : [["sale", { percent: 50 }, "Sale!"], show(one, "white", price / 2)];
  const otherPrice = 10 * (1 + ((i + 1) % 4)) * (i % 3 === 2 ? 0.5 : 1);
  return [
    show(one, "white", price),
    show(other, "white", 10 * (1 + ((i + 1) % 4))),
    ...change,
    show(other, "white", otherPrice),
  ];
}

const shops = sessions(
  Array.from({ length: 48 }, (_, i) => shop(i)),
  (i) => `task ${i % 12}`,
);

describe("how far calls reach", () => {
  const { reaches } = train(shops);
  const extent = (act: string) => reaches.get("show")?.get(act);

  test("is what they name where only answers on it change, none where nothing does, and any where all do", () => {
    expect(extent("paint")).toBe("named");
    expect(extent("ring")).not.toBe("any");
    expect(extent("sale")).not.toBe("none");
    expect(extent("sale")).not.toBe("named");
  });

  test("is told apart by how a call ended", () => {
    const tries = sessions(
      Array.from({ length: 24 }, (_, i): Used[] => {
        const shelf = SHELVES[i % 4] as string;
        const free = i % 2 === 0;
        return [
          ["vacant", {}, { free: 4 }],
          ["take", { shelf }, free ? "Taken." : "Somebody else has it."],
          ["vacant", {}, { free: free ? 3 : 4 }],
        ];
      }),
      (i) => `task ${i % 6}`,
    );
    const own = train(tries).reaches.get("vacant");
    expect(own?.get("take\nSomebody else has it.")).toBe("named");
    expect(own?.get("take\nTaken.") ?? own?.get("take")).toBe("any");
  });
});

test("what sessions themselves show of how far calls reach is not used to count how often their answers held", () => {
  const look: Used = ["show", { shelf: "oak" }, { colour: "white", cost: 10 }];
  const rings: Used[] = [look, ["ring", { times: 1 }, "Ding."], look];
  const all = sessions(
    [rings, rings, [look], [look, ["sale", { percent: 50 }, "Sale!"]]],
    (i) => `task ${i < 2 ? 0 : i}`,
  );
  const { keyedCalls, reaches } = train(all, { reads: (tool) => tool === "show" });
  expect(reaches.get("show")?.get("ring")).toBe("named");
  const relevant = LEVELS.indexOf("relevant calls");
  const [first, , again] = keyedCalls[0] ?? [];
  expect(again?.keys[relevant]).toBe(first?.keys[relevant]);
  expect(again?.outOfFold[relevant]).not.toBe(first?.outOfFold[relevant]);
});

describe("a floor", () => {
  const ask = (all: readonly Session[], before: readonly (readonly [string, JsonObject, Json])[], shelf: string) => {
    const session = trainFloor(all).session("task nobody did");
    for (const [tool, args, value] of before) session.note({ tool, args }, { value, ok: true });
    return session.answer({ tool: "show", args: { shelf } });
  };

  test("answers after calls that do not reach the question as it does before them", () => {
    const painted = ask(shops, [["paint", { shelf: "pine", colour: "green" }, "Painted."]], "oak");
    expect(painted).toMatchObject({ value: { colour: "white", cost: 10 } });
  });

  test("does not answer so after a call that names what the question names, or that reaches all", () => {
    expect(ask(shops, [["paint", { shelf: "oak", colour: "green" }, "Painted."]], "oak")).toBeUndefined();
    expect(ask(shops, [["sale", { percent: 20 }, "Sale!"]], "oak")).toBeUndefined();
  });

  test("takes no answer of another task where tasks do not start alike", () => {
    const apart = sessions(
      Array.from({ length: 48 }, (_, i) =>
        shop(i).map(
          ([tool, args, result]): Used =>
            tool === "show"
              ? [tool, args, { ...(result as JsonObject), owner: `owner ${i % 12}` }]
              : [tool, args, result],
        ),
      ),
      (i) => `task ${i % 12}`,
    );
    expect(ask(apart, [["ring", { times: 99 }, "Ding."]], "oak")).toBeUndefined();
  });
});
