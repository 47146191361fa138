import { z } from "zod";
import { countOf } from "../../count-of.ts";
import { evidence, pass } from "../../models/pass.ts";
import type { CanonicalTrace, TraceCall } from "../../records/evidence/evidence.ts";

/** What a session that was reported as a false no-data shows. */
export const SESSION_CLASSES = ["false_no_data", "never_looked", "tool_failed", "no_data", "answered"] as const;
export type SessionClass = (typeof SESSION_CLASSES)[number];

interface Question {
  readonly trace: CanonicalTrace;
  /** The tools that hold what was asked for. */
  readonly holding: readonly string[];
}

/** Longest session that a model is shown, characters: what is left out could be what decides, so a longer one is read by rule alone. */
export const SHOWN = 60_000;

/** Whether a session that said there is nothing was wrong to, by what the tools that hold the data answered. */
export const sessionPass = pass<Question, { class: SessionClass; reason: string }>({
  name: "classify_session",
  version: "classify-session-1",
  output: z.object({
    class: z.enum(SESSION_CLASSES),
    reason: z.string().min(1).max(400).describe("One sentence that names the call or the answer that decides it."),
  }),
  maxOutputTokens: 300,
  prompt: ({ trace, holding }) => ({
    system: [
      "You read one session of an agent and say how its final answer came about.",
      "false_no_data: it said that there is nothing although a call to one of the holding tools had answered what was asked.",
      "never_looked: it said so and called none of the holding tools. tool_failed: it said so after every call to them failed.",
      "no_data: it said so and they answered nothing. answered: it did not say that there is nothing.",
      `The holding tools: ${holding.join(", ")}.`,
    ].join(" "),
    user: evidence(transcript(trace)),
  }),
  rule: ({ trace, holding }) => byRule(trace, new Set(holding)),
});

/** A session as a model is shown it. */
export function transcript({ turns, calls, final_answer }: CanonicalTrace): string {
  return [
    ...turns.filter(({ role }) => role === "user").map(({ text }) => `User: ${text}`),
    ...calls.map((call) => `Call ${call.tool} ${JSON.stringify(call.args)} -> ${JSON.stringify(call.result)}`),
    `Final answer: ${final_answer ?? "(none)"}`,
  ].join("\n");
}

function byRule(trace: CanonicalTrace, holding: ReadonlySet<string>): { class: SessionClass; reason: string } {
  if (trace.final_answer_class !== "said_no_data")
    return { class: "answered", reason: "The final answer does not say that there is nothing." };
  const asked = trace.calls.filter(({ tool }) => holding.has(tool));
  if (asked.length === 0) return { class: "never_looked", reason: "No holding tool was called." };
  const of = (fits: (call: TraceCall) => boolean) => asked.filter(fits).length;
  const data = of(({ answer_class }) => answer_class === "data");
  if (data > 0)
    return {
      class: "false_no_data",
      reason: `${data} of ${countOf(asked.length, "call")} to holding tools answered data.`,
    };
  const failed = of(({ answer_class }) => answer_class.startsWith("error:") || answer_class === "refused");
  return failed === asked.length
    ? {
        class: "tool_failed",
        reason:
          failed === 1 ? "The one call to a holding tool failed." : `All ${failed} calls to holding tools failed.`,
      }
    : {
        class: "no_data",
        reason: `${asked.length === 1 ? "The one call" : `None of ${asked.length} calls`} to holding tools answered data.`,
      };
}
