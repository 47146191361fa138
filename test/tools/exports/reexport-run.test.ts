import { expect } from "vitest";
import { RunRegrade } from "../../../chapters/records/runs/grading.ts";
import { RunBundle } from "../../../chapters/records/runs/run-bundle.ts";
import { bothSurfaces } from "../../helpers/app.ts";
import { runToEnd, shopIn } from "../runs/kit.ts";

bothSurfaces("a run's bundle is made again, whole, and its version says whether it changed", async (invoke, t) => {
  const shop = await shopIn(t.app.service, t.org.id, 3);
  const { group } = await runToEnd(invoke, { harness: "null", environment: shop.environment });
  const [run] = (await invoke("runs_list", { group })).body.runs;
  const again = () => invoke("run_reexport", { rid: run.id }, t.org.push);
  expect((await invoke("run_reexport", { rid: run.id }, t.org.read)).status).toBe(403);
  expect((await invoke("run_reexport", { rid: "run_none" })).status).toBe(404);

  const first = await again();
  expect(first).toMatchObject({
    status: 200,
    body: { ...run, org: "acme", bundle_version: 1, key_verdicts_gained: 0, verdict_version: 0, attempts: 3 },
  });
  expect((await again()).body).toMatchObject({ bundle_version: 1, bundle_digest: first.body.bundle_digest });
  const read = async (id: string) => {
    const answer = await t.app.rest("GET", `/v0/orgs/acme/mirror/blob?id=${id}`, undefined, t.org.admin);
    expect(answer.status).toBe(200);
    return RunBundle.parse(JSON.parse(answer.text));
  };
  const bundle = await read(first.body.bundle_digest);
  expect(bundle).toMatchObject({ run_id: run.id, meta: { group, verdict_version: 0 }, summary: { met: 0, valid: 3 } });
  expect(bundle.trials.map(({ end }) => end)).toEqual(["failed", "failed", "failed"]);
  expect(bundle.meta.tasks.map(({ request }) => request).sort()).toEqual(
    shop.tasks.map(({ request }) => request).sort(),
  );
  expect(Object.values(bundle.diagnosis).reduce((sum, n) => sum + n, 0)).toBe(3);

  // A grading that leaves a check open, then one that decides it: the verdict is gained.
  expect((await invoke("regrade_group", { gid: group })).status).toBeLessThan(300);
  const { records, blobs } = t.app.service.store.forOrg(t.org.id);
  const [graded] = (await records.list(RunRegrade)).items;
  if (!graded) throw new Error("no regrade");
  const grades = JSON.parse(Buffer.from((await blobs.get(graded.grades_blob)) ?? []).toString());
  const [key] = Object.keys(grades);
  const open = structuredClone(grades);
  open[key ?? ""].checks[0].verdict = "not_decided";
  const grades_blob = await blobs.put(Buffer.from(JSON.stringify(open)));
  await records.update(RunRegrade, graded.id, (doc) => ({ ...doc, grades_blob }));
  expect((await again()).body).toMatchObject({ bundle_version: 2, key_verdicts_gained: 0, verdict_version: 1 });
  await records.update(RunRegrade, graded.id, (doc) => ({ ...doc, grades_blob: graded.grades_blob }));
  const last = (await again()).body;
  expect(last).toMatchObject({ bundle_version: 3, key_verdicts_gained: 1, verdict_version: 1 });
  expect((await read(last.bundle_digest)).meta.verdict_version).toBe(1);
});

bothSurfaces(
  "a run that has not ended is not exported",
  async (invoke, t) => {
    const shop = await shopIn(t.app.service, t.org.id, 2);
    const started = await invoke("start_run", { harness: "reference", environment: shop.environment });
    expect(started.status).toBe(202);
    const [run] = (await invoke("runs_list", {})).body.runs;
    expect(run.status).toBe("queued");
    expect((await invoke("run_reexport", { rid: run.id })).status).toBe(409);
  },
  { jobs: false },
);
