import { and, eq, gte, lte, sql } from "../drizzle.ts";
import { traceSpans } from "../schema.ts";
import { build, byShape, one, type Program, statement, type Values, value } from "../statement.ts";

/** Bounds of numbers that a search asks for; what they are stands in the values as `started_min`, `cost_max` and so on. */
export type Ranges = readonly (readonly [NumberName, "min" | "max"])[];
export type NumberName = "started" | "ms" | "cost";

/** Positions of a chunk of trace_spans. The migrations of both engines have the same number. */
const CHUNK = 4096;

const LEAST = { started: traceSpans.started_min, ms: traceSpans.ms_min, cost: traceSpans.cost_min } as const;
const MOST = { started: traceSpans.started_max, ms: traceSpans.ms_max, cost: traceSpans.cost_max } as const;

const chunksOf = byShape((ranges: Ranges) =>
  statement(
    build
      .select({
        first: sql<number | null>`min(${traceSpans.chunk})`.as("first"),
        last: sql<number | null>`max(${traceSpans.chunk})`.as("last"),
      })
      .from(traceSpans)
      .where(
        and(
          eq(traceSpans.org, value("org")),
          eq(traceSpans.evidence, value("evidence")),
          gte(traceSpans.chunk, value("chunk")),
          ...ranges.map(([name, end]) =>
            end === "min" ? gte(MOST[name], value(`${name}_min`)) : lte(LEAST[name], value(`${name}_max`)),
          ),
        ),
      ),
  ),
);

/** The positions after one that traces in the ranges may have: from the first on, and before `until`. None where they are equal. */
export function* positionsOf(
  ranges: Ranges,
  values: Values,
  after: number,
): Program<{ readonly from: number; readonly until: number }> {
  const { first, last } = (yield* one(chunksOf(ranges), { ...values, chunk: Math.floor((after + 1) / CHUNK) })) ?? {};
  if (first == null || last == null) return { from: 0, until: 0 };
  return { from: first * CHUNK, until: (last + 1) * CHUNK };
}
