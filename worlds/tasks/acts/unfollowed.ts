import { namedWriter } from "../../compile/effects.ts";
import type { Call } from "../../compile/observations.ts";
import { readsAsRefusal } from "../../compile/programs/state/unmarked-refusals.ts";
import { isObject, type Json } from "../../json.ts";
import { shownEffect } from "../../shown-effects.ts";
import { stems } from "../checks/words.ts";
import type { Kit } from "../kit.ts";

/** Whether a tool is known to change something, or named so where it may and nothing shows whether it does. */
export function isChange({ bundle }: Kit, tool: string): boolean {
  const { effect } = shownEffect(bundle, tool);
  const mayChange = bundle.footprints === undefined || Object.hasOwn(bundle.footprints, tool);
  return effect === "changes" || (effect === "unknown" && mayChange && namedWriter(tool));
}

/** Whether an answer says that a call was not carried out, though nothing marks it: in words, or by its own flag. */
function declines(tool: string, value: Json): boolean {
  if (typeof value === "string") return readsAsRefusal(value);
  if (!isObject(value)) return false;
  const own = stems(tool);
  return Object.entries(value).some(
    ([name, item]) =>
      (item === false && stems(name).some((word) => own.some((stem) => word.startsWith(stem)))) ||
      (typeof item === "string" && /^(?:error|message|detail|reason)$/i.test(name) && readsAsRefusal(item)),
  );
}

/** Whether a recorded call was carried out. */
export const isDone = ({ tool, ok, value }: Pick<Call, "tool" | "ok" | "value">): boolean =>
  ok && !declines(tool, value);
