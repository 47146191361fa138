import { describe, expect, it } from "vitest";
import { FAMILIES_OF } from "../../../../chapters/sandboxes/tasks/criterion-families.ts";
import { generateTasks } from "../../../../worlds/tasks/generate.ts";
import { shop, shopRows } from "../../../worlds/fixtures/shop.ts";
import { shopIn } from "../../runs/kit.ts";
import { ended, ok, sharedApp } from "../kit.ts";

const shared = sharedApp();

it("a criterion's families write tasks with a check of its kind", () => {
  for (const [criterion, families] of Object.entries(FAMILIES_OF)) {
    if (families.length === 0) continue;
    const tasks = generateTasks(shop, shopRows, { seed: "1", count: 3 * families.length, families });
    expect(tasks.length, criterion).toBeGreaterThan(0);
    for (const { family, checks } of tasks)
      expect(
        checks.map((check) => check.kind),
        `${criterion} in ${family}`,
      ).toContain(criterion);
  }
});

describe("criteria", () => {
  const { org, invoke } = shared.over();

  it("environments_for_criteria starts what is missing, refuses what rules cannot write, and a dry run starts nothing", async () => {
    expect((await invoke("environments_for_criteria", { criteria: ["asks"] })).status).toBe(409);
    await shopIn(shared.app.service, org.id, 1, "main");
    expect((await invoke("environments_for_criteria", { criteria: ["asks"] }, org.read)).status).toBe(403);
    expect((await invoke("environments_for_criteria", { criteria: ["poem"] })).body.fields[0].path).toBe("criteria.0");
    const criteria = ["state", "judged", "asks"];
    const dry = (await ok(invoke("environments_for_criteria", { criteria, dry_run: true }, org.push))).body;
    expect(dry).toMatchObject({
      dry_run: true,
      surface: "main",
      jobs: [
        { criterion: "state", job: null, families: ["write", "multi_write"] },
        { criterion: "asks", job: null },
      ],
      refused: [{ criterion: "judged", reason: expect.stringContaining("tasks of your own") }],
    });
    expect((await ok(invoke("jobs_list", { limit: 500 }))).body.jobs).toEqual([]);
    const { body } = await ok(invoke("environments_for_criteria", { criteria, max_new: 1, voice: "polite" }, org.push));
    expect(body.jobs).toMatchObject([{ criterion: "state", job: expect.any(String) }]);
    expect(body.refused.map((row: { criterion: string }) => row.criterion)).toEqual(["judged", "asks"]);
    const { result } = await ended(invoke, body.jobs[0].job);
    const { tasks } = (await ok(invoke("environment_tasks", { env_id: result.environments[0].id }))).body;
    expect(tasks).toHaveLength(body.jobs[0].tasks);
    for (const task of tasks) {
      expect(task.checks.map((check: { kind: string }) => check.kind)).toContain("state");
      expect(task.voice.register).toBe("polite");
    }
    expect(result.environments[0].certified).toBeGreaterThanOrEqual(5);
    const again = (await ok(invoke("environments_for_criteria", { criteria: ["state"] }))).body;
    expect(again).toMatchObject({
      jobs: [],
      refused: [{ criterion: "state", reason: expect.stringContaining("enough") }],
    });
  });
});
