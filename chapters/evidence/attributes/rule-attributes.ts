import { effectByName } from "../../../worlds/compile/effects.ts";
import type { CanonicalTrace } from "../../records/evidence/evidence.ts";
import { registerOf } from "../corpus/corpus-read.ts";

/** What a rule reads of one trace: a field, its value, and where it stands. */
export interface ReadAttribute {
  readonly field: string;
  readonly value: string;
  readonly cite: string;
}

/** Labels of sources that are the same for many traces. */
const LABELS = ["domain", "model"] as const;
const MOST = 200;

/** The fields that code alone reads: what happened, not what it was about. */
export const STRUCTURAL = [
  "final_answer",
  "first_tool",
  "calls",
  "user_turns",
  "errors",
  "changes",
  "outcome",
  ...LABELS,
] as const;

/**
 * What can be counted of a trace: how it ended, its first tool, how many calls and turns, whether calls failed, whether one
 * was a write by its name, how its source says that it went, and what the source says of domain and model.
 */
export function structural(trace: CanonicalTrace): ReadAttribute[] {
  const { calls, turns, outcome, labels } = trace;
  const failed = calls.findIndex((call) => call.answer_class.startsWith("error:") || call.answer_class === "refused");
  const write = calls.findIndex(({ tool, is_error }) => !is_error && effectByName(tool) === "write");
  const first = calls[0];
  return [
    { field: "final_answer", value: trace.final_answer_class, cite: "final_answer" },
    ...(first === undefined ? [] : [{ field: "first_tool", value: shown(first.tool), cite: "calls.0" }]),
    { field: "calls", value: bucket(calls.length), cite: "calls" },
    { field: "user_turns", value: bucket(turns.filter(({ role }) => role === "user").length), cite: "turns" },
    { field: "errors", value: failed < 0 ? "none" : "some", cite: failed < 0 ? "calls" : `calls.${failed}` },
    { field: "changes", value: write < 0 ? "none" : "some", cite: write < 0 ? "calls" : `calls.${write}` },
    ...(outcome === undefined
      ? []
      : [
          {
            field: "outcome",
            value: outcome.reward >= 1 ? "met" : outcome.reward > 0 ? "partly" : "failed",
            cite: "outcome",
          },
        ]),
    ...LABELS.flatMap((label) => {
      const value = labels[label]?.trim();
      return value ? [{ field: label, value: shown(value), cite: `labels.${label}` }] : [];
    }),
  ];
}

/**
 * What a rule can tell of what a trace was about: its use case is the act of its last writing tool, else of its first; its
 * register the form of the request; the data was there, partly, or not, by what its calls found.
 */
export function aboutByRule(trace: CanonicalTrace): ReadAttribute[] {
  const { calls, turns, request } = trace;
  const at = calls.findLastIndex(({ tool }) => effectByName(tool) === "write");
  const tool = calls[Math.max(at, 0)]?.tool;
  const asked = turns.findIndex(({ role }) => role === "user");
  const found = calls.filter(({ answer_class }) => answer_class === "data").length;
  const empty = calls.findIndex(({ answer_class }) => answer_class === "empty" || answer_class === "error:not_found");
  const condition = empty < 0 ? "present" : found === 0 ? "absent" : "partial";
  return [
    ...(tool === undefined ? [] : [{ field: "use_case", value: shown(actOf(tool)), cite: `calls.${Math.max(at, 0)}` }]),
    ...(request.trim() === ""
      ? []
      : [{ field: "register", value: registerOf(request), cite: `turns.${Math.max(asked, 0)}` }]),
    ...(found === 0 && empty < 0
      ? []
      : [{ field: "data_condition", value: condition, cite: empty < 0 ? "calls" : `calls.${empty}` }]),
  ].filter(({ value }) => value !== "");
}

/** What a tool's name says that it does, in plain words. */
export function actOf(tool: string): string {
  return (tool.split(/[./:]|__/).at(-1) ?? "")
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/[^A-Za-z0-9]+/g, " ")
    .trim()
    .toLowerCase();
}

function bucket(n: number): string {
  return n <= 2 ? String(n) : n <= 4 ? "3-4" : n <= 8 ? "5-8" : n <= 16 ? "9-16" : "17+";
}

function shown(text: string): string {
  return text.trim().slice(0, MOST);
}
