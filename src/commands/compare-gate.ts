import { countOf } from "../../chapters/count-of.ts";
import type { Comparison } from "../../chapters/runs/compare/compare-types.ts";
import { inside, SAME_TASKS, untoldLine } from "../../chapters/runs/compare/compare-verdict.ts";

/** How a gate went: its exit status, and the sentence that says why and, where it could not tell, what to do. */
export interface Gate {
  readonly code: 0 | 1 | 2;
  readonly sentence: string;
}

/**
 * What a comparison is to a gate: 1 when b is shown to be worse, 2 when nobody could have told (a group that is not done
 * or lost too many trials, tasks chosen by outcome, no task compared or most refused, too few tasks), else 0.
 */
export function gateOf(found: Comparison & { readonly status: { readonly a: string; readonly b: string } }): Gate {
  const { status, tasks, refused, words, worse, cannot_tell: untold } = found;
  if (untold !== undefined) return { code: 2, sentence: untoldLine(found, untold) };
  const broken = (["a", "b"] as const).find((arm) => status[arm] === "broken_off");
  if (broken)
    return {
      code: 2,
      sentence: `Cannot tell: a log of ${broken} says that its evaluation did not come to its end: compare one that did.`,
    };
  const open = (["a", "b"] as const).find((arm) => status[arm] !== "landed");
  if (open) {
    const group = found[open].group;
    return {
      code: 2,
      sentence: `Cannot tell: ${open} is not done (${status[open]}): run_group with gid=${group} says how it stands.`,
    };
  }
  if (worse === "b" && words === "shown") return { code: 1, sentence: "A regression is shown." };
  if (refused.length > tasks.length) return { code: 2, sentence: mostRefused(found) };
  return { code: 0, sentence: "No regression is shown." };
}

function mostRefused({ tasks, refused }: Comparison): string {
  const [most] = [...Map.groupBy(refused, ({ reason }) => reason).values()].sort((x, y) => y.length - x.length);
  const first = most?.[0];
  const why = first === undefined ? "" : ` (of ${most?.length}: ${inside(first.reason)})`;
  const way = first?.way_out ?? SAME_TASKS;
  return `Cannot tell: ${countOf(refused.length, "task")} could not be compared${why}, ${tasks.length} could: ${way}.`;
}
