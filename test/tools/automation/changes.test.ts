import { expect } from "vitest";
import { EnvironmentRevision } from "../../../chapters/records/sandboxes/revision.ts";
import { bothSurfaces } from "../../helpers/app.ts";
import { trial } from "../evidence/kit.ts";
import { shopIn } from "../runs/kit.ts";
import { ended, ok } from "../sandboxes/kit.ts";

interface Line {
  readonly at: number;
  readonly id: string;
  readonly change: string;
  readonly undo: string | null;
}

bothSurfaces("changes are lines of counts, newest first, each undone by the route it names", async (invoke, t) => {
  const { app, org } = t;
  const { environment } = await shopIn(app.service, org.id, 4, "shop");
  const lines = async (args = {}): Promise<Line[]> => (await ok(invoke("org_changes_get", args, org.read))).body.lines;
  expect((await lines()).map(({ change }) => change)).toEqual(["version_compiled"]);
  const before = app.service.now();
  await ok(invoke("environment_tasks_retire", { env_id: environment, indexes: [0] }));
  await ok(invoke("evidence_post", { format: "tau-bench", content: JSON.stringify(trial(1, 1)) }));
  const compile = await ok(invoke("ontology_compile", { surface: "main" }));
  await ended(invoke, compile.body.job);
  const all = await lines();
  expect(all.map(({ change }) => change)).toEqual(["ontology_compile", "tasks_retired", "version_compiled"]);
  expect(all[0]).toMatchObject({ page: "ontology", revision: all[0]?.id, undo: null, usd: 0, counts: { removed: 0 } });
  expect(all[1]).toMatchObject({
    counts: { tasks_changed: 1, certified_before: 4, certified_after: 3 },
    tier: "human",
  });
  expect((await lines({ page: "ontology" })).map(({ id }) => id)).toEqual([all[0]?.id]);
  expect((await lines({ page: "home" })).map(({ id }) => id)).toEqual([all[1]?.id, all[2]?.id]);
  expect((await lines({ since: before })).map(({ id }) => id)).toEqual([all[0]?.id, all[1]?.id]);

  const paged: Line[] = [];
  let cursor: string | undefined;
  do {
    const { body } = await ok(invoke("org_changes_get", { limit: 1, ...(cursor === undefined ? {} : { cursor }) }));
    paged.push(...body.lines);
    cursor = body.next;
  } while (cursor !== undefined);
  expect(paged).toEqual(all);
  expect((await invoke("org_changes_get", { cursor: "x" })).status).toBe(400);
  expect((await invoke("org_changes_get", { page: "runs" })).status).toBe(400);

  const undo = all[1]?.undo ?? "";
  expect((await app.rest("POST", undo, {}, org.push)).status).toBe(200);
  const after = await lines();
  expect(after[0]).toMatchObject({ change: "restore", counts: { certified_after: 4 } });
  expect(after.find(({ id }) => id === all[1]?.id)?.undo).toBeNull();
  expect(await app.service.store.forOrg(org.id).records.count(EnvironmentRevision)).toBe(2);
});
