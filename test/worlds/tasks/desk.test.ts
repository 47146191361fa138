import { beforeAll, describe, expect, it } from "vitest";
import { generateTasks } from "../../../worlds/tasks/generate.ts";
import { type GradeEnv, grade } from "../../../worlds/tasks/grading/grade.ts";
import { rehearsals } from "../../../worlds/tasks/grading/rehearse.ts";
import { type ReviewSummary, reviewAll } from "../../../worlds/tasks/grading/review.ts";
import type { Task } from "../../../worlds/tasks/schema.ts";
import { deskWorld } from "../../helpers/desk-world.ts";

describe("a hundred tasks on the order desk, compiled from its recordings", () => {
  let env: GradeEnv;
  let tasks: Task[];
  let summary: ReviewSummary;

  beforeAll(async () => {
    const { traces, env: drawn } = await deskWorld();
    env = drawn;
    tasks = generateTasks(env.bundle, env.base, { seed: "1", count: 102, mined: traces });
    summary = reviewAll(tasks, env);
  });

  it("have a certificate, in every family", () => {
    expect(summary.passed).toBeGreaterThanOrEqual(100);
    expect(new Set(tasks.map(({ family }) => family)).size).toBe(10);
  });
  it("reject at least 99 in 100 wrong trials and spare as many equal ones; no collateral write passes", () => {
    expect(summary.rejected / summary.mutants).toBeGreaterThanOrEqual(0.99);
    expect(summary.spared / summary.equals).toBeGreaterThanOrEqual(0.99);
    const survivors = summary.reviews.flatMap(({ verdicts }) => verdicts.flatMap((verdict) => verdict.survivors));
    expect(survivors.length).toBe(summary.mutants - summary.rejected + (summary.equals - summary.spared));
    const collateral = tasks.flatMap((task) =>
      rehearsals(task, env).flatMap(({ name, trial }) =>
        name === "collateral write" ? [grade(task, trial, env).end] : [],
      ),
    );
    expect(collateral.length).toBeGreaterThanOrEqual(200);
    expect(collateral.filter((end) => end !== "failed")).toEqual([]);
  });
});
