import { z } from "zod";
import { type AnyOperation, Count } from "./operation.ts";

/** The schema of a shaped tool's structured answer: the verdict first, then the counts, then the route's own answer. */
export function shapedOutput(output: z.ZodType) {
  return z.object({
    verdict: z.string(),
    counts: z.array(Count),
    next: z.string().optional(),
    status: z.number().int(),
    body: output,
  });
}

/** A shaped tool's answer: the verdict line, each number with how it was graded, what to call next, and the route's own answer. */
export type ShapedAnswer = z.infer<ReturnType<typeof shapedOutput>>;

/** Shapes an answer: structure for programs, and the same as text with the verdict on the first line. */
export function shape(op: AnyOperation, status: number, body: unknown): { structured: ShapedAnswer; text: string } {
  if (!op.shape) throw new Error(`${op.name} is not shaped`);
  const verdict = op.shape.verdict(body);
  const counts = [...op.shape.counts(body)];
  const next = op.shape.next?.(body);
  const lines = [...headLines(verdict, counts, next), "", JSON.stringify(body)];
  return {
    structured: { verdict, counts, ...(next === undefined ? {} : { next }), status, body },
    text: lines.join("\n"),
  };
}

/** The lines that a shaped answer begins with: the verdict, each count, what to call next. */
export function headLines(verdict: string, counts: readonly Count[], next: string | undefined): string[] {
  return [verdict, ...counts.map(countLine), ...(next === undefined ? [] : [`Next: ${next}`])];
}

/** A count as a line: `met: 7 of 10 (deterministic: checks on stored calls)`. */
export function countLine(count: Count): string {
  const of = count.of === undefined ? "" : ` of ${count.of}`;
  return `${count.name}: ${count.value}${of} (${count.tier}: ${count.how})`;
}
