import { sha256 } from "../../../worlds/digest.ts";
import { standing, type TaskDoc } from "../../sandboxes/tasks/task-records.ts";

/** A named set of tasks themselves: `ci-10`, `smoke-20` (any size), `full`. */
export const TASK_SET = /^(?:full|(?:ci|smoke)-[1-9][0-9]{0,3})$/;
/** Any named set: these, `failed_last` of the player's last run, `touched` by its version, or a held set by its run group. */
export const SELECTION = /^(?:full|failed_last|touched|(?:ci|smoke)-[1-9][0-9]{0,3}|rg_[0-9a-zA-Z_]{1,64})$/;

/** Whether a task may count: certified by a certificate that holds, or held where those were asked for. */
export function counts(task: TaskDoc, includeHeld: boolean): boolean {
  return standing(task) || (includeHeld && task.status === "held");
}

/**
 * The tasks of a sampled set, in order of index: families take turns, and within a family the order is a hash of the
 * set's name and the task's digest, so a set keeps its tasks while their digests stand.
 */
export function sample(tasks: readonly TaskDoc[], name: string): TaskDoc[] {
  const size = Number(name.slice(name.indexOf("-") + 1));
  const families = [...Map.groupBy(tasks, (task) => task.task.family)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, members]) =>
      members
        .map((task) => ({ task, rank: sha256(`${name}\n${task.digest}`) }))
        .sort((a, b) => (a.rank < b.rank ? -1 : 1))
        .map(({ task }) => task),
    );
  const chosen: TaskDoc[] = [];
  for (let round = 0; chosen.length < Math.min(size, tasks.length); round++)
    for (const family of families) {
      const task = family[round];
      if (task && chosen.length < size) chosen.push(task);
    }
  return chosen.sort((a, b) => a.index - b.index);
}

/** The tasks a caller named by record id, by the task's own id or by index, with the names that fit none. */
export function named(tasks: readonly TaskDoc[], names: readonly string[]): { found: TaskDoc[]; unknown: string[] } {
  const byName = new Map<string, TaskDoc>();
  for (const task of tasks) {
    byName.set(String(task.index), task);
    byName.set(task.task.id, task);
    byName.set(task.id, task);
  }
  const found = new Set<TaskDoc>();
  const unknown: string[] = [];
  for (const name of names) {
    const task = byName.get(name);
    if (task) found.add(task);
    else unknown.push(name);
  }
  return { found: [...found].sort((a, b) => a.index - b.index), unknown };
}
