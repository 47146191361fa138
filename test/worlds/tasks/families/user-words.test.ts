import { describe, expect, it } from "vitest";
import type { ObservedTrace } from "../../../../worlds/observation.ts";
import { putGiven, putMade, putName } from "../../../../worlds/tasks/acts/slots.ts";
import { freeOpposites } from "../../../../worlds/tasks/changes.ts";
import { isOfAnotherService, pointsAtOmitted, userWordsTo } from "../../../../worlds/tasks/families/user-words.ts";
import { recordedUser } from "../../../../worlds/tasks/user/recorded.ts";

const kit = { manual: '[{"name":"place_order","description":"place an order for shares of a stock."}]' };
const trace = (request: string, turns: string[], unanswered: number[] = []): ObservedTrace => ({
  id: "s",
  request,
  turns,
  calls: [],
  unanswered,
});
const wordsOf = (own: ObservedTrace, isShared = true) =>
  userWordsTo(kit, own, [{ trace: own, script: { calls: [], answer: "", class: "none" } }], isShared).words;

describe("a user's words to one of several services", () => {
  it("leave out what is wished of another", () => {
    const ticket = "Something went wrong. Could you file a support ticket titled 'Wrong'?";
    const order = "Could you place an order for 5 shares?";
    expect(isOfAnotherService(kit, ticket)).toBe(true);
    expect(isOfAnotherService(kit, order)).toBe(false);
    expect(isOfAnotherService(kit, "Something went wrong.")).toBe(false);
    expect(isOfAnotherService(kit, `${ticket} ${order}`)).toBe(false);
    expect(wordsOf(trace("Hello there.", [order, ticket]))).toEqual(["Hello there.", order]);
    expect(wordsOf(trace("Hello there.", [order, ticket]), false)).toEqual(["Hello there.", order, ticket]);
    expect(wordsOf(trace(ticket, [order]))).toEqual([ticket, order]);
  });
  it("begin as a conversation does where the first turns were another's", () => {
    const next = "Next, place an order for 5 shares.";
    expect(wordsOf(trace("Post this for me.", [next], [0]))).toEqual(["Place an order for 5 shares."]);
    expect(wordsOf(trace(next, []))).toEqual([next]);
  });
  it("are no task where they go on from what was left out", () => {
    const later = "Once you’ve written to them, place an order.";
    expect(pointsAtOmitted(later, trace("Write to them.", [later]))).toBe(true);
    expect(pointsAtOmitted(later, trace(later, []))).toBe(false);
    expect(pointsAtOmitted("Place an order.", trace("Write to them.", []))).toBe(false);
  });
});

it("a recorded user says of itself what it has done, and answers what it is asked", () => {
  const calls = [{ tool: "place_order", args: { symbol: "MSFT", amount: 150 } }];
  const order = "Please execute an order for MSFT, targeting 150 shares.";
  expect(recordedUser("What time is it?", [order], calls).user.adds).toEqual([order]);
  const told = recordedUser("I want to buy shares.", ["MSFT, and 150 of them."], calls);
  expect(told.user.adds).toBeUndefined();
  expect(told.user.knows.map(({ value }) => value)).toEqual(["MSFT", 150]);
});

it.each([
  ["Please keep these in mind: my code is Z77.", "code", "Z77"],
  ["Please be advised that I live in Oslo.", "city", "Oslo"],
  ["Please be the one to note that I live in Oslo.", "city", "Oslo"],
])("a recorded user that only tells what it knows wishes nothing more: %s", (turn, name, value) => {
  const { user } = recordedUser("Send it to me.", [turn], [{ tool: "send", args: { [name]: value } }]);
  expect(user.adds).toBeUndefined();
  expect(user.knows.map((fact) => fact.value)).toEqual([value]);
});

