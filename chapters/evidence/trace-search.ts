import { z } from "zod";
import type { AttributeSelection, SearchQuery } from "../../store/port.ts";
import { Agent } from "../agents/schema.ts";
import type { Ctx } from "../context.ts";
import { badField } from "../errors.ts";
import type { PageInput } from "../page.ts";
import type { Doc } from "../record.ts";
import { AnswerClass, type Evidence } from "./schema.ts";
import { askedWords, facetWord, searchEntry } from "./trace-words.ts";

const name = z.string().min(1).max(200);
const amount = z.number().nonnegative();

/** What a trace is narrowed by; all that is named must hold. */
export const TraceFilter = z.strictObject({
  tool: name.optional().describe("It calls this tool."),
  answer_class: AnswerClass.optional().describe("A call of it ended so; with tool, a call of that tool did."),
  agent: name.optional().describe("The id or name of its agent."),
  agent_version: name.optional(),
  session: z.string().min(1).max(500).optional().describe("The session it tells, as its source names it."),
  since: z.number().optional().describe("It started then or later, unix seconds."),
  until: z.number().optional().describe("It started then or earlier, unix seconds."),
  min_cost_usd: amount.optional(),
  max_cost_usd: amount.optional(),
  min_ms: amount.optional().describe("It took at least so long, milliseconds."),
  max_ms: amount.optional(),
});
export type TraceFilter = z.infer<typeof TraceFilter>;

/** Traces that were found. */
export const FoundTraces = z.object({
  n: z.number().int().describe("How many traces meet it all; where n_is_least, at least so many."),
  n_is_least: z.boolean(),
  searched: z
    .number()
    .int()
    .describe("Traces that could be searched by now. Where it is less than of, the rest is read in: ask again."),
  of: z.number().int(),
  traces: z.array(
    z.object({
      id: z.string().describe("Read it with evidence_get and its trace."),
      position: z.number().int(),
      session: z.string(),
      started_at: z.number().nullable(),
      calls: z.number().int(),
      ms: z.number().nullable().describe("From its first to its last time, else what its calls took together."),
      cost_usd: z.number().nullable(),
      request: z.string().describe("Its first 300 characters."),
    }),
  ),
  next: z.string().optional(),
});

/** How long one search may read traces in that were not searched before. */
const READ_IN_MS = 2000;
const READ_AT_ONCE = 64;
const COUNTED = 10_000;
const SHOWN = 300;

interface SearchInput extends PageInput {
  readonly q?: string | undefined;
  readonly filter?: TraceFilter | undefined;
  readonly selection?: AttributeSelection | undefined;
}

/** The traces of a record that hold every word and meet the filter and the selection, in the order of the record. */
export async function searchTraces(
  ctx: Ctx,
  doc: Doc<typeof Evidence>,
  input: SearchInput,
): Promise<z.infer<typeof FoundTraces>> {
  const { q, filter = {}, limit, cursor } = input;
  const asked = q === undefined ? [] : askedWords(q);
  if (q !== undefined && asked.length === 0) throw badField("q", "holds no letter and no digit");
  const searched = await readIn(ctx, doc.id);
  const of = await ctx.store.traces.count(doc.id);
  const query: SearchQuery = {
    words: [...asked, ...(await facets(ctx, doc, filter))],
    started: { min: filter.since, max: filter.until },
    ms: { min: filter.min_ms, max: filter.max_ms },
    cost: { min: filter.min_cost_usd, max: filter.max_cost_usd },
    selection: input.selection,
  };
  const n = await ctx.store.search.count(doc.id, query, COUNTED + 1);
  const page = await ctx.store.search.find(doc.id, query, { limit, cursor });
  const rows = await ctx.store.traces.at(
    doc.id,
    page.items.map(({ position }) => position),
  );
  const requests = new Map(rows.map((row) => [row.position, row.trace.request]));
  return {
    n: Math.min(n, COUNTED),
    n_is_least: n > COUNTED,
    searched,
    of,
    traces: page.items.map(({ id, position, session, startedAt, calls, ms, costUsd }) => ({
      id,
      position,
      session,
      started_at: startedAt ?? null,
      calls,
      ms,
      cost_usd: costUsd,
      request: (requests.get(position) ?? "").slice(0, SHOWN),
    })),
    ...(page.next === undefined ? {} : { next: page.next }),
  };
}

/** Reads traces in that no search read before, as long as one may take; answers how many can be searched. */
async function readIn(ctx: Ctx, evidence: string): Promise<number> {
  const until = performance.now() + READ_IN_MS;
  const { search, traces } = ctx.store;
  let searched = await search.indexed(evidence);
  if (searched >= (await traces.count(evidence))) return searched;
  for (let from = 0; performance.now() < until; ) {
    ctx.signal.throwIfAborted();
    const missing = await search.missing(evidence, from, READ_AT_ONCE);
    const last = missing.at(-1);
    if (last === undefined) break;
    const rows = await traces.at(evidence, missing);
    await search.add(
      evidence,
      rows.map(({ position, trace }) => searchEntry(position, trace)),
    );
    from = last + 1;
  }
  searched = await search.indexed(evidence);
  return searched;
}

/** The words that stand for a filter. Whose the traces are, their record says, else each says itself. */
async function facets(ctx: Ctx, doc: Doc<typeof Evidence>, filter: TraceFilter): Promise<SearchQuery["words"]> {
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
