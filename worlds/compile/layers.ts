import type { BaseState, Bundle, ToolDefinition } from "../bundle.ts";
import type { ConfidenceModel } from "../confidence.ts";
import type { MemoryModel } from "../memory/schema.ts";
import { fitConfidence, knowing, readsOf, type Trusted } from "./fit-confidence.ts";
import type { HeldOut } from "./held-out.ts";
import type { Call, Session } from "./observations.ts";
import { recordedStarts, remember } from "./remembering.ts";
import { type Judge, type Score, together } from "./utility.ts";

/** A compiled world, as far as it is judged. */
export type Made = {
  readonly bundle: Bundle;
  readonly base: BaseState;
  /** Tools whose behaviour tells itself what it answers to a text that was never shown. */
  readonly telling?: ReadonlySet<string>;
};

/**
 * Fits confidence on other sessions than the training ones, with the score; undefined below a share `least` of right answers.
 * `whole` makes the world of all sessions.
 */
export function trusted(
  judge: Judge,
  worlds: readonly (HeldOut & { readonly world: Made })[],
  sessions: readonly Session[],
  listing: readonly ToolDefinition[],
  { least, whole }: { readonly least: number; readonly whole: () => Made | undefined },
): Trusted | undefined {
  const worth = (trust: ConfidenceModel): Score =>
    together(
      worlds.map(({ world, held, train }) => judge.scoreOf(trusting(world, knowing(trust, train)), held, train)),
    );
  const first = worth({ known: {}, unknown: {}, least: 0, reads: readsOf(listing), tasks: [] });
  if (first.right < least * first.calls) return undefined;
  const confidence = fitConfidence(first, sessions, listing, learntOf(judge, first, whole, sessions));
  return { confidence, score: worth(confidence) };
}

/** Calls that were answered wrongly, and that the world of all sessions, what it has on record included, answers as observed. */
function learntOf(
  judge: Judge,
  { answers }: Score,
  whole: () => Made | undefined,
  sessions: readonly Session[],
): Set<Call> {
  const wrong = new Set(answers.flatMap(({ served, right, session }) => (served && !right ? [session] : [])));
  const world = wrong.size > 0 ? whole() : undefined;
  const again = sessions.filter(({ id }) => wrong.has(id));
  const replayed = world ? judge.scoreOf(world, again, sessions).answers : [];
  return new Set(replayed.flatMap(({ call, by, right }) => (right && by !== "memory" ? [call] : [])));
}

/** A world that remembers the sessions that it was made from, as far as those that are held out may ask for it. */
export function remembered(judge: Judge, world: Made, { train, held }: HeldOut): Made {
  const { telling } = world;
  // What was missed is looked up by the exact history of a task alone: of others nothing needs to be replayed.
  const asked = new Set(held.map(({ group }) => group));
  const missed = missedBy(
    judge,
    world,
    train.filter(({ group }) => asked.has(group)),
  );
  const memory = remember(train, missed, world.bundle.tools, {
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
