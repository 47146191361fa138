import { describe, expect, it } from "vitest";
import { readReport } from "../../../chapters/findings/reports/read-report.ts";

const read = (text: string) => readReport(text, [], ["get_order", "search", "cancelOrder"]);

describe("a report read by rule", () => {
  it.each([
    ["It said there was nothing on file, though there is.", "false_no_data"],
    ["The bot couldn't find my booking", "false_no_data"],
    ["It cancelled without checking the order first", "unverified_write"],
    ["It refused a refund that policy allows", "over_refusal"],
    ["I was charged twice", "extra_write"],
    ["It dumped everything in the table on the user", "padded_answer"],
    ["The price is made up", "invented_value"],
    ["It used the wrong tool", "wrong_tool"],
    ["It changed the wrong customer", "wrong_argument"],
    ["It kept calling the same thing", "loop"],
    ["It timed out", "timeout"],
    ["The agent crashes", "crash"],
    ["It gave up halfway", "stopped_early"],
  ])("%s", (text, behaviour) => {
    const found = read(text);
    expect(found.behaviour).toBe(behaviour);
    expect(text).toContain(found.behaviour_words[0]);
  });
  it("says no behaviour, tool or id where the words say none", () => {
    expect(read("I did not like the search.")).toMatchObject({ behaviour: undefined, behaviour_words: [], named: [] });
    expect(read("I did not like the search.").tool).toBeUndefined();
  });
  it("finds tools by their whole name, and ids as services write them", () => {
    expect(read("see get_order.").tool).toBe("get_order");
    expect(read("cancelOrder failed").tool).toBe("cancelOrder");
    expect(read("see get_orders").tool).toBeUndefined();
    expect(readReport("get_order", ["other"], ["get_order"]).tool).toBe("other");
    const uuid = "0b5a7c1e-1111-4222-8333-9444a5555b66";
    expect(read(`trace id: ab-12. and ${uuid}, session=77`).named.toSorted()).toEqual([uuid, "77", "ab-12"].toSorted());
  });
});
