import type { ObservedTrace } from "../../observation.ts";
import { requiredChanges } from "../attempts.ts";
import { classOf } from "../checks/answer-class.ts";
import type { Draft } from "../draft.ts";
import type { Kit } from "../kit.ts";
import type { Voice } from "../phrases.ts";
import { random } from "../random.ts";
import type { AllowedChange, Check, Script } from "../schema.ts";

/** What a rewarded trace did, as the world does it again. */
interface Run {
  readonly trace: ObservedTrace;
  readonly request: string;
  readonly script: Script;
  /** Empty where it changed nothing. */
  readonly changes: readonly AllowedChange[];
  readonly table: string;
  readonly last: string;
  readonly writes: number;
}

/** Replays a trace; undefined where the world does not answer its writes as they were answered. */
function runOf(kit: Kit, trace: ObservedTrace): Run | undefined {
  if (!trace.request) return undefined;
  const effects = new Map(kit.tools.map((t) => [t.name, t.effect]));
  const world = kit.fork();
  const calls: { tool: string; args: ObservedTrace["calls"][number]["args"] }[] = [];
  for (const call of trace.calls) {
    const answer = world.call(call.tool, call.args);
    if (effects.get(call.tool) === "write" && (answer.servedBy === "gap" || answer.isError !== call.isError))
      return undefined;
    if (!answer.isError) calls.push({ tool: call.tool, args: call.args });
  }
  if (calls.length === 0) return undefined;
  const writes = calls.filter((c) => effects.get(c.tool) === "write");
  const diff = world.diff();
  const changes = diff.length > 0 ? requiredChanges(kit, writes) : [];
  if (changes === undefined || changes.length !== diff.length) return undefined;
  const words = trace.finalAnswer?.trim() || "Done.";
  const read = classOf(words);
  // A conversation that ends with a courtesy question, or in words that read both ways, has still done what was asked.
  const answer = changes.length > 0 && (read === undefined || read === "none") ? "Done." : words;
  return {
    trace,
    request: trace.request,
    script: { calls, answer, class: classOf(answer) ?? "answered" },
    changes,
    table: diff[0]?.table ?? "",
    last: (writes.at(-1) ?? calls.at(-1))?.tool ?? "",
    writes: writes.length,
  };
}

/** The runs by where they ended, the ends that most runs reached first. */
function byEnd(runs: readonly Run[]): [Run, ...Run[]][] {
  const ends = new Map<string, [Run, ...Run[]]>();
  for (const run of runs) {
    const name = JSON.stringify(run.changes);
    const known = ends.get(name);
    if (known) known.push(run);
    else ends.set(name, [run]);
  }
  return [...ends.values()].sort((a, b) => b.length - a.length);
}

/**
 * A task from the rewarded traces of one group: a user's own words, a trace's calls as script, the replayed difference
 * as key, and every other difference that a rewarded trace ended with as an alternative. Undefined where one of them
 * changed nothing, or ended by declining a part: then no check tells right from wrong without rejecting it.
 */
function mine(kit: Kit, traces: readonly ObservedTrace[], voice: Voice): Draft | undefined {
  const ends = byEnd(traces.flatMap((trace) => runOf(kit, trace) ?? []));
  const [first, ...others] = ends.map(([run]) => run);
  if (first === undefined || ends.some(([{ changes }]) => changes.length === 0)) return undefined;
  if ([first, ...others].some(({ script }) => script.class !== "answered")) return undefined;
  const key = { kind: "state" as const, changes: [...first.changes] };
  const checks: Check[] = [
    others.length === 0 ? key : { ...key, alternatives: others.map(({ changes }) => [...changes]) },
  ];
  checks.push({ kind: "answer_class", class: "answered" });
  return {
    family: "mined",
    operation: first.last,
    object: first.table,
    condition: "present",
    difficulty: first.writes > 1 ? "hard" : "medium",
    useCase: "as asked in production",
    voice,
    request: first.request,
    turns: first.trace.turns ?? [],
    script: first.script,
    alternatives: others.map(({ script }) => script),
    checks,
  };
}

/** Tasks from the rewarded traces whose replay changes something: one per group of traces, else per request. */
export function* mined(kit: Kit, traces: readonly ObservedTrace[], voices: () => Voice): Generator<Draft> {
  const groups = new Map<string, ObservedTrace[]>();
  for (const trace of random("mined").shuffled([...traces].sort((a, b) => (a.id < b.id ? -1 : 1)))) {
    // What the user did with tools of the user's own no agent can do in their place.
    if ((trace.reward ?? 0) < 1 || trace.calls.some(({ by }) => by === "user")) continue;
    const name = trace.group === undefined ? `request ${trace.request}` : `group ${trace.group}`;
    const list = groups.get(name);
    if (list) list.push(trace);
    else groups.set(name, [trace]);
  }
  for (const list of groups.values()) {
    const draft = mine(kit, list, voices());
    if (draft) yield draft;
  }
}
