import { describe, expect, it } from "vitest";
import { asks } from "../../../../worlds/tasks/checks/asking.ts";
import { alike } from "../../../../worlds/tasks/checks/request-words.ts";

const verdictOf = (about: readonly string[], answer: string) => asks(about, [answer]).verdict;

describe("an answer that asks for another thing", () => {
  it.each([
    ["task", "Which item of the order do you mean?"],
    ["user", "Which account should be charged?"],
    ["message", "What is your email?"],
    ["note", "Which entry of the log is wrong?"],
    ["ticket", "Which incident was it about?"],
    ["payment", "Which method did the courier use?"],
    ["order", "What is your full name?"],
    ["order", "Please tell me your zip code."],
    ["order", "Could you give me your phone number?"],
    ["event", "I need your user ID first."],
  ])("of a %s is not met by: %s", (about, answer) => expect(verdictOf([about], answer)).not.toBe("met"));
  it.each([
    ["task", "Which to-do do you mean?"],
    ["user", "Which customer is it?"],
    ["user", "What is the user ID?"],
    ["customer", "Please tell me the customer number."],
    ["message", "Which message should I delete?"],
    ["order", "What is the order number?"],
    ["product", "Which item would you like?"],
    ["event", "What is the name of the event?"],
  ])("of a %s is met by: %s", (about, answer) => expect(verdictOf([about], answer)).toBe("met"));
  it("has no word that stands for two kinds of things", () => {
    for (const word of ["account", "incident", "entry", "method"]) expect(alike(word)).toEqual([word]);
  });
});
