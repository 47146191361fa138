import { z } from "zod";
import type { TrialRow } from "../../records/runs/runs.ts";
import { clusteredInterval } from "../../statistics/clustered.ts";
import { passK } from "../../statistics/pass-k.ts";
import { wilson } from "../../statistics/wilson.ts";

/** How many trials ended in each way; only the first two are valid. */
export const Ends = z.object({
  met: z.number().int(),
  failed: z.number().int(),
  infra: z.number().int(),
  invalid: z.number().int(),
});
export type Ends = z.infer<typeof Ends>;

/** A met rate as it is told: of valid trials, with its interval, and what infra and invalid could make of it. */
export interface Rates extends Ends {
  /** met + failed: what the rate is of. */
  readonly valid: number;
  /** 0 to 1; absent with no valid trial. */
  readonly rate?: number;
  /** Wilson's interval as if every trial were of a task of its own, 95 %: too narrow where tasks have several; told nowhere. */
  readonly wilson: { readonly low: number; readonly high: number };
  /** The interval that is told: with tasks as what was sampled, 95 %. */
  readonly clustered: { readonly low: number; readonly high: number };
  /** The rate if every infra and invalid trial had failed, and if every one had been met. */
  readonly bounds: { readonly low: number; readonly high: number };
  /** Tasks with at least one valid trial. */
  readonly tasks: number;
  /** The same, with those that differ in words alone as one: what was sampled. */
  readonly distinct: number;
  /** Unbiased pass@k and pass^k at the number of tries a task; absent with one try. */
  readonly pass?: { readonly k: number; readonly at: number; readonly hat: number };
}

/** Trials counted by how they ended. */
export function endsOf(rows: Iterable<Pick<TrialRow, "end">>): Ends {
  const ends = { met: 0, failed: 0, infra: 0, invalid: 0 };
  for (const row of rows) ends[row.end] += 1;
  return ends;
}

/** The rates of a set of counting trials; `k` is how many tries each task was given. */
export function ratesOf(rows: readonly Pick<TrialRow, "run" | "task" | "distinct" | "end">[], k: number): Rates {
  const ends = endsOf(rows);
  const valid = ends.met + ends.failed;
  const all = valid + ends.infra + ends.invalid;
  const by = (name: (row: (typeof rows)[number]) => string) =>
    [...Map.groupBy(rows, (row) => `${row.run}\n${name(row)}`).values()].map((of) => {
      const { met, failed } = endsOf(of);
      return { met, n: met + failed };
    });
  const tasks = by((row) => row.task);
  const sampled = by((row) => row.distinct ?? row.task);
  const pass = k > 1 ? passK(tasks, k) : undefined;
  return {
    ...ends,
    valid,
    ...(valid === 0 ? {} : { rate: ends.met / valid }),
    wilson: wilson(ends.met, valid),
    clustered: clusteredInterval(sampled),
    bounds: all === 0 ? { low: 0, high: 1 } : { low: ends.met / all, high: (all - ends.failed) / all },
    tasks: tasks.filter((task) => task.n > 0).length,
    distinct: sampled.filter((task) => task.n > 0).length,
    ...(pass === undefined ? {} : { pass: { k, at: pass.at, hat: pass.hat } }),
  };
}
