import { expect, it } from "vitest";
import { asksOtherwise } from "../../../../worlds/tasks/observed/requests.ts";

const call = (tool: string, args = {}) => ({ tool, args });
const asked = (words: string, calls: string[], runs: string[][]) =>
  asksOtherwise({
    words: [words],
    calls: calls.map((tool) => call(tool)),
    runs: runs.map((run) => run.map((tool) => call(tool))),
    writes: ["add_card", "move_card", "like"],
    otherwise: false,
  });

it("a change that every session made and no check needs was asked for, one that some made was not", () => {
  const runs = [
    ["add_card", "move_card", "move_card"],
    ["add_card", "show_card", "move_card"],
  ];
  expect(asked("Add the card, on top.", ["add_card"], runs)).toBe(
    "move_card was called in every session and no check needs it",
  );
  expect(asked("Add the card, on top.", ["add_card", "move_card"], runs)).toBeUndefined();
  expect(asked("Add the card, on top.", ["add_card"], [...runs, ["add_card"]])).toBeUndefined();
});

it("a tool whose whole name is said is asked for, a word of its name alone is not", () => {
  expect(asked("Add a card and like it.", ["add_card"], [["add_card"]])).toBe(
    "the request names like, which no check needs",
  );
  expect(asked("Add a card, then move on.", ["add_card"], [["add_card"]])).toBe(
    "the request names move_card, which no check needs",
  );
  expect(asked("Add this, then move on.", ["add_card"], [["add_card"]])).toBeUndefined();
});
