import type { Ctx } from "../../context.ts";
import type { ModeDoc } from "../../modes/record-modes.ts";
import { RunGroup, type TrialRow } from "../../records/runs/runs.ts";
import { trialsOf } from "../../runs/trials/trial-rows.ts";

/** Newest runs whose trials a page counts by their root causes. */
export const NEWEST = 20;

/** What of a mode says which trials show it. */
type Shown = Pick<ModeDoc, "behaviour" | "target" | "cites">;

/** The failed trials of agents among the newest run groups, the newest first. */
export async function* failedTrials(ctx: Ctx, groups: number): AsyncGenerator<TrialRow> {
  const { items } = await ctx.store.records.list(RunGroup, { limit: groups });
  for (const { player, runs, retired_at } of items) {
    if (player.agent === null || retired_at !== undefined) continue;
    for (const { run } of runs) for (const row of await trialsOf(ctx, run)) if (row.end === "failed") yield row;
  }
}

/** Whether a failed trial is of a mode's behaviour, among the calls of its tool where that is known. */
export function hasCause({ behaviour, target }: Shown, { root_cause: cause, trial }: TrialRow): boolean {
  if (behaviour === undefined || cause !== behaviour) return false;
  return target?.tool === undefined || trial.calls.some(({ tool }) => tool === target.tool);
}

/** The tries that show each mode, each once: those that it cites, then those of the newest runs that have its root cause. */
export async function triesOfModes(ctx: Ctx, modes: readonly Shown[]) {
  const tries = modes.map(({ cites }) => new Map(cites.flatMap(({ trial }) => (trial ? [[keyOf(trial), trial]] : []))));
  if (modes.some(({ behaviour }) => behaviour !== undefined))
    for await (const row of failedTrials(ctx, NEWEST))
      for (const [i, mode] of modes.entries())
        if (hasCause(mode, row) && !tries[i]?.has(keyOf(row)))
          tries[i]?.set(keyOf(row), { run: row.run, task: row.task, n: row.n });
  return tries.map((each) => [...each.values()]);
}

/** The behaviour of a mode; where nobody named one, the root cause of the first trial that it cites. */
export async function behaviourOf(ctx: Ctx, { behaviour, cites }: Shown): Promise<ModeDoc["behaviour"]> {
  const [trial] = cites.flatMap((cite) => cite.trial ?? []);
  if (behaviour !== undefined || trial === undefined) return behaviour;
  const rows = await trialsOf(ctx, trial.run);
  return rows.find((row) => keyOf(row) === keyOf(trial))?.root_cause ?? undefined;
}

function keyOf({ run, task, n }: Pick<TrialRow, "run" | "task" | "n">): string {
  return `${run}/${task}/${n}`;
}
