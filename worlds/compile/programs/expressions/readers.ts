import type { ToolDefinition } from "../../../bundle.ts";
import { declaredEffect, effectByName } from "../../effects.ts";
import type { Call, Session } from "../../observations.ts";
import { canon, isScalar } from "../../values.ts";

/** Unchanged answers to questions that may change, around calls of one tool alone, that show it to change nothing. */
const UNCHANGED = 3;
/** Share of changed answers around its calls from which a tool writes, whatever its name says. */
const CHANGED = 0.2;

interface Pair {
  readonly asked: string;
  readonly between: string | undefined;
  readonly changed: boolean;
  readonly related: boolean;
}

/** Questions asked twice with calls of one other tool, or none, in between. */
function pairsOf(sessions: readonly Session[]): Pair[] {
  const out: Pair[] = [];
  for (const session of sessions) {
    const last = new Map<string, { at: number; text: string }>();
    for (const [i, call] of session.calls.entries()) {
      const id = `${call.tool} ${canon(call.args)}`;
      const text = `${call.answerClass} ${canon(call.value)}`;
      const before = last.get(id);
      last.set(id, { at: i, text });
      if (!before) continue;
      const between = session.calls.slice(before.at + 1, i).filter(({ ok, tool }) => ok && tool !== call.tool);
      const tools = new Set(between.map(({ tool }) => tool));
      if (tools.size > 1) continue;
      const related = between.length === 0 || between.some((other) => sharesValue(call, other));
      out.push({ asked: call.tool, between: [...tools][0], changed: before.text !== text, related });
    }
  }
  return out;
}

function sharesValue(a: Call, b: Call): boolean {
  const values = Object.values(a.args).filter(isScalar);
  return values.length === 0 || values.some((value) => Object.values(b.args).includes(value));
}

/** Tools whose calls leave every answer as it was: by what they are declared or called, held against what was asked again around them. */
export function findReaders(sessions: readonly Session[], tools: readonly ToolDefinition[]): Set<string> {
  const declared = new Map(tools.map((tool) => [tool.name, declaredEffect(tool)]));
  const pairs = pairsOf(sessions);
  const restless = new Set(
    pairs.filter(({ changed, between }) => changed && between === undefined).map(({ asked }) => asked),
  );
  const moving = new Set(pairs.filter(({ changed }) => changed).map(({ asked }) => asked));
  const counts = new Map<string, { same: number; changed: number }>();
  for (const { asked, between, changed, related } of pairs) {
    if (between !== undefined && (restless.has(asked) || !moving.has(asked) || !related)) continue;
    const count = counts.get(between ?? asked) ?? { same: 0, changed: 0 };
    if (changed) count.changed++;
    else if (between !== undefined) count.same++;
    counts.set(between ?? asked, count);
  }
  const out = new Set<string>();
  for (const tool of new Set(sessions.flatMap(({ calls }) => calls.map((call) => call.tool)))) {
    const { same, changed } = counts.get(tool) ?? { same: 0, changed: 0 };
    const named = (declared.get(tool) ?? effectByName(tool)) === "read";
    const total = same + changed;
    if (named ? !(total >= UNCHANGED && changed > total * CHANGED) : changed === 0 && same >= UNCHANGED * 3)
      out.add(tool);
  }
  return out;
}
