import { expect, it } from "vitest";
import { FACTS } from "../../../chapters/findings/assistant/root-facts.ts";
import { operatorChapter } from "../../../src/operator/operations.ts";
import { chapters } from "../../../tools/index.ts";
import { Registry } from "../../../tools/kernel/registry.ts";
import { FACT_TEXTS, OPERATION_QUESTIONS, questionsOf } from "../../../tools/questions/index.ts";
import { NearestQuestions } from "../../../tools/questions/nearest.ts";

const operations = new Registry([...chapters, operatorChapter]).operations
  .map(({ op }) => op.name)
  .filter((name) => !name.startsWith("root_"));

it("has questions for every operation and every fact, and for nothing else", () => {
  expect(operations.filter((name) => questionsOf(name).length === 0)).toEqual([]);
  expect(Object.keys(OPERATION_QUESTIONS).filter((name) => !operations.includes(name))).toEqual([]);
  // Who has access is asked of members_list; the fact of it is a kind of question alone.
  expect(FACT_TEXTS.map(({ fact }) => fact).sort()).toEqual(
    Object.keys(FACTS)
      .filter((fact) => fact !== "members")
      .sort(),
  );
});

it("puts the same question to one answerer alone", () => {
  const all = [...FACT_TEXTS.flatMap(({ texts }) => texts), ...operations.flatMap((name) => questionsOf(name))];
  expect(all.filter((text, i) => all.indexOf(text) !== i)).toEqual([]);
});

const cost = { name: "cost", kind: "fact", texts: ["what did the last run cost"], about: "" } as const;
const failed = { name: "failed", kind: "fact", texts: ["which tasks failed"], about: "" } as const;
const list = { name: "agents_list", kind: "read", texts: ["list my agents"], about: "" } as const;
const add = { name: "agents_post", kind: "act", texts: ["how do I connect my agent"], about: "" } as const;
const remove = { name: "agents_delete", kind: "act", texts: ["how do I delete an agent"], about: "" } as const;
const near = new NearestQuestions([cost, failed, list, add, remove]);
const nearest = (text: string) => near.nearest(text)[0]!.answerer.name;

it.each([
  ["How expensive was the newest evaluation?", "cost"],
  ["Which test cases did it get wrong?", "failed"],
  ["What bots are there?", "agents_list"],
  ["How can I get rid of a bot?", "agents_delete"],
  ["Can I hook up an assistant?", "agents_post"],
])("knows other words for the same: %s", (text, name) => {
  expect(nearest(text)).toBe(name);
});

it("is near to nothing where a question says other things, and leaves a known question out to measure", () => {
  expect(near.nearest("Tell me a joke")[0]!.score).toBe(0);
  const known = "which tasks failed";
  const [with_, without] = [near.nearest(known), near.nearest(known, { without: { name: "failed", text: 0 } })];
  expect(with_[0]!.answerer.name).toBe("failed");
  expect(without.find(({ answerer }) => answerer.name === "failed")!.score).toBe(0);
});
