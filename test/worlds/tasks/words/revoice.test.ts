import { describe, expect, it } from "vitest";
import { generateTasks } from "../../../../worlds/tasks/generate.ts";
import type { Task } from "../../../../worlds/tasks/schema.ts";
import { REGISTERS, revoiceTask } from "../../../../worlds/tasks/words/revoice.ts";
import { shop, shopRows } from "../../fixtures/shop.ts";

const tasks = generateTasks(shop, shopRows, { seed: "3", count: 60 });
const persona = "night owl";
const saying = (request: string, register: string, family: Task["family"] = "lookup"): Task => ({
  ...tasks[0]!,
  family,
  request,
  voice: { persona: "busy professional", register },
});

describe("a request in another voice", () => {
  it("keeps what is asked, word for word, and its script and checks", () => {
    expect(
      revoiceTask(saying("Need the total of order #W1.", "terse"), { persona, register: "plain" }, "1")?.request,
    ).toMatch(/^(?:What is|I'd like to know) the total of order #W1[?.]$/);
    const wish = revoiceTask(saying("Please cancel order #W1.", "plain", "write"), { persona, register: "terse" }, "1");
    expect(wish?.request).toBe("Cancel order #W1.");
    const question = saying("Which items cost more than $9?", "terse", "filter");
    const chatty = revoiceTask(question, { persona, register: "chatty" }, "1");
    expect(chatty?.request).toMatch(/: which items cost more than \$9\?$/);
    expect(chatty).toEqual({ ...question, request: chatty?.request, voice: chatty?.voice, cell: chatty?.cell });
  });

  it("is a wish in that voice where one was asked for in a question", () => {
    const wish = saying("Can you modify my default address to 4 Elm Road, USA?", "plain", "write");
    const said = (register: (typeof REGISTERS)[number]) =>
      revoiceTask(wish, { persona, register, lead: "I'm a night owl." }, "1")?.request;
    expect(said("terse")).toBe("I'm a night owl. Modify my default address to 4 Elm Road, USA.");
    expect(said("chatty")).not.toMatch(/can you modify/i);
    const told = saying("Can you tell me the total of order #W1?", "plain");
    expect(revoiceTask(told, { persona, register: "terse" }, "1")?.request).toMatch(
      /^(?:Need the t|T)otal of order #W1[.?]$/,
    );
  });

  it("leaves the sentences after the first wish as they are", () => {
    const two = saying("Please cancel order #W1. Also, please cancel order #W2.", "plain", "multi_write");
    const said = revoiceTask(two, { persona, register: "polite" }, "1")?.request;
    expect(said).toMatch(/cancel order #W1.* Also, please cancel order #W2\./);
    expect(said).not.toContain("#W2?");
  });

  it("of a bare question that a register asks in the same words is that register's, with its words", () => {
    const bare = { ...saying("Which items on order #W1 have a quantity above 1?", "plain", "filter") };
    const terse = revoiceTask(bare, { persona, register: "terse" }, "1");
    expect(terse).toMatchObject({ request: bare.request, voice: { register: "terse" }, cell: { register: "terse" } });
    expect(revoiceTask(bare, { persona, register: "plain" }, "1")?.voice.register ?? "plain").toBe("plain");
  });

  it("thanks when all is said, and is read back so", () => {
    const first = "Hello! Could you please cancel order #W1?";
    const two = saying(`${first} Also, please cancel order #W2. Thank you very much.`, "polite", "multi_write");
    const terse = revoiceTask(two, { persona, register: "terse" }, "1");
    expect(terse?.request).toBe("Cancel order #W1. Also, please cancel order #W2.");
    for (let seed = 0; seed < 8; seed += 1) {
      const said = revoiceTask(terse!, { persona, register: "polite" }, `${seed}`)?.request;
      expect(said).toMatch(/#W2\.(?: Thank you very much\.)?$/);
      expect(said).not.toMatch(/Thank you very much\. Also/);
    }
  });

  it("comes back in most tasks that rules write, in every register, and never for words of a user or a person", () => {
    for (const register of REGISTERS) {
      const others = tasks.filter((task) => task.voice.register !== register);
      const voiced = others.flatMap((task) => revoiceTask(task, { persona, register }, "1") ?? []);
      expect(voiced.length / others.length, register).toBeGreaterThan(0.85);
      for (const task of voiced) expect(task.voice).toEqual({ persona, register });
    }
    expect(revoiceTask({ ...tasks[0]!, family: "mined" }, { persona, register: "plain" }, "1")).toBeUndefined();
    expect(revoiceTask({ ...tasks[0]!, tier: "human" }, { persona, register: "plain" }, "1")).toBeUndefined();
  });
});
