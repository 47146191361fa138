import { describe, expect, it } from "vitest";
import { finalAnswerClass } from "../../../chapters/evidence/traces/final-answer.ts";
import { toObserved } from "../../../chapters/evidence/traces/observed.ts";
import type { CanonicalTrace } from "../../../chapters/records/evidence/evidence.ts";
import { classOf } from "../../../worlds/tasks/checks/answer-class.ts";

const trace: CanonicalTrace = {
  v: 1,
  session: "s1",
  request: "Cancel my order",
  turns: [
    { role: "system", text: "Be kind." },
    { role: "user", text: "Cancel my order" },
    { role: "assistant", text: "Which one?" },
    { role: "user", text: " #W1, please. ###STOP###" },
    { role: "assistant", text: "Done." },
    { role: "user", text: "###TRANSFER###" },
  ],
  calls: [],
  final_answer: "Done.",
  final_answer_class: "answered",
  labels: {},
};

describe("a stored trace for the compiler", () => {
  it("says what the user said after the request, without a simulator's signs", () => {
    expect(toObserved(trace, "t1")).toMatchObject({ id: "t1", request: "Cancel my order", turns: ["#W1, please."] });
  });

  it("says which turns were met with neither a call nor a word, where calls say their turn", () => {
    const call = (turn?: number) => ({
      tool: "get",
      args: {},
      result: "1",
      is_error: false,
      ...(turn === undefined ? {} : { turn }),
    });
    const turns: CanonicalTrace["turns"] = ["Book a table.", "Cancel #W1.", "Thanks."].flatMap((text) => [
      { role: "user" as const, text },
      { role: "assistant" as const, text: "" },
    ]);
    const silent = { ...trace, request: "Book a table.", turns, calls: [call(3)] as CanonicalTrace["calls"] };
    expect(toObserved(silent, "t1")).toMatchObject({ turns: ["Cancel #W1.", "Thanks."], unanswered: [0, 2] });
    expect(toObserved({ ...silent, calls: [call()] as CanonicalTrace["calls"] }, "t1").unanswered).toBeUndefined();
    expect(toObserved(trace, "t1").unanswered).toBeUndefined();
  });
});

describe("the class of a final answer", () => {
  it("is the one that grading reads from the same words", () => {
    for (const said of [
      "I could not find that order.",
      "I'm unable to change it.",
      "It costs $5.",
      "Which order?",
      " ",
    ])
      expect(finalAnswerClass(said)).toBe(classOf(said));
    expect(finalAnswerClass(null)).toBe("none");
    expect(finalAnswerClass("You are being transferred to a human agent.")).toBe("refused");
  });
  it("is answered where an answer both claims success and declines", () => {
    const said = "I've cancelled the order and I cannot cancel the order.";
    expect(classOf(said)).toBeUndefined();
    expect(finalAnswerClass(said)).toBe("answered");
  });
});
