import { expect, it } from "vitest";
import { generateTasks } from "../../../worlds/tasks/generate.ts";
import { grade } from "../../../worlds/tasks/grading/grade.ts";
import { playRule } from "../../../worlds/tasks/grading/rule-agent.ts";
import { createWorld } from "../../../worlds/world.ts";
import { growth, LINEAR } from "../../helpers/growth.ts";
import { shop, shopRows } from "../fixtures/shop.ts";

const LENGTH = 25_000;
const long = (unit: string, size: number) => unit.repeat((size * LENGTH) / unit.length);
const units = [" ", "a", "-", "1.", "'", "\n", "\t \n", "the ", "#a"];

it.each(units)("a request of nothing but %j is played in proportion to its length", async (unit) => {
  const played = (size: number) => playRule(createWorld(shop, shopRows), [long(unit, size)]);
  expect(await growth(played)).toBeLessThan(LINEAR);
});

const [task] = generateTasks(shop, shopRows, { seed: "1", count: 4, families: ["lookup"], mined: [] });

it.each(units)("an answer of nothing but %j is graded in proportion to its length", async (unit) => {
  if (!task) throw new Error("no task was written");
  const graded = (size: number) => {
    const trial = { calls: [], answers: [{ text: long(unit, size) }], diff: [] };
    expect(grade(task, trial, { bundle: shop, base: shopRows }).end).toBe("failed");
  };
  expect(await growth(graded)).toBeLessThan(LINEAR);
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
  async (_name, { fact, task }) => {
    for (const unit of [
      "2024-05-01 13:45 ",
      "05/06/2024, ",
      "May 13, 2024. ",
      "$12.50 ",
      "maybe 7 or 8 ",
      `${fact.value} or `,
    ]) {
      const graded = (size: number) => {
        const text = unit.repeat((4 * size * LENGTH) / unit.length);
        grade(task, { calls: [], answers: [{ text }], diff: [] }, { bundle: shop, base: shopRows });
      };
      expect(await growth(graded), unit).toBeLessThan(LINEAR);
    }
  },
);
