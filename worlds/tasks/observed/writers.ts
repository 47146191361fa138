import type { Bundle } from "../../bundle.ts";
import { namedWriter } from "../../compile/effects.ts";
import { isObject, type Json } from "../../json.ts";
import { changesRows, shownEffect } from "../../shown-effects.ts";
import { succeeded } from "../checks/calls.ts";
import { sameData } from "../checks/data.ts";
import { humanize } from "../checks/words.ts";
import type { FinishedTrial, Script, Task } from "../schema.ts";
import { refOf } from "../script.ts";
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

/** Whether a call is what a script asks for: all that it is literally given is the same, but for words in prose. */
function isScripted(step: Script["calls"][number], { tool, args }: FinishedTrial["calls"][number]): boolean {
  return (
    step.tool === tool &&
    Object.entries(step.args).every(
      ([name, value]) => refOf(value) !== undefined || isProse(value as Json) || sameData(args[name], value),
    )
  );
}

/**
 * A tool that a trial wrote by in a call that none of its task's scripts makes, or, where it `repeats` one, makes so
 * often, and of which the world shows nothing: it is known to write and was answered as done, but no behaviour of the
 * world changes anything by it. Pure.
 */
export function unshownWrite(
  { script, alternatives = [] }: Pick<Task, "script"> & Partial<Pick<Task, "alternatives">>,
  { calls }: Pick<FinishedTrial, "calls">,
  bundle: Bundle,
): { readonly tool: string; readonly repeats: boolean } | undefined {
  const unshown = calls.filter(
    (call) =>
      !call.changed &&
      succeeded(call) &&
      isWriter(bundle, call.tool) &&
      !changesRows(bundle, call.tool) &&
      tellsOfChange(bundle, call.tool, call.args as Json),
  );
  const strays = [script, ...alternatives].map((one) => {
    const left = [...one.calls];
    const beside = unshown.filter((call) => {
      const at = left.findIndex((step) => isScripted(step, call));
      if (at >= 0) left.splice(at, 1);
      return at < 0;
    });
    const other = beside.find((call) => !one.calls.some((step) => isScripted(step, call)));
    const found = other ?? beside[0];
    return found && { tool: found.tool, repeats: other === undefined };
  });
  return strays.includes(undefined) ? undefined : strays[0];
}
