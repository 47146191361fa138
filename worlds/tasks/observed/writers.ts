import type { Bundle } from "../../bundle.ts";
import { namedWriter } from "../../compile/effects.ts";
import { isObject, type Json } from "../../json.ts";
import { changesRows, shownEffect } from "../../shown-effects.ts";
import { humanize } from "../checks/words.ts";
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

/** What an agent hands over to or ends, which is no part of a system's state. */
const OWN = /^(?:person|human|agent|representative|operator|supervisor|support|conversation|session|task|answer)s?$/;

/** Whether a name says what is changed, "reset board": a verb alone may end the agent's own work. */
function namesObject(tool: string): boolean {
  const words = humanize(tool.split(/[./:]/).at(-1) ?? tool).split(" ");
  return words.length > 1 && !words.some((word) => OWN.test(word));
}

/** Whether a call of a writer tells of a change: all do of one that was seen or declared to change something. */
function tellsOfChange(bundle: Bundle, tool: string, args: Json): boolean {
  if (shownEffect(bundle, tool).effect === "changes" || namesAnything(args)) return true;
  return isObject(args) && Object.keys(args).length === 0 && namesObject(tool);
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
      tellsOfChange(bundle, tool, args as Json),
  )?.tool;
}
