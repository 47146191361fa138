import { describe, expect, it } from "vitest";
import type { ObservedTrace } from "../../../../worlds/observation.ts";
import { generateTasks } from "../../../../worlds/tasks/generate.ts";
import { makeKit } from "../../../../worlds/tasks/kit.ts";
import { random } from "../../../../worlds/tasks/random.ts";
import type { Task } from "../../../../worlds/tasks/schema.ts";
import { corpusOf, ENOUGH_TURNS, unframed } from "../../../../worlds/tasks/words/corpus.ts";
import { naturalness } from "../../../../worlds/tasks/words/natural.ts";
import { noun, want } from "../../../../worlds/tasks/words/phrases.ts";
import { revoiceTask } from "../../../../worlds/tasks/words/revoice.ts";
import { shop, shopRows } from "../../fixtures/shop.ts";

const SAID = [
  "Hi, I need to cancel my order #W7000001.",
  "Please cancel order #W7000002.",
  "Can you tell me the total of my order?",
  "Could you check which items on my order have a price above ten dollars?",
  "What's the status of that order? It has not shipped yet, by mistake I ordered twice.",
  "I'd like to change where my order is delivered to, please. My customer id is anna_1.",
  "Sure, my email is anna@mail.example and I live on Oak Street 4.",
  "Yes, please go ahead and refund one item of my delivered order to my credit.",
  "Is the credit of my account already back? The reason is that it is no longer needed.",
  "Thanks for your help! That's all.",
  "Could you please update my email for me?",
  "I want to know the date of my order and its address and city and postcode, name and phone number.",
  "Which product has the lowest price of all products in the category?",
  "What is the highest price, and how many units are in stock, with the weight?",
];
const trace = (request: string, n: number): ObservedTrace => {
  const order_id = /#W\d+/.exec(request)?.[0];
  const calls = order_id
    ? [{ tool: "cancel_order", args: { order_id, reason: "" }, result: "ok", isError: false }]
    : [];
  return { id: `t${n}`, request, turns: [`Thank you, session ${"abcdefghij"[n % 10]}${"klmno"[n % 5]}.`], calls };
};
const traces = SAID.map(trace);
const corpus = corpusOf(traces);

describe("how people of the evidence speak", () => {
  it("is read as frames around what they ask for, without what only one session means", () => {
    const heads = (speech: "ask" | "wonder" | "want") => corpus.frames[speech].map(({ head }) => head);
    expect(corpus.turns).toBeGreaterThanOrEqual(ENOUGH_TURNS);
    expect(heads("want")).toContain("Hi, I need to ");
    expect(heads("ask")).toContain("Can you tell me ");
    expect(heads("wonder")).toContain("Could you check ");
    expect(corpus.frames.want.every(({ head }) => !/\d/.test(head))).toBe(true);
    expect(corpus.says("orders")).toBe(true);
    expect(corpus.says("fulfillment")).toBe(false);
  });
  it("is no frame where a sentence points back, and none of a hostile or endless turn", () => {
    expect(unframed("Yes, that one.")).toBeUndefined();
    const hostile = corpusOf([
      { id: "1", request: "I'd like to ".repeat(900), calls: [] },
      { id: "2", request: "__proto__ constructor", turns: ["", "Also, I want to cancel it again."], calls: [] },
    ]);
    expect(hostile.frames.want).toEqual([]);
    expect(corpusOf([]).enough).toBe(false);
  });
});

it("calls a table that a reading shows after what it is of", () => {
  expect(["get_stock_info", "user_detail", "info", "orders"].map(noun)).toEqual(["stock", "user", "info", "order"]);
});

