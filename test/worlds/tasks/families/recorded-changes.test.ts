import { expect, it } from "vitest";
import { asksThen, conversationOf } from "../../../../worlds/tasks/families/recorded-changes.ts";
import type { Kit } from "../../../../worlds/tasks/kit.ts";
import { random } from "../../../../worlds/tasks/random.ts";
import type { Voice } from "../../../../worlds/tasks/words/phrases.ts";

it.each([
  ["todo tasks", 2, "", "Then tell me how many todo tasks there are."],
  ["open orders", 12, "the customer Ann", "Then tell me how many open orders there are for the customer Ann."],
  ["order status", 3, "", "Then tell me the order status."],
  ["actual hours", 7, "", "Then tell me the actual hours."],
  ["account balances", 10.5, "", "Then tell me the account balances."],
  ["tags", "red", "", "Then tell me the tags."],
])("a figure of %s (%s) is asked for so that a count is meant where one is", (field, value, about, request) =>
  expect(asksThen(field, value, about)).toBe(request),
);

/** A board that makes cards and changes them. */
const board = {
  tools: [{ name: "add_card", params: [{ name: "title" }, { name: "rank" }] }],
  fork: () => ({
    call: (tool: string) => ({
      value: { card: "C-1" },
      answerClass: "data",
      isError: false,
      changes: [{ table: "cards", key: "C-1", after: {}, ...(tool === "add_card" ? {} : { before: {} }) }],
    }),
    diff: () => [],
  }),
} as unknown as Kit;
const add = { tool: "add_card", args: { title: "Paint" } };
const set = (args: object) => ({ tool: "change_card", args: { card: "$1.card", ...args } });
const made = 'create a new card titled "Paint"';

it.each([
  ["what was given is given again", { title: "Sand" }, 'change the title of the card "Paint" to "Sand"', 1],
  ["what the first call left out, in one breath", { rank: 2 }, 'change the rank of the card "Paint" to 2', 0],
  ["what the first call left out, in a sentence more", { rank: 2 }, 'give the card "Paint" the rank "2: low."', 1],
  ["what only the second one takes", { note: "wet" }, 'give the card "Paint" the note "It is wet."', 0],
])("a new thing is changed once it is there: %s", (_, args, said, turns) => {
  const voice: Voice = { persona: "careful planner", register: "terse" };
  const wishes = [made, said].map((one, at) => ({ at, said: one }));
  const told = conversationOf(board, voice, [add, set(args)], wishes, random("turns"), () => false);
  expect(told.turns).toHaveLength(turns);
  expect(told.request).toMatch(/^Create a new card titled "Paint"/);
  const last = [told.request, ...told.turns].at(-1);
  expect(last).toMatch(turns === 0 ? /^Create .*(?:set its rank to 2|It is wet\.")/ : /^(?:Change|Give) the .*"\.?$/);
});
