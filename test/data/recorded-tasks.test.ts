import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { compileNewest } from "../../chapters/sandboxes/surfaces/compile-newest.ts";
import { readTools, readTraces } from "../../src/fidelity/traces.ts";
import { draw } from "../../worlds/draw/index.ts";
import { generateTasks } from "../../worlds/tasks/generate.ts";
import { reviewTask } from "../../worlds/tasks/grading/review.ts";
import { sequenceOf } from "../../worlds/tasks/spread.ts";
import { equalTrials, judgedWrongly, wrongTrials } from "../worlds/tasks/acts/hostile.ts";

const data = process.env.SVC_DATA ?? "";

/** Services whose state is files, drawn ids, counted ids in nested rows, and cells. */
describe.each(["mcp-memorybank", "mcp-ohno", "mcp-taskmanager", "bfcl-vehicle_control"])(
  "tasks from recorded calls of %s",
  (name) => {
    it("are at least 20 of different scripts, certified, spread over tools, and passed by no agent that does not do them", async () => {
      const folder = `${data}/dev2/${name}`;
      if (!existsSync(folder)) throw new Error("SVC_DATA must name the folder of real traces");
      const { traces: given } = await readTraces([`${folder}/train`], () => {});
      const tools = await readTools(`${folder}/tools.json`);
      const { bundle, base, traces } = compileNewest(given, { name, tools });
      const env = { bundle, base: draw(bundle, base, { seed: "1" }) };
      const tasks = generateTasks(bundle, env.base, { seed: "1", count: 60, mined: traces }).filter(
        (task) => reviewTask(task, env).certificate.passed,
      );
      const distinct = new Set(tasks.map(({ script }) => JSON.stringify([script.calls, script.answer])));
      expect(distinct.size).toBeGreaterThanOrEqual(20);
      const counts = new Map<string, number>();
      for (const task of tasks) counts.set(sequenceOf(task), (counts.get(sequenceOf(task)) ?? 0) + 1);
      expect(Math.max(...counts.values()) / tasks.length).toBeLessThanOrEqual(0.3);
      for (const task of tasks) {
        expect(judgedWrongly(env, task, wrongTrials(env, task, tasks, traces), false)).toEqual([]);
        expect(judgedWrongly(env, task, equalTrials(env, task, traces), true)).toEqual([]);
      }
    });
  },
);
