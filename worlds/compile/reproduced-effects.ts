import type { Bundle, ShownEffect, ToolDefinition } from "../bundle.ts";
import { canonicalJson } from "../digest.ts";
import { effectsOf } from "../floor/effects.ts";
import { Names } from "../floor/names.ts";
import { volatilityOf } from "../floor/volatile.ts";
import { changesRows } from "../shown-effects.ts";
import { declaredEffect, effectByName, namedWriter } from "./effects.ts";
import type { Session } from "./observations.ts";

/** So many calls that a behaviour without an effect answers as observed, and after which the session went on, show that it has none. */
const ENOUGH = 3;

/** How many calls of a tool its fitted behaviour answers as observed, where it is more than a recording, and more was asked afterwards. */
function reproducedReads({ behaviours }: Bundle, tool: string, sessions: readonly Session[]): number {
  const fitted = Object.hasOwn(behaviours, tool) ? behaviours[tool] : undefined;
  const recorded = fitted?.behaviour.steps.some(({ op }) => op === "recorded");
  if (fitted?.effect !== "read" || recorded) return 0;
  const followed = sessions.reduce(
    (sum, { calls }) => sum + calls.slice(0, -1).filter((call) => call.ok && call.tool === tool).length,
    0,
  );
  return Math.min(fitted.support.reproduced, followed);
}

/**
 * What evidence shows of each tool's effect. None: a listing says so; or the tool is named as a reading, and questions
 * around its calls were answered alike, often enough and never otherwise for its sake, or its fitted behaviour only
 * reads and says what was observed. A tool named otherwise may change what nobody happened to read again: of it only a
 * change is shown, or nothing.
 */
export function seenEffects(
  sessions: readonly Session[],
  listed: readonly ToolDefinition[] | undefined,
  bundle: Bundle,
): Record<string, ShownEffect> {
  const volatility = volatilityOf(sessions);
  const answers = sessions.map(({ calls }) => {
    const names = new Names(volatility);
    return calls.map(({ tool, args, value, ok }) => {
      names.args(args);
      return `${ok}\n${canonicalJson(names.answer(tool, value, ok).key)}`;
    });
  });
  const said = new Map(listed?.map((tool) => [tool.name, declaredEffect(tool)]));
  const isReading = (tool: string) =>
    effectByName(tool) === "read" || (said.get(tool) === "read" && !namedWriter(tool));
  const seen = effectsOf(sessions, (s, c) => answers[s]?.[c] ?? "", isReading);
  const effectOf = (tool: string): ShownEffect => {
    const changed = seen.changed(tool);
    const unchanged = seen.unchanged(tool);
    // Where the answers of a reading differ of themselves, time or another's act may be the cause.
    if (seen.changes(tool) && !isReading(tool)) return { effect: "changes", by: "seen", n: changed };
    if (changesRows(bundle, tool)) return { effect: "changes", by: "fitted", n: changed };
    const declared = said.get(tool);
    if (declared === "write") return { effect: "changes", by: "declared", n: changed };
    if (declared === "read") return { effect: "none", by: "declared", n: unchanged };
    if (effectByName(tool) !== "read" || seen.changes(tool)) return { effect: "unknown", n: unchanged };
    if (seen.pure(tool)) return { effect: "none", by: "seen", n: unchanged };
    const reproduced = reproducedReads(bundle, tool, sessions);
    return reproduced >= ENOUGH ? { effect: "none", by: "fitted", n: reproduced } : { effect: "unknown", n: unchanged };
  };
  const tools = [...bundle.tools, ...(bundle.user_tools ?? [])].map(({ name }) => name).sort();
  return Object.fromEntries(tools.map((tool) => [tool, effectOf(tool)]));
}
