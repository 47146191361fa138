import { expect, it } from "vitest";
import { halvesOf, inContext } from "../../../../chapters/findings/assistant/root-halves.ts";

it.each([
  ["when was my last run and how did it end", "when was my last run", "how did it end"],
  [
    "How many files came in so far, and were any of them bad?",
    "How many files came in so far",
    "were any of them bad?",
  ],
  ["when was it built? and from how many traces", "when was it built", "from how many traces"],
])("finds the two questions of a text: %s", (text, first, second) => {
  expect(halvesOf(text)).toEqual([first, second]);
});

it.each([
  "what broke and why",
  "which version is better and by how much",
  "we had an incident yesterday, how do I report it",
  "how do I stop and restart a run",
  "which tasks are about orders and refunds",
])("takes a text for one question: %s", (text) => {
  expect(halvesOf(text)).toBeUndefined();
});

it("gives the second the version, the time and the total of the first, where it has none", () => {
  expect(inContext(["how many trials were run in total", "how many met?"])).toBe("how many met in total");
  expect(inContext(["what did version 2 cost today", "how long did it take?"])).toBe(
    "how long did it take of version 2 today",
  );
  expect(inContext(["what did version 2 score", "what did version 1 score?"])).toBe("what did version 1 score");
});
