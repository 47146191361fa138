import type { AttributeCount } from "../../store/port.ts";
import type { Ctx } from "../context.ts";
import { badField } from "../errors.ts";
import { type Tier, weakestTier } from "../tier.ts";
import { fieldCounts, summaryOf, traceEvidence } from "./attributes.ts";

/** A world plan is minted from no fewer traces. */
export const MIN_TRACES = 5;
/** A field that fewer of the traces have says of most of them nothing: it narrows nothing. */
const FILLED_SHARE = 0.5;
/** Values shown of a field, the most frequent first. */
const VALUES_SHOWN = 100;

interface MatchInput {
  readonly eid: string;
  readonly selection?: Readonly<Record<string, string[]>> | undefined;
  readonly fields?: readonly string[] | undefined;
}

/**
 * How many traces a selection leaves (any of a field's values, on every field), and what each next value would leave: a
 * field that is not selected yet narrows, another value of one that is widens. Fields that half of the traces lack are not
 * counted; the answer says which selection was.
 */
export async function matchEvidence(ctx: Ctx, input: MatchInput) {
  const { id } = await traceEvidence(ctx, input.eid);
  const { traces, counts, unfilterable } = await filterable(ctx, id);
  const selection = input.selection ?? {};
  for (const field of Object.keys(selection)) known(counts, field, `selection.${field}`);
  input.fields?.forEach((field, i) => {
    known(counts, field, `fields.${i}`);
  });
  const apart = new Set(unfilterable.map(({ field }) => field));
  const counted = Object.fromEntries(Object.entries(selection).filter(([field]) => !apart.has(field)));
  const matched = Object.keys(counted).length === 0 ? traces : await ctx.store.attributes.count(id, counted);
  const asked = input.fields ?? [...counts.keys()].filter((field) => !apart.has(field));
  const per_field = [];
  for (const field of asked) {
    const { [field]: chosen = [], ...others } = counted;
    const all = counts.get(field) ?? [];
    const left = Object.keys(others).length === 0 ? all : await ctx.store.attributes.values(id, field, others);
    per_field.push({ ...summaryOf(field, all, traces), ...nextValues(all, left, chosen, matched) });
  }
  return {
    id,
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

/** The fields of a record that a selection may name, and those that it may not. */
export async function filterable(ctx: Ctx, evidence: string) {
  const traces = await ctx.store.traces.count(evidence);
  const counts = await fieldCounts(ctx, evidence);
  const summaries = [...counts].map(([field, values]) => summaryOf(field, values, traces));
  return { traces, counts, unfilterable: summaries.filter(({ share }) => share < FILLED_SHARE) };
}

function known(counts: ReadonlyMap<string, unknown>, field: string, path: string): void {
  if (!counts.has(field)) throw badField(path, "no trace of the record has this field");
}

interface NextValue {
  readonly value: string;
  /** Traces that match once it is selected too. */
  readonly n: number;
  readonly chosen: boolean;
  readonly tier: Tier;
}

function nextValues(
  all: readonly AttributeCount[],
  left: readonly AttributeCount[],
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
