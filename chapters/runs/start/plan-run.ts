import type { Ctx } from "../../context.ts";
import { badField } from "../../errors.ts";
import { playerName, RunGroup } from "../../records/runs/runs.ts";
import type { GroupDoc } from "../groups/group-data.ts";
import { landedPoint, type TrendPoint } from "../groups/trend.ts";
import { choosePlayer } from "../play/choose-player.ts";
import { chooseParts } from "./choose-tasks.ts";
import { SELECTION } from "./select-tasks.ts";
import { startFrom } from "./start-from.ts";
import type { StartInput } from "./start-run.ts";

/** Earlier groups of the agent that an estimate is made of, and how many are looked at for them. */
const EARLIER = 3;
const LOOKED_AT = 100;

/** What a start would run, as far as earlier runs of the same player say also what it would cost and take. */
export interface RunPlan {
  readonly player: string;
  readonly environments: readonly {
    readonly environment: string;
    readonly label: string;
    readonly tasks: number;
    readonly partial: boolean;
  }[];
  readonly tasks: number;
  readonly trials: number;
  /** US dollars of all trials, at what a trial cost in earlier groups of the version, else of `others`; absent where none says it. */
  readonly usd?: { readonly sum: number; readonly of: number; readonly others: boolean };
  /** Milliseconds that half of the trials of the version's newest earlier group took at most. */
  readonly ms?: number;
}

/** What `startRun` would start with this, without starting it: refused as it would be. Nothing is reviewed for it. */
export async function planRun(ctx: Ctx, input: Omit<StartInput, "resume" | "resume_group">): Promise<RunPlan> {
  const { selection } = input;
  if (typeof selection === "string" && !SELECTION.test(selection))
    throw badField("selection", "use full, failed_last, touched, ci-N, smoke-N, or the group of a held set");
  const plan = await startFrom(ctx, { ...input, autofix: false });
  const player = await choosePlayer(ctx, plan);
  const { parts } = await chooseParts(ctx, plan, player);
  const tasks = parts.reduce((sum, part) => sum + part.tasks.length, 0);
  const trials = tasks * (plan.trials ?? 1);
  return {
    player: playerName(player),
    environments: parts.map(({ environment, tasks: chosen, partial }) => ({
      environment: environment.id,
      label: environment.label,
      tasks: chosen.length,
      partial,
    })),
    tasks,
    trials,
    ...(player.agent === null ? {} : await earlier(ctx, player.agent, player.version, trials)),
  };
}

async function earlier(
  ctx: Ctx,
  agent: string,
  version: string | null,
  trials: number,
): Promise<Pick<RunPlan, "usd" | "ms">> {
  const { items } = await ctx.store.records.list(RunGroup, { where: { agent }, limit: LOOKED_AT });
  const [own, others] = [true, false].map((same) =>
    items.filter(({ player }) => (player.version === version) === same),
  );
  const played = await newestPoints(ctx, own ?? []);
  const points = played.length > 0 ? played : await newestPoints(ctx, others ?? []);
  const priced = points.flatMap(({ usd }) => (usd === undefined ? [] : [usd]));
  const of = priced.reduce((sum, usd) => sum + usd.of, 0);
  const spent = priced.reduce((sum, usd) => sum + usd.mean * usd.of, 0);
  const ms = played[0]?.ms?.p50;
  return {
    ...(of === 0 ? {} : { usd: { sum: (spent / of) * trials, of, others: played.length === 0 } }),
    ...(ms === undefined ? {} : { ms }),
  };
}

async function newestPoints(ctx: Ctx, newestFirst: readonly GroupDoc[]): Promise<TrendPoint[]> {
  const points: TrendPoint[] = [];
  for (const group of newestFirst) {
    if (points.length === EARLIER) break;
    const point = await landedPoint(ctx, group);
    if (point !== undefined) points.push(point);
  }
  return points;
}
