import { describe, expect, it } from "vitest";
import { answerExcludes, answerIncludes } from "../../../../worlds/tasks/checks/answer-facts.ts";
import { asks } from "../../../../worlds/tasks/checks/asking.ts";
import { Reading } from "../../../../worlds/tasks/checks/facts.ts";
import { otherRowValue } from "../../../../worlds/tasks/checks/others.ts";

const text = (t: string) => new Reading(t);
const a = { value: "Desk Lamp", kind: "text" as const };
const b = { value: "Wool Blanket", kind: "text" as const };

describe("answer includes", () => {
  it("wants every fact, in any order unless asked", () => {
    expect(answerIncludes([a, b], false, text("Wool blanket and desk lamp")).verdict).toBe("met");
    expect(answerIncludes([a, b], true, text("Wool blanket and desk lamp")).verdict).toBe("not_met");
    expect(answerIncludes([a, b], true, text("1. Desk lamp 2. wool blanket")).verdict).toBe("met");
    expect(answerIncludes([a, b], false, text("The desk lamp")).verdict).toBe("not_met");
    expect(answerIncludes([a], false, text("")).verdict).toBe("not_met");
  });
  it("says when a fact is denied", () => {
    expect(answerIncludes([a], false, text("It is not the desk lamp")).reason).toContain("denies");
  });
  it("does not decide between yes and no", () => {
    expect(answerIncludes([{ value: true, kind: "boolean" }], false, text("Yes and no.")).verdict).toBe("not_decided");
  });
});

describe("an answer that does not commit itself", () => {
  const total = { value: 152.3, kind: "money" as const };
  const day = { value: "2024-05-13", kind: "date" as const };
  const status = { value: "pending_review", kind: "text" as const };
  for (const [fact, said] of [
    [total, "It is either $152.30 or $999.99."],
    [total, "$152.30 or $160"],
    [total, "$160 or $152.30"],
    [total, "Maybe $152.30, maybe $20.00."],
    [total, "$152.30 is not the total."],
    [day, "May 13 or May 14, 2024"],
    [day, "May 13 or 14"],
    [status, "Either pending review or shipped."],
  ] as const)
    it(`is not met by ${JSON.stringify(said)}`, () => {
      expect(answerIncludes([fact], false, text(said)).verdict).toBe("not_met");
    });
  for (const [fact, said] of [
    [total, "$152.30, or 152.3 US dollars"],
    [total, "You can pay by card or cash. The total is $152.30."],
    [total, "The total is $152.30. Either way, it is due now or next week."],
    [total, "It may be late, but the total is $152.30."],
    [day, "13/05/2024, or May 13th"],
    [status, "It is pending review. Shall I cancel or keep it?"],
  ] as const)
    it(`is met by ${JSON.stringify(said)}`, () => {
      expect(answerIncludes([fact], false, text(said)).verdict).toBe("met");
    });
});

describe("answer excludes", () => {
  it("rejects what does not belong, and spares what is denied", () => {
    expect(answerExcludes([b], text("The desk lamp and the wool blanket")).verdict).toBe("not_met");
    expect(answerExcludes([b], text("The desk lamp, not the wool blanket")).verdict).toBe("met");
  });
  it("knows every other value of a column", () => {
    const base = {
      tables: {
        t: {
          1: { name: "Mug", price: 10.5, on: "2024-01-02" },
          2: { name: "Mug Set", price: 20.25, on: "2024-03-04" },
          3: { name: "Tray", price: 7, on: "2024-05-06T10:00:00" },
        },
      },
      drawn: {},
    };
    const others = (path: string, kind: "text" | "money" | "date", except: (string | number)[]) => ({
      table: "t",
      path,
      kind,
      except,
    });
    expect(otherRowValue(base, others("name", "text", ["Mug Set"]), text("the Mug Set"))).toBeUndefined();
    expect(otherRowValue(base, others("name", "text", ["Mug Set"]), text("the Mug Set and a mug"))).toBe("mug");
    expect(otherRowValue(base, others("price", "money", [10.5]), text("$10.50"))).toBeUndefined();
    expect(otherRowValue(base, others("price", "money", [10.5]), text("$10.50 or $7"))).toBe("7");
    expect(
      otherRowValue(base, others("on", "date", ["2024-01-02"]), text("January 2, 2024, not March 4, 2024")),
    ).toBeUndefined();
    expect(otherRowValue(base, others("on", "date", ["2024-01-02"]), text("Jan 2, 2024 or May 6, 2024"))).toBe(
      "2024-5-6",
    );
  });
});

describe("asks", () => {
  it("wants a question about what is missing", () => {
    expect(asks(["order", "order number"], ["Which order do you mean?"]).verdict).toBe("met");
    expect(asks(["order"], ["Please tell me the order number."]).verdict).toBe("met");
    expect(asks(["order"], ["I have cancelled your order."]).verdict).toBe("not_met");
    expect(asks(["order"], ["Is there anything else?"]).verdict).toBe("not_met");
    expect(asks(["order"], [""]).verdict).toBe("not_met");
  });
  it("does not take the request said back for a question", () => {
    const request = "Hello! Could you please cancel my order? Thank you.";
    expect(asks(["order"], [request], { request }).verdict).toBe("not_met");
    expect(asks(["order"], ["Could you please tell me which order?"], { request }).verdict).toBe("met");
  });
});

describe("asking", () => {
  const about = ["order", "order number"];
  for (const said of [
    "Which order?",
    "I found two open orders. Which order do you mean?",
    "I have located two orders. Could you share the order number?",
  ])
    it(`is ${JSON.stringify(said)}`, () => expect(asks(about, [said]).verdict).toBe("met"));
  for (const said of [
    "I've cancelled your order. Is there anything else on that order?",
    "Can I help you with another order?",
    "Done! Which order is next?",
    "I can do that for your order.",
  ])
    it(`is not ${JSON.stringify(said)}`, () => expect(asks(about, [said]).verdict).toBe("not_met"));
});
