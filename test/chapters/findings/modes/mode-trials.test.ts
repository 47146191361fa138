import { expect, it } from "vitest";
import type { Ctx } from "../../../../chapters/context.ts";
import { triesOfModes } from "../../../../chapters/findings/modes/mode-trials.ts";
import { RunAnalysis } from "../../../../chapters/records/runs/analysis.ts";
import { RunGroup } from "../../../../chapters/records/runs/runs.ts";
import { trialsOf, tryKey, writeGrading } from "../../../../chapters/runs/trials/trial-rows.ts";
import { invoker, startApp } from "../../../helpers/app.ts";
import { ctxOf } from "../../../helpers/ctx.ts";
import { runToEnd, shopIn } from "../../../tools/runs/kit.ts";

it("reads the trials of a run that has ended once, and anew when its root causes come out otherwise", async () => {
  const app = await startApp();
  const org = await app.org();
  const ctx = ctxOf(app.service, org);
  const { environment } = await shopIn(app.service, org.id, 4);
  const { group } = await runToEnd(invoker(app, "rest", org), { harness: "null", environment });
  const player = { agent: "ag_1", name: "desk", version: "1", harness: null };
  const doc = await ctx.store.records.update(RunGroup, group, (each) => ({ ...each, player, agent: "ag_1" }));
  const run = doc?.runs[0]?.run ?? "";
  const [first] = await trialsOf(ctx, run);
  const behaviour = first?.root_cause ?? undefined;
  if (first === undefined || behaviour === undefined) throw new Error("no trial failed");
  const own = (await trialsOf(ctx, run)).filter(({ root_cause }) => root_cause === behaviour).length;

  let read = 0;
  const { store } = ctx;
  const list: typeof store.trials.list = (...args) => {
    read += 1;
    return store.trials.list(...args);
  };
  const counting: Ctx = { ...ctx, store: { ...store, trials: Object.assign(Object.create(store.trials), { list }) } };
  const found = async () => (await triesOfModes(counting, [{ behaviour, cites: [] }]))[0]?.length;
  expect([await found(), read]).toEqual([own, 1]);
  expect([await found(), read]).toEqual([own, 1]);

  const other = behaviour === "crash" ? "loop" : "crash";
  await writeGrading(ctx, "analysis", {
    id: ctx.id(RunAnalysis.prefix),
    created_at: ctx.now(),
    by: "test",
    group,
    run,
    findings: [],
    diagnosis: {},
    causes: { [tryKey(first.task, first.n)]: other },
  });
  expect([await found(), read]).toEqual([own - 1, 2]);
  await app.close();
});
