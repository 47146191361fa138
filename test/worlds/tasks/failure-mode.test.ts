import { describe, expect, it } from "vitest";
import { failureModeTasks, MODE_TASKS } from "../../../worlds/tasks/families/failure-mode.ts";
import { grade } from "../../../worlds/tasks/grading/grade.ts";
import { reviewTask } from "../../../worlds/tasks/grading/review.ts";
import { playLoosely, reference, reviewKit, saying } from "../../../worlds/tasks/grading/variation.ts";
import { shop, shopRows } from "../fixtures/shop.ts";

const env = { bundle: shop, base: shopRows };
const kit = reviewKit(env);

describe("tasks of a failure mode", () => {
  it.each(Object.keys(MODE_TASKS))("%s: passes review, is met by its script and written alike again", (behaviour) => {
    const plan = { behaviour, seed: "s", count: 3 };
    const tasks = failureModeTasks(env, plan);
    expect(tasks).toHaveLength(3);
    expect(failureModeTasks(env, plan)).toEqual(tasks);
    for (const task of tasks) {
      expect(task.family).toBe("regression");
      expect(task.cell.use_case).toBe(`a failure: ${behaviour.replaceAll("_", " ")}`);
      expect(grade(task, reference(kit, task), env).end).toBe("met");
      expect(reviewTask(task, env).certificate.passed).toBe(true);
    }
  });

  it("false no data is rejected even after the right calls", () => {
    for (const task of failureModeTasks(env, { behaviour: "false_no_data", seed: "s", count: 6 })) {
      const right = reference(kit, task);
      const said = { ...right, answers: saying(task, "I could not find any record of that.", "said_no_data") };
      expect(grade(task, said, env).end).toBe("failed");
    }
  });

  it("an unverified write is rejected though it leaves the right state, and only for the tool that is named", () => {
    const tasks = failureModeTasks(env, { behaviour: "unverified_write", tool: "cancel_order", seed: "s", count: 2 });
    expect(tasks.length).toBeGreaterThan(0);
    for (const task of tasks) {
      const writes = task.script.calls.filter(({ tool }) => tool === "cancel_order");
      expect(writes).toHaveLength(1);
      const world = kit.fork();
      const calls = playLoosely(world, writes);
      const right = reference(kit, task);
      const blind = { calls, answers: right.answers, diff: world.diff() };
      expect(blind.diff).toEqual(right.diff);
      const graded = grade(task, blind, env);
      expect(graded.end).toBe("failed");
      expect(graded.cause).toContain("call_order");
    }
  });

  it("writes none for a behaviour that no rule writes tasks for", () => {
    expect(failureModeTasks(env, { behaviour: "crash", seed: "s", count: 3 })).toEqual([]);
  });
});
