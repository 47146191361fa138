import { expect, it } from "vitest";
import { aboutTopic, topicIn } from "../../../../chapters/findings/assistant/root-task-facts.ts";

const tasks = [
  { request: "Cancel my order", tools: ["cancel_order"], family: "write" },
  { request: "What is the reason for refund 5?", tools: ["get_refund"], family: "lookup" },
  { request: "Please return this", tools: ["return_item"], family: "write" },
];

it.each([
  ["What did the agent do wrong in the refund tasks?", [1]],
  ["Which tasks cover the cancel tool?", [0]],
  ["Do we test cancellations?", [0]],
  ["How many tests do we have for returning things?", [2]],
])("finds what tasks are about by the words that a task has: %s", (text, found) => {
  expect(aboutTopic(tasks, topicIn(text)).found).toEqual(found.map((i) => tasks[i]));
});

it("tells the words apart that no task has, and names no topic where none is asked for", () => {
  expect(aboutTopic(tasks, topicIn("Do we test refunds of baggage?"))).toMatchObject({
    known: ["refunds"],
    unknown: ["baggage"],
  });
  expect(topicIn("Which tasks failed in the last run?")).toEqual([]);
});
