import { indexOfCall } from "../checks/calls.ts";
import type { Check, CheckVerdict, FinishedTrial } from "../schema.ts";

/** Where a check was decided: at a call, by its place from 0, by what the agent said, or by the trial as a whole. */
export type DecidedAt = number | "answers" | "whole";

/** The step of a finished trial that a check's verdict rests on. Pure. */
export function decidedAt(check: Check, { verdict, missing }: CheckVerdict, { calls }: FinishedTrial): DecidedAt {
  const call = (place: number): DecidedAt => (place < 0 ? "whole" : place);
  switch (check.kind) {
    case "calls_required": {
      const places = check.calls.map((pattern) => indexOfCall(pattern, calls)).filter((place) => place >= 0);
      return verdict === "not_met" ? "whole" : call(Math.max(-1, ...places));
    }
    case "calls_forbidden":
      return verdict === "met"
        ? "whole"
        : call(check.calls.map((pattern) => indexOfCall(pattern, calls)).find((place) => place >= 0) ?? -1);
    case "call_order": {
      if (verdict !== "met") return "whole";
      let last = -1;
      for (const pattern of check.calls) last = indexOfCall(pattern, calls, last + 1);
      return call(last);
    }
    case "max_calls":
      return calls.length > check.n ? check.n : "whole";
    case "state":
      // What was never written was decided by no call, whatever else was.
      if (missing) return "whole";
      return call(calls.findLastIndex(({ changed }) => changed));
    case "no_state_change":
      return call(calls.findLastIndex(({ changed }) => changed));
    case "answer_includes":
    case "answer_excludes":
    case "answer_class":
    case "asks":
    case "judged":
      return "answers";
  }
}
