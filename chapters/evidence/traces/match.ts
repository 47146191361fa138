import { setImmediate } from "node:timers/promises";
import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { badField } from "../../errors.ts";
import { count, words } from "../../fields.ts";
import { pageInput } from "../../page.ts";
import type { AttributeCount, ValuePositions } from "../../ports/store.ts";
import { AttributeField, AttributeSelection } from "../../records/evidence/attribute.ts";
import { TraceFilter } from "../../records/evidence/trace-filter.ts";
import { Tier, weakestTier } from "../../tier.ts";
import { fieldCounts, lengthOf, summaryOf, traceEvidence } from "../attributes/attributes.ts";
import { eid } from "../fields.ts";
import { readForSearch, searchTraces } from "./trace-search.ts";

/** A world plan is minted from no fewer traces. */
export const MIN_TRACES = 5;
/** A field that fewer of the traces have says of most of them nothing: it narrows nothing. */
const FILLED_SHARE = 0.5;
/** Values shown of a field, the most frequent first. */
const VALUES_SHOWN = 100;

/** What `evidence_match` takes. */
export const MatchInput = z.object({
  eid,
  selection: AttributeSelection.optional().describe("Values by field; everything when absent."),
  fields: z
    .array(AttributeField)
    .min(1)
    .max(50)
    .optional()
    .describe("Fields to count next values of; all when absent."),
  q: words(500).optional().describe("Words to look for, all of them; `refund*` stands for all that begin so."),
  filter: TraceFilter.optional().describe("Which traces to list; with q both must hold, and the selection."),
  ...pageInput,
});
export type MatchInput = z.output<typeof MatchInput>;

/**
 * How many traces a selection leaves (any of a field's values, on every field), and what each next value would leave: a
 * field that is not selected yet narrows, another value of one that is widens. Fields that half of the traces lack are not
 * counted; the answer says which selection was. With `q`, `filter` or `fields` only the fields that the selection or `fields`
 * name are counted: neither a page of traces nor one field waits for the counts of all.
 */
export async function matchEvidence(ctx: Ctx, input: MatchInput) {
  const doc = await traceEvidence(ctx, input.eid);
  const { id } = doc;
  const selection = input.selection ?? {};
  const searches = input.q !== undefined || input.filter !== undefined;
  const fields = input.fields ?? (searches ? [] : undefined);
  const named = searches || fields !== undefined ? new Set([...Object.keys(selection), ...(fields ?? [])]) : undefined;
  const extent = searches ? await readForSearch(ctx, doc) : undefined;
  const placed = Object.keys(selection).length === 0 ? undefined : await placedValues(ctx, id, selection, fields);
  const { traces, counts, unfilterable } = await filterable(ctx, id, placed, { named, of: extent?.of });
  for (const field of Object.keys(selection)) known(counts, field, `selection.${field}`);
  input.fields?.forEach((field, i) => {
    known(counts, field, `fields.${i}`);
  });
  const apart = new Set(unfilterable.map(({ field }) => field));
  const counted = Object.fromEntries(Object.entries(selection).filter(([field]) => !apart.has(field)));
  const asked = input.fields ?? [...counts.keys()].filter((field) => !apart.has(field));
  const { matched, left } = narrowed(counted, placed, { traces, counts });
  const per_field = asked.map((field) => {
    const all = counts.get(field) ?? [];
    return { ...summaryOf(field, all, traces), ...nextValues(all, left(field), counted[field] ?? [], matched) };
  });
  const { q, filter, limit, cursor } = input;
  if (!searches && (limit ?? cursor) !== undefined)
    throw badField(limit === undefined ? "cursor" : "limit", "pages what q or filter finds; name one of them");
  return {
    id,
    ...(extent === undefined
      ? {}
      : { found: await searchTraces(ctx, doc, { q, filter, limit, cursor, selection: counted, extent }) }),
    corpus_n: traces,
    matched_n: matched,
    min_traces: MIN_TRACES,
    enough: matched >= MIN_TRACES,
    counted_selection: counted,
    unfilterable,
    per_field,
    tier:
      weakestTier(Object.keys(counted).flatMap((field) => (counts.get(field) ?? []).map(({ tier }) => tier))) ??
      "deterministic",
  };
}

/** How many traces have a value. */
type ValueCount = Pick<AttributeCount, "value" | "n">;

