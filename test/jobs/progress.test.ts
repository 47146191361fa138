import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { OrgJobs } from "../../chapters/ports/store.ts";
import { ProgressWriter } from "../../src/jobs/progress.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a job's progress says how long the rest of a stage takes, told anew while nothing moves, and not once it has ended", async () => {
  const rows: unknown[] = [];
  const jobs = { update: async (_id: string, row: unknown) => void rows.push(row) } as unknown as OrgJobs;
  const progress = new ProgressWriter(jobs, "job_1", "me");
  const latest = async () => {
    await vi.advanceTimersByTimeAsync(250);
    return rows.at(-1);
  };

  progress.report(0, 100, "percent compiled");
  expect(await latest()).toEqual({ done: 0, total: 100, message: "percent compiled" });
  await vi.advanceTimersByTimeAsync(9_500);
  progress.report(25, 100, "percent compiled");
  expect(await latest()).toEqual({ done: 25, total: 100, message: "percent compiled, about 30 s left" });
  // A step that takes longer than those before it: the rest takes longer too.
  await vi.advanceTimersByTimeAsync(10_000);
  expect(rows.at(-1)).toEqual({ done: 25, total: 100, message: "percent compiled, about 60 s left" });

  // The next stage has a pace of its own, and one that is not counted has none.
  progress.report(0, 60, "review");
  expect(await latest()).toEqual({ done: 0, total: 60, message: "review" });
  progress.report(0, undefined, "ontology");
  expect(await latest()).toEqual({ done: 0, total: null, message: "ontology" });

  progress.report(1, 10, "trials");
  await latest();
  await vi.advanceTimersByTimeAsync(10_000);
  progress.report(2, 10, "trials");
  expect(await latest()).toEqual({ done: 2, total: 10, message: expect.stringMatching(/^trials, about \d+ s left$/) });
  await progress.flush();
  expect(rows.at(-1)).toEqual({ done: 2, total: 10, message: "trials" });
  const n = rows.length;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(rows).toHaveLength(n);
});
