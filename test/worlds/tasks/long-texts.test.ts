import { expect, it } from "vitest";
import { generateTasks } from "../../../worlds/tasks/generate.ts";
import { grade } from "../../../worlds/tasks/grade.ts";
import { playRule } from "../../../worlds/tasks/rule-agent.ts";
import { createWorld } from "../../../worlds/world.ts";
import { shop, shopRows } from "../fixtures/shop.ts";

const LENGTH = 100_000;
/** What reads a text once takes milliseconds; what takes time by its square takes many seconds. */
const MOST_MS = 4_000;
const long = (unit: string) => unit.repeat(LENGTH / unit.length);
const units = [" ", "a", "-", "1.", "'", "\n", "\t \n", "the ", "#a"];

it.each(units)("a request of nothing but %j is played in time", (unit) => {
  const from = performance.now();
  playRule(createWorld(shop, shopRows), [long(unit)]);
  expect(performance.now() - from).toBeLessThan(MOST_MS);
});

const [task] = generateTasks(shop, shopRows, { seed: "1", count: 4, families: ["lookup"], mined: [] });

it.each(units)("an answer of nothing but %j is graded in time", (unit) => {
  if (!task) throw new Error("no task was written");
  const from = performance.now();
  const { end } = grade(
    task,
    { calls: [], answers: [{ text: long(unit) }], diff: [] },
    { bundle: shop, base: shopRows },
  );
  expect(end).toBe("failed");
  expect(performance.now() - from).toBeLessThan(MOST_MS);
});
