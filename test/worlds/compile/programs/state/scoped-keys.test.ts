import { expect, test } from "vitest";
import { observe } from "../../../../../worlds/compile/observations.ts";
import { findKeyed, findLayout } from "../../../../../worlds/compile/programs/state/layout.ts";
import type { ObservedTrace } from "../../../../../worlds/observation.ts";

const TITLES: Record<string, readonly string[]> = { red: ["Roof", "Wall", "Door"], blue: ["Soup", "Cake", "Rice"] };
const OWNERS: Record<string, readonly string[]> = { red: ["ann", "bob", "cy"], blue: ["di", "ed", "flo"] };

/** Cards are numbered from one in every project; `one` shows the same cards in both. */
const session = (s: number, one: boolean): ObservedTrace => ({
  id: `s${s}`,
  calls: ["red", "blue"].flatMap((project) =>
    [1, 2, 3].map((number) => {
      const of = one ? "red" : project;
      const card = { number, title: TITLES[of]?.[number - 1], owner: OWNERS[of]?.[number - 1] };
      return { tool: "get_card", args: { project, number }, result: JSON.stringify(card), isError: false };
    }),
  ),
});
const keysOf = (one: boolean) => {
  const sessions = observe([0, 1, 2, 3].map((s) => session(s, one)));
  const { paths } = findLayout(sessions, new Set(["get_card"]), findKeyed(sessions), true);
  return (paths.get("get_card") ?? []).map(({ key }) => key);
};

test("numbers that begin anew in every project tell rows apart only with it", () => {
  expect(keysOf(false)).toEqual([{ from: "args", names: ["number", "project"] }]);
});

test("an argument that leaves the row as it is says nothing of its key", () => {
  expect(keysOf(true)).toEqual([{ from: "field", name: "number" }]);
});
