import { z } from "zod";
import { actor, type Ctx } from "../../context.ts";
import {
  type AxisDoc,
  axisId,
  everyAxis,
  everyValue,
  STANDING,
  type ValueDoc,
  valueId,
} from "../../dimensions/axes.ts";
import { badField, conflict, notFound } from "../../errors.ts";
import { orgRef } from "../../fields.ts";
import { everyRow } from "../../page.ts";
import { Evidence } from "../../records/evidence/evidence.ts";
import { DimensionAxis, DimensionValue } from "../../records/ontology/dimension.ts";
import { audited } from "../../retirement.ts";

/** Dimensions that many want, ready to be declared by name. */
export const PRESETS = {
  channel: { label: "Channel", values: ["chat", "email", "phone", "web"] },
  urgency: { label: "Urgency", values: ["now", "today", "whenever"] },
  language: { label: "Language skill", values: ["native", "fluent", "basic"] },
} as const;

/** Every axis with its values and where each comes from, and what the evidence can be narrowed by. */
export async function getDimensions(ctx: Ctx) {
  const values = await everyValue(ctx);
  const axes = await everyAxis(ctx);
  return {
    org: ctx.org.tag,
    dimensions: axes.map((axis) => axisView(axis, values)),
    facets: await facetsOf(ctx),
  };
}

function axisView(axis: AxisDoc, values: readonly ValueDoc[]) {
  return {
    ...axis,
    standing: Object.hasOwn(STANDING, axis.field),
    values: values.filter(({ field }) => field === axis.field),
  };
}

/** Counts of evidence records and their traces by what lists of evidence are narrowed by. */
async function facetsOf(ctx: Ctx) {
  const facets = new Map<string, Map<string, { evidence: number; traces: number }>>();
  for await (const row of everyRow((page) => ctx.store.records.list(Evidence, page))) {
    if (row.superseded_by !== undefined) continue;
    for (const facet of ["kind", "format", "provenance", "surface", "tag"] as const) {
      const value = row[facet];
      if (value === undefined) continue;
      const values = facets.get(facet) ?? new Map<string, { evidence: number; traces: number }>();
      facets.set(facet, values);
      const count = values.get(value) ?? { evidence: 0, traces: 0 };
      values.set(value, { evidence: count.evidence + 1, traces: count.traces + row.stats.traces });
    }
  }
  return [...facets].map(([facet, values]) => ({
    facet,
    values: [...values].map(([value, count]) => ({ value, ...count })),
    tier: "deterministic" as const,
  }));
}

const Name = z.string().trim().min(1).max(200);

/** What `dimensions_post` takes. */
export const PostInput = z.object({
  ...orgRef,
  field: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,63}$/)
    .optional()
    .describe("The axis, in lower case; the preset's own when absent."),
  values: z.array(Name).max(1000).optional().describe("What it may be on the axis."),
  label: z.string().min(1).max(200).optional(),
  description: z.string().min(1).max(2000).optional(),
  added_by: z.string().min(1).max(200).optional().describe("Who adds it, for the record."),
  preset: z
    .enum(Object.keys(PRESETS) as [keyof typeof PRESETS])
    .optional()
    .describe("An axis with usual values, in place of `field` and `values`."),
});
export type PostInput = z.output<typeof PostInput>;

/** Declares a dimension, or adds values to one; what is there already stays as it is. */
export async function postDimension(ctx: Ctx, input: PostInput) {
  const preset = input.preset === undefined ? undefined : PRESETS[input.preset];
  const field = input.field ?? input.preset;
  if (field === undefined) throw badField("field", "name the dimension, or a preset");
  const wanted = [...new Set(input.values ?? preset?.values ?? [])];
  if (wanted.length === 0 && !Object.hasOwn(STANDING, field)) throw badField("values", "give at least one value");
  const base = { created_at: ctx.now(), by: actor(ctx, input.added_by), tier: "human" as const };
  const label = input.label ?? preset?.label;
  const axis: AxisDoc = {
    ...base,
    id: axisId(field),
    field,
    ...(label === undefined ? {} : { label }),
    ...(input.description === undefined ? {} : { description: input.description }),
    ...(input.preset === undefined ? {} : { preset: input.preset }),
    status: "accepted",
  };
  const newAxis = !Object.hasOwn(STANDING, field) && (await ctx.store.records.insert(DimensionAxis, axis));
  const known = new Set((await everyValue(ctx, field)).map(({ value }) => value));
  const registered: string[] = [];
  const already: string[] = [];
  for (const value of wanted) {
    const id = valueId(field, value);
    const row: ValueDoc = {
      ...base,
      id,
      field,
      value,
      origin: "declared",
      cites: [],
      spellings: [],
      status: "accepted",
    };
    if (!known.has(value) && (await ctx.store.records.insert(DimensionValue, row))) registered.push(value);
    else already.push(value);
  }
  await audited(ctx, { by: input.added_by }, "dimension_declared", {
    dimension: axis.id,
    new: newAxis,
    values: registered.length,
  });
  const values = await everyValue(ctx, field);
  const stands = (await everyAxis(ctx)).filter((row) => row.field === field);
  return {
    preset: input.preset ?? null,
    registered,
    already,
    dimensions: stands.map((row) => axisView(row, values)),
  };
}

/** Takes a declared dimension away with its values. The standing axes stay. */
export async function deleteDimension(ctx: Ctx, input: { readonly did: string }) {
  const axis = await ctx.store.records.get(DimensionAxis, input.did);
  // A standing one is listed under an id of its own, stored or not.
  const listed = axis ?? (await everyAxis(ctx)).find(({ id }) => id === input.did);
  if (listed && Object.hasOwn(STANDING, listed.field)) throw conflict("Every org has this dimension; it stays.");
  if (!axis) throw notFound("dimension");
  const ids: string[] = [];
  const where = { field: axis.field };
  for await (const { id } of everyRow((page) => ctx.store.records.list(DimensionValue, { ...page, where })))
    ids.push(id);
  await ctx.store.records.apply([
    { op: "delete", kind: DimensionAxis, id: axis.id },
    ...ids.map((id) => ({ op: "delete" as const, kind: DimensionValue, id })),
  ]);
  await audited(ctx, {}, "dimension_deleted", { dimension: axis.id, values: ids.length });
  return { deleted: { dimension: axis.id, values: ids.length }, field: axis.field };
}