describe("a field that ends in the opposite of what the call that set it was told", () => {
  const change = {
    table: "state",
    op: "update" as const,
    key: "car",
    fields: { lock: "unlocked", rear_left: "locked", lights: "on" },
    any: [],
    required: true,
  };
  const call = (args: Record<string, unknown>, before: Record<string, string>, after: Record<string, string>) => ({
    args,
    changes: [{ table: "state", key: "car", before, after }],
  });
  const open = { lock: "locked", rear_left: "unlocked", lights: "off" };
  it("is required of nobody", () => {
    const [freed] = freeOpposites([change], [call({ unlock: true, door: ["rear_left"] }, open, change.fields)]);
    expect(freed).toEqual({ ...change, fields: { lock: "unlocked", lights: "on" }, any: ["rear_left"] });
    expect(freeOpposites([change], [call({ unlock: false }, open, change.fields)])).toEqual([change]);
  });
  it("is held where another call was told so", () => {
    const apart = [
      call({ door: "lock", unlock: true }, open, { ...open, lock: "unlocked" }),
      call({ door: "rear_left", lock: true }, { ...open, lock: "unlocked" }, change.fields),
    ];
    expect(freeOpposites([change], apart)).toEqual([change]);
    expect(freeOpposites([change], [...apart].reverse())).toEqual([change]);
    const over = [
      call({ door: "rear_left", unlock: true }, change.fields, open),
      call({ door: "rear_left", lock: true }, open, change.fields),
    ];
    expect(freeOpposites([change], over)).toEqual([change]);
  });
});

describe("a value in its act", () => {
  it.each([
    ["log in with the given user ID", "user_id", "user", "USR001", "log in with the user ID USR001"],
    ["fund the account with the specified amount", "amount", "amount", "5000", "fund the account with $5000"],
    ["fill the tank with the given amount", "amount", "amount", "30", "fill the tank with 30"],
    ["update task fields", "task_id", "task", "T-7", "update the fields of the task T-7"],
    ["get ticket details for a user", "id", "ticket", "T-9", "get the details of the ticket T-9 for a user"],
    ["get a ticket's details for a user", "id", "ticket", "T-9", "get the details of the ticket T-9 for a user"],
    ["mark ticket done for a user", "id", "ticket", "T-9", "mark the ticket T-9 done for a user"],
    ["move task to trash", "task_id", "task", "T-7", "move the task T-7 to trash"],
    ["mark task done", "task_id", "task", "T-7", "mark the task T-7 done"],
    ["list stocks in the given sector", "sector", "sector", "Technology", "list stocks in the sector Technology"],
  ])("stands where %s speaks of it", (act, name, noun, text, said) =>
    expect(putGiven(act, name, noun, text)).toBe(said),
  );
  it.each([
    ["transfer the given amount of shares to another account", "5", undefined, "transfer 5 shares to another account"],
    ["transfer the given amount of money to an account", "5", undefined, "transfer $5 to an account"],
    ["take the given amount of the balance", "5", undefined, "take 5 of the balance"],
    ["fund the account with the given amount", "5", "How much, in EUR.", "fund the account with \u20ac5"],
    ["fund the account with the given amount", "5", "Amount in GBP", "fund the account with \u00a35"],
    ["fund the account with the given amount", "5 dollars", "Amount in dollars", "fund the account with 5 dollars"],
  ])("is of money only where %s with %s (%s) is", (act, text, description, said) =>
    expect(putGiven(act, "amount", "amount", text, description)).toBe(said),
  );
  it.each([
    ["get ticket details for a user", 'get the details of the ticket "A" for a user'],
    ["get a ticket's details for a user", 'get the details of the ticket "A" for a user'],
    ["get ticket details", 'get the details of the ticket "A"'],
  ])("is a made thing where %s speaks of it", (act, said) =>
    expect(putMade(act, "ticket", 'the ticket "A"', false)).toBe(said),
  );
  it("is a name where its description says whose", () => {
    const of = "User name of the contact to be added.";
    expect(putName("add a contact to the workspace", "user_name", of, "Kelly")).toBe(
      "add Kelly as a contact to the workspace",
    );
    expect(putName("remove the contact", "user_name", of, "Kelly")).toBe("remove the contact Kelly");
    expect(putName("add a contact", "user_name", "Your own name.", "Kelly")).toBeUndefined();
    expect(putName("add a contact", "colour", of, "Kelly")).toBeUndefined();
  });
});
