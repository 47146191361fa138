import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { everyRow } from "../../page.ts";

/** How often a tool was called in the traces of a record, and how its calls ended. */
export const ToolUse = z.object({
  tool: z.string(),
  calls: z.number().int(),
  traces: z.number().int().describe("Traces that call it."),
  errors: z.number().int().describe("Calls that ended in an error."),
  refused: z.number().int().describe("Calls that the system refused."),
});
export type ToolUse = z.infer<typeof ToolUse>;

const READ_AT_ONCE = 64;
/** Traces that one answer reads unless fewer are asked for: beyond them the counts are of the first so many. */
const MOST_TRACES = 2_000;

/** The tools that a record's first traces call, the most called first, and of how many of its traces they were counted. */
export async function toolUse(
  ctx: Ctx,
  evidence: string,
  most = MOST_TRACES,
): Promise<{ tools: ToolUse[]; tools_of: number }> {
  const positions: number[] = [];
  for await (const head of everyRow((page) => ctx.store.traces.heads(evidence, page))) {
    positions.push(head.position);
    if (positions.length >= most) break;
  }
  const uses = new Map<string, ToolUse>();
  for (let from = 0; from < positions.length; from += READ_AT_ONCE) {
    ctx.signal.throwIfAborted();
    for (const { trace } of await ctx.store.traces.at(evidence, positions.slice(from, from + READ_AT_ONCE))) {
      const seen = new Set<string>();
      for (const { tool, is_error: failed, answer_class: end } of trace.calls) {
        const use = uses.get(tool) ?? { tool, calls: 0, traces: 0, errors: 0, refused: 0 };
        uses.set(tool, use);
        use.calls++;
        if (!seen.has(tool)) use.traces++;
        seen.add(tool);
        if (end === "refused") use.refused++;
        else if (failed || end.startsWith("error:")) use.errors++;
      }
    }
  }
  const tools = [...uses.values()].sort((a, b) => b.calls - a.calls || (a.tool < b.tool ? -1 : 1));
  return { tools, tools_of: positions.length };
}
