import { describe, expect, it } from "vitest";
import { generateTasks } from "../../../../worlds/tasks/generate.ts";
import { grade } from "../../../../worlds/tasks/grading/grade.ts";
import { hardenTask } from "../../../../worlds/tasks/grading/harden.ts";
import { reviewTask } from "../../../../worlds/tasks/grading/review.ts";
import { lastText, reference, reviewKit, saying } from "../../../../worlds/tasks/grading/variation.ts";
import type { Task } from "../../../../worlds/tasks/schema.ts";
import { shop, shopRows } from "../../fixtures/shop.ts";

const env = { bundle: shop, base: shopRows };
const lookups = generateTasks(shop, shopRows, { seed: "h", count: 6, families: ["lookup"] });
const bare = (task: Task): Task => ({ ...task, checks: task.checks.filter(({ kind }) => kind !== "answer_excludes") });

describe("holding an answer to its own row", () => {
  it("adds what the answer must not say, and nothing else; the five wrong answers no longer pass", () => {
    for (const task of lookups.map(bare)) {
      const made = hardenTask(task, env);
      if (made.kind !== "hardened") throw new Error(JSON.stringify(made));
      expect(made.task.checks.slice(0, task.checks.length)).toEqual(task.checks);
      expect(made.task.checks.slice(task.checks.length).map(({ kind }) => kind)).toEqual(["answer_excludes"]);
      expect({ ...made.task, checks: [] }).toEqual({ ...task, checks: [] });
      expect(made.board).toHaveLength(6);
      expect(made.board.filter(({ right }) => right)).toEqual([
        { name: "the right answer", right: true, before: "met", after: "met" },
      ]);
      expect(made.board.filter(({ right, after }) => !right && after !== "failed")).toEqual([]);
      // A padded list got through before.
      expect(made.board.some(({ right, before }) => !right && before === "met")).toBe(true);
      expect(reviewTask(made.task, env).certificate.passed).toBe(true);
      const right = reference(reviewKit(env), task);
      const padded = {
        ...right,
        answers: saying(task, `${lastText(right)} Also: ${otherValue(made.task)}.`, "answered"),
      };
      expect(grade(task, padded, env).end).toBe("met");
      expect(grade(made.task, padded, env).end).toBe("failed");
    }
  });

  it("leaves a key that rejects them already, and one without facts", () => {
    for (const task of lookups) expect(hardenTask(task, env).kind).toBe("stands");
    const [write] = generateTasks(shop, shopRows, { seed: "h", count: 1, families: ["write"] });
    expect(hardenTask(write as Task, env)).toMatchObject({ kind: "left", reason: "no_facts" });
    const lost = { ...lookups[0]!, script: { ...lookups[0]!.script, answer: "{$9.nothing}" } };
    expect(hardenTask(lost, env)).toMatchObject({ kind: "left", reason: "leads_nowhere" });
  });
});

function otherValue({ checks }: Task): string {
  const check = checks.at(-1);
  if (check?.kind !== "answer_excludes") throw new Error("the last check excludes nothing");
  return String(check.facts[0]?.value);
}
