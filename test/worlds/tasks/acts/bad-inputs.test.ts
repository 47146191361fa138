import { describe, expect, it } from "vitest";
import { compile } from "../../../../worlds/compile/index.ts";
import { draw } from "../../../../worlds/draw/index.ts";
import type { JsonObject } from "../../../../worlds/json.ts";
import type { ObservedTrace } from "../../../../worlds/observation.ts";
import { chainOf, madeBy } from "../../../../worlds/tasks/acts/chain.ts";
import { recordedIn, scalarsOf } from "../../../../worlds/tasks/acts/recorded.ts";
import { recordedChanges } from "../../../../worlds/tasks/families/recorded-changes.ts";
import { generateTasks } from "../../../../worlds/tasks/generate.ts";
import { makeKit } from "../../../../worlds/tasks/kit.ts";
import { random } from "../../../../worlds/tasks/random.ts";
import { voicesOf } from "../../../../worlds/tasks/words/voices.ts";
import { growth, LINEAR } from "../../../helpers/growth.ts";
import { sessions } from "../../compile/programs/services.ts";
import { shop, shopRows } from "../../fixtures/shop.ts";
import { MADE } from "./folders.ts";

const traces = sessions(
  MADE.meter as never,
  Array.from({ length: 24 }, (_, i) => i),
);
const { bundle, base } = compile(traces, { name: "meter" });
const drawn = draw(bundle, base, { seed: "1" });
const families = ["write", "multi_write", "lookup", "guarded_write"] as const;
const made = (mined: readonly ObservedTrace[]) =>
  generateTasks(bundle, drawn, { seed: "1", count: 12, families, mined }).filter(
    ({ cell }) => cell.words === "templated",
  );
const session = (
  calls: readonly { tool: string; args: JsonObject; result: unknown; isError?: boolean }[],
): ObservedTrace => ({
  id: "one",
  calls: calls.map(({ tool, args, result, isError = false }) => ({ tool, args, result: result as string, isError })),
});

describe("what sessions may hold", () => {
  it("no sessions, and sessions without a call, make no task", () => {
    expect(made([])).toEqual([]);
    expect(made([{ id: "empty", calls: [] }])).toEqual([]);
  });
  it("sessions in which all was refused make none that must be done, and so no refusal either", () => {
    const refused = traces.map((trace) => ({
      ...trace,
      calls: trace.calls.map((call) => ({ ...call, result: '{"error":"Closed today"}', isError: true })),
    }));
    expect(made(refused)).toEqual([]);
  });
  it("calls of tools that nobody lists, without results or with nothing known of them, are left out", () => {
    expect(made([session([{ tool: "explode", args: { at: "once" }, result: "{}" }])])).toEqual([]);
    expect(made([session([{ tool: "fill", args: { litres: 3 }, result: null }])])).toEqual([]);
  });
  it("a value that reads as a reference stands in no script", () => {
    const trick = session([{ tool: "fill", args: { litres: "$1.litres" }, result: '{"litres":5}' }]);
    expect(made([trick])).toEqual([]);
  });
  it("names of prototypes are names like any other", () => {
    const args = JSON.parse('{"__proto__":{"litres":3},"constructor":"x","litres":4}') as JsonObject;
    expect(scalarsOf(args).map(({ path }) => path)).toEqual(["__proto__.litres", "constructor", "litres"]);
    expect(() => made([session([{ tool: "fill", args, result: '{"litres":9}' }])])).not.toThrow();
    expect(({} as { litres?: number }).litres).toBeUndefined();
  });
  it("very long and very deep values end in no task, and take time that grows with their size", async () => {
    const long = (size: number) => ({ litres: 2, note: "word ".repeat(size * 50_000) });
    const deep = (size: number) => {
      let args: JsonObject = { litres: 1 };
      for (let i = 0; i < size * 1_250; i += 1) args = { deep: args };
      return args;
    };
    for (const args of [long, deep])
      expect(
        await growth((size) =>
          expect(made([session([{ tool: "fill", args: args(size), result: '{"litres":7}' }])])).toEqual([]),
        ),
        args.name,
      ).toBeLessThan(LINEAR);
  });
});

describe("where a value of a session comes from", () => {
  const calls = recordedIn([
    session([
      { tool: "open", args: { title: "Blue door" }, result: '{"door_id":"d-17","title":"Blue door","size":4}' },
      { tool: "paint", args: { door_id: "d-17", size: 4, title: "Blue door" }, result: '{"ok":true}' },
    ]),
  ]).sessions[0];
  const of = (name: string, held = new Set<string>()) =>
    madeBy(calls ?? [], 1, scalarsOf(calls?.[1]?.args ?? {}).find((place) => place.name === name) as never, held);

  it("an id that an answer showed first was made there; a text that a caller brought was not", () => {
    expect(of("door_id")).toEqual({ at: 0, path: "door_id" });
    expect(of("title")).toBeUndefined();
  });
  it("what the drawn state holds is no session's own; a figure is one under its name alone", () => {
    expect(of("door_id", new Set(["d-17"]))).toBeUndefined();
    expect(of("size")).toEqual(expect.objectContaining({ at: 0, path: "size" }));
  });
});

describe("worlds whose rows tell what may be asked", () => {
  it("have no task of a rule's words for tools that rows cover", () => {
    const orders = Object.keys(shopRows.tables.orders ?? {});
    const cancelled = orders.map((order_id, i) => ({
      ...session([{ tool: "cancel_order", args: { order_id, reason: "no longer needed" }, result: '{"ok":true}' }]),
      id: `s${i}`,
    }));
    const kit = makeKit(shop, shopRows, "1");
    const written = (["write", "multi_write"] as const).flatMap((family) => [
      ...recordedChanges(kit, cancelled, family, voicesOf([], {}, 0), random("1")),
    ]);
    expect(written).toEqual([]);
    const tasks = generateTasks(shop, shopRows, { seed: "1", count: 20, families, mined: cancelled });
    expect(tasks.length).toBeGreaterThan(10);
  });
  it("a call that is not certain there is no part of a chain", () => {
    const kit = makeKit(shop, shopRows, "1");
    const recorded = recordedIn([session([{ tool: "no_such_tool", args: {}, result: "{}" }])]);
    expect(chainOf(kit, recorded.sessions[0] ?? [], [0], { recorded, rng: random("1") })).toBeUndefined();
  });
});
