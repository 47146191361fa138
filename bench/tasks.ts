import { shop, shopRows } from "../test/worlds/fixtures/shop.ts";
import { generateTasks } from "../worlds/tasks/generate.ts";
import { grade } from "../worlds/tasks/grading/grade.ts";
import { reviewAll } from "../worlds/tasks/grading/review.ts";
import { playScript } from "../worlds/tasks/trial.ts";
import { createWorld } from "../worlds/world.ts";
import { type BenchLine, rates } from "./harness.ts";
import { separations } from "./separation.ts";

/** Graded trials and reviews per second over tasks of every family. Prints first what wrong agents meet of each service's tasks. */
export async function bench(): Promise<BenchLine[]> {
  for await (const line of separations()) process.stdout.write(`${line}\n`);
  if (process.env.SVC_READ !== undefined) return [];
  const env = { bundle: shop, base: shopRows };
  const tasks = generateTasks(shop, shopRows, { seed: "bench", count: 60 });
  const world = createWorld(shop, shopRows, { seed: "bench" });
  let at = 0;
  const measured = rates(
    {
      played: (batch) => {
        for (let i = 0; i < batch; i += 1) {
          const task = tasks[at++ % tasks.length]!;
          world.reset();
          playScript(world, task.script, task.turns.length + 1);
        }
      },
      graded: (batch) => {
        for (let i = 0; i < batch; i += 1) {
          const task = tasks[at++ % tasks.length]!;
          world.reset();
          const { end } = grade(task, playScript(world, task.script, task.turns.length + 1), env);
          if (end !== "met") throw new Error(`the reference did not meet ${task.id}`);
        }
      },
    },
    { batch: 120 },
  );
  const reviews = rates({ reviewed: () => void reviewAll(tasks, env) }, { batch: 1, rounds: 3 });
  return [
    {
      name: "graded deterministic trials",
      value: measured.graded,
      unit: "trials/s",
      floor: { name: "played only", value: measured.played },
      ratio: measured.graded / measured.played,
    },
    { name: "reviews, all five verdicts", value: reviews.reviewed * tasks.length, unit: "tasks/s" },
  ];
}
