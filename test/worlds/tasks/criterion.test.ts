import { describe, expect, it } from "vitest";
import { type Criterion, criterionTasks } from "../../../worlds/tasks/families/criterion.ts";
import { grade } from "../../../worlds/tasks/grading/grade.ts";
import { rehearsals } from "../../../worlds/tasks/grading/rehearse.ts";
import { reviewTask } from "../../../worlds/tasks/grading/review.ts";
import { Task } from "../../../worlds/tasks/schema.ts";
import { shop, shopRows } from "../fixtures/shop.ts";

const env = { bundle: shop, base: shopRows };
const made = (check: Criterion["check"], families?: readonly ("write" | "lookup")[]) =>
  criterionTasks(env, { text: "As we agreed.", check }, { seed: "c", count: 4, ...(families ? { families } : {}) });

describe("tasks of a criterion", () => {
  it.each([
    ["never look a customer up by email", { kind: "calls_forbidden", calls: [{ tool: "find_customer" }] }],
    ["at most three calls", { kind: "max_calls", n: 3 }],
  ] as const)("%s: carry its words and its check, are certified, and reject who breaks it alone", (text, check) => {
    const { tasks } = criterionTasks(env, { text, check: check as Criterion["check"] }, { seed: "c", count: 4 });
    expect(tasks.length).toBe(4);
    for (const task of tasks) {
      expect(Task.parse(task)).toEqual(task);
      expect(task).toMatchObject({ family: "criterion", cell: { policy: text } });
      expect(task.checks.at(-1)).toEqual(check);
      const review = reviewTask(task, env);
      expect(review.verdicts.filter(({ passed }) => !passed).map(({ reason }) => reason)).toEqual([]);
      const breaking = rehearsals(task, env).filter(({ name }) => name === "breaks a rule about calls");
      expect(breaking.length).toBeGreaterThan(0);
      for (const { trial } of breaking) {
        const graded = grade(task, trial, env);
        expect(graded.verdicts.filter(({ verdict }) => verdict === "not_met").map(({ kind }) => kind)).toContain(
          check.kind,
        );
      }
    }
    expect(new Set(tasks.map(({ id }) => id)).size).toBe(4);
  });
  it("hold a required call that the outcome does not show, and its order", () => {
    const required = made({ kind: "calls_required", calls: [{ tool: "get_customer" }] });
    for (const task of required.tasks) {
      expect(task.script.calls.some(({ tool }) => tool === "get_customer")).toBe(true);
      expect(reviewTask(task, env).verdicts[1]?.passed).toBe(true);
    }
    expect(required.broken).toBeGreaterThan(0);
  });
  it("are none where no script keeps it, or where it decides nothing", () => {
    expect(made({ kind: "max_calls", n: 0 }, ["lookup"])).toMatchObject({ tasks: [], idle: 0 });
    const idle = made({ kind: "no_state_change" }, ["lookup"]);
    expect(idle.tasks).toEqual([]);
    expect(idle.idle).toBeGreaterThan(0);
  });
  it("are the same for the same seed", () => {
    const check = { kind: "max_calls", n: 3 } as const;
    expect(made(check)).toEqual(made(check));
  });
});
