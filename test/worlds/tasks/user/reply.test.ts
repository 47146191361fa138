import { describe, expect, it } from "vitest";
import type { Task } from "../../../../worlds/tasks/schema.ts";
import { Task as TaskSchema } from "../../../../worlds/tasks/schema.ts";
import { mostReplies, UserByRule, userReply } from "../../../../worlds/tasks/user/reply.ts";
import { growth, LINEAR } from "../../../helpers/growth.ts";

const user: NonNullable<Task["user"]> = {
  knows: [
    { names: ["order number", "order", "order id"], value: "#W1001" },
    { names: ["reason"], value: "ordered by mistake" },
    { names: ["email address", "email"], value: "mia@example.com", says: "It's mia@example.com." },
    { names: ["date", "order date"], value: "2025-03-20", says: "It was on March 20, 2025." },
    { names: ["gift wrap"], value: false },
  ],
};
const asking = { request: "Please cancel my order.", turns: [], user };
const says = (text: string, own = user) => userReply({ ...asking, user: own }, [{ text }]);

describe("a question for a field", () => {
  it.each([
    ["Which order do you mean?", "The order number is #W1001."],
    ["Could you please provide your order ID?", "The order number is #W1001."],
    ["Please tell me the order number.", "The order number is #W1001."],
    ["I need your order number before I can cancel it.", "The order number is #W1001."],
    ["What's the number of the order you want to cancel?", "The order number is #W1001."],
    ["May I have the number, please?", "The order number is #W1001."],
    ["Which purchase is it?", "The order number is #W1001."],
    ["Could you tell me which order you'd like to cancel?", "The order number is #W1001."],
    ["Which one of your orders should be cancelled?", "The order number is #W1001."],
    ["Could you please confirm the order number you'd like me to cancel?", "The order number is #W1001."],
    ["Sure! What is the ID?", "The order number is #W1001."],
    ["Why would you like to cancel the order?", "The reason is ordered by mistake."],
    ["Can you share the reason for the cancellation?", "The reason is ordered by mistake."],
    ["What's your e-mail address on file?", "It's mia@example.com."],
    ["When did you place it?", "It was on March 20, 2025."],
    ["Do you know the order date?", "It was on March 20, 2025."],
    [
      "To cancel it I need your order number and the reason.",
      "The order number is #W1001. The reason is ordered by mistake.",
    ],
    [
      "Please provide:\n- your order number\n- the reason for the cancellation",
      "The order number is #W1001. The reason is ordered by mistake.",
    ],
    ["Do you have gift wrap?", "gift wrap: no."],
    ["Should gift wrap be added?", "gift wrap: no."],
    ["Order number, please.", "The order number is #W1001."],
    ["order id?", "The order number is #W1001."],
    ["Kindly furnish me with the identifier of the purchase.", "The order number is #W1001."],
    ["Just drop me the ID :)", "The order number is #W1001."],
    ["I would need the reference of your order.", "The order number is #W1001."],
    ["Could you give me the details of the order?", "The order number is #W1001."],
    ["Could you clarify?", "The order number is #W1001."],
    ["Please specify.", "The order number is #W1001."],
    ["What exactly do you mean?", "The order number is #W1001."],
  ])("%s", (text, reply) => expect(says(text)).toBe(reply));

  it("is heard by the other names of a thing, and an email address is no address", () => {
    const own = {
      knows: [
        { names: ["address", "street"], value: "12 Elm Street" },
        { names: ["email"], value: "mia@example.com" },
        { names: ["zip code", "zip"], value: "75284" },
        { names: ["quantity"], value: 3 },
      ],
    };
    expect(says("What's the email address on the account?", own)).toBe("The email is mia@example.com.");
    expect(says("Your postal code?", own)).toBe("The zip code is 75284.");
    expect(says("How many would you like?", own)).toBe("The quantity is 3.");
    expect(says("What is your e-mail address?", { knows: own.knows.slice(0, 1) })).toBe(
      "I'm sorry, I don't know that.",
    );
  });

  it("for a part of a thing is no question for the thing", () => {
    const own = {
      knows: [
        { names: ["order number", "order"], value: "#W1001" },
        { names: ["item"], value: "Oak Shelf", says: "It's the Oak Shelf." },
      ],
    };
    expect(says("Which item of order #W1001 do you want to return?", own)).toBe("It's the Oak Shelf.");
  });

  it("that no fact answers is not known, whatever it shares a word with", () => {
    for (const text of [
      "What is your phone number?",
      "What is the price of the order?",
      "Could you give me your shipping address?",
      "Which colour would you like?",
    ])
      expect(says(text)).toBe("I'm sorry, I don't know that.");
  });
});

