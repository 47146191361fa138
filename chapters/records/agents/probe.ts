import { z } from "zod";
import { recordBase, recordKind } from "../../record.ts";
import { FinalAnswerClass } from "../evidence/evidence.ts";
import { EndCause, RootCause, TrialEnd } from "../runs/runs.ts";

/** A tool with how often it was called, and how many of those calls were errors. */
export const ToolUse = z.object({ tool: z.string(), calls: z.number().int(), errors: z.number().int() });
export type ToolUse = z.infer<typeof ToolUse>;

/** The form of an answer; none of its words. */
export const AnswerForm = z.object({
  form: z.enum(["none", "text", "markdown", "json"]),
  chars: z.number().int(),
  lines: z.number().int(),
  /** Whether the agent said its own class. */
  class_given: z.boolean(),
  class: FinalAnswerClass,
});
export type AnswerForm = z.infer<typeof AnswerForm>;

/** What came of asking a version one task of the built-in household: by `probe` its form alone, by `smoke` graded too. */
export const AgentProbe = recordKind({
  kind: "agent_probe",
  prefix: "apr",
  schema: z.object({
    ...recordBase,
    agent: z.string(),
    version: z.string(),
    act: z.enum(["probe", "smoke"]),
    /** The household's task. */
    task: z.string(),
    /** Whether it answered every turn in the contract's form. */
    answered: z.boolean(),
    /** Whether it reached the world's MCP endpoint. */
    connected: z.boolean(),
    /** Whether it ended by itself before its time was up. */
    in_time: z.boolean(),
    cause: EndCause.nullable(),
    /** Milliseconds from its start to its end. */
    ms: z.number(),
    tools: z.array(ToolUse),
    answer: AnswerForm,
    /** Set by `smoke`. */
    graded: z
      .object({
        end: TrialEnd,
        root_cause: RootCause.nullable(),
        checks: z.array(z.object({ kind: z.string(), verdict: z.enum(["met", "not_met", "not_decided"]) })),
      })
      .optional(),
    tier: z.literal("deterministic"),
  }),
  fields: ["agent", "version", "act"],
});
