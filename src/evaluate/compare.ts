import type { Comparison } from "../../chapters/runs/compare/compare-types.ts";
import type { Api } from "./api.ts";
import type { AgentRun, Compared } from "./report.ts";

/** Compares two runs paired by task, the first as what was, the second as what is. */
export async function compare(api: Api, before: AgentRun, after: AgentRun): Promise<Compared> {
  const found = await api.call<Comparison>("compare_runs", { a: before.group, b: after.group, format: "json" });
  return {
    before: before.name,
    after: after.name,
    verdict: found.verdict,
    // What cannot be told is told with no confidence.
    confidence: found.cannot_tell === undefined ? found.confidence : 0,
    words: found.words,
    ...(found.worse === undefined ? {} : { worse: found.worse }),
    tasks: found.tasks.length,
    refused: found.refused.length,
    flips: found.flips.map((task) => ({
      request: task.request,
      family: task.family,
      before: outcome(task.a),
      after: outcome(task.b),
      cause: (task.delta < 0 ? task.causes.b : task.causes.a)[0]?.cause,
    })),
    causes: found.causes,
  };
}

function outcome(arm: { readonly met: number; readonly valid: number }): string {
  if (arm.valid === 1) return arm.met === 1 ? "met" : "failed";
  return `met ${arm.met} of ${arm.valid}`;
}
