import type { z } from "zod";
import { badField } from "../../../chapters/errors.ts";
import { traceEvidence } from "../../../chapters/evidence/attributes/attributes.ts";
import {
  countTraces,
  type FoundTraces,
  newestTraces,
  readForSearch,
  searchTraces,
  sortedTraces,
  type TraceSort,
} from "../../../chapters/evidence/traces/trace-search.ts";
import type { Doc } from "../../../chapters/record.ts";
import type { CanonicalTrace, Evidence } from "../../../chapters/records/evidence/evidence.ts";
import { Label, labelId } from "../../../chapters/records/evidence/label.ts";
import type { TraceFilter } from "../../../chapters/records/evidence/trace-filter.ts";
import type { Visit } from "../visit.ts";

/** Traces on one page. */
const PAGE = 50;
/** Uploads, and traces of one, that one page of several looks through. */
const UPLOADS = 25;
const LOOKED_AT = 500;

/** What people said of a trace, as lists are narrowed by it. */
export const LABELS = ["wrong", "right", "none"] as const;
export type TraceLabel = (typeof LABELS)[number];

/** Which traces are listed, and in which order. */
export interface TraceQuery {
  readonly filter: TraceFilter;
  readonly q: string | undefined;
  readonly sort: TraceSort | undefined;
  /** As they were sent, where they are not sorted. */
  readonly sent?: boolean;
  readonly label: TraceLabel | undefined;
  readonly cursor: string | undefined;
}

type Found = z.infer<typeof FoundTraces>;

/** A listed trace with its upload, what is stored of it, and its label. */
export interface ListedTrace {
  readonly eid: string;
  readonly row: Found["traces"][number];
  readonly stored: CanonicalTrace | undefined;
  readonly label: "right" | "wrong" | undefined;
}

/** One page of a list of traces. */
export interface TraceList {
  readonly traces: readonly ListedTrace[];
  readonly next: string | undefined;
  /** How far what is listed could be searched, and whether it is in order. */
  readonly searched: number;
  readonly of: number;
  readonly sorted: boolean;
  /** Whether each upload's traces stand the newest first, where no order was asked for. */
  readonly newest: boolean;
  /** How many fit, where they were counted. */
  readonly n: number | undefined;
  readonly n_is_least: boolean;
}

interface Labelled {
  readonly eid: string;
  readonly row: Found["traces"][number];
  readonly label: "right" | "wrong" | undefined;
}

/** The traces of these uploads that fit: of one the newest first or sorted, of several the newest upload's first, or merged. */
export async function listTraces(
  visit: Visit,
  uploads: readonly Doc<typeof Evidence>[],
  query: TraceQuery,
): Promise<TraceList> {
  const [only, ...others] = uploads;
  if (only !== undefined && others.length === 0 && query.label === undefined) {
    const found = await find(visit, only.id, query, { cursor: query.cursor, limit: PAGE });
    const labelled = await withLabels(visit, only.id, found.traces);
    return { ...found, next: found.next, traces: await withBodies(visit, labelled) };
  }
  const { labelled, next, searched, of, sorted, newest } = await (query.sort === undefined ? walked : merged)(
    visit,
    uploads,
    query,
  );
  return {
    traces: await withBodies(visit, labelled),
    next,
    searched,
    of,
    sorted,
    newest,
    n: undefined,
    n_is_least: false,
  };
}

interface Several extends Pick<TraceList, "next" | "searched" | "of" | "sorted" | "newest"> {
  readonly labelled: readonly Labelled[];
}

/** Upload after upload until the page is full; `next` names the upload and the place in it. */
async function walked(visit: Visit, uploads: readonly Doc<typeof Evidence>[], query: TraceQuery): Promise<Several> {
  const [, from, inside] = /^([^~]+)~(.*)$/.exec(query.cursor ?? "") ?? [];
  let at = from === undefined ? 0 : uploads.findIndex(({ id }) => id === from);
  if (at < 0 || (query.cursor !== undefined && from === undefined))
    throw badField("cursor", "take it from `next` of the page before");
  let cursor = inside || undefined;
  const labelled: Labelled[] = [];
  let [searched, of, looked, newest] = [0, 0, 0, true];
  const last = at + UPLOADS;
  while (at < uploads.length && at < last && labelled.length < PAGE && looked < LOOKED_AT) {
    const { id } = uploads[at] as Doc<typeof Evidence>;
    const found = await find(visit, id, query, { cursor, limit: PAGE - labelled.length });
    labelled.push(...fitting(await withLabels(visit, id, found.traces), query));
    looked += found.traces.length;
    newest &&= found.newest;
    cursor = found.next;
    if (cursor !== undefined) continue;
    at += 1;
    searched += found.searched;
    of += found.of;
  }
  const { id } = uploads[at] ?? {};
  return { labelled, next: id && `${id}~${cursor ?? ""}`, searched, of, sorted: true, newest };
}

