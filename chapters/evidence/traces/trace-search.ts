import { LRUCache } from "lru-cache";
import { z } from "zod";
import { digestOf } from "../../../worlds/digest.ts";
import type { Ctx } from "../../context.ts";
import { badField } from "../../errors.ts";
import { DEFAULT_PAGE, everyRow, type Page, type PageInput } from "../../page.ts";
import type { AttributeSelection, FoundTrace, Range, SearchQuery, TraceNumber } from "../../ports/store.ts";
import type { Doc } from "../../record.ts";
import type { Evidence } from "../../records/evidence/evidence.ts";
import type { TraceFilter } from "../../records/evidence/trace-filter.ts";
import { filterWords } from "./filter-traces.ts";
import { queryWords, searchEntry } from "./trace-words.ts";

/** Traces that were found. */
export const FoundTraces = z.object({
  n: z.number().int().describe("How many traces meet it all; where n_is_least, at least so many."),
  n_is_least: z.boolean(),
  searched: z
    .number()
    .int()
    .describe("Traces that could be searched by now. Where it is less than of, the rest is read in: ask again."),
  of: z.number().int(),
  note: z.string().optional().describe("What to do where not all could be searched yet."),
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
  readonly extent: SearchExtent;
}

/** How many traces a record has, and how many of them can be searched by now. */
interface SearchExtent {
  readonly of: number;
  readonly searched: number;
}

/** To count a million traces takes longer than to search them: what is whole stays so while the record is as it is. */
const WHOLE = new LRUCache<string, SearchExtent>({ max: 1000 });

/** Reads traces in that no search read before, as long as one may take, and says how far that came. */
export async function readForSearch(ctx: Ctx, doc: Doc<typeof Evidence>): Promise<SearchExtent> {
  const key = digestOf([ctx.org.id, doc]);
  const known = WHOLE.get(key);
  // A copy of an org has the same records, and none of them is read in: to ask for one entry is quick.
  if (known && (await ctx.store.search.count(doc.id, { words: [] }, 1)) > 0) return known;
  const of = await ctx.store.traces.count(doc.id);
  const extent = { of, searched: await readIn(ctx, doc.id, of) };
  if (extent.searched >= of) WHOLE.set(key, extent);
  return extent;
}

/** The traces of a record that hold every word and meet the filter and the selection, in the order of the record. */
export async function searchTraces(
  ctx: Ctx,
  doc: Doc<typeof Evidence>,
  input: SearchInput,
): Promise<z.infer<typeof FoundTraces>> {
  const { query, n } = await queryOf(ctx, doc, input);
  const { limit, cursor, extent } = input;
  return foundTraces(ctx, doc.id, { n, extent, page: await ctx.store.search.find(doc.id, query, { limit, cursor }) });
}

/** The orders of a list of traces: the latest, slowest or dearest first, or the other way. */
export const TRACE_SORTS = ["newest", "oldest", "slowest", "fastest", "dearest", "cheapest"] as const;
export type TraceSort = (typeof TRACE_SORTS)[number];
const SORTED_BY = {
  newest: { number: "started", first: "most" },
  oldest: { number: "started", first: "least" },
  slowest: { number: "ms", first: "most" },
  fastest: { number: "ms", first: "least" },
  dearest: { number: "cost", first: "most" },
  cheapest: { number: "cost", first: "least" },
} as const satisfies Record<TraceSort, { number: TraceNumber; first: "most" | "least" }>;

/**
 * The same in order of a number, without the traces that do not say it. `sorted` is false where more are found by words or a
 * filter than are sorted at once: they stand in the order of the record then.
 */
export async function sortedTraces(
  ctx: Ctx,
  doc: Doc<typeof Evidence>,
  input: SearchInput & { readonly sort: TraceSort },
): Promise<z.infer<typeof FoundTraces> & { readonly sorted: boolean }> {
  const { query, n } = await queryOf(ctx, doc, input);
  const { limit = DEFAULT_PAGE, cursor, extent } = input;
  const by = SORTED_BY[input.sort];
  const told = async (page: Page<FoundTrace>, sorted = true) => ({
    ...(await foundTraces(ctx, doc.id, { n, extent, page })),
    sorted,
  });
  const { search } = ctx.store;
  if (findsAll(query)) return told(await search.ranked(doc.id, by, { limit, cursor }));
  if (n > COUNTED) return told(await search.find(doc.id, query, { limit, cursor }), false);
  const all: FoundTrace[] = [];
  for await (const trace of everyRow((page) => search.find(doc.id, query, page))) all.push(trace);
  const direction = by.first === "most" ? -1 : 1;
  const ranked = all
    .filter((trace) => numberOf(trace, by.number) !== undefined)
    .sort((x, y) => direction * ((numberOf(x, by.number) ?? 0) - (numberOf(y, by.number) ?? 0)));
  return told(sliced(ranked, limit, cursor));
}

/** Traces that are put in order where nobody asked for one, at most: more take longer than who waits has. */
const ORDERED = 500;

/**
 * The newest first, those that do not say when they started last; `newest` is false where so many are found that they stand
 * in the order of the record.
 */
export async function newestTraces(
  ctx: Ctx,
  doc: Doc<typeof Evidence>,
  input: SearchInput,
): Promise<z.infer<typeof FoundTraces> & { readonly newest: boolean }> {
  const { query, n } = await queryOf(ctx, doc, input);
  const { limit = DEFAULT_PAGE, cursor, extent } = input;
  const { search } = ctx.store;
  const told = async (page: Page<FoundTrace>, newest: boolean) => ({
    ...(await foundTraces(ctx, doc.id, { n, extent, page })),
    newest,
  });
  if (n > ORDERED) {
    return findsAll(query) && (await allDated(ctx, doc, extent))
      ? told(await search.ranked(doc.id, SORTED_BY.newest, { limit, cursor }), true)
      : told(await search.find(doc.id, query, { limit, cursor }), false);
  }
  const all: FoundTrace[] = [];
  for await (const trace of everyRow((page) => search.find(doc.id, query, page))) all.push(trace);
  const last = Number.NEGATIVE_INFINITY;
  const ranked = all.sort((x, y) => {
    const [a, b] = [x.startedAt ?? last, y.startedAt ?? last];
    return a === b ? 0 : b - a;
  });
  return told(sliced(ranked, limit, cursor), true);
}

/** To count the dates of many traces takes longest of a list: where all can be searched they stay as the record is. */
const DATED = new LRUCache<string, boolean>({ max: 1000 });

async function allDated(ctx: Ctx, doc: Doc<typeof Evidence>, { of, searched }: SearchExtent): Promise<boolean> {
  const key = digestOf([ctx.org.id, doc]);
  const known = searched >= of ? DATED.get(key) : undefined;
  if (known !== undefined) return known;
  const all = (await ctx.store.search.count(doc.id, { words: [], started: { min: 0 } }, of)) === of;
  if (searched >= of) DATED.set(key, all);
  return all;
}

/** How many traces of a record meet it, counted up to 10,001. */
export async function countTraces(ctx: Ctx, doc: Doc<typeof Evidence>, input: SearchInput): Promise<number> {
  return (await queryOf(ctx, doc, input)).n;
}

function sliced(ranked: readonly FoundTrace[], limit: number, cursor: string | undefined): Page<FoundTrace> {
  const from = cursor === undefined ? 0 : Number(cursor);
  if (!Number.isInteger(from) || from < 0) throw badField("cursor", "take it from `next` of the page before");
  const items = ranked.slice(from, from + limit);
  return { items, ...(ranked.length > from + limit ? { next: String(from + limit) } : {}) };
}

function findsAll({ words, started, ms, cost, selection }: SearchQuery): boolean {
  return words.length === 0 && [started, ms, cost].every(isOpen) && !selection;
}

function isOpen(range: Range | undefined): boolean {
  return range?.min === undefined && range?.max === undefined;
}

function numberOf({ startedAt, ms, costUsd }: FoundTrace, number: TraceNumber): number | undefined {
  return (number === "started" ? startedAt : number === "ms" ? ms : costUsd) ?? undefined;
}

/** What is searched for, and how many traces that finds, counted up to one more than is told. */
async function queryOf(ctx: Ctx, doc: Doc<typeof Evidence>, input: SearchInput) {
  const { q, filter = {} } = input;
  const asked = q === undefined ? [] : queryWords(q);
  if (q !== undefined && asked.length === 0) throw badField("q", "holds no letter and no digit");
  const query: SearchQuery = {
    words: [...asked, ...(await filterWords(ctx, doc, filter))],
    started: { min: filter.since, max: filter.until },
    ms: { min: filter.min_ms, max: filter.max_ms },
    cost: { min: filter.min_cost_usd, max: filter.max_cost_usd },
    selection: input.selection,
  };
  return { query, n: await ctx.store.search.count(doc.id, query, COUNTED + 1) };
}

interface Found {
  readonly n: number;
  readonly extent: SearchExtent;
  readonly page: Page<FoundTrace>;
}

async function foundTraces(
  ctx: Ctx,
  evidence: string,
  { n, extent: { of, searched }, page }: Found,
): Promise<z.infer<typeof FoundTraces>> {
  const rows = await ctx.store.traces.at(
    evidence,
    page.items.map(({ position }) => position),
  );
  const requests = new Map(rows.map((row) => [row.position, row.trace.request]));
  return {
    n: Math.min(n, COUNTED),
    n_is_least: n > COUNTED,
    searched,
    of,
    ...(searched < of
      ? { note: `Only ${searched} of ${of} traces could be searched so far: ask the same again.` }
      : {}),
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

async function readIn(ctx: Ctx, evidence: string, of: number): Promise<number> {
  const until = performance.now() + READ_IN_MS;
  const { search, traces } = ctx.store;
  let searched = await search.indexed(evidence);
  if (searched >= of) return searched;
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
