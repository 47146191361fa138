import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { job } from "../../chapters/job.ts";
import { sharedQueue } from "../../src/jobs/queue/shared.ts";
import { openStore } from "../../store/open.ts";
import { trialRow } from "../helpers/rows.ts";
import { ended, ORG, runnerOn, silent } from "./kit.ts";

/** How many trials the counted job makes. */
export const TRIALS = 40;

/** Writes one trial after another, each once, and goes on from what is written. */
export const counted = job({
  kind: "counted",
  input: z.object({}),
  key: () => "one",
  attempts: 50,
  ends: "stop",
  concurrency: 1,
  run: async (ctx) => {
    const { met = 0 } = await ctx.store.trials.tally("run_1");
    for (let n = met + 1; n <= TRIALS; n++) {
      await sleep(10);
      if (!(await ctx.store.trials.insert(trialRow({ n })))) throw new Error("a trial was written twice");
      console.log(`wrote ${n}`);
    }
    return { trials: TRIALS };
  },
});

if (process.argv[2] !== undefined) {
  const place = process.argv[2];
  const shared = place.startsWith("postgres:");
  const store = await openStore(shared ? { url: place } : { path: place });
  await store.createOrg(ORG);
  const { runner, jobs, org } = runnerOn(store, [counted], {
    soleOwner: !shared,
    ...(shared ? { queue: sharedQueue({ url: place, kinds: [counted.kind], log: silent }) } : {}),
  });
  runner.begin();
  const { items } = await org.jobs.list({ limit: 1 });
  const id = items[0]?.id ?? (await jobs.start(counted, {})).job;
  await ended(org, id);
  console.log("ended");
  await runner.close();
  await store.close();
}
