import { describe, expect, test } from "vitest";
import { observe, type Session } from "../../../worlds/compile/observations.ts";
import { type Floor, trainFloor, volatilityOf } from "../../../worlds/floor/index.ts";
import type { Json, JsonObject } from "../../../worlds/json.ts";

type Used = readonly [tool: string, args: JsonObject, result: Json];

/** Sessions of calls, each of a task where one is given. */
function sessions(all: readonly (readonly Used[])[], task?: (i: number) => string): Session[] {
  return observe(
    all.map((calls, i) => ({
      id: `s${String(i).padStart(3, "0")}`,
      ...(task ? { group: task(i) } : {}),
      calls: calls.map(([tool, args, result]) => ({ tool, args, result: JSON.stringify(result), isError: false })),
    })),
  );
}

const id = (i: number, n: number) => `n-${((i * 7919 + n * 104_729 + 65_536) % 1_048_576).toString(16)}${n}z`;
const when = (i: number, n: number) => new Date(1_770_000_000_000 + i * 86_400_000 + n * 1733).toISOString();

/** Notes with random ids and the time of their making; beside them a number that counts up in every session. */
const notes = sessions(
  Array.from({ length: 12 }, (_, i): Used[] => [
    ["add_note", { text: "milk" }, { id: id(i, 1), no: "item-0001", at: when(i, 1), price: { total: 1000 + i * 37 } }],
    ["add_note", { text: "eggs" }, { id: id(i, 2), no: "item-0002", at: when(i, 2), price: { total: 2000 + i * 41 } }],
    ["read_note", { id: id(i, 1) }, { id: id(i, 1), text: "milk" }],
  ]),
);

describe("what is volatile", () => {
  test("are ids that no two sessions share, and clocks; not what counts up alike, and no amounts", () => {
    const volatility = volatilityOf(notes);
    expect(volatility.generated).toEqual(["add_note /id"]);
    expect(volatility.clocks).toEqual(["add_note /at"]);
  });

  test("is no id that a repeated question answers alike: it was there before", () => {
    const read = sessions(
      Array.from({ length: 12 }, (_, i): Used[] => [
        ["get_user", {}, { order: id(i, 1) }],
        ["get_user", {}, { order: id(i, 1) }],
      ]),
    );
    expect(volatilityOf(read).generated).toEqual([]);
  });

  test("is no id that a reading shows of each session's own customer", () => {
    const customers = Array.from({ length: 12 }, (_, i): Used[] => [
      ["find_user", { mail: `m${i}@x.org` }, { user: id(i, 1) }],
    ]);
    const opened = customers.map((calls) => calls.map(([, args, result]): Used => ["open_account", args, result]));
    expect(volatilityOf(sessions(customers)).generated).toEqual([]);
    expect(volatilityOf(sessions(opened)).generated).toEqual(["open_account /user"]);
  });

  test("is no id that a tool shows which was seen to change nothing, whatever its name", () => {
    const looked = Array.from({ length: 12 }, (_, i): Used[] => [
      ["list_orders", {}, { open: [`o${i}`] }],
      ["ticket", { no: `o${i}` }, { card: id(i, 1) }],
      ["list_orders", {}, { open: [`o${i}`] }],
    ]);
    expect(volatilityOf(sessions(looked)).generated).toEqual([]);
    const made = looked.map(([before, ticket, again], i): Used[] => [
      before as Used,
      ticket as Used,
      [again?.[0] ?? "", {}, { open: [`o${i}`, id(i, 1)] }],
    ]);
    expect(volatilityOf(sessions(made)).generated).toEqual(["ticket /card"]);
  });

  test("is no name that is made of the question, and one whose own part is not", () => {
    const day = (i: number) => new Date(1_770_000_000_000 + i * 86_400_000).toISOString().slice(0, 10);
    const charts = (name: (i: number) => string) =>
      sessions(Array.from({ length: 12 }, (_, i): Used[] => [["make_chart", { of: "visits", on: day(i) }, name(i)]]));
    expect(volatilityOf(charts((i) => `charts/visits_${day(i)}_line.png`)).generated).toEqual([]);
    expect(volatilityOf(charts((i) => `charts/visits_${id(i, 1)}.png`)).generated).toEqual(["make_chart "]);
  });
});

/** A light that is switched and looked at: what it shows depends on what was done last. */
function light(n: number): Session[] {
  return sessions(
    Array.from({ length: n }, (_, i): Used[] => {
      const levels = [1 + (i % 3), 1 + ((i + 1) % 3)];
      return levels.flatMap((level): Used[] => [
        ["dim", { level }, "ok"],
        ["look", {}, { level }],
        ["dim", { level }, "ok"],
        ["look", {}, { level }],
      ]);
    }),
  );
}

const ask = (floor: Floor, before: readonly (readonly [string, JsonObject])[], tool: string, args: JsonObject) => {
  const session = floor.session(undefined);
  for (const [name, own] of before) session.note({ tool: name, args: own }, { value: "ok", ok: true });
  return session.answer({ tool, args });
};

