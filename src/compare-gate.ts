import type { Comparison } from "../chapters/runs/compare.ts";

/** How a gate went: its exit status, and the sentence that says why. */
export interface Gate {
  readonly code: 0 | 1 | 2;
  readonly sentence: string;
}

const LIVE = new Set(["queued", "held", "running"]);

/**
 * What a comparison is to a gate: 1 when b is shown to be worse, 2 when nobody could have told (a group that is not
 * done, no task compared or most refused, too few tasks to show anything), else 0.
 */
export function gateOf(found: Comparison & { readonly status: { readonly a: string; readonly b: string } }): Gate {
  const { status, tasks, refused, smallest, words, worse } = found;
  const open = (["a", "b"] as const).find((arm) => LIVE.has(status[arm]));
  if (open) return { code: 2, sentence: `Cannot tell: ${open} has not ended.` };
  if (tasks.length === 0) return { code: 2, sentence: "Cannot tell: no task was run by both under the same terms." };
  if (worse === "b" && words === "shown") return { code: 1, sentence: "A regression is shown." };
  if (refused.length > tasks.length)
    return { code: 2, sentence: `Cannot tell: ${refused.length} tasks could not be compared, ${tasks.length} could.` };
  if (smallest === undefined)
    return { code: 2, sentence: `Cannot tell: ${tasks.length} tasks can show no difference at all at this band.` };
  return { code: 0, sentence: "No regression is shown." };
}
