import { existsSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { readTraces } from "../../src/fidelity/traces.ts";
import { compile } from "../../worlds/compile/index.ts";
import { audit, draw } from "../../worlds/draw/index.ts";
import type { ObservedTrace } from "../../worlds/observation.ts";
import { generateTasks } from "../../worlds/tasks/generate.ts";
import { type GradeEnv, grade } from "../../worlds/tasks/grading/grade.ts";
import { rehearsals } from "../../worlds/tasks/grading/rehearse.ts";
import { type ReviewSummary, reviewAll } from "../../worlds/tasks/grading/review.ts";
import type { Task } from "../../worlds/tasks/schema.ts";
import { playNothing, playScript } from "../../worlds/tasks/trial.ts";
import { createWorld } from "../../worlds/world.ts";
import { loadTools } from "./compile-load.ts";

const data = process.env.SVC_DATA ?? "";
/** A few more than have to be certified. */
const COUNT = 104;

for (const domain of ["airline", "retail"]) {
  describe(`tasks on the compiled ${domain} world`, () => {
    let env: GradeEnv;
    let mined: readonly ObservedTrace[];
    let tasks: Task[];
    let summary: ReviewSummary;

    beforeAll(async () => {
      const folder = `${data}/dev/${domain}`;
      if (!existsSync(folder)) throw new Error("SVC_DATA must name the folder of real traces");
      const files = ["tau2.gpt-4.1.json", "tau2.toolorchestra-gpt-4.1-mini.json"].map((f) => `${folder}/${f}`);
      const { traces } = await readTraces(files, () => {});
      mined = traces;
      const { bundle, base } = compile(traces, {
        name: domain,
        tools: loadTools(`${folder}/tools.tau2.json`),
      });
      env = { bundle, base: draw(bundle, base, { seed: "1" }) };
      tasks = generateTasks(env.bundle, env.base, { seed: "1", count: COUNT, mined });
      summary = reviewAll(tasks, env);
    });

    it("pass review: at least 100 with a certificate, of every family that is written by rule or mined", () => {
      const passed = tasks.filter((_, i) => summary.reviews[i]?.certificate.passed);
      expect(passed.length).toBeGreaterThanOrEqual(100);
      // What retail's rows lack is called what neither its users nor its tools' descriptions say: nobody would ask for it.
      // Nor is a person found there through an order: who asks says who they are first.
      const unsaid = domain === "retail" ? ["multi_hop", "no_data"] : [];
      expect([...new Set([...passed.map((t) => t.family), ...unsaid])].sort()).toEqual([
        "aggregate",
        "ambiguous",
        "filter",
        "guarded_write",
        "lookup",
        "mined",
        "multi_hop",
        "multi_write",
        "no_data",
        "write",
      ]);
    });
    it("reject at least 99 % of wrong trials, spare 99 % of equal ones, and let no collateral write pass", () => {
      expect(summary.rejected / summary.mutants).toBeGreaterThanOrEqual(0.99);
      expect(summary.spared / summary.equals).toBeGreaterThanOrEqual(0.99);
      const collateral = tasks.flatMap((task) =>
        rehearsals(task, env).flatMap((v) => (v.name === "collateral write" ? [grade(task, v.trial, env).end] : [])),
      );
      expect(collateral.length).toBeGreaterThanOrEqual(200);
      expect(collateral.filter((end) => end !== "failed")).toEqual([]);
    });
    it("are met by the reference and never by silence", () => {
      const world = createWorld(env.bundle, env.base, { seed: "other" });
      for (const [i, task] of tasks.entries()) {
        if (!summary.reviews[i]?.certificate.passed) continue;
        const turns = task.turns.length + 1;
        expect(grade(task, playScript(world.fork(), task.script, turns), env)).toMatchObject({ end: "met" });
        expect(grade(task, playNothing(turns), env)).toMatchObject({ end: "failed" });
      }
    });
    it("are the same bytes for the same seed", () => {
      expect(JSON.stringify(generateTasks(env.bundle, env.base, { seed: "1", count: COUNT, mined }))).toBe(
        JSON.stringify(tasks),
      );
    });
    it("stand on a draw with added rows that contradicts nothing", () => {
      const more = draw(env.bundle, env.base, { seed: "2", augment: true });
      expect(Object.values(more.drawn).flat().length).toBeGreaterThan(10);
      expect(audit(env.bundle, more).contradictions).toEqual([]);
      const written = generateTasks(env.bundle, more, { seed: "2", count: 30 });
      const review = reviewAll(written, { bundle: env.bundle, base: more });
      expect(review.passed).toBeGreaterThanOrEqual(27);
    });
  });
}
