import { z } from "zod";
import { Step } from "../behaviour/schema.ts";

const Name = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/);
const Column = z.string().min(1).max(100);
const Expr = z.string().min(1).max(4000);

/** A table of the proposal's own: its name begins with `p_`, so that it is no other's. */
const ProposedTable = z.object({
  name: z.string().regex(/^p_[a-z0-9_]{1,60}$/),
  key: z.array(Column).min(1).max(4),
  columns: z.array(Column).max(60),
  /** Rows that every session starts with. A column that a row leaves out is not known. */
  start: z.array(z.record(z.string(), z.unknown())).max(500).optional(),
});

/** What a tool does in one kind of call: the first case whose condition holds. Only the last one may have none. */
const ProposedCase = z.object({ when: Expr.optional(), steps: z.array(Step).min(1).max(20) });
export type ProposedCase = z.infer<typeof ProposedCase>;

const ProposedTool = z.object({
  name: z.string().min(1).max(200),
  /** Values that conditions and steps of all cases may name. */
  lets: z
    .array(z.object({ name: Name, expr: Expr }))
    .max(10)
    .optional(),
  cases: z.array(ProposedCase).min(1).max(16),
});
export type ProposedTool = z.infer<typeof ProposedTool>;

/** Proposed programs of some tools over tables of their own; nothing of it counts before it was replayed. */
export const Proposal = z.object({
  v: z.literal(1),
  tables: z.array(ProposedTable).max(30),
  tools: z.array(ProposedTool).min(1).max(100),
});
export type Proposal = z.infer<typeof Proposal>;

/** What is known of a tool's program that stands. */
export const Standing = z.object({
  /** Observed calls that it answers as observed, in how many sessions; none contradicts it. */
  calls: z.number().int(),
  sessions: z.number().int(),
  /** Cases that stand, and that were cut. */
  cases: z.number().int(),
  cut: z.number().int(),
});
export type Standing = z.infer<typeof Standing>;

/** What of a proposal stands in a bundle, and who proposed it. */
export const Proposed = z.object({ by: z.string(), tools: z.record(z.string(), Standing) });
export type Proposed = z.infer<typeof Proposed>;
