import { expect } from "vitest";
import { bothSurfaces } from "../../../helpers/app.ts";
import { connect, runToEnd, shopIn } from "../../runs/kit.ts";

type Verdict = "met" | "not_met";
const items = (counts: readonly (readonly [Verdict, Verdict, number])[]) =>
  counts.flatMap(([judge, human, n], k) => Array.from({ length: n }, (_, i) => ({ id: `${k}.${i}`, judge, human })));
// The textbook's table of Cohen's kappa: 20 yes-yes, 5 and 10 apart, 15 no-no give 0.4.
const textbook = items([
  ["met", "met", 20],
  ["met", "not_met", 5],
  ["not_met", "met", 10],
  ["not_met", "not_met", 15],
]);
const set = { name: "Politeness, week 40", criterion: "is polite", human: "ann", judge: { model: "judge-1" } };

bothSurfaces(
  "a judge's agreement with a person is told with its interval, drift and repeatability",
  async (invoke, t) => {
    const repeated = textbook.map((item, i) => (i < 10 ? { ...item, again: [i < 8 ? item.judge : "not_met"] } : item));
    const made = await invoke("calibration_post", { ...set, items: repeated, rubric: "Says please." }, t.org.push);
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      n: 50,
      agreement: { agreed: 35, n: 50, share: 0.7 },
      disagreements: { n: 15, of: 50, judge_lenient: 5, judge_strict: 10 },
      repeatability: { agreed: 8, n: 10, share: 0.8 },
      drift: null,
      retired: null,
      illustrative: false,
      rubric: "Says please.",
      tier: "llm-derived",
    });
    expect(made.body.kappa.kappa).toBeCloseTo(0.4, 10);
    expect(made.body.kappa.low).toBeLessThan(0.4);
    expect(made.body.kappa.high).toBeGreaterThan(0.4);
    const cid = made.body.id;

    const better = await invoke("calibration_post", {
      ...set,
      items: items([
        ["met", "met", 30],
        ["not_met", "not_met", 30],
      ]),
    });
    expect(better.body).toMatchObject({ drift: { since: cid, before: 0.7, now: 1, words: "agrees more than before" } });
    expect(better.body.repeatability).toBeNull();
    const other = await invoke("calibration_post", { ...set, judge: { model: "judge-2" }, items: textbook });
    expect(other.body.drift).toBeNull();
    const flat = await invoke("calibration_post", { ...set, criterion: "flat", items: items([["met", "met", 3]]) });
    expect(flat.body.kappa).toMatchObject({ kappa: null, low: null, n: 3 });
    expect(flat.body.kappa.reason).toContain("chance");

    const bad = (change: Record<string, unknown>) => invoke("calibration_post", { ...set, items: textbook, ...change });
    expect((await bad({ items: [] })).status).toBe(400);
    expect((await bad({ items: [{ id: "a", human: "met" }] })).body.fields).toMatchObject([{ path: "items.0.judge" }]);
    expect((await bad({ items: [textbook[0], textbook[0]] })).body.fields).toMatchObject([{ path: "items.1.id" }]);
    expect((await bad({ items: [{ ...textbook[0], trial: { run: "r", task: "t", n: 1 } }] })).status).toBe(400);
    expect((await invoke("calibration_post", { ...set, items: textbook }, t.org.read)).status).toBe(403);
    expect((await invoke("calibration_list")).body.sets).toHaveLength(4);

    const whole = await invoke("calibration_get", { cid }, t.org.read);
    expect(whole.body.items).toHaveLength(50);
    expect(whole.body.items[0]).toEqual({ id: "0.0", judge: "met", human: "met", again: ["met"] });
    const retire = { cid, retired: { reason: "Labelled in haste." }, by: "bea" };
    expect((await invoke("calibration_patch", retire)).body.retired).toMatchObject({
      reason: "Labelled in haste.",
      by: "bea",
    });
    const later = { ...retire, retired: { reason: "other" } };
    expect((await invoke("calibration_patch", later)).body.retired.reason).toBe("Labelled in haste.");
    expect((await invoke("calibration_patch", { cid, retired: { reason: "" } })).status).toBe(400);
    expect((await invoke("calibration_patch", { ...retire, name: "x" })).status).toBe(400);
    expect((await invoke("calibration_patch", { ...retire, cid: "cal_none" })).status).toBe(404);
    expect((await invoke("calibration_list")).body.sets.map(({ id }: { id: string }) => id)).not.toContain(cid);
    expect((await invoke("calibration_list", { retired: true })).body.sets).toHaveLength(4);
    // The set that it moved against is off the panel.
    expect((await invoke("calibration_get", { cid: better.body.id })).body.drift).toBeNull();
    expect((await invoke("calibration_patch", { cid, retired: null })).body.retired).toBeNull();
  },
);

