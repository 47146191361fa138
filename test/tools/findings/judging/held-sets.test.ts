import { expect } from "vitest";
import { Environment, TaskRecord } from "../../../../chapters/records/sandboxes/sandboxes.ts";
import { bothSurfaces } from "../../../helpers/app.ts";
import { connect, runToEnd, shopIn } from "../../runs/kit.ts";

interface Row {
  readonly index: number;
  readonly checks: readonly { readonly check: string; readonly verdict: string; readonly reason: string }[];
}

bothSurfaces("tasks of a group are frozen and their quality told from what is on record", async (invoke, t) => {
  const shop = await shopIn(t.app.service, t.org.id, 6);
  const [good, bad] = [await connect(invoke, shop, "good"), await connect(invoke, shop, "bad", "silent")];
  const first = await runToEnd(invoke, { agent: bad, environment: shop.environment, trials: 2 });
  const gid = first.group;
  expect((await invoke("held_set_quality", { gid })).status).toBe(404);
  expect((await invoke("held_set_pickout", { gid }, t.org.read)).status).toBe(403);
  expect((await invoke("held_set_pickout", { gid: "rg_none" })).status).toBe(404);
  expect((await invoke("held_set_pickout", { gid, tasks: ["tk_none"] })).status).toBe(404);
  expect((await invoke("held_set_pickout", { gid, outcome: "broken" })).status).toBe(400);

  const all = await invoke("held_set_pickout", { gid, by: "ann" });
  expect(all).toMatchObject({
    status: 201,
    body: { already: false, set: { group: gid, picked: "all", tasks: 6, trials: 2, by: "ann" } },
  });
  const again = await invoke("held_set_pickout", { gid });
  expect(again).toMatchObject({ status: 200, body: { already: true, set: { id: all.body.set.id } } });
  const failed = await invoke("held_set_pickout", { gid, outcome: "failed" });
  expect(failed.body.set.tasks).toBeGreaterThan(0);
  const names = failed.body.tasks.map(({ index }: { index: number }) => String(index));
  const named = await invoke("held_set_pickout", { gid, tasks: names });
  expect(named.body.tasks).toEqual(failed.body.tasks);

  // The set can be run again as it is answered.
  await runToEnd(invoke, { agent: good, ...named.body.run });
  const quality = await invoke("held_set_quality", { gid }, t.org.read);
  expect(quality.body).toMatchObject({ model_calls: 0, set: { id: named.body.set.id }, tier: "deterministic" });
  const n = names.length;
  const term = (name: string) => quality.body.terms.find((row: { term: string }) => row.term === name);
  expect(term("unchanged")).toMatchObject({ value: n, n, share: 1, tier: "deterministic" });
  // One version failed each of them in both tries, the other met it.
  expect(term("separates")).toMatchObject({ value: n, n });
  expect(term("repeatable")).toMatchObject({ value: n, n });
  // These tasks were written into the store without a review.
  expect(term("discriminating")).toBeUndefined();
  expect(quality.body.unmeasured).toContainEqual(
    expect.objectContaining({ term: "discriminating", tasks: n, whole: true }),
  );
  expect(quality.verdict).toBe(quality.body.line);

  const store = t.app.service.store.forOrg(t.org.id);
  const changedTask = named.body.tasks[0];
  await store.records.update(TaskRecord, changedTask.task, (doc) => ({ ...doc, digest: "other" }));
  const later = (await invoke("held_set_quality", { gid })).body;
  const row = later.tasks.find(({ index }: Row) => index === changedTask.index) as Row;
  expect(row.checks.find(({ check }) => check === "unchanged")).toMatchObject({ verdict: "fail" });
  expect(later.losses_ranked[0]).toMatchObject({ term: "unchanged", tasks: 1, of: n, which: [changedTask.task] });
  await store.records.update(Environment, shop.environment, (doc) => ({ ...doc, base_blob: "redrawn" }));
  const redrawn = (await invoke("held_set_quality", { gid })).body;
  expect(redrawn.losses_ranked[0]).toMatchObject({ term: "same_world", tasks: n });

  const markdown = (await invoke("held_set_quality", { gid, format: "md" })).file ?? "";
  expect(markdown.split("\n")[0]).toBe(redrawn.tier_sentence);
  expect(markdown).toContain("| same_world | 0 |");
});

bothSurfaces("tasks that every version meets are saturated, and a set that runs is not frozen", async (invoke, t) => {
  const shop = await shopIn(t.app.service, t.org.id, 3);
  const good = await connect(invoke, shop, "good");
  const { group: gid } = await runToEnd(invoke, { agent: good, environment: shop.environment, trials: 3 });
  // Harnesses that always or never meet a task say nothing of it.
  await runToEnd(invoke, { harness: "null", environment: shop.environment });
  await invoke("held_set_pickout", { gid });
  const { losses_ranked: losses, tasks } = (await invoke("held_set_quality", { gid })).body;
  expect(losses[0]).toMatchObject({ term: "separates", tasks: 3, of: 3 });
  expect(tasks[0].checks.find((row: { check: string }) => row.check === "separates")).toMatchObject({
    verdict: "fail",
    n: 3,
    reason: "Saturated: all 3 valid trials of 1 version met it.",
  });
  expect((await invoke("held_set_pickout", { gid, outcome: "failed" })).status).toBe(409);
});
