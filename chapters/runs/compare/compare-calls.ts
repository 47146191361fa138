import { z } from "zod";
import type { TrialRow } from "../../records/runs/runs.ts";

const CallSeen = z.object({ tool: z.string(), answer_class: z.string() }).nullable();

/** Where two trials of a task, one of each arm, first made another call. Tools and answer classes only. */
export const CallsDiffer = z.object({
  /** Which try of the task, from 1. */
  n: z.number().int(),
  /** Place of the first call that differs, from 1. */
  at: z.number().int(),
  a: CallSeen,
  b: CallSeen,
  /** What differs: the tool, its arguments, the answer's class, or that one arm made no call there. */
  what: z.enum(["tool", "arguments", "answer", "length"]),
  /** Calls in all, per arm. */
  calls: z.object({ a: z.number().int(), b: z.number().int() }),
});
export type CallsDiffer = z.infer<typeof CallsDiffer>;

/** What is told of a call: never its arguments or its answer. */
export type CallSeen = NonNullable<z.infer<typeof CallSeen>>;

type Call = TrialRow["trial"]["calls"][number];

/** Compares the call sequences of the tries both arms made; tries that called alike are left out. */
export function compareCalls(a: readonly TrialRow[], b: readonly TrialRow[]): CallsDiffer[] {
  const others = new Map(b.map((row) => [row.n, row]));
  const differ: CallsDiffer[] = [];
  for (const row of [...a].sort((x, y) => x.n - y.n)) {
    const other = others.get(row.n);
    const found = other === undefined ? undefined : firstDifference(row.trial.calls, other.trial.calls);
    if (found) differ.push({ n: row.n, ...found });
  }
  return differ;
}

function firstDifference(a: readonly Call[], b: readonly Call[]): Omit<CallsDiffer, "n"> | undefined {
  const calls = { a: a.length, b: b.length };
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const [left, right] = [a[i], b[i]];
    const what = difference(left, right);
    if (what) return { at: i + 1, a: seen(left), b: seen(right), what, calls };
  }
  return undefined;
}

function difference(a: Call | undefined, b: Call | undefined): CallsDiffer["what"] | undefined {
  if (!a || !b) return "length";
  if (a.tool !== b.tool) return "tool";
  if (sorted(a.args) !== sorted(b.args)) return "arguments";
  return a.answer_class === b.answer_class ? undefined : "answer";
}

function sorted(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([x], [y]) => (x < y ? -1 : 1)))
      : inner,
  );
}

function seen(call: Call | undefined): CallSeen | null {
  return call ? { tool: call.tool, answer_class: call.answer_class } : null;
}
