import type { Ctx } from "../../context.ts";
import type { SearchQuery } from "../../ports/store.ts";
import type { Doc } from "../../record.ts";
import { Agent } from "../../records/agents/agents.ts";
import type { CanonicalTrace, Evidence } from "../../records/evidence/evidence.ts";
import type { TraceFilter } from "../../records/evidence/trace-filter.ts";
import { durationOf, facetWord, facetWords } from "./trace-words.ts";

/** The words that stand for a filter. Whose the traces are, their record says, else each says itself. */
export async function filterWords(
  ctx: Ctx,
  doc: Doc<typeof Evidence>,
  filter: TraceFilter,
): Promise<SearchQuery["words"]> {
  const { tool, answer_class, agent, agent_version, session } = filter;
  const own = doc.agent === undefined ? undefined : await ctx.store.records.get(Agent, doc.agent);
  const words = [
    ...(tool !== undefined && answer_class !== undefined
      ? [facetWord("call", tool, answer_class)]
      : [
          ...(tool === undefined ? [] : [facetWord("tool", tool)]),
          ...(answer_class === undefined ? [] : [facetWord("class", answer_class)]),
        ]),
    ...(session === undefined ? [] : [facetWord("session", session)]),
    ...(agent === undefined || agent === doc.agent || agent === own?.name ? [] : [facetWord("agent", agent)]),
    ...(agent_version === undefined || agent_version === doc.agent_version
      ? []
      : [facetWord("version", agent_version)]),
  ];
  return words.map((word) => ({ word, prefix: false }));
}

/** Whether a trace of a record meets a filter, as a search for it would find it. */
export async function traceMeets(
  ctx: Ctx,
  doc: Doc<typeof Evidence>,
  filter: TraceFilter,
): Promise<(trace: CanonicalTrace) => boolean> {
  const words = await filterWords(ctx, doc, filter);
  const within = (value: number | undefined, min: number | undefined, max: number | undefined) =>
    (min === undefined && max === undefined) ||
    (value !== undefined && value >= (min ?? Number.NEGATIVE_INFINITY) && value <= (max ?? Number.POSITIVE_INFINITY));
  return (trace) => {
    const own = facetWords(trace);
    return (
      words.every(({ word }) => own.has(word)) &&
      within(trace.started_at, filter.since, filter.until) &&
      within(durationOf(trace), filter.min_ms, filter.max_ms) &&
      within(trace.cost_usd, filter.min_cost_usd, filter.max_cost_usd)
    );
  };
}
