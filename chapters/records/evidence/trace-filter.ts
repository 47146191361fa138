import { z } from "zod";
import { AnswerClass } from "./evidence.ts";

const name = z.string().min(1).max(200);
const amount = z.number().nonnegative();

/** What a trace is narrowed by; all that is named must hold. */
export const TraceFilter = z.strictObject({
  tool: name.optional().describe("It calls this tool."),
  answer_class: AnswerClass.optional().describe("A call of it ended so; with tool, a call of that tool did."),
  agent: name.optional().describe("The id or name of its agent."),
  agent_version: name.optional().describe("Its version label."),
  session: z.string().min(1).max(500).optional().describe("The session it tells, as its source names it."),
  since: z.number().optional().describe("It started then or later, unix seconds."),
  until: z.number().optional().describe("It started then or earlier, unix seconds."),
  min_cost_usd: amount.optional(),
  max_cost_usd: amount.optional(),
  min_ms: amount.optional().describe("It took at least so long, milliseconds."),
  max_ms: amount.optional(),
});
export type TraceFilter = z.infer<typeof TraceFilter>;
