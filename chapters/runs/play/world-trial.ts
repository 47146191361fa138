import type { FinishedTrial, Task } from "../../../worlds/tasks/schema.ts";
import type { Ctx } from "../../context.ts";
import type { TrialBrief, TrialOutcome } from "../../ports/launcher.ts";
import type { OpenTarget } from "../../records/agents/agents.ts";
import type { GradingTier } from "../../records/runs/runs.ts";
import { WorldRecord } from "../../records/sandboxes/sandboxes.ts";
import { makeWorld } from "../../sandboxes/worlds/world-records.ts";
import { dropWorldToken, mintWorldToken } from "../../sandboxes/worlds/world-tokens.ts";
import { finishedTrial } from "../../sandboxes/worlds/worlds.ts";
import { UserSide } from "../simulated-user.ts";
import type { Played } from "./finish-trial.ts";

/** One attempt of a connected agent. */
export interface WorldTrial {
  readonly trial: string;
  readonly target: OpenTarget;
  /** What its world is made of: the drawn rows of the environment are those that it has now where none are named. */
  readonly environment: {
    readonly id: string;
    readonly bundle: string;
    readonly seed: string;
    readonly base_blob?: string | undefined;
  };
  readonly task: Task;
  readonly timeoutSeconds: number;
  /** Whether a model may put the simulated user's replies into words; rules do when absent. */
  readonly tier?: GradingTier;
  /** Told which world the attempt has and the id of its token, once it has been let in. */
  readonly opened: (minted: { readonly world: string; readonly token: string }) => void;
}

/**
 * Plays one attempt in a world minted for it, over that world's own MCP endpoint with a connector token that is gone
 * when the agent ends. What it called is read from the world's journal, never from the agent. The world is put away.
 */
export async function playInWorld(ctx: Ctx, attempt: WorldTrial): Promise<Played> {
  let minted: { readonly world: string; readonly token: string } | undefined;
  const user = new UserSide(ctx, attempt.task, attempt.tier ?? "deterministic");
  const reply = async (answers: TrialOutcome["answers"]) => {
    const calls = minted === undefined ? [] : await ctx.store.journals.read(minted.world);
    return user.reply(answersOf({ answers }), calls.length);
  };
  const brief = async (): Promise<TrialBrief> => {
    const { start } = attempt.task;
    const world = await makeWorld(ctx, attempt.environment, {
      trial: attempt.trial,
      ...(start === undefined ? {} : { start }),
    });
    const token = await mintWorldToken(ctx, { world: world.id, label: "trial", expires_in_days: 1 });
    minted = { world: world.id, token: token.token_id };
    attempt.opened(minted);
    return {
      trial: attempt.trial,
      turns: [attempt.task.request, ...attempt.task.turns],
      ...(attempt.task.user === undefined ? {} : { reply }),
      mcpUrl: token.url,
      mcpToken: token.token,
      timeoutSeconds: attempt.timeoutSeconds,
    };
  };
  let connected = false;
  try {
    const conduct = await ctx.agents.run(attempt.target, brief, ctx.signal).finally(async () => {
      if (minted) connected = await dropWorldToken(ctx, minted.token);
    });
    const none = { calls: [], answers: [], diff: [] };
    const turns = 1 + attempt.task.turns.length;
    const trial = minted ? await recorded(ctx, minted.world, conduct) : none;
    return { ...played(conduct, { ...trial, ...user.kept }, turns), connected };
  } finally {
    if (minted) await putAway(ctx, minted.world);
  }
}

async function recorded(ctx: Ctx, world: string, conduct: TrialOutcome): Promise<FinishedTrial> {
  const open = await ctx.worlds.open(world);
  if (!open) throw new Error("the trial's world is gone");
  return finishedTrial(await ctx.store.journals.read(world), open.world, answersOf(conduct));
}

/** The launcher lets no class through that is none. */
function answersOf({ answers }: Pick<TrialOutcome, "answers">): FinishedTrial["answers"] {
  return answers.map((answer) => answer as FinishedTrial["answers"][number]);
}

function played(conduct: TrialOutcome, trial: FinishedTrial, turns: number): Played {
  const { ms, log, egress, isolation } = conduct;
  const cause = conduct.cause ?? shortOf(conduct, turns);
  return {
    trial,
    ms,
    log,
    ...(cause === undefined ? {} : { cause }),
    ...(egress === undefined ? {} : { egress }),
    ...(isolation === undefined ? {} : { isolation }),
  };
}

/** What is wrong with the answers of an agent that ended by itself: every turn has one, in the contract's form. */
function shortOf({ answers, malformed }: TrialOutcome, turns: number): "stopped_early" | "format" | undefined {
  if (answers.length < turns) return "stopped_early";
  return malformed === true ? "format" : undefined;
}

/** Puts away what an attempt left behind whose process was killed. */
export async function abandonWorld(ctx: Ctx, left: { readonly world: string; readonly token: string }): Promise<void> {
  await dropWorldToken(ctx, left.token);
  await putAway(ctx, left.world);
}

async function putAway(ctx: Ctx, world: string): Promise<void> {
  ctx.worlds.close(world);
  await ctx.store.records.update(WorldRecord, world, (row) => ({ ...row, ended_at: row.ended_at ?? ctx.now() }));
  await ctx.store.journals.clear(world);
}
