import { z } from "zod";
import { count } from "../../fields.ts";
import { recordBase, recordKind } from "../../record.ts";

/** Figures of some traces or calls, each over those alone that carry it. */
export const FigureCell = z.object({
  traces: count,
  calls: count,
  /** Calls that failed. */
  errors: count,
  /** How many took so long: by the whole part of four times the binary logarithm of the milliseconds. */
  ms: z.record(z.string(), count),
  priced: count,
  usd: z.number(),
  /** Traces that tell how many tokens they took. */
  tokened: count,
  input_tokens: z.number(),
  output_tokens: z.number(),
});
export type FigureCell = z.infer<typeof FigureCell>;

/** What figures are told apart by. */
export const FIGURES_BY = ["tool", "model", "version"] as const;
const byName = z.record(z.string(), FigureCell);

/** What the traces that started in one ISO week cost and took. Its id is made of the week. */
export const WeekFigures = recordKind({
  kind: "week_figures",
  prefix: "wf",
  schema: z.object({
    ...recordBase,
    /** An ISO week, or `undated` for traces that tell no time. */
    week: z.string(),
    all: FigureCell,
    tool: byName,
    model: byName,
    version: byName,
  }),
  fields: ["week"],
  copy: { staysBehind: "counted anew from the traces" },
});

/** Which traces are counted in the figures of the weeks. */
export const FigureMark = recordKind({
  kind: "figure_mark",
  prefix: "fgm",
  schema: z.object({
    ...recordBase,
    since: z.number(),
    /** Every week that has figures. */
    weeks: z.array(z.string()),
    read: z.record(z.string(), z.array(z.tuple([count, count]))),
    updated_at: z.number(),
  }),
  copy: { staysBehind: "counted anew from the traces" },
});
