import { describe, expect, it } from "vitest";
import { setTo } from "../../../../worlds/tasks/acts/settings.ts";
import { fromName, saying, signingIn } from "../../../../worlds/tasks/acts/speech.ts";

describe("an act as the person says it who has it done", () => {
  it.each([
    [
      "authenticate a user with username and password",
      { username: "a_b", password: "blue42" },
      "log me in with username a_b and password blue42",
    ],
    ["log in a user", { user_id: "U1" }, "log me in as user U1"],
  ])("%s", (act, args, said) => expect(signingIn(act, args)).toBe(said));
  it("is no login where it is another act, or where a result has to be given", () => {
    expect(signingIn("log the visit", { user_id: "U1" })).toBeUndefined();
    expect(signingIn("log in a user", { user_id: "$1.user_id" })).toBeUndefined();
    expect(signingIn("log in", {})).toBeUndefined();
  });
  it.each([
    [
      "send a message to a user",
      { receiver_id: "U2", message: "See you at 8." },
      'send a message to U2 saying "See you at 8."',
    ],
    ["publish a post", { content: "Lunch", tags: ["#a"] }, 'publish a post saying "Lunch"'],
    [
      "send an email to the recipient",
      { recipient: "ann@example.com", subject: "Hi", body: "All is well." },
      'send an email to ann@example.com saying "All is well."',
    ],
  ])("%s", (act, args, said) => expect(saying(act, Object.entries(args))?.words).toBe(said));
  it.each([
    ["send a message", { message: "$1.text" }],
    ["send a message", { message: "two\nlines" }],
    ["set a reminder", { text: "Call Ann" }],
    ["send a message", {}],
  ])("says nothing of what is no speech: %s %j", (act, args) =>
    expect(saying(act, Object.entries(args))).toBeUndefined(),
  );
  it("has an article where its tool's name has none", () => {
    expect(fromName("place order")).toBe("place an order");
    expect(fromName("place the order")).toBe("place the order");
    expect(fromName("place orders")).toBe("place orders");
  });
  it("names a field of a thing once", () => {
    expect(setTo("update the event 7", { what: "event start", to: "noon" })).toBe(
      "change the start of the event 7 to noon",
    );
    expect(setTo("update the list of my task", { what: "list", to: "Done" })).toBe(
      "change the list of my task to Done",
    );
    expect(setTo("update the task 7", { what: "list name", to: "Done" })).toBe(
      "change the list name of the task 7 to Done",
    );
  });
});
