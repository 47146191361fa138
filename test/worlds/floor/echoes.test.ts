import { describe, expect, test } from "vitest";
import { observe, type Session } from "../../../worlds/compile/observations.ts";
import { withArguments, withoutArguments } from "../../../worlds/floor/echoes.ts";
import { trainFloor } from "../../../worlds/floor/index.ts";
import type { Json } from "../../../worlds/json.ts";

describe("what an answer repeats of its call", () => {
  test.each<[Json, Json]>([
    ["There is no x1.txt here.", "There is no notes here."],
    [
      { error: "no file", of: { name: "x1.txt" } },
      { error: "no file", of: { name: "notes" } },
    ],
    [
      ["x1.txt", 42, "42 of 420"],
      ["notes", 7, "7 of 420"],
    ],
  ])("stands under the argument's name, and is what another call gives: %j", (value, other) => {
    const kept = withoutArguments(value, { name: "x1.txt", size: 42 });
    expect(withArguments(kept, { name: "x1.txt", size: 42 })).toEqual(value);
    expect(withArguments(kept, { name: "notes", size: 7 })).toEqual(other);
  });

  test("is no part of a word, no single character and no truth value", () => {
    for (const value of ["texts and x1.txts", { a: "b" }, [true]])
      expect(withoutArguments(value, { name: "x1.txt", one: "b", yes: true, part: "text" })).toEqual(value);
  });

  test("is nothing for a call that gives no such argument", () => {
    const kept = withoutArguments("There is no x1.txt here.", { name: "x1.txt" });
    expect(withArguments(kept, { path: "notes" })).toBeUndefined();
    expect(withArguments(kept, { name: ["notes"] })).toBeUndefined();
  });
});

describe("an answer to other arguments", () => {
  const nameOf = (i: number): string => `old ${"abcdefghijkl"[i]} letters`;
  const of = (result: (name: string) => Json, isError: boolean): Session[] =>
    observe(
      Array.from({ length: 12 }, (_, i) => ({
        id: `s${i}`,
        calls: [{ tool: "burn", args: { what: nameOf(i) }, result: result(nameOf(i)), isError }],
      })),
    );
  const ask = (sessions: Session[], args: { [name: string]: Json }) =>
    trainFloor(sessions).session(undefined).answer({ tool: "burn", args });

  test("refuses what the call names, not what another one named", () => {
    const refused = of((name) => `There is no ${name} here.`, true);
    expect(ask(refused, { what: "trash" })).toMatchObject({ value: "There is no trash here.", ok: false });
    expect(ask(refused, { which: "trash" })).toBeUndefined();
  });

  test("claims no success with a thing that no session succeeded with", () => {
    expect(
      ask(
        of((name) => `Burnt ${name}.`, false),
        { what: "trash" },
      ),
    ).toBeUndefined();
    expect(
      ask(
        of(() => "Burnt.", false),
        { what: "trash" },
      ),
    ).toMatchObject({ value: "Burnt.", ok: true });
  });
});
