import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../worlds/json.ts";
import { generateTasks } from "../../../../worlds/tasks/generate.ts";
import { label } from "../../../../worlds/tasks/leaves.ts";
import { random } from "../../../../worlds/tasks/random.ts";
import { ask, PERSONAS, sayArguments, voiceOf, want, wantAll } from "../../../../worlds/tasks/words/phrases.ts";
import { withArguments } from "../../../../worlds/tasks/words/user-requests.ts";
import { shop, shopRows } from "../../fixtures/shop.ts";

const say = (act: string, args: JsonObject) => withArguments(act, args, {}, new Set());

describe("a wish with its arguments", () => {
  it.each([
    [
      "exchange an item of my order W1 for another product",
      { product_id: "P-1", new_product_id: "P-2" },
      "exchange an item of my order W1: product P-1 for P-2",
    ],
    [
      "update my baggage",
      { total_baggages: 5, nonfree_baggages: 2 },
      "update my baggage: 5 total baggages and 2 nonfree baggages",
    ],
    [
      "change my trip",
      {
        cabin: "basic_economy",
        flights: [
          { flight_number: "HAT1", date: "2024-05-24" },
          { flight_number: "HAT2", date: "2024-05-26" },
        ],
      },
      "change my trip: cabin basic economy and flight HAT1 on May 24, 2024 and flight HAT2 on May 26, 2024",
    ],
    [
      "book a seat",
      { passengers: [{ first_name: "Mia", last_name: "Kim", dob: "1990-01-02" }] },
      "book a seat: passenger Mia Kim born January 2, 1990",
    ],
    ["update my baggage", { total_bags: 1 }, "update my baggage: 1 total bag"],
    ["use credit", { amount: 10 }, "use credit of $10"],
    ["use credit", { amount: 1234.5 }, "use credit of $1,234.50"],
    ["cancel the whole trip", { reason: "too_slow" }, "cancel my trip, since it is too slow"],
  ])("%s, %j", (act, args, said) => expect(say(act, args)).toBe(said));
});

it("only what notes may hold was not read in them: what is of a named thing", () => {
  const chatty = { persona: "", register: "chatty" } as const;
  const asked = (what: string) => Array.from({ length: 20 }, (_, i) => ask(chatty, what, random(`${i}`))).join("\n");
  expect(asked("total of order W1")).toContain("notes");
  expect(asked("zip code for San Jose")).toContain("notes");
  expect(asked("outside temperature")).not.toContain("notes");
});

describe("names and fields", () => {
  it("say a person's name as it is written", () => {
    expect(sayArguments({ first_name: "Mia", last_name: "Kim", zip: "97201" })).toBe("name Mia Kim and zip 97201");
    expect(sayArguments({ email: "a@b.example" })).toBe("email a@b.example");
  });
  it.each([
    ["address.address1", "street address"],
    ["address.address2", "second address line"],
    ["dob", "date of birth"],
    ["address.zip", "zip code"],
    ["address.street", "street address"],
    ['stock["MA(20)"]', "stock ma 20"],
    ["created_at", "creation date"],
    ["member_since", "member-since date"],
    ["phone", "phone number"],
  ])("%s is %s", (path, said) => expect(label(path)).toBe(said));
});

