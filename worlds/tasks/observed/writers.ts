import type { Bundle } from "../../bundle.ts";
import { namedWriter } from "../../compile/effects.ts";
import { isObject, type Json } from "../../json.ts";
import { changesRows, shownEffect } from "../../shown-effects.ts";
import type { FinishedTrial, Task } from "../schema.ts";
import { isProse } from "./prose.ts";

/** Whether a tool is known to write: seen, fitted or declared to change something, or named so and never seen to change nothing. */
export function isWriter(bundle: Bundle, tool: string): boolean {
  const { effect } = shownEffect(bundle, tool);
  return effect === "changes" || (effect === "unknown" && namedWriter(tool));
}

/** Whether a call's arguments hold more than prose: words alone, as of a message, name nothing that changes. */
export function namesAnything(value: Json): boolean {
  if (Array.isArray(value)) return value.some(namesAnything);
  if (isObject(value)) return Object.values(value).some(namesAnything);
  return value !== null && value !== "" && !isProse(value);
}

/**
 * A tool that a trial wrote by though its task's scripts do not call it, and of which the world shows nothing: it is
 * known to write and was answered as done, but no behaviour of the world changes anything by it. Pure.
 */
export function unshownWrite(
  { script, alternatives = [] }: Pick<Task, "script"> & Partial<Pick<Task, "alternatives">>,
  { calls }: Pick<FinishedTrial, "calls">,
  bundle: Bundle,
): string | undefined {
  const scripted = new Set([script, ...alternatives].flatMap((one) => one.calls.map(({ tool }) => tool)));
  return calls.find(
    ({ tool, args, changed, is_error, answer_class }) =>
      !changed &&
      !is_error &&
      (answer_class === "data" || answer_class === "empty") &&
      !scripted.has(tool) &&
      isWriter(bundle, tool) &&
      !changesRows(bundle, tool) &&
      namesAnything(args as Json),
  )?.tool;
}
