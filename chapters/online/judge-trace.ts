import { z } from "zod";
import { answerClass } from "../../worlds/tasks/checks/answer-class.ts";
import { answerExcludes, answerIncludes } from "../../worlds/tasks/checks/answer-facts.ts";
import { callOrder, callsForbidden, callsRequired, maxCalls } from "../../worlds/tasks/checks/calls.ts";
import { Reading } from "../../worlds/tasks/checks/facts.ts";
import type { Judgement } from "../../worlds/tasks/checks/judgement.ts";
import type { FinishedTrial } from "../../worlds/tasks/schema.ts";
import type { Ctx } from "../context.ts";
import { AppError } from "../errors.ts";
import { SHOWN, transcript } from "../findings/modes/classify-session.ts";
import { showsPass } from "../findings/modes/shows-failure.ts";
import { evidence, pass, read, readerOf, UnusableAnswer } from "../models/pass.ts";
import type { CanonicalTrace } from "../records/evidence/evidence.ts";
import type { TraceCheck } from "../records/online/online.ts";
import type { RootCause } from "../records/runs/runs.ts";
import type { Tier } from "../tier.ts";

/** What one check or detector is, ready to be asked of traces. */
export type Judge =
  | { readonly name: string; readonly check: TraceCheck; readonly model?: string }
  | {
      readonly name: string;
      readonly detector: {
        readonly behaviour: RootCause;
        readonly tool: string | undefined;
        readonly writes: readonly string[];
        readonly report: string;
      };
      readonly reader: "rule" | "model";
    };

/** What was said of one trace. */
export interface Verdict {
  readonly name: string;
  readonly polarity: "good" | "bad" | "unclear";
  readonly note: string;
  readonly tier: Tier;
  readonly usd: number;
}

/** A criterion that a model decides of a stored trace. No rule can: one that could would be a check of its own. */
const judgedTrace = pass<{ criterion: string; trace: CanonicalTrace }, { met: boolean; reason: string }>({
  name: "judged_trace",
  version: "judged-trace-1",
  output: z.object({
    met: z.boolean(),
    reason: z.string().min(1).max(600).describe("One sentence that names what in the session decides it."),
  }),
  maxOutputTokens: 400,
  prompt: ({ criterion, trace }) => ({
    system:
      "You decide whether one session of an agent meets one criterion. Judge only what the session shows. When it does not show that the criterion is met, it is not met.",
    user: `Criterion: ${criterion}\n\n${evidence(transcript(trace))}`,
  }),
});

/** Whether it asks a model, and so costs money. */
export function asksModel(judge: Judge): boolean {
  return "check" in judge ? judge.check.kind === "judged" : judge.reader === "model";
}

/** What a check or detector may cost at most on one trace, US dollars. */
export function mostUsd(ctx: Ctx, judge: Judge, trace: CanonicalTrace): number {
  if (!asksModel(judge) || transcript(trace).length > SHOWN) return 0;
  if (!("check" in judge))
    return readerOf(ctx, showsPass, { ...judge.detector, trace }, { reader: "model" }).estimate_usd;
  const { check, model } = judge;
  if (check.kind !== "judged") return 0;
  return readerOf(ctx, judgedTrace, { criterion: check.criterion, trace }, { reader: "model", model }).estimate_usd;
}

/** What a check or detector says of a trace. One that is too long for a model, or that it gives no usable answer about, is unclear. */
export async function judgeTrace(ctx: Ctx, judge: Judge, trace: CanonicalTrace): Promise<Verdict> {
  const { name } = judge;
  const asks = asksModel(judge);
  const unclear = (note: string, usd = 0): Verdict => ({
    name,
    polarity: "unclear",
    note,
    tier: asks ? "llm-derived" : "deterministic",
    usd,
  });
  if (asks && transcript(trace).length > SHOWN)
    return unclear(`It is longer than the ${SHOWN} characters that a model is shown.`);
  try {
    if (!("check" in judge)) {
      const question = { ...judge.detector, trace };
      const { value, tier, usd } = await read(ctx, showsPass, question, { reader: judge.reader });
      return { name, polarity: value.shows ? "bad" : "good", note: value.reason, tier, usd };
    }
    const { check } = judge;
    if (check.kind === "judged") {
      const options = { reader: "model", model: judge.model } as const;
      const { value, tier, usd } = await read(ctx, judgedTrace, { criterion: check.criterion, trace }, options);
      return { name, polarity: value.met ? "good" : "bad", note: value.reason, tier, usd };
    }
    const { verdict, reason } = decided(check, trialOf(trace));
    const polarity = verdict === "met" ? "good" : verdict === "not_met" ? "bad" : "unclear";
    return { name, polarity, note: reason, tier: "deterministic", usd: 0 };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "unprocessable") throw error;
    return unclear(error.reason, error instanceof UnusableAnswer ? error.usd : 0);
  }
}

function trialOf({ calls, turns, final_answer, final_answer_class }: CanonicalTrace): FinishedTrial {
  const texts = turns.filter(({ role, text }) => role === "assistant" && text !== "").map(({ text }) => ({ text }));
  const last = { text: final_answer ?? "", class: final_answer_class };
  const before = texts.at(-1)?.text === last.text ? texts.slice(0, -1) : texts;
  return {
    calls: calls.map(({ tool, args, result, answer_class, is_error }) => ({
      tool,
      args,
      answer: result,
      answer_class,
      is_error,
      changed: false,
    })),
    answers: [...before, last],
    diff: [],
  };
}

function decided(check: Exclude<TraceCheck, { kind: "judged" }>, { calls, answers }: FinishedTrial): Judgement {
  const reading = () => new Reading(answers.map(({ text }) => text).join("\n"));
  switch (check.kind) {
    case "answer_includes":
      return answerIncludes(check.facts, check.ordered === true, reading());
    case "answer_excludes":
      return answerExcludes(check.facts, reading());
    case "answer_class":
      return answerClass(check.class, answers);
    case "calls_required":
      return callsRequired(check.calls, calls);
    case "calls_forbidden":
      return callsForbidden(check.calls, calls);
    case "call_order":
      return callOrder(check.calls, calls);
    case "max_calls":
      return maxCalls(check.n, calls);
  }
}
