import { z } from "zod";

const ByKind = z.record(z.string(), z.array(z.string()));

/**
 * What was heard in which context. `keys` holds hashes of context and question, 14 characters each, in order; `values`
 * says of each which answer it has (a fourth of it, rounded down) and how well it is borne out (the rest). Generated
 * ids in answers stand under their names.
 */
export const HistoryModel = z.object({
  v: z.literal(1),
  /** Kinds of calls that may have an effect: a tool, with `!` behind it for its refusals. */
  effective: z.array(z.string()),
  /** By kind, tools whose answers were seen to change across it; those that change whatever they name; those that stayed. */
  moves: ByKind,
  reaches: ByKind,
  leaves: ByKind,
  /** Parts of answers that the system makes up, as tool and path: ids, and readings of a clock. */
  generated: z.array(z.string()),
  clocks: z.array(z.string()),
  one_start: z.boolean(),
  /** Hashes of the tasks that sessions had. */
  tasks: z.string(),
  answers: z.array(
    z.object({
      tool: z.string(),
      value: z.unknown(),
      is_error: z.boolean(),
      answer_class: z.string(),
      /** Ids that it showed first, as they were generated. */
      fresh: z.array(z.union([z.string(), z.number()])).optional(),
    }),
  ),
  /** By tool, the contexts in which anything was kept. */
  contexts: ByKind,
  keys: z.string(),
  values: z.array(z.number().int()),
});
export type HistoryModel = z.infer<typeof HistoryModel>;

/** Confidence by cell: who answers, for which tool, in which case. */
const Cells = z.record(z.string(), z.number());

/**
 * How far each way to answer is trusted, estimated out of fold: where sessions had the task, and where none had. What
 * is below `least` is not answered. A cell that is not named has the confidence of the nearest wider one.
 */
export const TrustModel = z.object({
  known: z.object({ cells: Cells, least: z.number() }),
  unknown: z.object({ cells: Cells, least: z.number() }),
});
export type TrustModel = z.infer<typeof TrustModel>;
