import { z } from "zod";
import { recordBase, recordKind } from "../../record.ts";

/** A row of a finding, and what was found of it. */
export const Finding = z.object({ kind: z.string(), table: z.string(), key: z.string(), detail: z.string() });

/** An audit of one draw. The counts are whole; of the findings the first are kept. */
export const EnvironmentAudit = recordKind({
  kind: "environment_audit",
  prefix: "au",
  schema: z.object({
    ...recordBase,
    environment: z.string(),
    bundle: z.string(),
    base_blob: z.string(),
    rows: z.number().int(),
    drawn: z.number().int(),
    /** How many rules the observed rows keep without exception, by kind. */
    rules: z.record(z.string(), z.number().int()),
    counts: z.object({ contradictions: z.number().int(), flags: z.number().int() }),
    contradictions: z.array(Finding),
    flags: z.array(Finding),
  }),
  fields: ["environment"],
});

/** The form that answers of a tool are to have in an environment's worlds. One record a tool. */
export const AnswerShape = recordKind({
  kind: "answer_shape",
  prefix: "as",
  schema: z.object({
    ...recordBase,
    environment: z.string(),
    tool: z.string(),
    /** Every path of a fitting answer with the types it may have; `[]` stands for each element. */
    paths: z.record(z.string(), z.object({ types: z.array(z.string()), always: z.boolean() })),
    examples: z.number().int(),
  }),
  fields: ["environment", "tool"],
});