describe("how people say a change", () => {
  const set = (value: string) => [
    { tool: "update", args: { id: "7", field: "list", new_value: value }, result: "ok", isError: false },
  ];
  const said = (request: string, value: string, n: number): ObservedTrace => ({
    id: `m${n}`,
    request,
    calls: set(value),
  });
  const MOVES = [
    said("Move all of Ann's tasks to the backlog.", "Backlog", 1),
    said("Can you move Bo's tasks to the backlog?", "Backlog", 2),
    said("I need to move Cy's tasks that are open to in review. Can you do that?", "In Review", 3),
    said("Change the list of Di's task to waiting.", "Waiting", 4),
  ];
  it("is read off what they say of a value, and of a field where two values are said so", () => {
    const { movesTo } = corpusOf(MOVES);
    expect(movesTo("list", "Backlog")).toEqual({ verb: "move", link: "to the" });
    expect(movesTo("list", "Completed")).toEqual({ verb: "move", link: "to" });
    expect(movesTo("owner", "Backlog")).toBeUndefined();
    expect(corpusOf(MOVES.slice(0, 1)).movesTo("list", "Backlog")).toBeUndefined();
    expect(corpusOf(MOVES.slice(3)).movesTo("list", "Waiting")).toBeUndefined();
  });
  it("keeps to how the corpus speaks where nobody in it is polite or greets", () => {
    const plain = Array.from({ length: 20 }, (_, n) =>
      said(`I need to move the tasks of ${"abcdefghijklmnopqrst"[n]} to the backlog. Can you do that?`, "Backlog", n),
    );
    const corpus = corpusOf(plain);
    const told = {};
    for (const register of ["polite", "chatty"] as const)
      for (let n = 0; n < 6; n += 1)
        expect(want({ persona: "", register, corpus, told }, "frobnicate the widget", random(`${n}`))).toMatch(
          /^(?:I need to|Can you) frobnicate/,
        );
    expect(told).toMatchObject({ words: "templated", register: "plain" });
    const orders = corpusOf(
      Array.from({ length: 20 }, (_, n) => said(`File ${"abcdefghijklmnopqrst"[n]}.`, "Backlog", n)),
    );
    for (const register of ["polite", "chatty"] as const)
      expect(want({ persona: "", register, corpus: orders, told: {} }, "frobnicate it", random("1"))).toBe(
        "Frobnicate it.",
      );
    const polite = { persona: "", register: "polite" as const, corpus, chosen: true, told: {} };
    expect(want(polite, "frobnicate the widget", random("1"))).toMatch(/please/);
  });
});

describe("requests in people's words", () => {
  const tasks = generateTasks(shop, shopRows, { seed: "w", count: 40, mined: traces });
  it("are all but a fifth of a set, by recorded users, and each is tagged", () => {
    expect(tasks.length).toBeGreaterThan(20);
    const words = tasks.map(({ cell }) => cell.words);
    expect(words.filter((one) => one === "templated").length).toBeLessThanOrEqual(8);
    expect(words.filter((one) => one === "mined").length).toBeGreaterThan(12);
    for (const { voice, request } of tasks) {
      expect(voice.persona).toBe("recorded user");
      expect(request).not.toMatch(/#W700000/);
    }
  });
  it("are grammar alone, and say so, where fewer were heard", () => {
    const few = generateTasks(shop, shopRows, { seed: "w", count: 20, mined: traces.slice(0, 3) });
    expect(new Set(few.map(({ cell }) => cell.words))).toEqual(new Set(["templated"]));
  });
  it("keep the register and persona that somebody chose", () => {
    const selection = { register: ["polite"], family: ["lookup", "write"] };
    for (const { voice } of generateTasks(shop, shopRows, { seed: "w", count: 12, mined: traces, selection }))
      expect(voice.register).toBe("polite");
  });
  it("come back in another voice", () => {
    const said = tasks.filter(({ cell, turns }) => cell.words === "mined" && turns.length === 0);
    const turned = said.flatMap((task) => revoiceTask(task, { persona: "night owl", register: "terse" }, "1") ?? []);
    expect(turned.length / said.length).toBeGreaterThan(0.85);
    const before = new Set(said.map(({ request }) => request));
    for (const { cell, voice, request } of turned) {
      expect(cell.words).toBe(before.has(request) ? "mined" : "templated");
      expect(voice).toEqual({ persona: "night owl", register: "terse" });
    }
  });
});

describe("natural", () => {
  const kit = makeKit(shop, shopRows, "1");
  const [task] = generateTasks(shop, shopRows, { seed: "w", count: 1, families: ["lookup"] }) as [Task];
  const of = (request: string) => naturalness(kit, { ...task, request }, corpus);
  // Finding B25.
  it("is measured by length and by pairs of words", () => {
    expect(of("Can you tell me the total of my order?").verdict).toBe("natural");
    expect(of("Kindly furnish herewith pertinent remittance particulars forthwith.")).toMatchObject({ verdict: "odd" });
    expect(of(`Please cancel my order. ${"I need to cancel my order. ".repeat(60)}`).reason).toMatch(
      /words, users say/,
    );
    expect(of("What is the  of order #W1?").reason).toBe("is put together wrongly");
  });
  it("is not decided where too few were heard, and holds no task up", () => {
    const few = naturalness(kit, task, corpusOf(traces.slice(0, 2)));
    expect(few.verdict).toBe("not_decided");
    expect(few.reason).toMatch(/4 distinct user turns/);
    expect(naturalness(kit, task, undefined).verdict).toBe("not_decided");
  });
});
