import type { Trusted } from "../compile/fit-confidence.ts";
import type { Session } from "../compile/observations.ts";
import { gainIsSure, utility } from "../compile/utility.ts";
import { type Acceptance, acceptProposal, stands, type Verdict } from "./accept.ts";
import type { Proposed } from "./schema.ts";
import type { Made } from "./world.ts";

/** A proposal, and who made it. */
export interface Given {
  readonly by: string;
  readonly program: unknown;
}

/** Calls that were answered as observed, otherwise, and in all. */
interface Counts {
  readonly calls: number;
  readonly right: number;
  readonly wrong: number;
}

/** What became of a proposal. */
export interface Outcome {
  /** Whether some of it serves in the world. */
  readonly taken: boolean;
  /** One sentence: why, or why not. */
  readonly reason: string;
  readonly verdicts: readonly Pick<Verdict, "tool" | "reason" | "standing">[];
  /** What was cut, and why, in words. */
  readonly cut: readonly string[];
  /** Held-out sessions without it and with it; absent where nothing stands. */
  readonly heldOut?: { readonly before: Counts; readonly after: Counts };
}

export const TOO_FEW: Outcome = Object.freeze({
  taken: false,
  reason: "Not taken: there are too few sessions to hold some out, so nothing shows what it would gain.",
  verdicts: [],
  cut: [],
});

type Make = (sessions: readonly Session[]) => Made | undefined;

/** What a proposal comes to beside the best way to explain the sessions without it. */
export interface Way {
  readonly outcome: Outcome;
  /** How far the world with it is trusted; without it where it is not taken. */
  readonly trusted: Trusted;
  /** Puts what stands into the world of all sessions; absent where it is not taken. */
  readonly merge?: (world: Made) => Made;
}

/**
 * Judges a proposal as the ways to compile are judged: on held-out sessions, what stands replayed on the others alone.
 * It is taken where these gain, and not by chance. Tools that the world without it answers better keep what they had.
 */
export function proposedWay(
  { by, program }: Given,
  make: Make,
  judged: (make: Make) => Trusted | undefined,
  before: Trusted,
  sessions: readonly Session[],
): Way {
  const worlds = new Map<readonly Session[], Made | undefined>();
  const made: Make = (of) => {
    if (!worlds.has(of)) worlds.set(of, make(of));
    return worlds.get(of);
  };
  const accepted = (world: Made, of: readonly Session[], only?: ReadonlySet<string>): Acceptance =>
    acceptProposal(world.bundle, world.base, program, of, only);
  const whole = made(sessions);
  const all = whole && accepted(whole, sessions);
  if (!all || !stands(all)) {
    const reason =
      all && all.faults.length > 0 ? `Not taken: ${all.faults.join(" ")}` : "Not taken: nothing of it stands.";
    return { outcome: { taken: false, reason, verdicts: all?.verdicts ?? [], cut: all?.cut ?? [] }, trusted: before };
  }
  const judge = (only?: ReadonlySet<string>): Trusted | undefined =>
    judged((of) => {
      const world = made(of);
      return world && accepted(world, of, only);
    });
  let only: ReadonlySet<string> | undefined;
  let after = judge() as Trusted;
  const better = gainingTools(all, before, after);
  if (better.size < all.verdicts.filter(({ standing }) => standing).length && better.size > 0) {
    const fewer = judge(better) as Trusted;
    if (utility(fewer.score) > utility(after.score)) [only, after] = [better, fewer];
  }
  const taken = gainIsSure(before.score, after.score);
  const { verdicts, cut } = only ? accepted(whole, sessions, only) : all;
  const heldOut = { before: countsOf(before), after: countsOf(after) };
  if (!taken) {
    const reason = "Not taken: held-out sessions are not surely answered better with it.";
    return { outcome: { taken, reason, verdicts, cut, heldOut }, trusted: before };
  }
  const reason = `Taken: of ${heldOut.after.calls} held-out calls ${heldOut.after.right} are answered as observed and ${heldOut.after.wrong} otherwise; without it ${heldOut.before.right} and ${heldOut.before.wrong}.`;
  return {
    outcome: { taken, reason, verdicts, cut, heldOut },
    trusted: after,
    merge: (world) => {
      const { bundle, base, verdicts } = accepted(world, sessions, only);
      const tools = Object.fromEntries(verdicts.flatMap(({ tool, standing }) => (standing ? [[tool, standing]] : [])));
      const proposed: Proposed = { by, tools };
      return { bundle: { ...bundle, proposed }, base };
    },
  };
}

const countsOf = ({ score: { calls, right, wrong } }: Trusted): Counts => ({ calls, right, wrong });

/** Tools whose own held-out calls are answered no worse with their program than without. */
function gainingTools({ verdicts }: Acceptance, before: Trusted, after: Trusted): Set<string> {
  const worth = ({ score: { tools } }: Trusted, tool: string): number => {
    const { right = 0, wrong = 0 } = tools.get(tool) ?? {};
    return utility({ calls: 1, right, wrong });
  };
  return new Set(
    verdicts.flatMap(({ tool, standing }) => (standing && worth(after, tool) >= worth(before, tool) ? [tool] : [])),
  );
}
