import { digestOf } from "../digest.ts";
import type { Task } from "./schema.ts";

/** Names what a task tests: its start, script and checks without words. Tasks of one name are one task in other words. */
export function distinctName({ start, script, alternatives = [], checks }: Task): string {
  const acts = [script, ...alternatives].map(({ calls, class: cls }) => ({ calls, class: cls }));
  return digestOf({ start: start ?? null, acts, checks });
}

/** How many tasks are left where those that differ in words alone are one. */
export function countDistinct(tasks: readonly Task[]): number {
  return new Set(tasks.map(distinctName)).size;
}
