import type { BaseState, Bundle, ToolDefinition } from "../bundle.ts";
import type { ConfidenceModel } from "../confidence.ts";
import type { MemoryModel } from "../memory/schema.ts";
import { fitConfidence, knowing, readsOf, type Trusted } from "./fit-confidence.ts";
import type { HeldOut } from "./held-out.ts";
import type { Call, Session } from "./observations.ts";
import { recordedStarts, remember } from "./remembering.ts";
import { Trials } from "./trials.ts";
import { type Judge, type Score, together } from "./utility.ts";

/** A compiled world, as far as it is judged. */
export type Made = {
  readonly bundle: Bundle;
  readonly base: BaseState;
  /** Tools whose behaviour tells itself what it answers to a text that was never shown. */
  readonly telling?: ReadonlySet<string>;
};

/** Fits confidence on other sessions than the training ones, with the score; undefined below a share `least` of right answers. */
export function trusted(
  judge: Judge,
  worlds: readonly (HeldOut & { readonly world: Made })[],
  sessions: readonly Session[],
  listing: readonly ToolDefinition[],
  least: number,
): Trusted | undefined {
  const trials = worlds.map((one) => new Trials(judge, one));
  const worth = (trust: ConfidenceModel): Score => together(trials.map((one) => one.scoreOf(trust)));
  const bare = { known: {}, unknown: {}, least: 0, reads: readsOf(listing), tasks: [] };
  const first = worth(bare);
  return first.right < least * first.calls ? undefined : fitConfidence(first, worth, sessions, listing);
}

/** A world that remembers the sessions that it was made from. */
export function remembered(judge: Judge, world: Made, { train }: HeldOut): Made {
  const { telling } = world;
  const memory = remember(train, missedBy(judge, world, train), world.bundle.tools, {
    all: true,
    ...(telling ? { telling } : {}),
  });
  return memory ? remembering(world, memory) : world;
}

/** Calls that a world does not answer as its own sessions were. */
const missedBy = (judge: Judge, world: Made, sessions: readonly Session[]): Set<Call> =>
  new Set(judge.scoreOf(world, sessions, sessions).answers.flatMap(({ right, call }) => (right ? [] : [call])));

/** A world that remembers what sessions were answered. */
const remembering = <W extends Made>(world: W, memory: MemoryModel): W => ({
  ...world,
  bundle: { ...world.bundle, memory },
  base: { ...world.base, recorded: {} },
});

/** A world with its layers: what it is trusted with, and beside it what its sessions were answered. */
export function layered<W extends Made>(
  judge: Judge,
  world: W,
  { confidence, score }: Trusted,
  sessions: readonly Session[],
): W {
  const helped = new Set(score.answers.flatMap(({ by, tool }) => (by === "memory" ? [tool] : [])));
  const sure = trusting(world, knowing(confidence, sessions));
  const missed = missedBy(judge, sure, sessions);
  const rest = { helped, ...(world.telling ? { telling: world.telling } : {}) };
  const memory = remember(sessions, missed, world.bundle.tools, rest);
  if (!memory) return sure;
  // What is answered from memory has other answers follow, of which some may be wrong now.
  const first = remembering(sure, memory);
  const more = missedBy(judge, first, sessions);
  const unanswered = new Set([...missed, ...more]);
  const whole = more.size === 0 ? memory : (remember(sessions, unanswered, world.bundle.tools, rest) ?? memory);
  const made = remembering(sure, whole);
  const starts = { ...recordedStarts(sessions, unanswered, whole), ...made.base.starts };
  return Object.keys(starts).length > 0 ? { ...made, base: { ...made.base, starts } } : made;
}

/** A world that answers what it is trusted with. */
export function trusting<W extends { readonly bundle: Bundle }>(world: W, trust: ConfidenceModel): W {
  return { ...world, bundle: { ...world.bundle, trust } };
}
