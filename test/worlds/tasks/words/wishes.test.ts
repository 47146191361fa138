import { describe, expect, it } from "vitest";
import { toldTogether } from "../../../../worlds/tasks/words/wishes.ts";

describe("wishes told together", () => {
  it("are one where they are the same for several things", () => {
    expect(toldTogether(["cancel the order 17", "cancel the order 18", "cancel the order 19"])).toEqual([
      "cancel the orders 17, 18 and 19",
    ]);
    expect(
      toldTogether([
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
  it("stay as they are where more differs, where a thing comes twice, and where no name tells its kind", () => {
    for (const wishes of [
      ["move the task 1 to Backlog", "move the task 2 to Done"],
      ["cancel the order 17", "cancel the order 17"],
      ["set the price of the mug to 4", "set the price of the mug to 5"],
      ["lock it", "unlock it"],
      ["cancel the order 17", "delete the note 18"],
      ["cancel the order 17"],
    ])
      expect(toldTogether(wishes)).toEqual(wishes);
  });
});
