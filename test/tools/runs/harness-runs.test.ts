import { expect } from "vitest";
import { RunGroup } from "../../../chapters/records/runs/runs.ts";
import { bothSurfaces } from "../../helpers/app.ts";
import { runToEnd, shopIn } from "./kit.ts";

bothSurfaces(
  "harnesses bound what a run can say: start_run, job_status, run_group, run_groups_list, last_run",
  async (invoke, { app, org }) => {
    const { environment, tasks } = await shopIn(app.service, org.id);
    const reference = await runToEnd(invoke, { harness: "reference", environment, trials: 2 });
    expect(reference.status).toBe("landed");
    const met = (await invoke("run_group", { gid: reference.group })).body;
    expect(met.rates).toMatchObject({ met: 2 * tasks.length, valid: 2 * tasks.length, infra: 0, invalid: 0, rate: 1 });
    expect(met.rates.pass).toEqual({ k: 2, at: 1, hat: 1 });
    const nothing = await runToEnd(invoke, { harness: "null", environment });
    const none = (await invoke("run_group", { gid: nothing.group })).body;
    expect(none.rates).toMatchObject({ met: 0, valid: tasks.length });
    expect(none.root_causes.length).toBeGreaterThan(0);
    const rule = await runToEnd(invoke, { harness: "rule", environment });
    const ruled = (await invoke("run_group", { gid: rule.group })).body;
    expect(ruled.rates.met + ruled.rates.failed + ruled.rates.invalid).toBe(tasks.length);
    const list = (await invoke("run_groups_list")).body;
    expect(list.groups.map((row: { group: string }) => row.group)).toEqual([
      rule.group,
      nothing.group,
      reference.group,
    ]);
    expect(list.groups[2].counts).toEqual({
      met: 2 * tasks.length,
      failed: 0,
      infra: 0,
      invalid: 0,
      planned: 2 * tasks.length,
    });
    const last = (await invoke("last_run", { env: environment })).body;
    expect(last).toMatchObject({ group: rule.group, total: tasks.length });
  },
);

bothSurfaces("runs of a retired group are listed when they are asked for: runs_list", async (invoke, { app, org }) => {
  const { environment } = await shopIn(app.service, org.id, 2);
  const groups: string[] = [];
  for (const harness of ["null", "rule", "reference"])
    groups.push((await runToEnd(invoke, { harness, environment })).group);
  const { records } = app.service.store.forOrg(org.id);
  await records.update(RunGroup, groups[2] ?? "", (row) => ({ ...row, retired_at: 1 }));
  const listed = async (args: Record<string, unknown> = {}) => {
    const { body } = await invoke("runs_list", args);
    return { of: body.runs.map(({ group }: { group: string }) => group), next: body.next };
  };
  expect((await listed()).of).toEqual([groups[1], groups[0]]);
  expect((await listed({ retired: true })).of).toEqual([groups[2], groups[1], groups[0]]);
  expect((await listed({ group: groups[2] })).of).toEqual([groups[2]]);
  // What is passed over takes no place of a page.
  const first = await listed({ limit: 1 });
  expect(first.of).toEqual([groups[1]]);
  expect((await listed({ limit: 1, cursor: first.next })).of).toEqual([groups[0]]);
});
