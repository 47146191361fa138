import type { Log, OrgLifecycle } from "../../chapters/context.ts";
import type { ServiceStore } from "../../chapters/ports/store.ts";
import type { JobRunner } from "../jobs/options.ts";

/** Ends orgs, and takes up what a process before began to end. */
export interface Removals {
  forOrg(org: string): OrgLifecycle;
  /** Finishes what was begun and scrubs what was not scrubbed. */
  resume(): Promise<void>;
  /** Finishes what was begun a while ago and still stands: its process died, or lost the store, and others live on. */
  finishAbandoned(): Promise<void>;
}

/** How long a removal may take before it counts as left, seconds. */
const LEFT_S = 1_800;

/** The removals of a store, whose jobs are ended before their org goes. */
export function removalsOf(
  store: ServiceStore,
  jobs: Pick<JobRunner, "drop">,
  { now, log }: { readonly now: () => number; readonly log: Log },
): Removals {
  const scrub = async () => {
    try {
      await store.removal.vacuum();
      return true;
    } catch (err) {
      log.warn({ err }, "deleted content could not be scrubbed yet");
      return false;
    }
  };
  const finish = async (orgs: readonly string[]) => {
    for (const org of orgs) {
      // Ended by another process meanwhile, it may have been brought back: its jobs are not for us to end.
      if (!(await store.removal.begun()).includes(org)) continue;
      await jobs.drop(org);
      await store.removal.finish(org, now());
    }
  };
  return {
    forOrg: (org) => ({
      rows: () => store.removal.count(org),
      rename: (to, line) => store.renameOrg(org, to, line),
      async remove(by) {
        if (!(await store.removal.begin(org, now(), by))) return undefined;
        await jobs.drop(org);
        const rows = await store.removal.finish(org, now());
        return { rows, scrubbed: await scrub() };
      },
      async vacuum() {
        await store.removal.setVacuumDue();
        return scrub();
      },
    }),
    async resume() {
      await finish(await store.removal.begun());
      if (await store.removal.vacuumDue()) await scrub();
    },
    async finishAbandoned() {
      const left = await store.removal.begun(now() - LEFT_S);
      await finish(left);
      if (left.length > 0) await scrub();
    },
  };
}
