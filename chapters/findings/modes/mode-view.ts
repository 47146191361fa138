import { MODE_TASKS } from "../../../worlds/tasks/families/failure-mode.ts";
import { countOf } from "../../count-of.ts";
import type { ModeDoc } from "../../modes/record-modes.ts";
import { RootCause } from "../../records/runs/runs.ts";

/** The behaviours that rules write tasks for. */
export const GENERATABLE: readonly RootCause[] = RootCause.options.filter((name) => Object.hasOwn(MODE_TASKS, name));

const WRITES: ReadonlySet<string> = new Set(["write", "multi_write", "guarded_write"]);

/** Whether a behaviour shows in calls that write alone: its tasks are of such tools. */
export function isOfWrites(behaviour: RootCause): boolean {
  return (
    Object.hasOwn(MODE_TASKS, behaviour) && (MODE_TASKS[behaviour]?.families ?? []).every((name) => WRITES.has(name))
  );
}

/** Whether tasks can be written for a mode as it stands, by rule. */
export function isGeneratable({ behaviour }: Pick<ModeDoc, "behaviour">): boolean {
  return behaviour !== undefined && GENERATABLE.includes(behaviour);
}

/** A mode as it is shown, with how it stands in a line. Times are unix seconds. */
export function modeView(mode: ModeDoc) {
  const { visibility: _visibility, moved_from: _from, ...rest } = mode;
  return { ...rest, generatable: isGeneratable(mode), line: lineOf(mode) };
}

function lineOf({ status, tasks, reproduced, fixed }: ModeDoc): string {
  const held =
    tasks.length === 0 ? "no task holds agents to it yet" : `agents are held to it by ${countOf(tasks.length, "task")}`;
  const of = (version: NonNullable<ModeDoc["fixed"]>) => `version ${version.version ?? "unknown"}`;
  switch (status) {
    case "reported":
      return `Reported; ${held}.`;
    case "confirmed":
      return `Confirmed; ${held}.`;
    case "reproduced":
      return `Reproduced${reproduced ? ` in ${of(reproduced)}` : ""}; ${held}.`;
    case "fixed":
      return fixed ? `Fixed in ${of(fixed)}${reproduced ? `, after ${of(reproduced)} showed it` : ""}.` : "Fixed.";
    case "retired":
      return "Retired.";
  }
}
