import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { countOf } from "../../count-of.ts";
import { count } from "../../fields.ts";
import { FIGURES_BY, type FigureCell, FigureMark, WeekFigures } from "../../records/evidence/figure.ts";
import { wilson } from "../../statistics/wilson.ts";
import { countFigures, FIGURE_MARK, msAt, sumOf, UNDATED, weekId } from "./figures.ts";

/** Figures under one name. What no trace of it carried is absent. */
export const FigureRow = z.object({
  name: z.string(),
  traces: count,
  calls: count,
  error_rate: z
    .object({ failed: count, share: z.number(), low: z.number(), high: z.number() })
    .optional()
    .describe("Calls that failed, of its calls, with the 95 % interval (Wilson)."),
  ms: z
    .object({ p50: count, p95: count, of: count })
    .optional()
    .describe("Milliseconds that half and 95 % took at most, within 10 %: of calls for a tool, else of whole traces."),
  usd: z.object({ sum: z.number(), of: count }).optional().describe("What traces say they cost, US dollars."),
  tokens: z.object({ input: z.number(), output: z.number(), of: count }).optional(),
});
export type FigureRow = z.infer<typeof FigureRow>;

/** What production traces cost and took, by week, tool, model and version. */
export const Figures = z.object({
  weeks: z.array(FigureRow).describe("The newest eight ISO weeks that have traces, newest first, then `undated`."),
  by_tool: z.array(FigureRow).describe("Of these weeks, most calls or traces first; so are the next two."),
  by_model: z.array(FigureRow),
  by_version: z.array(FigureRow),
  whole: z.boolean().describe("Whether every trace is counted by now; where not, ask again."),
  tier: z.literal("deterministic"),
});
export type Figures = z.infer<typeof Figures>;

const WEEKS = 8;
const SHOWN = 20;
/** How long one answer may count traces that came since the last pass, milliseconds. */
const COUNTING = 250;

/** The figures of the newest weeks; undefined where no trace was counted. */
export async function readFigures(ctx: Ctx): Promise<Figures | undefined> {
  const whole = await countFigures(ctx, COUNTING);
  const mark = await ctx.store.records.get(FigureMark, FIGURE_MARK);
  const named = [...(mark?.weeks ?? [])].sort().reverse();
  const newest = named.filter((week) => week !== UNDATED).slice(0, WEEKS);
  const shown = [...newest, ...named.filter((week) => week === UNDATED)];
  const docs = await ctx.store.records.getMany(WeekFigures, shown.map(weekId));
  if (docs.length === 0) return undefined;
  const weeks = docs
    .sort((a, b) => shown.indexOf(a.week) - shown.indexOf(b.week))
    .map(({ week, all }) => rowOf(week, all));
  const [by_tool, by_model, by_version] = FIGURES_BY.map((by) => {
    const cells = new Map<string, FigureCell>();
    for (const doc of docs)
      for (const [name, cell] of Object.entries(doc[by])) {
        const known = cells.get(name);
        cells.set(name, known ? sumOf(known, cell) : cell);
      }
    const size = (cell: FigureCell) => (by === "tool" ? cell.calls : cell.traces);
    const sorted = [...cells].sort(([a, x], [b, y]) => size(y) - size(x) || (a < b ? -1 : 1));
    return sorted.slice(0, SHOWN).map(([name, cell]) => rowOf(name, cell));
  }) as [FigureRow[], FigureRow[], FigureRow[]];
  return { weeks, by_tool, by_model, by_version, whole, tier: "deterministic" };
}

function rowOf(name: string, cell: FigureCell): FigureRow {
  const { traces, calls, errors, priced, usd, tokened } = cell;
  const [p50, p95] = [msAt(cell, 0.5), msAt(cell, 0.95)];
  return {
    name,
    traces,
    calls,
    ...(calls === 0 ? {} : { error_rate: { failed: errors, share: errors / calls, ...wilson(errors, calls) } }),
    ...(p50 === undefined || p95 === undefined
      ? {}
      : { ms: { p50, p95, of: Object.values(cell.ms).reduce((sum, n) => sum + n, 0) } }),
    ...(priced === 0 ? {} : { usd: { sum: usd, of: priced } }),
    ...(tokened === 0 ? {} : { tokens: { input: cell.input_tokens, output: cell.output_tokens, of: tokened } }),
  };
}

/** The columns that figures are told in, after the name. */
export const FIGURE_COLUMNS = ["traces", "calls", "failed calls", "half took", "95 % took", "cost", "tokens in, out"];

/** A row in words, a cell a column; what was not measured is empty. */
export function figureCells({ traces, calls, error_rate, ms, usd, tokens }: FigureRow): string[] {
  const percent = (share: number) => `${Math.round(share * 1000) / 10} %`;
  const time = (value: number) => (value < 1000 ? `${value} ms` : `${(value / 1000).toPrecision(3)} s`);
  const of = (n: number) => (n === traces ? "" : ` (${countOf(n, "trace")})`);
  return [
    String(traces),
    String(calls),
    error_rate === undefined
      ? ""
      : `${percent(error_rate.share)} (${percent(error_rate.low)} to ${percent(error_rate.high)})`,
    ms === undefined ? "" : time(ms.p50),
    ms === undefined ? "" : time(ms.p95),
    usd === undefined ? "" : `$${usd.sum.toFixed(usd.sum < 1 ? 4 : 2)}${of(usd.of)}`,
    tokens === undefined ? "" : `${tokens.input}, ${tokens.output}${of(tokens.of)}`,
  ];
}

/** The tables of figures that hold something, each with what its first column names. */
export function figureTables({ weeks, by_tool, by_model, by_version }: Figures) {
  return [
    { by: "week", rows: weeks },
    { by: "tool", rows: by_tool },
    { by: "model", rows: by_model },
    { by: "version", rows: by_version },
  ].filter(({ rows }) => rows.length > 0);
}
