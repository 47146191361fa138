import { expect, it } from "vitest";
import type { JobCtx } from "../../../chapters/job.ts";
import type { JobRow } from "../../../chapters/ports/store.ts";
import { runGroupJob } from "../../../chapters/runs/jobs/run-jobs.ts";
import { jobRow } from "../../helpers/rows.ts";

const GROUP = { id: "rg_1", trials: 1, runs: [{ run: "run_1", tasks: 1 }], player: { agent: null } };
const QUEUED = { status: "queued", ended_at: null, stop_by: null } as const;

/** A group of one run that was told to end: by a person, or as the process goes down. `looks` are the run's rows, one a look. */
async function told(stop_by: string | null, looks: readonly Partial<JobRow>[]) {
  const aborted = new AbortController();
  aborted.abort(new Error("told to end"));
  let seen = -1;
  const stopped: string[] = [];
  const now = () => jobRow("org", { id: "run_1", ...looks[Math.min(Math.max(seen, 0), looks.length - 1)] });
  const ctx = {
    signal: aborted.signal,
    progress: () => {},
    job: { id: "rg_1" },
    jobs: { stop: async (id: string, by: string) => void stopped.push(`${id} by ${by}`) },
    store: {
      records: { get: async () => GROUP },
      jobs: {
        get: async (id: string) => {
          if (id === "rg_1") return jobRow("org", { id, status: "running", stop_by });
          seen += 1;
          return now();
        },
      },
    },
  } as unknown as JobCtx;
  await runGroupJob.run(ctx, { group: "rg_1", plan: "p" }).catch((error: Error) => {
    if (error.message !== "told to end") throw error;
  });
  return { last: now(), stopped };
}

it("ends a stopped group after its runs, also one that waited and was taken meanwhile", async () => {
  const { last, stopped } = await told("ann", [
    QUEUED,
    { status: "running", ended_at: null, stop_by: "ann" },
    { status: "stopped", ended_at: 3, stop_by: "ann" },
  ]);
  expect(last).toMatchObject({ status: "stopped", ended_at: 3 });
  expect(stopped).toEqual(["run_1 by ann"]);
});

it("leaves a run that waits in the queue when its process goes down", async () => {
  const { last, stopped } = await told(null, [{ status: "running", ended_at: null }, QUEUED]);
  expect([last.status, stopped]).toEqual(["queued", []]);
});
