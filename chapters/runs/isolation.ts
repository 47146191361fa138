import { z } from "zod";
import type { TrialRow } from "../records/runs/runs.ts";

/** What kept the trials of an agent that ran on our machine apart from it. */
export const IsolationSummary = z.object({
  bubblewrap: z.number().int().describe("Trials with files, processes and a network of their own."),
  none: z.number().int().describe("Trials that ran as the service's user does."),
  why: z.string().optional().describe("Why the first of those had none."),
});
export type IsolationSummary = z.infer<typeof IsolationSummary>;

/** Trials by their isolation; undefined where no trial was started as a process of ours. */
export function isolationOf(rows: readonly Pick<TrialRow, "isolation">[]): IsolationSummary | undefined {
  const told = rows.flatMap(({ isolation }) => (isolation === undefined ? [] : [isolation]));
  if (told.length === 0) return undefined;
  const without = told.filter(({ by }) => by === "none");
  const why = without[0]?.why;
  return {
    bubblewrap: told.length - without.length,
    none: without.length,
    ...(why === undefined ? {} : { why }),
  };
}

/** That some of all trials of several arms had none, and of each arm how many and why; undefined where all were kept apart. */
export function openTrials(
  arms: readonly { readonly name: string; readonly isolation?: IsolationSummary | undefined }[],
) {
  const open = arms.flatMap(({ name, isolation }) => (isolation && isolation.none > 0 ? [{ name, ...isolation }] : []));
  if (open.length === 0) return undefined;
  const all = arms.reduce((n, { isolation }) => n + (isolation ? isolation.none + isolation.bubblewrap : 0), 0);
  return { open, none: open.reduce((n, { none }) => n + none, 0), all };
}

/** What a headline adds: nothing where every trial was kept apart. */
export function withoutIsolation(told: IsolationSummary | undefined): string {
  if (told === undefined || told.none === 0) return "";
  return `${told.none} of ${told.none + told.bubblewrap} trials ran without isolation`;
}