describe("the floor", () => {
  const floor = trainFloor(light(30));

  test("answers by what was done before, and is silent where that was never seen", () => {
    expect(ask(floor, [["dim", { level: 2 }]], "look", {})).toMatchObject({ value: { level: 2 }, ok: true });
    expect(ask(floor, [["dim", { level: 3 }]], "look", {})).toMatchObject({ value: { level: 3 }, ok: true });
    expect(ask(floor, [["dim", { level: 9 }]], "look", {})).toBeUndefined();
    expect(ask(floor, [], "paint", {})).toBeUndefined();
  });

  test("knows which calls change something, and what they change", () => {
    expect(floor.effects.pure("look")).toBe(true);
    expect(floor.effects.pure("dim")).toBe(false);
    expect([...floor.effects.changedBy("look")]).toEqual(["dim"]);
  });

  test("does not guess what evidence answers in more than one way", () => {
    const unsure = trainFloor(
      sessions(
        Array.from({ length: 30 }, (_, i): Used[] => [["weather", {}, { sky: ["blue", "grey"][i % 2] as string }]]),
      ),
    );
    const session = unsure.session(undefined);
    expect(session.answer({ tool: "weather", args: {} })).toBeUndefined();
    expect(session.guess({ tool: "weather", args: {} })?.confidence).toBeLessThan(0.7);
  });

  test("knows a task that the evidence knows, and not another", () => {
    const tasks = trainFloor(
      sessions(
        Array.from({ length: 24 }, (_, i): Used[] => [["balance", {}, { money: 100 * (i % 4) }]]),
        (i) => `task ${i % 4}`,
      ),
    );
    expect(tasks.session("task 3").answer({ tool: "balance", args: {} })).toMatchObject({ value: { money: 300 } });
    expect(tasks.session("task 9").answer({ tool: "balance", args: {} })).toBeUndefined();
  });

  test("gives back what is written like an id as it was answered", () => {
    const quoted = trainFloor(
      sessions(Array.from({ length: 12 }, (): Used[] => [["read_sign", {}, { says: "‹3› ‹t1› ‹" }]])),
    );
    const { value } = quoted.session(undefined).answer({ tool: "read_sign", args: {} }) ?? {};
    expect(value).toEqual({ says: "‹3› ‹t1› ‹" });
  });

  test("never issues an id again that was recorded elsewhere", () => {
    const trained = trainFloor(notes);
    const session = trained.session(undefined);
    const question = { tool: "add_note", args: { text: "milk" } };
    const made = session.guess(question);
    const recorded = JSON.stringify(notes);
    const { id: own } = (made?.value ?? {}) as { id: string };
    expect(recorded).not.toContain(own);
    session.note(question, made);
    expect(session.guess({ tool: "read_note", args: { id: own } })?.value).toEqual({ id: own, text: "milk" });
  });
});

describe("a moment that the session's clock showed", () => {
  const seed = { no: "item-0000", at: "2025-11-02T08:15:00.000Z" };
  const list = (at: string): Json => ({ notes: [seed, { no: "item-0001", at }] });
  const floor = trainFloor(
    sessions(
      Array.from({ length: 12 }, (_, i): Used[] => [
        ["list_notes", {}, { notes: [seed] }],
        ["add_note", { text: "milk" }, { no: "item-0001", at: when(i, 1) }],
        ["list_notes", {}, list(when(i, 1))],
        ["notes_since", { since: when(i, 1) }, "1 note"],
      ]),
    ),
  );
  const add = { tool: "add_note", args: { text: "milk" } };
  const own = "2026-11-29T20:15:07.001Z";

  test("is its own wherever it is shown again, and in what is asked", () => {
    const session = floor.session(undefined);
    session.note({ tool: "list_notes", args: {} }, { value: { notes: [seed] }, ok: true });
    session.note(add, { value: { no: "item-0001", at: own }, ok: true });
    expect(session.answer({ tool: "list_notes", args: {} })?.value).toEqual(list(own));
    session.note({ tool: "list_notes", args: {} }, { value: list(own), ok: true });
    expect(session.answer({ tool: "notes_since", args: { since: own } })?.value).toBe('"1 note"');
    expect(session.answer({ tool: "notes_since", args: { since: seed.at } })).toBeUndefined();
  });

  test("is not meant by a text that is written as it is kept", () => {
    for (const since of ["‹t0›", "‹0›", "‹_›"]) {
      const session = floor.session(undefined);
      session.note({ tool: "list_notes", args: {} }, { value: { notes: [seed] }, ok: true });
      session.note(add, { value: { no: "item-0001", at: own }, ok: true });
      session.note({ tool: "list_notes", args: {} }, { value: list(own), ok: true });
      expect(session.answer({ tool: "notes_since", args: { since } })).toBeUndefined();
    }
  });

  test("is not made up where the session was not shown it", () => {
    const session = floor.session(undefined);
    session.note({ tool: "list_notes", args: {} }, { value: { notes: [seed] }, ok: true });
    session.note(add, undefined);
    expect(session.answer({ tool: "list_notes", args: {} })).toBeUndefined();
  });
});

test("answers to some arguments are no reason against those that other arguments always have", () => {
  const found = sessions(
    Array.from({ length: 16 }, (_, i): Used[] => [
      ["find_orders", { mail: `m${i}@x.org` }, []],
      ["find_orders", { shelf: `S${i}` }, [{ order: `o${i}` }]],
    ]),
  );
  const floor = trainFloor(found);
  expect(ask(floor, [], "find_orders", { mail: "new@x.org" })).toMatchObject({ value: [], level: "argument names" });
  expect(ask(floor, [], "find_orders", { shelf: "S99" })).toBeUndefined();
});
