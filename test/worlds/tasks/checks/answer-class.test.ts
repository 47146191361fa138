import { describe, expect, it } from "vitest";
import { answerClass, classOf } from "../../../../worlds/tasks/checks/answer-class.ts";

const cases: Record<string, string[]> = {
  answered: [
    "The total is $54.20.",
    "Done: the order has been cancelled as you asked.",
    "I've updated the address to 10 Cedar Lane.",
    "Your order has been cancelled. Let me know if there is anything else.",
    "There are three items: a lamp, a mug and a tray.",
    "Your order has been cancelled. You won't be charged.",
    "Done. You will not be able to undo this.",
    "The status of the task is failed.",
    "The item is not available in red.",
    "The order has been cancelled; no other changes were made.",
    "The tracking number is PA482431, which belongs to ParcelOne.",
    "You have $10.00 of store credit, which you can use on any order.",
    "The two flights cost $2,760 in total, which excludes the insurance.",
  ],
  said_no_data: [
    "I could not find any order with that number.",
    "No such customer exists.",
    "There are no items above $50 on this order.",
    "I'm sorry, but I couldn't find a record of that.",
    "That order does not exist.",
    "Nothing found.",
    "I found nothing under that number.",
    "No order with that id.",
    "There isn't any order with that number.",
    "The order was not found in our system.",
  ],
  refused: [
    "I'm sorry, but I can't help with that.",
    "I cannot cancel this order because it has already shipped.",
    "Unfortunately that is not possible.",
    "The order cannot be changed any more.",
    "I am unable to process this refund.",
    "I was unable to do that.",
    "Unfortunately that order has already shipped.",
    "It's too late to cancel this order.",
    "The exchange did not go through.",
    "The system rejected the request: the order is on its way.",
    "No changes were made because the order is delivered.",
    "Sorry, only pending orders can be cancelled.",
    "I've not changed anything, since the order is delivered.",
    "This request was declined by the system: the order is not eligible.",
    "Our policy does not allow refunds after 30 days.",
  ],
  none: [
    "",
    "   ",
    "Which order do you mean?",
    "Please tell me which booking you mean.",
    "I need to know which order to cancel.",
    "Let me know which one.",
  ],
};

describe("answer class", () => {
  for (const [wanted, texts] of Object.entries(cases)) {
    for (const text of texts) it(`${wanted}: ${JSON.stringify(text)}`, () => expect(classOf(text)).toBe(wanted));
  }
  it("takes the agent's own word over its wording", () => {
    // Finding E22: the reason is a sentence that a reader of a trial understands.
    expect(answerClass("refused", [{ text: "I did it.", class: "answered" }]).reason).toBe(
      "the agent answered, by its own word; it should have refused",
    );
    expect(answerClass("refused", [{ text: "The total is 5.", class: "refused" }]).verdict).toBe("met");
    expect(answerClass("answered", [{ text: "The total is 5.", class: "refused" }]).verdict).toBe("not_met");
  });
  it("reads the last turn that says something", () => {
    expect(answerClass("answered", [{ text: "I can't." }, { text: "The total is $5." }, { text: "" }]).verdict).toBe(
      "met",
    );
  });
  it("takes silence for none", () => {
    expect(answerClass("none", []).verdict).toBe("met");
    expect(answerClass("answered", [{ text: "" }]).verdict).toBe("not_met");
  });
  it("does not decide where an answer claims success and declines", () => {
    expect(answerClass("answered", [{ text: "I've cancelled the order. I can't cancel it." }]).verdict).toBe(
      "not_decided",
    );
  });
});

describe("an answer after a change", () => {
  const call = {
    tool: "exchange_item",
    args: { order_id: "#W123", item_id: "7624783998" },
    answer: { order_id: "#W123", difference: 16.23 },
    answer_class: "data",
    is_error: false,
  };
  const request = "Please exchange the lamp of order #W123 for a black one.";
  const read = (texts: readonly string[], changed = true) =>
    answerClass(
      "answered",
      texts.map((text) => ({ text })),
      { request, calls: [{ ...call, changed }] },
    ).verdict;
  it("is an answer where one of the things said is that it was done, whatever else cannot be", () => {
    expect(read(["I've exchanged the lamp.", "I can't add a note; you are being transferred to a human agent."])).toBe(
      "met",
    );
    expect(read(["Your lamp has been exchanged. Unfortunately it can no longer be modified by us."])).toBe("met");
  });
  it("is not decided by its words where it tells what was changed beside what cannot be", () => {
    expect(read(["Difference charged: 16.23. Exchanges can only be submitted once."])).toBe("not_decided");
  });
  it("is none where it only declines, and where nothing was changed", () => {
    expect(read(["I'm sorry, but I can't help with that."])).toBe("not_met");
    expect(read(["I cannot exchange the lamp of order #W123."])).toBe("not_met");
    expect(read(["I have not exchanged the lamp, that is not possible."])).toBe("not_met");
    expect(read(["I've exchanged the lamp.", "I can't help with that."], false)).toBe("not_met");
  });
});
