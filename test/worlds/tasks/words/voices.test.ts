import { describe, expect, it } from "vitest";
import { generateTasks } from "../../../../worlds/tasks/generate.ts";
import { REGISTERS, revoiceTask } from "../../../../worlds/tasks/words/revoice.ts";
import { leadsOf, voicesOf } from "../../../../worlds/tasks/words/voices.ts";
import { shop, shopRows } from "../../fixtures/shop.ts";

it.each([
  ["frequent flyer", "I'm a frequent flyer."],
  ["Frequent flyers", "I'm a frequent flyer."],
  ["an elderly user", "I'm an elderly user."],
  ["university student", "I'm a university student."],
  ["VIP", "I'm a VIP."],
  ["HR manager", "I'm an HR manager."],
  ["users of two accounts", "I'm a user of two accounts."],
  // Finding B21.
  ["Grumpy pilot", "This is really frustrating."],
  ["new customer", "I'm not sure how this works."],
  ["careful planner", "I'm planning ahead."],
  ["Anna", undefined],
  ["Anna Lee", undefined],
  ["Segment 4: night", undefined],
  ["", undefined],
])("%s says: %s", (name, says) => {
  expect(leadsOf(name)[0]).toBe(says);
});

describe("voices of stated personas", () => {
  const angry = { name: "angry caller", says: ["A.", "B."] };
  const taken = (next: () => unknown, n: number) => Array.from({ length: n }, next);

  it("are each persona in each register with each of its words, and the selected ones alone", () => {
    expect(new Set(taken(voicesOf([angry], {}, 3), 8).map((voice) => JSON.stringify(voice))).size).toBe(8);
    expect(taken(voicesOf([{ ...angry, register: "terse" }], {}, 0), 2)).toEqual([
      { persona: "angry caller", register: "terse", lead: "A." },
      { persona: "angry caller", register: "terse", lead: "B." },
    ]);
    expect(voicesOf([angry], { persona: ["careful planner"], register: ["plain"] }, 0)()).toEqual({
      persona: "careful planner",
      register: "plain",
    });
  });

  it("say their words in every request, which stands as it stood without them, and comes back in another voice", () => {
    const options = { seed: "3", count: 60 };
    const says = ["I've waited for an hour.", "Is anybody there?"];
    const tasks = generateTasks(shop, shopRows, { ...options, personas: [{ name: "angry caller", says }] });
    expect(tasks.length).toBeGreaterThan(40);
    for (const task of tasks) {
      expect(says).toContain(task.voice.lead);
      expect(task.request.split(task.voice.lead ?? "?")).toHaveLength(2);
    }
    for (const register of REGISTERS) {
      const turned = tasks.flatMap((task) => revoiceTask(task, { persona: "night owl", register }, "1") ?? []);
      expect(turned.length / tasks.length, register).toBeGreaterThan(0.85);
      for (const { request, voice } of turned) {
        expect(says.some((lead) => request.includes(lead))).toBe(false);
        expect(voice).toEqual({ persona: "night owl", register });
      }
    }
  });

  it("are nobody's where nobody was stated", () => {
    const without = generateTasks(shop, shopRows, { seed: "3", count: 60 });
    expect(without.every(({ voice }) => voice.lead === undefined)).toBe(true);
  });
});
