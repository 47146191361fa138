import type { Call, Session } from "../compile/observations.ts";
import { Renaming } from "../fidelity/renaming.ts";
import type { Volatility } from "../floor/volatile.ts";
import type { Json } from "../json.ts";
import { Starts } from "../starts.ts";
import type { Made } from "./world.ts";

/** An observed call of a proposed tool, and what became of it. */
export interface ReplayedCall {
  /** Place of the session among those replayed. */
  readonly session: number;
  readonly call: Call;
  /** Place of the call in its session. */
  readonly index: number;
  readonly outcome: "right" | "wrong" | "gap";
  /** What was answered; absent where it was not. */
  readonly answered?: Json;
  /** The case that answered, from 1, where the world was probed. */
  readonly number?: number;
}

/**
 * Replays sessions in order, each on a fresh world that never hears the observed answers, and tells of the calls of some
 * tools. `probe`, a world that does the same and answers the number of the case, tells which case each was.
 */
export function replay(
  world: Made,
  sessions: readonly Session[],
  tools: ReadonlySet<string>,
  volatility: Volatility,
  probe?: Made,
): ReplayedCall[] {
  const starts = new Starts(world);
  const probes = probe && new Starts(probe);
  const out: ReplayedCall[] = [];
  for (const [s, session] of sessions.entries()) {
    const fork = starts.fresh(session.group);
    const beside = probes?.fresh(session.group);
    const renaming = new Renaming(volatility);
    for (const [index, call] of session.calls.entries()) {
      const { tool, value, ok } = call;
      const args = renaming.args(call.args);
      const answer = fork.call(tool, args);
      const number = numberOf(beside?.call(tool, args).value);
      const gap = answer.servedBy === "gap" || answer.answerClass === "error:not_served";
      const succeeded = !answer.isError && (answer.answerClass === "data" || answer.answerClass === "empty");
      const right = !gap && succeeded === ok && renaming.alike(tool, value, answer.value);
      if (!gap && succeeded && ok) renaming.learn(tool, value, answer.value);
      if (!tools.has(tool)) continue;
      const outcome = gap ? "gap" : right ? "right" : "wrong";
      out.push({
        ...{ session: s, call, index, outcome },
        ...(gap ? {} : { answered: answer.value }),
        ...(gap || number === undefined ? {} : { number }),
      });
    }
  }
  return out;
}

function numberOf(value: Json | undefined): number | undefined {
  const number = typeof value === "string" ? Number(value) : value;
  return typeof number === "number" && Number.isInteger(number) && number > 0 ? number : undefined;
}
