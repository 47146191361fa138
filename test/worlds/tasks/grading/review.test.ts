import { describe, expect, it } from "vitest";
import { generateTasks } from "../../../../worlds/tasks/generate.ts";
import { certificateTerms, stands } from "../../../../worlds/tasks/grading/certificate.ts";
import { grade } from "../../../../worlds/tasks/grading/grade.ts";
import { rehearsals } from "../../../../worlds/tasks/grading/rehearse.ts";
import { reviewAll, reviewTask } from "../../../../worlds/tasks/grading/review.ts";
import { shop, shopRows } from "../../fixtures/shop.ts";
import { broken } from "../broken.ts";

const env = { bundle: shop, base: shopRows };
const tasks = generateTasks(shop, shopRows, { seed: "review", count: 100 });
const summary = reviewAll(tasks, env);

describe("review of ruled tasks", () => {
  it("certifies what the generator writes", () => {
    expect(tasks.length).toBe(100);
    expect(summary.passed).toBeGreaterThanOrEqual(97);
  });
  it("rejects at least 99 % of the wrong trials and spares 99 % of the equal ones", () => {
    expect(summary.mutants).toBeGreaterThan(1000);
    expect(summary.rejected / summary.mutants).toBeGreaterThanOrEqual(0.99);
    expect(summary.spared / summary.equals).toBeGreaterThanOrEqual(0.99);
    expect(summary.undecided).toBe(0);
  });
  it("lists every survivor", () => {
    const listed = summary.reviews.reduce(
      (n, r) => n + (r.verdicts.find((v) => v.name === "discriminating")?.survivors.length ?? 0),
      0,
    );
    expect(listed).toBe(summary.mutants - summary.rejected + summary.equals - summary.spared);
  });
  it("lets no collateral write pass", () => {
    const collateral = tasks.flatMap((task) =>
      rehearsals(task, env)
        .filter((v) => v.name === "collateral write")
        .map((v) => grade(task, v.trial, env)),
    );
    expect(collateral.length).toBeGreaterThanOrEqual(200);
    expect(collateral.filter((g) => g.end !== "failed")).toEqual([]);
  });
  it("says the same twice", () => {
    expect(JSON.stringify(reviewTask(tasks[0]!, env, tasks))).toBe(JSON.stringify(summary.reviews[0]));
  });
});

describe("broken tasks", () => {
  for (const { why, caught, task } of broken) {
    it(`catches by ${caught}: ${why}`, () => {
      const review = reviewTask(task, env);
      expect(review.certificate.passed).toBe(false);
      expect(review.verdicts.find((v) => v.name === caught)).toMatchObject({ passed: false });
    });
  }
  it("are thirty", () => expect(broken.length).toBe(30));
});

describe("certificate", () => {
  const task = tasks.find((_, i) => summary.reviews[i]?.certificate.passed);
  const { certificate } = reviewTask(task!, env);
  it("stands while nothing changed", () => {
    expect(certificate.passed).toBe(true);
    expect(stands(certificate, task!, env)).toBe(true);
    expect(certificate.verdicts.map((v) => v.name)).toEqual(["solvable", "discriminating", "determined", "grounded"]);
  });
  it("lapses with the world, the tools or the checks", () => {
    const moved = { ...shopRows, tables: { ...shopRows.tables, products: {} } };
    expect(stands(certificate, task!, { ...env, base: moved })).toBe(false);
    const tools = {
      ...shop,
      tools: shop.tools.map((t, i) => (i === 0 ? { ...t, description: "Something else." } : t)),
    };
    expect(stands(certificate, task!, { ...env, bundle: tools })).toBe(false);
    expect(stands(certificate, { ...task!, checks: [{ kind: "no_state_change" }] }, env)).toBe(false);
    expect(certificateTerms(task!, env)).toEqual({
      world: certificate.world,
      tools: certificate.tools,
      checks: certificate.checks,
    });
  });
});
