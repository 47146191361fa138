import { expect } from "vitest";
import { TaskRecord } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { modelConfig } from "../../../src/models/config.ts";
import { bothSurfaces, type TestApp } from "../../helpers/app.ts";
import { shopIn } from "../runs/kit.ts";

const models = modelConfig(
  {
    models: "anthropic/first, openai-compatible/second",
    prices: undefined,
    openAiUrl: undefined,
    openAiKey: undefined,
    anthropicUrl: undefined,
    anthropicKey: undefined,
  },
  "2026-01-01",
);
const [FIRST, SECOND] = ["anthropic/first", "openai-compatible/second"];

/** Gives one task of the org a judged check. */
async function judgedTask(app: TestApp, org: string, criterion: string): Promise<void> {
  await shopIn(app.service, org, 2);
  const { records } = app.service.store.forOrg(org);
  const [task] = (await records.list(TaskRecord, { limit: 1 })).items;
  if (!task) throw new Error("no task");
  await records.update(TaskRecord, task.id, (doc) => ({
    ...doc,
    task: { ...doc.task, checks: [...doc.task.checks, { kind: "judged" as const, criterion }] },
  }));
}

bothSurfaces(
  "judge_put chooses the org's judge and a scorer's own, from what judge_get offers",
  async (invoke, { app, org }) => {
    await judgedTask(app, org.id, "is polite");
    const first = (await invoke("judge_get", {}, org.read)).body;
    expect(first).toMatchObject({
      org: "acme",
      judge: {
        model: FIRST,
        source: "default",
        offered: [FIRST, SECOND],
        scorers: [{ scorer: "is polite", model: FIRST, source: "default" }],
        overrides: [],
      },
    });
    const wrong = await invoke("judge_put", { model: "second" });
    expect(wrong).toMatchObject({ status: 400, body: { fields: [{ path: "model" }] } });
    for (const model of [FIRST, SECOND]) expect(wrong.body.reason).toContain(model);
    const unknown = await invoke("judge_put", { model: SECOND, scorer: "is rude" });
    expect(unknown).toMatchObject({ status: 400, body: { fields: [{ path: "scorer" }] } });
    expect((await invoke("judge_put", { model: SECOND }, org.push)).status).toBe(403);
    expect((await invoke("judge_get")).body).toEqual(first);

    const set = await invoke("judge_put", { model: SECOND, by: "ann" });
    expect(set).toMatchObject({ status: 200, body: { cleared: false, judge: { model: SECOND, source: "org" } } });
    expect(set.body.judge.scorers).toEqual([{ scorer: "is polite", model: SECOND, source: "org" }]);
    const own = await invoke("judge_put", { model: FIRST, scorer: "is polite" });
    expect(own.body.judge).toMatchObject({
      model: SECOND,
      scorers: [{ scorer: "is polite", model: FIRST, source: "scorer" }],
      overrides: [
        { scorer: null, model: SECOND, by: "ann" },
        { scorer: "is polite", model: FIRST, by: "acme-admin" },
      ],
    });
    const back = await invoke("judge_put", { model: null, scorer: "is polite" });
    expect(back.body).toMatchObject({ cleared: true, judge: { scorers: [{ model: SECOND, source: "org" }] } });
    const cleared = await invoke("judge_put", { model: null });
    expect(cleared.body).toMatchObject({ cleared: true, judge: { model: FIRST, source: "default", overrides: [] } });
    const acts = (await app.service.store.forOrg(org.id).audit.list()).items.map(({ act, fields }) => [act, fields.of]);
    expect(acts.filter(([act]) => String(act).startsWith("judge"))).toEqual([
      ["judge_cleared", "org"],
      ["judge_cleared", "scorer"],
      ["judge_set", "scorer"],
      ["judge_set", "org"],
    ]);
    await app.org("beta");
    expect((await invoke("judge_get", { orgtag: "beta" }, app.operator)).body.judge.scorers).toEqual([]);
  },
  { config: { models }, jobs: false },
);

bothSurfaces(
  "judge_get says that no model may judge where the operator set none",
  async (invoke) => {
    const { judge } = (await invoke("judge_get")).body;
    expect(judge).toMatchObject({ model: null, source: "default", offered: [] });
    expect(judge.note).toContain("SVC_MODELS");
    const refused = await invoke("judge_put", { model: FIRST });
    expect(refused).toMatchObject({ status: 400, body: { reason: expect.stringContaining("no model is offered") } });
    expect((await invoke("judge_put", { model: null })).status).toBe(200);
  },
  { jobs: false },
);
