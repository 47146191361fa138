import type { ObservedTrace } from "../../observation.ts";
import { type Act, actsOf } from "../acts/candidates.ts";
import { lineEnds } from "../acts/proof.ts";
import { recordedIn } from "../acts/recorded.ts";
import { actOf } from "../acts/words.ts";
import type { Draft } from "../draft.ts";
import type { Kit } from "../kit.ts";
import { argumentLabel, type Voice, want, wantAll } from "../phrases.ts";
import type { Random } from "../random.ts";
import type { Check, Script } from "../schema.ts";

/** What an agent says that has done everything. */
export const DONE = "Done: everything has been carried out as you asked.";

/** The wishes of an act's changes, in their order; undefined where one cannot be said. What is only read is the agent's own way. */
export function wishesOf(kit: Kit, { calls, outcome }: Act): string[] | undefined {
  const said = calls.flatMap((_, i) => (outcome.changed[i] ? [actOf(kit, calls, i)] : []));
  return said.includes(undefined) ? undefined : (said as string[]);
}

/** One wish or several, as one request. A quoted sentence ends the sentence that quotes it. */
export function requestOf(voice: Voice, wishes: readonly string[], rng: Random): string {
  const said = wishes.length === 1 ? want(voice, wishes[0] as string, rng) : wantAll(voice, wishes, rng);
  return said.replace(/([.!?]["\u201d])\.(?=\s|$)/gu, "$1");
}

/** The state that an act must end with, and the ends that differ in line ends only with the calls that lead there. */
export function endsOf(kit: Kit, { calls, outcome }: Act): { state: Check; alternatives: Script["calls"][] } {
  const others = lineEnds(kit, calls, outcome);
  const state = { kind: "state" as const, changes: [...outcome.changes] };
  return {
    state: others.length === 0 ? state : { ...state, alternatives: others.map(({ changes }) => [...changes]) },
    alternatives: others.map((other) => other.calls),
  };
}

/**
 * Changes that sessions were seen to make, made again on the drawn world: `write` of one, `multi_write` of two to
 * four. For any world: nothing is taken from its rows but what the sessions named. Without sessions there are none.
 */
export function* acts(
  kit: Kit,
  traces: readonly ObservedTrace[],
  family: "write" | "multi_write",
  voices: () => Voice,
  rng: Random,
): Generator<Draft> {
  const fits = (writes: number) => (family === "write" ? writes === 1 : writes > 1);
  for (const act of actsOf(kit, recordedIn(traces), rng.fork("acts"), fits)) {
    const wishes = wishesOf(kit, act);
    if (!wishes) continue;
    const voice = voices();
    const tool = act.sequence.at(-1) as string;
    const { state, alternatives } = endsOf(kit, act);
    const answered = { answer: DONE, class: "answered" as const };
    yield {
      family,
      operation: tool,
      object: act.outcome.changes[0]?.table ?? "",
      condition: "present",
      difficulty: act.calls.length > 2 ? "hard" : act.calls.length > 1 ? "medium" : "easy",
      useCase: [...new Set(act.sequence)].map(argumentLabel).join(" and "),
      words: "templated",
      voice,
      request: requestOf(voice, wishes, rng),
      script: { calls: act.calls, ...answered },
      alternatives: alternatives.map((calls) => ({ calls, ...answered })),
      checks: [state, { kind: "answer_class", class: "answered" }],
    };
  }
}
