import { expect, it } from "vitest";
import { RootCauses } from "../../../../bench/planted-faults.ts";
import { generateTasks } from "../../../../worlds/tasks/generate.ts";
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