/** The traces of each value, for fields that a selection or an answer needs. Yields between fields. */
async function placedValues(
  ctx: Ctx,
  evidence: string,
  selection: Readonly<Record<string, unknown>>,
  asked: readonly string[] | undefined,
): Promise<Map<string, readonly ValuePositions[]>> {
  const placed = new Map<string, readonly ValuePositions[]>();
  for (const field of await ctx.store.attributes.fields(evidence)) {
    if (asked && !asked.includes(field) && !Object.hasOwn(selection, field)) continue;
    placed.set(field, await ctx.store.attributes.valuePositions(evidence, field));
    await setImmediate();
    ctx.signal.throwIfAborted();
  }
  return placed;
}

/** How many traces a selection leaves, and the values of a field among those that its other fields leave. */
function narrowed(
  selection: Readonly<Record<string, readonly string[]>>,
  placed: ReadonlyMap<string, readonly ValuePositions[]> | undefined,
  { traces, counts }: { readonly traces: number; readonly counts: ReadonlyMap<string, readonly AttributeCount[]> },
): { readonly matched: number; left(field: string): readonly ValueCount[] } {
  const fields = Object.keys(selection);
  if (fields.length === 0 || !placed) return { matched: traces, left: (field) => counts.get(field) ?? [] };
  // Of each trace, how many selected fields it does not meet.
  const length = Math.max(...[...placed.values()].map(lengthOf));
  const unmet = new Uint16Array(length).fill(fields.length);
  const met = new Map(fields.map((field) => [field, new Uint8Array(length)]));
  for (const [field, meets] of met)
    for (const { value, positions } of placed.get(field) ?? [])
      if (selection[field]?.includes(value))
        for (const position of positions) {
          meets[position] = 1;
          unmet[position]! -= 1;
        }
  let matched = 0;
  for (const n of unmet) if (n === 0) matched++;
  return {
    matched,
    left(field) {
      const own = met.get(field);
      return (placed.get(field) ?? []).map(({ value, positions }) => {
        let n = 0;
        for (const position of positions)
          if (unmet[position] === 0 || (own && own[position] === 0 && unmet[position] === 1)) n++;
        return { value, n };
      });
    },
  };
}

/** The fields (or those `named`) that a selection may use and those it may not. What `placed` holds is not counted again. */
export async function filterable(
  ctx: Ctx,
  evidence: string,
  placed: ReadonlyMap<string, readonly ValuePositions[]> = new Map(),
  { named, of }: { readonly named?: ReadonlySet<string> | undefined; readonly of?: number | undefined } = {},
) {
  const traces = of ?? (await ctx.store.traces.count(evidence));
  const counts = await fieldCounts(ctx, evidence, placed, named);
  const summaries = [...counts].map(([field, values]) => summaryOf(field, values, traces));
  return { traces, counts, unfilterable: summaries.filter(({ share }) => share < FILLED_SHARE) };
}

function known(counts: ReadonlyMap<string, unknown>, field: string, path: string): void {
  if (!counts.has(field)) throw badField(path, "no trace of the record has this field");
}

export const NextValue = z.object({
  value: z.string(),
  n: count.describe("Traces that match once it is selected too."),
  chosen: z.boolean(),
  tier: Tier,
});
export type NextValue = z.infer<typeof NextValue>;

function nextValues(
  all: readonly AttributeCount[],
  left: readonly ValueCount[],
  chosen: readonly string[],
  matched: number,
) {
  const among = Map.groupBy(left, ({ value }) => value);
  const values = [...Map.groupBy(all, ({ value }) => value)].map(
    ([value, counts]): NextValue & { readonly total: number } => {
      const n = (among.get(value) ?? []).reduce((sum, count) => sum + count.n, 0);
      const is = chosen.includes(value);
      return {
        value,
        n: chosen.length === 0 ? n : is ? matched : matched + n,
        chosen: is,
        tier: weakestTier(counts.map(({ tier }) => tier)) ?? "deterministic",
        total: counts.reduce((sum, count) => sum + count.n, 0),
      };
    },
  );
  values.sort((a, b) => Number(b.chosen) - Number(a.chosen) || b.total - a.total || (a.value < b.value ? -1 : 1));
  return {
    values: values.slice(0, VALUES_SHOWN).map(({ total: _total, ...value }) => value),
    values_left_out: Math.max(0, values.length - VALUES_SHOWN),
  };
}