/** The first of each upload by a number, put together in its order. */
async function merged(visit: Visit, uploads: readonly Doc<typeof Evidence>[], query: TraceQuery): Promise<Several> {
  const from = query.cursor === undefined ? 0 : Number(query.cursor);
  if (!Number.isInteger(from) || from < 0 || from > LOOKED_AT)
    throw badField("cursor", "take it from `next` of the page before");
  const limit = query.label === undefined ? from + PAGE + 1 : LOOKED_AT;
  const all: Labelled[] = [];
  let [searched, of, sorted] = [0, 0, true];
  for (const { id } of uploads.slice(0, UPLOADS)) {
    const found = await find(visit, id, query, { limit });
    all.push(...fitting(await withLabels(visit, id, found.traces), query));
    searched += found.searched;
    of += found.of;
    sorted &&= found.sorted;
  }
  const [number, direction] = ORDERS[query.sort ?? "newest"];
  const ranked = all
    .filter(({ row }) => row[number] !== null)
    .sort((x, y) => direction * ((x.row[number] ?? 0) - (y.row[number] ?? 0)));
  const more = ranked.length > from + PAGE && from + PAGE <= LOOKED_AT;
  return {
    labelled: ranked.slice(from, from + PAGE),
    next: more ? String(from + PAGE) : undefined,
    searched,
    of,
    sorted,
    newest: false,
  };
}

/** How many traces of these uploads fit, and whether it may be more: labels are not counted by. */
export async function countOfTraces(
  { ctx }: Visit,
  uploads: readonly Doc<typeof Evidence>[],
  { filter, q }: TraceQuery,
): Promise<{ readonly n: number; readonly least: boolean }> {
  let [n, least] = [0, uploads.length > UPLOADS];
  for (const { id } of uploads.slice(0, UPLOADS)) {
    const doc = await traceEvidence(ctx, id);
    const found = await countTraces(ctx, doc, { q, filter, extent: await readForSearch(ctx, doc) });
    n += Math.min(found, COUNTED);
    least ||= found > COUNTED;
  }
  return { n, least };
}

const COUNTED = 10_000;

const ORDERS = {
  newest: ["started_at", -1],
  oldest: ["started_at", 1],
  slowest: ["ms", -1],
  fastest: ["ms", 1],
  dearest: ["cost_usd", -1],
  cheapest: ["cost_usd", 1],
} as const satisfies Record<TraceSort, readonly [keyof Found["traces"][number], 1 | -1]>;

function fitting(labelled: readonly Labelled[], { label }: TraceQuery): readonly Labelled[] {
  return label === undefined ? labelled : labelled.filter((each) => (each.label ?? "none") === label);
}

async function withLabels({ ctx }: Visit, eid: string, rows: Found["traces"]): Promise<Labelled[]> {
  const docs = await ctx.store.records.getMany(
    Label,
    rows.map(({ id }) => labelId(id)),
  );
  const known = new Map(
    docs.map(({ trace, polarity }) => [trace, polarity === "positive" ? "right" : "wrong"] as const),
  );
  return rows.map((row) => ({ eid, row, label: known.get(row.id) }));
}

async function withBodies({ ctx }: Visit, labelled: readonly Labelled[]): Promise<ListedTrace[]> {
  const bodies = new Map<string, CanonicalTrace>();
  for (const [eid, of] of Map.groupBy(labelled, (each) => each.eid))
    for (const { id, trace } of await ctx.store.traces.at(
      eid,
      of.map(({ row }) => row.position),
    ))
      bodies.set(id, trace);
  return labelled.map((each) => ({ ...each, stored: bodies.get(each.row.id) }));
}

/** The traces of one upload that fit, the newest first, as they were sent or in another order. */
async function find(
  { ctx }: Visit,
  eid: string,
  { filter, q, sort, sent }: TraceQuery,
  page: { readonly cursor?: string | undefined; readonly limit: number },
): Promise<Found & { readonly sorted: boolean; readonly newest: boolean }> {
  const doc = await traceEvidence(ctx, eid);
  const input = { q, filter, ...page, extent: await readForSearch(ctx, doc) };
  if (sort === undefined && sent) return { ...(await searchTraces(ctx, doc, input)), sorted: true, newest: false };
  return sort === undefined
    ? { ...(await newestTraces(ctx, doc, input)), sorted: true }
    : { ...(await sortedTraces(ctx, doc, { ...input, sort })), newest: false };
}
