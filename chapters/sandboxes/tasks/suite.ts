import { z } from "zod";
import type { Bundle } from "../../../worlds/bundle.ts";
import { digestOf } from "../../../worlds/digest.ts";
import { countDistinct } from "../../../worlds/tasks/distinct.ts";
import type { Unused } from "../../../worlds/tasks/losses.ts";
import type { ReviewVerdict } from "../../../worlds/tasks/schema.ts";
import { countOf } from "../../count-of.ts";
import { standing, type TaskDoc } from "./task-records.ts";

/** What each verdict of a review proves. The first four are a task's certificate. */
export const REVIEW_CHECKS: readonly { readonly name: ReviewVerdict["name"]; readonly proves: string }[] = [
  { name: "solvable", proves: "The script meets every check, three times, in fresh forks." },
  { name: "discriminating", proves: "The checks reject every wrong trial that can be made and spare every equal one." },
  {
    name: "determined",
    proves: "Every argument follows from the request or an earlier result, and no other row fits.",
  },
  { name: "grounded", proves: "Every fact is in the world, every call is valid, and no gap is needed." },
  { name: "natural", proves: "The request reads as a person writes." },
];

/** Names the set of tasks that count now: it changes when one is added, changed or taken out. */
export function suiteOf(tasks: readonly TaskDoc[]): string {
  const counting = tasks.filter(standing);
  return digestOf(counting.map((row) => row.digest)).slice(0, 16);
}

/** How many reviewed tasks passed each verdict, and how many did not. */
export function verdictCounts(tasks: readonly TaskDoc[]) {
  return REVIEW_CHECKS.map(({ name }) => {
    const verdicts = tasks.flatMap((row) => row.verdicts.filter((verdict) => verdict.name === name));
    const passed = verdicts.filter((verdict) => verdict.passed).length;
    return { name, passed, failed: verdicts.length - passed };
  });
}

export const Ask = z.object({ index: z.number().int(), ask: z.enum(["held", "unnatural"]), reason: z.string() });
export type Ask = z.infer<typeof Ask>;

/** What waits for a person's word: held tasks, and certified ones that do not read as a person writes. */
export function asksOf(tasks: readonly TaskDoc[]): Ask[] {
  return tasks.flatMap<Ask>(({ index, status, reason, verdicts }) => {
    if (status === "held") return [{ index, ask: "held", reason: reason ?? "It is held." }];
    const odd = status === "certified" ? verdicts.find(({ name, passed }) => name === "natural" && !passed) : undefined;
    return odd ? [{ index, ask: "unnatural", reason: odd.reason }] : [];
  });
}

/** Per axis, how many of the tasks that count stand at each value. */
export function dimensionsOf(tasks: readonly TaskDoc[]): Record<string, Record<string, number>> {
  const axes: Record<string, Record<string, number>> = {};
  for (const row of tasks) {
    if (!standing(row)) continue;
    for (const [axis, value] of Object.entries(row.task.cell)) {
      const values = axes[axis] ?? {};
      axes[axis] = { ...values, [value]: (values[value] ?? 0) + 1 };
    }
  }
  return axes;
}

/** Tasks per family; only those that count, or all of them as they were written. */
export function families(tasks: readonly TaskDoc[], counts: (row: TaskDoc) => boolean): Record<string, number> {
  const found: Record<string, number> = {};
  for (const row of tasks) if (counts(row)) found[row.task.family] = (found[row.task.family] ?? 0) + 1;
  return found;
}

/** Where an environment's tasks stand as a whole. */
export function tasksState(tasks: readonly TaskDoc[]): "none" | "drafts" | "reviewed" {
  if (tasks.length === 0) return "none";
  return tasks.some((row) => row.status === "draft") ? "drafts" : "reviewed";
}

/** How many tasks that count are left where those that differ in words alone are one. */
export function distinctOf(tasks: readonly TaskDoc[]): number {
  return countDistinct(tasks.filter(standing).map(({ task }) => task));
}

/**
 * Tools that sessions of the evidence called and that no task that counts needs, most called first, with why: by tasks that
 * do not count, else by what was lost when tasks were written. That is not told where it was not kept.
 */
export function untestedTools(
  tasks: readonly TaskDoc[],
  bundle: Bundle,
  unused: readonly Unused[] | undefined,
): { tool: string; calls: number; why?: string }[] {
  const needed = new Set(tasks.filter(standing).flatMap(({ task }) => task.script.calls.map(({ tool }) => tool)));
  return Object.entries(bundle.behaviours)
    .map(([tool, { support }]) => ({ tool, calls: support.seen }))
    .filter(({ tool, calls }) => calls > 0 && !needed.has(tool))
    .sort((a, b) => b.calls - a.calls || (a.tool < b.tool ? -1 : 1))
    .map(({ tool, calls }) => {
      const why = whyUntested(tool, tasks, unused);
      return { tool, calls, ...(why === undefined ? {} : { why }) };
    });
}

function whyUntested(
  tool: string,
  tasks: readonly TaskDoc[],
  unused: readonly Unused[] | undefined,
): string | undefined {
  const out = tasks.filter((row) => !standing(row) && row.task.script.calls.some((call) => call.tool === tool));
  const first = out.find(({ reason }) => reason !== undefined);
  if (out.length > 0)
    return `${countOf(out.length, "task")} with it ${out.length === 1 ? "does" : "do"} not count${first === undefined ? "" : `: ${first.reason}`}`;
  if (unused === undefined) return undefined;
  const lost = unused.find((one) => one.tool === tool);
  return lost === undefined ? "no draft was made of it" : `${countOf(lost.n, "draft")} lost: ${lost.reason}`;
}

/** Tools that tasks call and the world does not serve, unless a review found the task's calls served. */
export function toolGate(tasks: readonly TaskDoc[], bundle: Bundle): { tool: string; tasks: number[] }[] {
  const gaps = new Set(bundle.gaps.map((gap) => gap.tool));
  const by = new Map<string, Set<number>>();
  for (const { index, task, status, verdicts } of tasks)
    if (status !== "retired" && !verdicts.some(({ name, passed }) => name === "grounded" && passed))
      for (const { tool } of task.script.calls)
        if (gaps.has(tool)) by.set(tool, (by.get(tool) ?? new Set()).add(index));
  return [...by].sort(([a], [b]) => (a < b ? -1 : 1)).map(([tool, indexes]) => ({ tool, tasks: [...indexes] }));
}
