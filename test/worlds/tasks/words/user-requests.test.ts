import { describe, expect, it } from "vitest";
import { joinedRequests, withArguments } from "../../../../worlds/tasks/words/user-requests.ts";

describe("wishes told together", () => {
  it("are one where they are the same for several things", () => {
    expect(joinedRequests(["cancel the order 17", "cancel the order 18", "cancel the order 19"])).toEqual([
      "cancel the orders 17, 18 and 19",
    ]);
    expect(
      joinedRequests([
        "change the list name of the task 0001 to Backlog",
        "change the list name of the task 0002 to Backlog",
        'delete the file "my notes.md"',
        'delete the file "to do.md"',
      ]),
    ).toEqual([
      "change the list name of the tasks 0001 and 0002 to Backlog",
      'delete the files "my notes.md" and "to do.md"',
    ]);
  });
  it("are one for things of one's own, and with what is said of all of them", () => {
    expect(joinedRequests(["cancel my order #W1", "cancel my order #W2"])).toEqual(["cancel my orders #W1 and #W2"]);
    expect(
      joinedRequests(["cancel the open order 1, reason: too slow", "cancel the open order 2, reason: too slow"]),
    ).toEqual(["cancel the open orders 1 and 2, reason: too slow"]);
    expect(
      joinedRequests([
        "cancel the open order 1, since it is too slow",
        "cancel the open order 2, since it is too slow",
      ]),
    ).toEqual(["cancel the open orders 1 and 2, since they are too slow"]);
  });
  it("stay as they are where more differs, where a thing comes twice, and where no name tells its kind", () => {
    for (const wishes of [
      ["move the task 1 to Backlog", "move the task 2 to Done"],
      ["cancel the order 17", "cancel the order 17"],
      ["set the price of the mug to 4", "set the price of the mug to 5"],
      ["lock it", "unlock it"],
      ["cancel the order 17", "delete the note 18"],
      ["cancel the order 17"],
    ])
      expect(joinedRequests(wishes)).toEqual(wishes);
  });
});

describe("a wish with its arguments", () => {
  const none: ReadonlySet<string> = new Set();
  it("names the item that is meant where the act speaks of some", () => {
    const act = "return some items of my order #W1";
    const args = { item_ids: ["1684786391"], payment_method_id: "paypal_1" };
    expect(withArguments(act, args, { item_ids: "Bookshelf", payment_method_id: "credit card" }, none)).toBe(
      "return the Bookshelf from my order #W1, with the refund to my credit card",
    );
    expect(withArguments(act, { ...args, reason: "broken" }, { item_ids: "with price $9" }, none)).toMatch(
      /^return the item with price \$9 from my order #W1, with payment .+, since it is broken$/,
    );
  });
  it("lists its arguments where the item is a code, or several things are given", () => {
    expect(withArguments("return some items of my order", { item_ids: ["1684786391"] }, {}, none)).toBe(
      "return some items of my order: item 1684786391",
    );
  });
  it("changes one field of a thing, and grants one amount", () => {
    expect(withArguments("update the flight information of my trip A", { cabin: "economy" }, {}, none)).toBe(
      "change the cabin of my trip A to economy",
    );
    expect(withArguments("apply credit for order A", { amount: 10 }, {}, none)).toBe(
      "apply a credit of $10 for order A",
    );
    expect(withArguments("apply credit to order A", { amount: 10 }, {}, none)).toBe("apply a credit of $10 to order A");
    expect(withArguments("open the door", { wide: true }, {}, none)).toBe("open the door: wide yes");
  });
});