describe("voices", () => {
  it("take every persona in every register, and each persona says something of itself at times", () => {
    const rng = random("voices");
    const voices = Array.from({ length: 16 }, (_, n) => voiceOf(n));
    expect(new Set(voices.map(({ persona, register }) => `${persona} ${register}`)).size).toBe(16);
    for (const persona of PERSONAS) {
      const said = Array.from({ length: 60 }, () => want({ persona, register: "chatty" }, "cancel order W1", rng));
      expect(new Set(said).size).toBeGreaterThan(3);
      for (const text of said) expect(text).toContain("cancel order W1");
      expect(want({ persona, register: "terse" }, "cancel order W1", rng)).toBe("Cancel order W1.");
    }
    expect(ask({ persona: "", register: "chatty" }, "total", rng)).not.toMatch(/meetings|years/);
  });
  it("say one thing before the wish: of themselves, or small talk", () => {
    const rng = random("openers");
    const planner = { persona: "careful planner", register: "chatty" } as const;
    const said = Array.from({ length: 60 }, (_, n) =>
      n % 2 === 0 ? want(planner, "cancel order W1", rng) : ask(planner, "total of order W1", rng),
    );
    const led = said.filter((text) => text.includes("I'm planning ahead."));
    expect(led.length).toBeGreaterThan(10);
    for (const text of led) {
      expect(text).toMatch(/^(?:Hi there|Hey)! I'm planning ahead\. [A-Z]/);
      expect(text).not.toMatch(/good day|something came up|going through my notes|wondering|quick question/i);
    }
    expect(said.some((text) => /good day/.test(text))).toBe(true);
  });
});

// Finding B30, the wording.
it("no request asks for an id, names a code, or says a label for a name", () => {
  const tasks = generateTasks(shop, shopRows, { seed: "words", count: 80 });
  for (const { request, family } of tasks) {
    expect(request, family).not.toMatch(
      /\b(?:first name \w+ and last name|a amount|my item of|address [12]\b|dob\b|\$\d+\.00)/,
    );
    expect(request, family).not.toMatch(/^(?:What is|I'd like to know|Need) the (?:\w+ )?id of/);
  }
});

it.each([
  ["reason of refund R1", /the reason for refund R1[.?]$/],
  ["cancel reason on order W1", /the reason for the cancellation of order W1[.?]$/],
  ["delay reason of order W1", /the reason for the delay of order W1[.?]$/],
])("asks why as people do: %s", (what, said) => expect(ask(voiceOf(0), what, random("1"))).toMatch(said));

describe("whose account it is", () => {
  const plain = voiceOf(0);
  it.each([
    ["city on my account (user id ann_1)", /the city on my account[.?] My user id is ann_1\.$/],
    ["city on my account (user ann_1)", /the city on my account[.?] My user id is ann_1\.$/],
    ["city on my account (name Mia Kim and zip 97201)", /my account[.?] My name is Mia Kim and my zip is 97201\.$/],
    ["city on my account (the refund with order W1)", /my account[.?] It is about the refund with order W1\.$/],
    ["total of order W1", /the total of order W1[.?]$/],
  ])("is a sentence of its own: %s", (what, said) => expect(ask(plain, what, random("1"))).toMatch(said));
  it("is told after the wish that it belongs to", () => {
    expect(
      wantAll(plain, ["cancel order W1", "change my address (email a@example.com) to 1 Elm St"], random("1")),
    ).toMatch(/order W1\. .* please change my address to 1 Elm St\. My email is a@example\.com\.$/);
  });
});

describe("several wishes", () => {
  const joined = (...acts: string[]) => wantAll(voiceOf(0), acts, random("1")).replace(/^(?:I'd like to|Please) /, "");
  it.each([
    [["fill the tank with 20 gallons", "engage the brake"], "fill the tank with 20 gallons and engage the brake."],
    [["cancel the order 7", "cancel the booking 9"], "cancel the order 7 and the booking 9."],
    [
      ['create a new task titled "A", with type bug', 'change the status of the task "A" to done'],
      'create a new task titled "A", with type bug, and set its status to done.',
    ],
    [['create a new task titled "A"', 'archive the task "A"'], 'create a new task titled "A" and archive it.'],
    [["open the door", "close the gate", "ring the bell"], "open the door, close the gate, and ring the bell."],
  ])("that are short stand in one sentence: %j", (acts, said) => expect(joined(...acts)).toBe(said));
  it.each([
    [['write the page A: "one\\ntwo"', 'write the page B: "three"']],
    [["cancel my order 7, reason: too slow", "cancel my order 9, reason: mistake"]],
    [["open the door", "close the gate", "ring the bell", "leave the house"]],
  ])("that are long have sentences of their own: %j", (acts) =>
    expect(joined(...acts)).toMatch(/\. Also, please .*\.$/s),
  );
});
