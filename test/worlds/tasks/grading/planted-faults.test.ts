import { expect, it } from "vitest";
import { RootCauses } from "../../../../bench/planted-faults.ts";
import { generateTasks } from "../../../../worlds/tasks/generate.ts";
import { rootCause } from "../../../../worlds/tasks/grading/root-cause.ts";
import type { Task } from "../../../../worlds/tasks/schema.ts";
import { deskWorld } from "../../../helpers/desk-world.ts";

it("names the root cause of faults of every kind that are planted in tasks of every family", async () => {
  const { env } = await deskWorld();
  const tasks = generateTasks(env.bundle, env.base, { seed: "planted", count: 40 });
  const causes = new RootCauses();
  const told = causes.add(tasks, env);
  const [right, planted] = (/(\d+)\/(\d+)/.exec(told) ?? []).slice(1).map(Number);
  expect(planted).toBeGreaterThan(400);
  expect(causes.lines().filter((line) => line.startsWith("  "))).toEqual([]);
  expect(right).toBe(planted);
});

it("takes a change for one too many where the script's own call was made as well, served or not", () => {
  const args = { line_id: "L1", plan: "P2" };
  const script = { calls: [{ tool: "change_plan", args }], answer: "Done.", class: "answered" as const };
  const task = { request: "Move L1 to P2.", turns: [], script, checks: [{ kind: "state", changes: [] }] };
  const call = { answer: {}, answer_class: "data", is_error: false, changed: true };
  const trial = {
    calls: [
      { ...call, tool: "pay", args: { customer_id: "C1" } },
      { ...call, tool: "change_plan", args, answer_class: "error:not_served", is_error: true, changed: false },
    ],
    answers: [{ text: "Done.", class: "answered" as const }],
    diff: [{ table: "customers", key: "C1", before: { owed: 5 }, after: { owed: 0 } }],
  };
  const verdicts = [{ kind: "state", verdict: "not_met" as const }];
  expect(rootCause(task as unknown as Task, trial, verdicts)).toBe("extra_write");
  expect(rootCause(task as unknown as Task, { ...trial, calls: trial.calls.slice(0, 1) }, verdicts)).toBe("wrong_tool");
});
