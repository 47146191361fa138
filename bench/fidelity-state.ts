import type { BaseState, Bundle } from "../worlds/bundle.ts";
import { effectByName } from "../worlds/compile/effects.ts";
import { allCalls, type Call, observe } from "../worlds/compile/observations.ts";
import { Aliases, alike } from "../worlds/fidelity/aliases.ts";
import { Knowledge } from "../worlds/fidelity/rows.ts";
import type { ObservedTrace } from "../worlds/observation.ts";
import { createWorld } from "../worlds/world.ts";
import type { WorldAnswer } from "../worlds/world-api.ts";

/** Re-reads of rows that a write touched, after writes that the world followed. */
export interface StateCounts {
  /** Writes that the real system did and the world answered as it did, and those that the world did not follow. */
  reproduced: number;
  missed: number;
  /** Later reads of rows that a followed write touched which the world answered, and those that it answered as observed. */
  rereads: number;
  rereads_alike: number;
  /** Later reads of such rows that the world does not answer: it does not claim to know what the write left. */
  rereads_unknown: number;
  /** Later reads of rows that a write touched which the world did not follow, and those that it answered, but not as observed. */
  rereads_lost: number;
  rereads_stale: number;
}

/** Counts of nothing yet. */
function noRereads(): StateCounts {
  return {
    reproduced: 0,
    missed: 0,
    rereads: 0,
    rereads_alike: 0,
    rereads_unknown: 0,
    rereads_lost: 0,
    rereads_stale: 0,
  };
}

/** What several replays came to together. */
export function sumOfState(all: readonly StateCounts[]): StateCounts {
  const sum = noRereads();
  for (const counts of all) for (const key of Object.keys(sum) as (keyof StateCounts)[]) sum[key] += counts[key];
  return sum;
}

function succeeded(answer: WorldAnswer): boolean {
  return !answer.isError && (answer.answerClass === "data" || answer.answerClass === "empty");
}

/** Replays held-out traces and compares what they read again after each write, without rows of writes the world missed. */
export function measureState(
  compiled: { readonly bundle: Bundle; readonly base: BaseState },
  heldOut: readonly ObservedTrace[],
  train: readonly ObservedTrace[],
): StateCounts {
  const root = createWorld(compiled.bundle, compiled.base);
  const knowledge = new Knowledge(compiled.bundle, compiled.base, allCalls(observe(train)));
  const counts = noRereads();
  for (const session of observe(heldOut)) {
    const world = root.fork();
    const aliases = new Aliases();
    const touched = new Set<string>();
    const lost = new Set<string>();
    for (const call of session.calls) {
      const behaviour = compiled.bundle.behaviours[call.tool];
      const volatile = behaviour?.volatile ?? [];
      const raw = world.call(call.tool, aliases.args(call.args), call.by);
      const same = succeeded(raw) === call.ok && alike(aliases.answer(raw.value), call.value, volatile);
      if (!call.ok) continue;
      const about = rowsOf(knowledge, call);
      if ((behaviour?.effect ?? effectByName(call.tool)) === "write") {
        const changed = raw.changes.map(({ table, key }) => `${table}\n${key}`);
        for (const id of [...about, ...changed]) (same ? touched : lost).add(id);
        if (same) counts.reproduced++;
        else counts.missed++;
      } else if (about.some((id) => lost.has(id))) {
        counts.rereads_lost++;
        if (!same && succeeded(raw)) counts.rereads_stale++;
      } else if (about.some((id) => touched.has(id))) {
        if (raw.answerClass === "error:not_served") counts.rereads_unknown++;
        else counts.rereads++;
        if (same) counts.rereads_alike++;
      }
      if (same) aliases.learn(call.value, raw.value, volatile);
    }
  }
  return counts;
}

function rowsOf(knowledge: Knowledge, call: Call): string[] {
  return [...knowledge.named(call), ...knowledge.shown(call)].map(({ table, key }) => `${table}\n${key}`);
}
