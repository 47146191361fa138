import { LRUCache } from "lru-cache";
import type { Ctx } from "../../context.ts";
import type { ModeDoc } from "../../modes/record-modes.ts";
import type { Doc } from "../../record.ts";
import { Run, RunGroup, type TrialRow } from "../../records/runs/runs.ts";
import { trialsOf, trialsOfRun } from "../../runs/trials/trial-rows.ts";

/** Newest runs whose trials a page counts by their root causes. */
export const NEWEST = 20;

/** What of a mode says which trials show it. */
type Shown = Pick<ModeDoc, "behaviour" | "target" | "cites">;

/** A failed trial as modes are told by it. */
interface FailedTrial extends Pick<TrialRow, "run" | "task" | "n" | "root_cause"> {
  readonly tools: ReadonlySet<string>;
}

/** Failed trials of runs that have ended, as their newest grading has them. */
const known = new LRUCache<string, readonly FailedTrial[]>({
  maxSize: 100_000,
  sizeCalculation: (trials) => trials.length + 1,
});

/** The failed trials of agents among the newest run groups, the newest first. */
export async function* failedTrials(ctx: Ctx, groups: number): AsyncGenerator<FailedTrial> {
  const { records } = ctx.store;
  const { items } = await records.list(RunGroup, { limit: groups });
  const ids = items
    .filter(({ player, retired_at }) => player.agent !== null && retired_at === undefined)
    .flatMap(({ runs }) => runs.map(({ run }) => run));
  const docs = new Map((await records.getMany(Run, ids)).map((doc) => [doc.id, doc]));
  for (const id of ids) yield* await failedOf(ctx, id, docs.get(id));
}

async function failedOf(ctx: Ctx, run: string, doc: Doc<typeof Run> | undefined): Promise<readonly FailedTrial[]> {
  const key = JSON.stringify([ctx.org.id, run, doc?.grading ?? null]);
  const kept = known.get(key);
  if (kept !== undefined) return kept;
  const job = await ctx.store.jobs.get(run);
  const rows = doc === undefined ? await trialsOf(ctx, run) : await trialsOfRun(ctx, doc);
  const failed = rows
    .filter(({ end }) => end === "failed")
    .map(
      ({ task, n, root_cause, trial }): FailedTrial => ({
        ...{ run, task, n, root_cause },
        tools: new Set(trial.calls.map(({ tool }) => tool)),
      }),
    );
  if (job === undefined ? doc?.finished_at !== undefined : job.ended_at !== null) known.set(key, failed);
  return failed;
}

/** Whether a failed trial is of a mode's behaviour, among the calls of its tool where that is known. */
export function hasCause({ behaviour, target }: Shown, { root_cause: cause, tools }: FailedTrial): boolean {
  if (behaviour === undefined || cause !== behaviour) return false;
  return target?.tool === undefined || tools.has(target.tool);
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
