import type { Bundle, ShownEffect, ToolDefinition } from "../bundle.ts";
import { canonicalJson } from "../digest.ts";
import { effectsOf } from "../floor/effects.ts";
import { Names } from "../floor/names.ts";
import { volatilityOf } from "../floor/volatile.ts";
import { changesRows } from "../shown-effects.ts";
import { declaredEffect, effectByName } from "./effects.ts";
import type { Session } from "./observations.ts";

/**
 * What evidence shows of each tool's effect. None: a listing says so; or the tool is named as a reading, and questions
 * around its calls were answered alike, often enough and never otherwise for its sake. A tool named otherwise may change
 * what nobody happened to read again: of it only a change is shown, or nothing.
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
  const seen = effectsOf(sessions, (s, c) => answers[s]?.[c] ?? "");
  const said = new Map(listed?.map((tool) => [tool.name, declaredEffect(tool)]));
  const effectOf = (tool: string): ShownEffect => {
    const changed = seen.changed(tool);
    const unchanged = seen.unchanged(tool);
    const reads = effectByName(tool) === "read";
    // Where the answers of a reading differ of themselves, time or another's act may be the cause.
    if (changesRows(bundle, tool) || (seen.changes(tool) && !reads))
      return { effect: "changes", by: "seen", n: changed };
    const declared = said.get(tool);
    if (declared === "write") return { effect: "changes", by: "declared", n: changed };
    if (declared === "read") return { effect: "none", by: "declared", n: unchanged };
    const none = reads && seen.pure(tool);
    return none ? { effect: "none", by: "seen", n: unchanged } : { effect: "unknown", n: unchanged };
  };
  const tools = [...bundle.tools, ...(bundle.user_tools ?? [])].map(({ name }) => name).sort();
  return Object.fromEntries(tools.map((tool) => [tool, effectOf(tool)]));
}
