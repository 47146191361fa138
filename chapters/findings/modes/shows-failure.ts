import { z } from "zod";
import { countOf } from "../../count-of.ts";
import { evidence, pass } from "../../models/pass.ts";
import type { CanonicalTrace, TraceCall } from "../../records/evidence/evidence.ts";
import type { RootCause } from "../../records/runs/runs.ts";
import { transcript } from "./classify-session.ts";

interface Question {
  readonly trace: CanonicalTrace;
  readonly behaviour: RootCause;
  /** The tool that the failure is of, where one is known. */
  readonly tool: string | undefined;
  /** The tools that change something. */
  readonly writes: readonly string[];
  /** The report's own words. */
  readonly report: string;
}

type FailureTest = (trace: CanonicalTrace, question: Question) => string | undefined;

const ofTool =
  ({ tool }: Question) =>
  (call: TraceCall) =>
    tool === undefined || call.tool === tool;
const same = (a: TraceCall, b: TraceCall) => a.tool === b.tool && JSON.stringify(a.args) === JSON.stringify(b.args);
/** So many equal calls are a loop. */
const LOOP = 4;

/** How a stored trace shows a behaviour, in words, where its calls and its answer alone can say it. */
const TOLD: Readonly<Partial<Record<RootCause, FailureTest>>> = {
  false_no_data: (trace, question) => {
    const data = trace.calls.filter(ofTool(question)).filter(({ answer_class }) => answer_class === "data").length;
    return trace.final_answer_class === "said_no_data" && data > 0
      ? `It said that there is nothing after ${countOf(data, "call")} answered data.`
      : undefined;
  },
  over_refusal: (trace) =>
    trace.final_answer_class === "refused" && trace.calls.every(({ answer_class }) => answer_class !== "refused")
      ? "It refused though no tool did."
      : undefined,
  stopped_early: (trace) => (trace.final_answer_class === "none" ? "It ended without an answer." : undefined),
  tool_error_unhandled: (trace, question) => {
    const last = trace.calls.at(-1);
    const ignored = last?.is_error === true && ofTool(question)(last) && trace.final_answer_class === "answered";
    return ignored ? "Its last call failed and it answered as if it had not." : undefined;
  },
  loop: (trace, question) =>
    trace.calls.some(
      (call) => ofTool(question)(call) && trace.calls.filter((other) => same(call, other)).length >= LOOP,
    )
      ? `It made the same call ${LOOP} times or more.`
      : undefined,
  extra_write: (trace, question) => {
    const writes = trace.calls.filter(
      (call) => question.writes.includes(call.tool) && !call.is_error && ofTool(question)(call),
    );
    return writes.some((call, i) => writes.slice(0, i).some((other) => same(call, other)))
      ? "It made the same write twice."
      : undefined;
  },
  unverified_write: (trace, question) => {
    const at = trace.calls.findIndex(
      (call) => question.writes.includes(call.tool) && !call.is_error && ofTool(question)(call),
    );
    const ids = Object.values(trace.calls[at]?.args ?? {}).filter(
      (value) => typeof value === "string" && /\d/.test(value),
    );
    const read = JSON.stringify(trace.calls.slice(0, Math.max(at, 0)).map(({ args, result }) => [args, result]));
    return at >= 0 && ids.length > 0 && !ids.some((id) => read.includes(String(id)))
      ? "It wrote a row that it had not read."
      : undefined;
  },
};

/** The behaviours that a rule can tell from a stored trace. */
export const TOLD_BY_RULE: ReadonlySet<RootCause> = new Set(Object.keys(TOLD) as RootCause[]);

/** Whether a stored trace shows a reported failure. */
export const showsPass = pass<Question, { shows: boolean; reason: string }>({
  name: "shows_failure",
  version: "shows-failure-1",
  output: z.object({
    shows: z.boolean(),
    reason: z.string().min(1).max(400).describe("One sentence that names the call or the answer that decides it."),
  }),
  maxOutputTokens: 300,
  prompt: ({ trace, behaviour, tool, report }) => ({
    system: `You read one session of an agent and say whether it shows a failure that was reported: ${behaviour.replaceAll("_", " ")}${tool === undefined ? "" : `, of the tool ${tool}`}. Judge only what the session shows; when it does not show it, the answer is no.`,
    user: `${evidence(`The report: ${report}`)}\n\n${evidence(transcript(trace))}`,
  }),
  rule: (question) => {
    const told = TOLD[question.behaviour]?.(question.trace, question);
    return { shows: told !== undefined, reason: told ?? "Nothing in it shows the failure." };
  },
});