describe("a choice", () => {
  it("is made by what the user knows of what is shown", () => {
    expect(says("I see two orders: #W1001 and #W1002. Which one would you like to cancel?")).toBe(
      "The order number is #W1001.",
    );
    expect(says("Is it the one of March 20, 2025 or the one of April 2, 2025?")).toBe("It was on March 20, 2025.");
    expect(says("Do you mean #W1002 or #W1003?")).toBe("The order number is #W1001.");
    expect(says("Could you be more specific?")).toBe("The order number is #W1001.");
    expect(says("Which one?")).toBe("The order number is #W1001.");
  });
  it("of what the user knows nothing of is left to the agent", () => {
    expect(says("Do you prefer a refund to the card or store credit?")).toBe("I have no preference there, you decide.");
  });
});

describe("a confirmation", () => {
  it("is given for what the request itself says, though the user knows another of its kind", () => {
    const own = { knows: [{ names: ["zip code", "zip"], value: "19117" }] };
    const wish = { request: "Please change the address of my order to 4 Elm Street, DC 20353.", turns: [], user: own };
    const reply = (text: string) => userReply(wish, [{ text }]);
    expect(reply("I'll change the address to 4 Elm Street, DC 20353. Do you confirm (yes/no)?")).toBe(
      "Yes, please go ahead.",
    );
    expect(reply("I'll change the address to 4 Elm Street, DC 20999. Do you confirm (yes/no)?")).toMatch(/^No\. /);
  });
  it("is given where the request's own value is read out, whatever the user knows of that name", () => {
    const own: typeof user = { knows: [...user.knows, { names: ["zip"], value: "85041", says: "My zip is 85041." }] };
    const request = "Please send my order to 179 Broadway, Dallas, TX, 75284.";
    const hears = (text: string) => userReply({ request, turns: [], user: own }, [{ text }]);
    expect(hears("Just to confirm: the new zip code is 75284, correct?")).toMatch(/^Yes/);
    expect(hears("Is the new zip code 75284?")).toMatch(/^Yes/);
    expect(hears("Is the new zip code 75284, and which order is it?")).toBe("The order number is #W1001.");
    expect(hears("What is your zip code?")).toBe("My zip is 85041.");
  });
  it("is given for what was asked, and not for another row or anything beside", () => {
    expect(says("I will cancel order #W1001. Shall I go ahead?")).toBe("Yes, please go ahead.");
    expect(says("Please confirm that I should proceed (yes/no).")).toBe("Yes, please go ahead.");
    expect(says("Is that correct?")).toBe("Yes, please go ahead.");
    expect(says("I will cancel order #W1001. Do you confirm the cancellation?")).toBe("Yes, please go ahead.");
    expect(says("It goes to the new address then. Do you agree to this change?")).toBe("Yes, please go ahead.");
    expect(says("I found order #W1002. Would you like me to cancel it?")).toBe("No. The order number is #W1001.");
    expect(says("You want to cancel order #W1002, right?")).toBe("No. The order number is #W1001.");
    expect(says("You want to cancel order #W1001, right?")).toBe("Yes, please go ahead.");
    expect(says("Would you like me to also update your address?")).not.toContain("Yes");
  });
  it("is refused by a user who does not confirm", () => {
    expect(says("Shall I go ahead?", { ...user, confirms: false })).toBe("No, please don't do that.");
  });
});

