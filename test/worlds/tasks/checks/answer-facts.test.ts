import { describe, expect, it } from "vitest";
import { answerExcludes, answerIncludes, asks } from "../../../../worlds/tasks/checks/answer-facts.ts";
import { Reading } from "../../../../worlds/tasks/checks/facts.ts";
import { saidOther } from "../../../../worlds/tasks/checks/others.ts";

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
    expect(saidOther(base, others("name", "text", ["Mug Set"]), text("the Mug Set"))).toBeUndefined();
    expect(saidOther(base, others("name", "text", ["Mug Set"]), text("the Mug Set and a mug"))).toBe("mug");
    expect(saidOther(base, others("price", "money", [10.5]), text("$10.50"))).toBeUndefined();
    expect(saidOther(base, others("price", "money", [10.5]), text("$10.50 or $7"))).toBe("7");
    expect(
      saidOther(base, others("on", "date", ["2024-01-02"]), text("January 2, 2024, not March 4, 2024")),
    ).toBeUndefined();
    expect(saidOther(base, others("on", "date", ["2024-01-02"]), text("Jan 2, 2024 or May 6, 2024"))).toBe("2024-5-6");
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
    expect(asks(["order"], [request], request).verdict).toBe("not_met");
    expect(asks(["order"], ["Could you please tell me which order?"], request).verdict).toBe("met");
  });
});
