import { expect, it } from "vitest";
import { TaskRecord } from "../../chapters/records/sandboxes/sandboxes.ts";
import type { Api } from "../../src/evaluate/api.ts";
import type { EvaluationReport } from "../../src/evaluate/report.ts";
import { verdictLines } from "../../src/evaluate/report.ts";
import { build, describeTasks } from "../../src/evaluate/stages.ts";
import { invoker, startApp } from "../helpers/app.ts";
import { buildDesk, ok } from "../tools/sandboxes/kit.ts";

it("an evaluation of stored tasks whose certificates lapsed says so, reviews them again and says how many passed", async () => {
  const app = await startApp();
  try {
    const org = await app.org();
    const invoke = invoker(app, "rest", org);
    const built = await buildDesk(invoke, "desk", 12);
    const env_id = built.environments[0].id as string;
    const { records } = app.service.store.forOrg(org.id);
    const { items } = await records.list(TaskRecord, {
      where: { environment: env_id, status: "certified" },
      limit: 500,
    });
    expect(items.length).toBeGreaterThan(2);
    const [changed, ...older] = items;
    for (const { id } of older)
      await records.update(TaskRecord, id, (row) => ({ ...row, certificate: { ...row.certificate!, engine: 0 } }));
    // One that was changed since, and is no longer met by its own script.
    const nothing = { calls: [], answer: "Done." };
    await records.update(TaskRecord, changed!.id, (row) => ({
      ...row,
      task: { ...row.task, alternatives: [], script: { ...row.task.script, ...nothing } },
    }));
    const api: Api = {
      call: async (name, args) => (await ok(invoke(name, args))).body,
      send: () => {
        throw new Error("no file is sent");
      },
    };
    const told: string[] = [];
    const { environment, again } = await build(api, "desk", (text) => told.push(text));
    expect(environment).toBe(env_id);
    expect(told).toContain(`the certificates of ${items.length} tasks no longer hold; they are reviewed again`);
    expect(again).toEqual({ lapsed: items.length, certified: older.length });
    const { tasks } = await describeTasks(api, env_id);
    expect(Object.values(tasks.refused_for ?? {}).reduce((a, b) => a + b, 0)).toBe(tasks.refused);
    const report = {
      files: [],
      runs: [],
      warnings: [],
      bundle: { tools: 1, rows: {}, exceptions: 0, gaps: [], set_aside: 0, changed_tools: [], earlier: 0 },
      tasks: { ...tasks, again },
    } as unknown as EvaluationReport;
    const [line] = verdictLines(report).filter((each) => each.startsWith("reviewed"));
    expect(line).toContain(`the certificates of ${items.length} tasks no longer held`);
    expect(line).toContain(`${older.length} passed; 1 no longer passed: environment_review says why`);
    expect((await build(api, "desk", () => {})).again).toBeUndefined();
  } finally {
    await app.close();
  }
});
