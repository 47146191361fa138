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

const dated = generateTasks(shop, shopRows, { seed: "1", count: 200, mined: [] }).flatMap((task) =>
  task.checks.flatMap((check) => {
    if (check.kind !== "answer_includes" && check.kind !== "answer_excludes") return [];
    const [fact] = check.facts;
    return fact && ["date", "money"].includes(fact.kind)
      ? [{ kind: check.kind, fact, task: { ...task, checks: [check] } }]
      : [];
  }),
);
const perKind = [...new Map(dated.map((one) => [`${one.kind} ${one.fact.kind}`, one])).entries()];

it.each(perKind)(
  "%s: four times the text takes no more than some four times as long, of values of every kind",
  (_name, { fact, task }) => {
    for (const unit of [
      "2024-05-01 13:45 ",
      "05/06/2024, ",
      "May 13, 2024. ",
      "$12.50 ",
      "maybe 7 or 8 ",
      `${fact.value} or `,
    ]) {
      const from = performance.now();
      const text = unit.repeat((4 * LENGTH) / unit.length);
      grade(task, { calls: [], answers: [{ text }], diff: [] }, { bundle: shop, base: shopRows });
      expect(performance.now() - from, unit).toBeLessThan(MOST_MS);
    }
  },
);
