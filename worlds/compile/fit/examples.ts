import { formatTime } from "../../behaviour/functions/times.ts";
import type { Json, JsonObject } from "../../json.ts";
import type { KeyedTable } from "../conditions/term.ts";
import { Env } from "../conditions/terms.ts";
import { columnKnowledge, type History, type Observation, stateBefore } from "../history.ts";
import type { Call } from "../observations.ts";
import { canon } from "../values.ts";

/** A tool's calls with the state each of them found. */
export interface Examples {
  readonly tool: string;
  readonly calls: readonly Call[];
  readonly states: readonly ((table: string, key: string) => JsonObject | undefined)[];
  readonly history: History;
}

/** Fewer calls than this that differ are too few to learn from: the same ones of several traces then count too. */
const FEW = 8;
const REPEATS = 3;

/** At most `limit` calls, evenly over those that differ in arguments or answer: fitting needs examples, not volume. */
function sample(calls: readonly Call[], limit: number): Call[] {
  const once = upTo(1, calls);
  const distinct = once.length < FEW ? upTo(REPEATS, calls) : once;
  const step = Math.max(1, distinct.length / limit);
  return Array.from({ length: Math.min(limit, distinct.length) }, (_, i) => distinct[Math.floor(i * step)] as Call);
}

/** Calls of which no more than so many say the same, each of another trace. */
function upTo(times: number, calls: readonly Call[]): Call[] {
  const seen = new Map<string, Set<number>>();
  return calls.filter((call) => {
    const id = `${canon(call.args)}\n${canon(call.value)}`;
    const traces = seen.get(id) ?? new Set<number>();
    if (traces.size >= times || traces.has(call.trace)) return false;
    seen.set(id, traces.add(call.trace));
    return true;
  });
}

/** The examples of a tool, at most `limit`. */
export function examplesOf(tool: string, calls: readonly Call[], history: History, limit = 120): Examples {
  const kept = sample(calls, limit);
  return { tool, calls: kept, states: kept.map((call) => stateBefore(history, call)), history };
}

/** The tables whose rows have keys, each with its columns: those that every row shows, and those that only some do. */
export function keyedTables(history: History): KeyedTable[] {
  return [...history.entities.values()].map(({ name, key }) => ({ name, key, ...columnKnowledge(history, name) }));
}

/** An environment over a tool's examples with its arguments in it. */
export function argumentEnv(examples: Examples): Env {
  const env = new Env(examples.calls.length, keyedTables(examples.history), (i, table, key) =>
    examples.states[i]?.(table, key),
  );
  const ids = new Map<string, number>();
  env.groups = examples.calls.map((call) => {
    const text = canon(call.args);
    if (!ids.has(text)) ids.set(text, ids.size);
    return ids.get(text) as number;
  });
  const names = new Set(examples.calls.flatMap((call) => Object.keys(call.args)));
  for (const name of [...names].sort()) {
    const vals = examples.calls.map((call) => (Object.hasOwn(call.args, name) ? (call.args[name] as Json) : null));
    env.add(`args.${name}`, vals, 1);
  }
  const days = examples.calls.map((call) => examples.history.starts[call.trace] ?? 0);
  if (days.length > 0 && days.every((at) => at > 0))
    env.add(
      'strftime(now, "%F")',
      days.map((at) => formatTime(at, "%F")),
      1.45,
    );
  return env;
}

/** The first later sight of every row in a call's trace that no other write stands between. */
export function observationsAfter(history: History, call: Call, writes: readonly Call[]): Observation[] {
  const next =
    writes.find((write) => write.trace === call.trace && write.index > call.index)?.index ?? Number.POSITIVE_INFINITY;
  const seen = new Set<string>();
  const out: Observation[] = [];
  for (const observation of history.observations[call.trace] ?? []) {
    if (observation.call.index <= call.index || observation.call.index >= next) continue;
    const id = `${observation.table}\n${observation.key}`;
    if (seen.has(id)) continue;
    seen.add(id);
    out.push(observation);
  }
  return out;
}