bothSurfaces(
  "labels stand beside what stored trials say, and scorers and rubric show the agreement",
  async (invoke, t) => {
    const shop = await shopIn(t.app.service, t.org.id, 4);
    const good = await connect(invoke, shop, "good");
    const { started } = await runToEnd(invoke, { agent: good, environment: shop.environment });
    const run = (await invoke("runs_list", { group: started.body.group })).body.runs[0].id;
    const store = t.app.service.store.forOrg(t.org.id);
    const rows = (await store.trials.list(run)).items;
    const labelled = rows.flatMap(({ task, n, checks }) => {
      const check = checks.findIndex(({ kind }) => kind === "answer_class");
      return check < 0 ? [] : [{ id: `${task}.${n}`, human: "met", trial: { run, task, n } }];
    });
    expect(labelled.length).toBeGreaterThan(0);
    const given = { name: "classes", criterion: "answer_class", human: "ann", items: labelled };
    const made = await invoke("calibration_post", given);
    expect(made.body).toMatchObject({ tier: "deterministic", judge: { model: null }, agreement: { share: 1 } });
    const [first] = labelled;
    const wrong = (trial: Record<string, unknown>) =>
      invoke("calibration_post", { ...given, items: [{ ...first, ...trial }] });
    expect((await wrong({ judge: "not_met" })).body.fields).toMatchObject([{ path: "items.0.judge" }]);
    expect((await wrong({ trial: { ...first?.trial, n: 9 } })).body.fields).toMatchObject([{ path: "items.0.trial" }]);
    expect((await wrong({ trial: { ...first?.trial, check: 99 } })).body.fields).toMatchObject([
      { path: "items.0.trial" },
    ]);

    const scorers = (await invoke("scorers_list", {}, t.org.read)).body.scorers;
    const scorer = (name: string) => scorers.find((row: { scorer: string }) => row.scorer === name);
    expect(scorer("answer_class")).toMatchObject({
      tier: "deterministic",
      source: "code",
      runs: 1,
      agreement: { set: made.body.id, n: labelled.length, share: 1 },
    });
    expect(scorer("max_calls")).toMatchObject({ tasks: 0, runs: 0 });
    expect(scorer("max_calls").agreement).toBeUndefined();

    const rubric = (await invoke("rubric_get", {}, t.org.read)).body;
    expect(rubric.tasks).toBeGreaterThan(0);
    expect(rubric.personas.flatMap((row: { use_cases: unknown[] }) => row.use_cases).length).toBeGreaterThan(0);
    const { persona, use_case } = rubric;
    expect((await invoke("rubric_get", { persona, use_case })).body).toEqual(rubric);
    expect((await invoke("rubric_get", { persona: "nobody" })).status).toBe(404);
    expect((await invoke("rubric_get", { persona, use_case: "nothing" })).status).toBe(404);
    const kinds = (rows_: { kind: string }[]) => rows_.map(({ kind }) => kind);
    for (const kind of kinds(rubric.trace_checks)) expect(["state", "no_state_change", "call_order"]).toContain(kind);
    for (const kind of kinds(rubric.output_checks)) expect(kind).toMatch(/^answer_|^asks$|^judged$/);
    expect([...rubric.trace_checks, ...rubric.output_checks][0].from.length).toBeGreaterThan(0);
  },
);

bothSurfaces("judged criteria are told apart, with the tasks they come from", async (invoke, t) => {
  const shop = await shopIn(t.app.service, t.org.id, 1);
  const { TaskRecord } = await import("../../../../chapters/records/sandboxes/sandboxes.ts");
  const store = t.app.service.store.forOrg(t.org.id);
  const [row] = (await store.records.list(TaskRecord, { where: { environment: shop.environment } })).items;
  const judged = { kind: "judged" as const, criterion: "is polite" };
  await store.records.update(TaskRecord, row?.id ?? "", (doc) => ({
    ...doc,
    task: { ...doc.task, checks: [...doc.task.checks, judged] },
  }));
  await invoke("calibration_post", { ...set, items: textbook });
  await invoke("calibration_post", { ...set, illustrative: true, items: items([["met", "met", 3]]) });
  const scorers = (await invoke("scorers_list")).body.scorers;
  expect(scorers.find(({ scorer }: { scorer: string }) => scorer === "is polite")).toMatchObject({
    kind: "judged",
    tier: "llm-derived",
    model: null,
    source: "default",
    tasks: 1,
    agreement: { n: 50, share: 0.7 },
  });
  const rubric = (await invoke("rubric_get")).body;
  expect(rubric).toMatchObject({ tier: "llm-derived" });
  expect(rubric.output_checks.at(-1)).toMatchObject({
    criterion: "is polite",
    from: [{ task: row?.id, environment: shop.environment, index: 0 }],
    judge: { model: null, source: "default" },
    agreement: { n: 50 },
  });
});
