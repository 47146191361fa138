import type { ObservedTrace } from "../../observation.ts";
import { requiredChanges } from "../attempts.ts";
import { classOf } from "../checks/answer-class.ts";
import type { Draft } from "../draft.ts";
import type { Kit } from "../kit.ts";
import type { Voice } from "../phrases.ts";
import { random } from "../random.ts";
import type { Check } from "../schema.ts";

/** Why a trace gives no task. */
type Unmined = "no_request" | "no_reward" | "no_calls" | "gap" | "differs" | "no_change";

/**
 * A task from a rewarded trace: the user's own words, the trace's calls as script, the replayed difference as key.
 * A trace whose writes the world does not answer as they were answered gives none.
 */
function mine(kit: Kit, trace: ObservedTrace, voice: Voice): Draft | Unmined {
  if (!trace.request) return "no_request";
  if ((trace.reward ?? 0) < 1) return "no_reward";
  const effects = new Map(kit.tools.map((t) => [t.name, t.effect]));
  const world = kit.fork();
  const calls: { tool: string; args: ObservedTrace["calls"][number]["args"] }[] = [];
  for (const call of trace.calls) {
    const answer = world.call(call.tool, call.args);
    if (effects.get(call.tool) === "write") {
      if (answer.servedBy === "gap") return "gap";
      if (answer.isError !== call.isError) return "differs";
    }
    if (!answer.isError) calls.push({ tool: call.tool, args: call.args });
  }
  if (calls.length === 0) return "no_calls";
  const writes = calls.filter((c) => effects.get(c.tool) === "write");
  const diff = world.diff();
  const changes = diff.length > 0 ? requiredChanges(kit, writes) : [];
  if (changes === undefined || changes.length !== diff.length) return "differs";
  const checks: Check[] = [changes.length > 0 ? { kind: "state", changes } : { kind: "no_state_change" }];
  const words = trace.finalAnswer?.trim() || "Done.";
  const read = classOf(words);
  // A conversation that ends with a courtesy question, or in words that read both ways, has still done what was asked.
  const said = changes.length > 0 && (read === undefined || read === "none") ? "Done." : words;
  const ending = classOf(said) ?? "answered";
  if (changes.length > 0 && ending === "answered") checks.push({ kind: "answer_class", class: "answered" });
  const last = writes.at(-1) ?? calls.at(-1);
  return {
    family: "mined",
    operation: last?.tool ?? "",
    object: diff[0]?.table ?? "",
    condition: "present",
    difficulty: writes.length > 1 ? "hard" : "medium",
    useCase: "as asked in production",
    voice,
    request: trace.request,
    turns: trace.turns ?? [],
    script: { calls, answer: said, class: ending },
    checks,
  };
}

/** Tasks from the rewarded traces whose replay changes something, one per request. */
export function* mined(kit: Kit, traces: readonly ObservedTrace[], voices: () => Voice): Generator<Draft> {
  const seen = new Set<string>();
  for (const trace of random("mined").shuffled([...traces].sort((a, b) => (a.id < b.id ? -1 : 1)))) {
    if (trace.request === undefined || seen.has(trace.request)) continue;
    const draft = mine(kit, trace, voices());
    if (typeof draft === "string" || draft.checks.some((c) => c.kind === "no_state_change")) continue;
    seen.add(trace.request);
    yield draft;
  }
}