describe("a user that tells several things", () => {
  const told: NonNullable<Task["user"]> = {
    knows: [
      { names: ["order number", "order"], value: "SO-10" },
      { names: ["item", "product"], value: "Quilted Throw", says: "It's the Quilted Throw." },
      { names: ["first name", "name"], value: "Mia", says: "I'm Mia Lopez, zip code 97201." },
      { names: ["zip code", "zip"], value: "97201", says: "I'm Mia Lopez, zip code 97201." },
    ],
    adds: ["Could you also show me my other orders?"],
  };
  const replies = (...answers: string[]) => {
    const talk = new UserByRule({ ...asking, user: told });
    return answers.map((_, i) =>
      talk.reply(
        answers.slice(0, i + 1).map((text) => ({ text })),
        0,
      ),
    );
  };
  it("hears the item, and several questions in one turn", () => {
    expect(replies("Which item do you want to return?")).toEqual(["It's the Quilted Throw."]);
    expect(replies("Which order is it, and which item do you want to return?")).toEqual([
      "The order number is SO-10. It's the Quilted Throw.",
    ]);
  });
  it("says once what one sentence tells", () => {
    expect(replies("Please give me your name and zip code.")).toEqual(["I'm Mia Lopez, zip code 97201."]);
  });
  it("says of a choice what it has not said yet", () => {
    expect(
      replies("Which order do you mean?", "SO-10 has a Quilted Throw and three Stacking Crates. Which of them was it?"),
    ).toEqual(["The order number is SO-10.", "It's the Quilted Throw."]);
  });
  it("does not take options for the row that it means", () => {
    expect(replies("Which options would you like for the new lamp?", "Which options would you like?")).toEqual([
      "Could you also show me my other orders?",
      "I have no preference there, you decide.",
    ]);
  });
  it("says yes where it is asked to go on, and what it adds afterwards", () => {
    expect(replies("I will return it. Shall I proceed (yes/no)?", "The return is done. Anything else?")).toEqual([
      "Yes, please go ahead.",
      "Could you also show me my other orders?",
    ]);
  });
});

describe("the end", () => {
  it.each([
    "I have cancelled order #W1001.",
    "I have cancelled your order. Is there anything else I can help you with?",
    "Your order has been cancelled. Would you like me to send a receipt?",
    "I'm sorry, but I can't help with that.",
    "",
    "Your total is $20.",
  ])("comes where nothing is asked: %s", (text) => expect(says(text)).toBeUndefined());

  it("comes after so many replies, however often it is asked", () => {
    const again = new UserByRule(asking);
    const answers: { text: string }[] = [];
    do answers.push({ text: "Which order do you mean?" });
    while (again.reply(answers, 0) !== undefined && answers.length < 100);
    expect(again.said.length).toBe(mostReplies(user));
    expect(again.said.length).toBe(9);
    expect(new Set(again.said.map(({ text }) => text))).toEqual(new Set(["The order number is #W1001."]));
    expect(userReply({ ...asking, user: { ...user, most: 1 } }, [{ text: "Which?" }, { text: "Which?" }])).toBe(
      undefined,
    );
  });
  it("is never where fixed turns are still to be said, and there is none without a user", () => {
    const turns = ["And thank you."];
    expect(userReply({ ...asking, turns }, [{ text: "Which order?" }])).toBeUndefined();
    expect(userReply({ ...asking, turns }, [{ text: "Which order?" }, { text: "Which order?" }])).toBeDefined();
    expect(userReply({ request: "x", turns: [] }, [{ text: "Which order?" }])).toBeUndefined();
  });
});

it("asked what it wants at all it says its request again", () => {
  expect(says("Hello! How can I help you today?")).toBe("Please cancel my order.");
});
it("an agent's own word that it asks counts where its words do not show it", () => {
  expect(userReply(asking, [{ text: "Hm.", class: "none" }])).toBe("I'm sorry, I don't know that.");
});
it.each(["which ", "?", "(", "or and "])("a hostile text of %j costs no more than its size", async (word) => {
  expect(await growth((size) => says(`${word.repeat(size * 5_000)}?`))).toBeLessThan(LINEAR);
});
it("the schema refuses users that cannot be", () => {
  const fact = { names: ["a"], value: "b" };
  const parse = (value: unknown) => TaskSchema.shape.user.safeParse(value).success;
  expect(parse({ knows: [fact] })).toBe(true);
  expect(parse(undefined)).toBe(true);
  for (const bad of [
    {},
    { knows: [{ ...fact, names: [] }] },
    { knows: [{ ...fact, value: "" }] },
    { knows: [fact], most: 0 },
    { knows: Array(101).fill(fact) },
    { knows: [fact], confirms: true },
  ])
    expect(parse(bad)).toBe(false);
});
