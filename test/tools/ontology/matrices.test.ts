import { expect } from "vitest";
import { Environment, TaskRecord } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { matrices } from "../../../tools/ontology/matrices.ts";
import { bothSurfaces, type SurfaceTest } from "../../helpers/app.ts";
import { runToEnd, shopIn } from "../runs/kit.ts";
import { ok } from "../sandboxes/kit.ts";

// biome-ignore lint/suspicious/noExplicitAny: rows of several answers; a wrong name fails the expectation.
type Row = any;

/** Gives every certified task of the org the same review counts. */
async function reviewedAs({ app, org }: SurfaceTest, mutants: number, rejected: number) {
  const { records } = app.service.store.forOrg(org.id);
  for (const { id } of (await records.list(TaskRecord, { limit: 500 })).items)
    await records.update(TaskRecord, id, (row) => ({ ...row, health: { mutants, rejected, equals: 1, spared: 1 } }));
}

/** The first count that is told beside the verdict. */
function firstCount(answer: unknown) {
  const [operation] = matrices.filter(({ name }) => name === "coverage_matrix") as unknown as {
    readonly shape: { counts(answer: unknown): Row[] };
  }[];
  return operation?.shape.counts(answer)[0];
}

bothSurfaces(
  "coverage_matrix and org_scenarios_get count certified tasks, and a marked job without any is a gap",
  async (invoke, t) => {
    const empty = await ok(invoke("coverage_matrix", {}, t.org.read));
    expect(empty.body).toMatchObject({ cells: [], gaps: [] });
    const { tasks } = await shopIn(t.app.service, t.org.id);
    const { records } = t.app.service.store.forOrg(t.org.id);
    const rows = (await records.list(TaskRecord, { limit: 500 })).items;
    const held = rows[0];
    if (!held) throw new Error("no task");
    await records.update(TaskRecord, held.id, (row) => ({ ...row, status: "held" as const }));
    const { body: matrix } = await ok(invoke("coverage_matrix"));
    const sum = (of: readonly Row[]) => of.reduce((total, { tasks: n }) => total + n, 0);
    expect(sum(matrix.cells)).toBe(tasks.length - 1);
    const other = rows[1]?.task;
    const job = other?.cell.use_case as string;
    const persona = other?.cell.persona as string;
    expect(matrix.cells.find((cell: Row) => cell.job === job && cell.persona === persona)).toMatchObject({
      marked: false,
      gap: false,
    });
    await ok(invoke("dimensions_post", { field: "persona", values: ["night owl"] }));
    await ok(invoke("dimensions_post", { field: "use_case", values: [job, "fly a kite"] }));
    const { body: all } = await ok(invoke("dimensions_get"));
    const find = (field: string, value: string) =>
      all.dimensions.find((axis: Row) => axis.field === field).values.find((row: Row) => row.value === value);
    await ok(
      invoke("dimension_value_profile_post", { value_id: find("persona", "night owl").id, jobs: ["fly a kite", job] }),
    );
    const marked = await ok(invoke("coverage_matrix"));
    expect(marked.body.gaps).toEqual(["fly a kite", job].sort().map((name) => ({ persona: "night owl", job: name })));
    expect(marked.body.stated).toEqual({ personas: ["night owl"], jobs: ["fly a kite", job].sort() });
    const covered = marked.body.cells.filter(({ tasks: n }: Row) => n > 0).length;
    const all_cells = marked.body.personas.length * marked.body.jobs.length;
    // Finding A24: a cell that nothing covers and nobody marked is counted too.
    expect(all_cells).toBeGreaterThan(marked.body.cells.length);
    expect(firstCount(marked.body)).toMatchObject({ name: "covered cells", value: covered, of: all_cells });
    expect(marked.verdict).toContain(`${covered} of ${all_cells} cells hold certified tasks; 2 marked jobs are gaps`);
    await ok(invoke("dimension_value_dismiss", { value_id: find("use_case", job).id }));
    const without = (await ok(invoke("coverage_matrix"))).body;
    expect(without.outside).toBe(sum(matrix.cells.filter((cell: Row) => cell.job === job)));
    expect(without.gaps).toEqual([{ persona: "night owl", job: "fly a kite" }]);
    const { body: situations } = await ok(invoke("org_scenarios_get", {}, t.org.read));
    expect(situations.tasks).toBe(tasks.length - 1);
    expect(sum(situations.situations)).toBe(tasks.length - 1);
    const counts = situations.situations.map((row: Row) => row.tasks);
    expect(counts).toEqual([...counts].sort((a, b) => b - a));
    for (const { data_condition } of situations.situations)
      expect(["present", "absent", "partial", "contradictory"]).toContain(data_condition);
    const [environment] = (await records.list(Environment, {})).items;
    await records.update(Environment, environment?.id ?? "", (row) => ({ ...row, retired_at: 1 }));
    expect((await ok(invoke("org_scenarios_get"))).body.tasks).toBe(0);
  },
);

bothSurfaces("org_readiness_get says what is missing until tasks, health and trials are there", async (invoke, t) => {
  expect((await ok(invoke("org_readiness_get", {}, t.org.read))).body).toMatchObject({ ready: 0, criteria: [] });
  const { environment } = await shopIn(t.app.service, t.org.id);
  const of = async (criterion: string, agent?: string) =>
    (await ok(invoke("org_readiness_get", agent === undefined ? {} : { agent }))).body.criteria.find(
      (row: Row) => row.criterion === criterion,
    );
  const { body } = await ok(invoke("org_readiness_get"));
  const criterion = body.criteria.find((row: Row) => row.tasks >= 5)?.criterion;
  expect(criterion).toBeDefined();
  const names = (row: Row) => row.missing.map((each: Row) => each.what);
  await reviewedAs(t, 10, 9);
  expect(await of(criterion)).toMatchObject({ health: 0.9, trials: 0, ready: false });
  expect(names(await of(criterion))).toEqual(["health", "trials"]);
  await reviewedAs(t, 10, 10);
  await runToEnd(invoke, { harness: "reference", environment, trials: 5 });
  expect(await of(criterion)).toMatchObject({ trials: 0, ready: false });
  await runToEnd(invoke, { harness: "rule", environment, trials: 8 });
  const now = await of(criterion);
  expect(now.trials).toBeGreaterThan(0);
  expect(now.ready).toBe(now.trials >= 30);
  expect(names(now)).toEqual(now.trials >= 30 ? [] : ["trials"]);
  await ok(invoke("agents_post", { name: "bot", kind: "http", url: "https://agent.example.com/" }));
  expect(await of(criterion, "bot")).toMatchObject({ trials: 0, ready: false });
  expect((await invoke("org_readiness_get", { agent: "nobody" })).status).toBe(404);
});
