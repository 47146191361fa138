import { z } from "zod";
import { auditAct } from "../../audit.ts";
import type { Ctx } from "../../context.ts";
import { countOf } from "../../count-of.ts";
import { badField, orNotFound } from "../../errors.ts";
import { orgField, recordId } from "../../fields.ts";
import type { PageInput } from "../../page.ts";
import type { AttributeRow } from "../../ports/store.ts";
import type { Doc } from "../../record.ts";
import { AttributeField, AttributeValue } from "../../records/evidence/attribute.ts";
import { FacetSpace } from "../../records/evidence/facet.ts";
import type { Tier } from "../../tier.ts";
import { type Column, columnsOf, groupingFields } from "../clusters/columns.ts";
import type { Cluster } from "../clusters/measure.ts";
import { induceClusters, measureClusters } from "../clusters/tasks.ts";
import { positionsOf, traceEvidence } from "./attributes.ts";

type SpaceDoc = Doc<typeof FacetSpace>;

interface GivenCluster {
  readonly label: string;
  readonly traces: readonly string[];
}

/** What `facets_post` takes. */
export const FacetInput = z.object({
  ...orgField,
  evidence: recordId("evidence")
    .optional()
    .describe("The record; where clusters are given, that of their first trace."),
  clusters: z
    .array(z.strictObject({ label: AttributeValue, traces: z.array(z.string().min(1).max(200)).min(1).max(5000) }))
    .min(1)
    .max(100)
    .optional()
    .describe("Groups made by somebody, each with its traces' ids; found by code when absent."),
  k: z.number().int().min(1).max(50).optional().describe("How many groups to find."),
  fields: z
    .array(AttributeField)
    .min(1)
    .max(50)
    .optional()
    .describe("Attributes to compare by; all that group when absent."),
  seed: z.string().min(1).max(100).optional().describe("`1` when absent; the same seed finds the same groups."),
  as_field: AttributeField.optional().describe("The attribute to write each trace's group to."),
});
export type FacetInput = z.output<typeof FacetInput>;

/** The record of the first trace that a group names. */
async function recordOf(ctx: Ctx, clusters: FacetInput["clusters"]): Promise<string> {
  const first = clusters?.[0]?.traces[0];
  if (first === undefined) throw badField("evidence", "is missing: name the record, or groups of its traces");
  const row = await ctx.store.traces.get(first);
  if (!row) throw badField("clusters.0.traces.0", "is no stored trace");
  return row.evidence;
}

/**
 * Files how a record's traces group by their attributes: groups found by code where none are given, else those given,
 * measured. With `as_field` each trace gets its group's label as an attribute, so that it can be selected by.
 */
export async function fileFacets(ctx: Ctx, input: FacetInput) {
  const { id: evidence } = await traceEvidence(ctx, input.evidence ?? (await recordOf(ctx, input.clusters)));
  if (input.clusters !== undefined && input.k !== undefined)
    throw badField("k", "is for groups that are found, not given");
  if (input.as_field !== undefined && input.fields?.includes(input.as_field))
    throw badField("as_field", "is one of the fields that traces are compared by");
  const columns = await columnsOf(ctx, evidence, await groupingFields(ctx, evidence, input.fields, input.as_field));
  const seed = input.seed ?? "1";
  const found =
    input.clusters === undefined
      ? await induced(ctx, columns, seed, input.k)
      : await given(ctx, evidence, columns, input.clusters);
  const traces = found.groups.reduce((sum, { size }) => sum + size, 0);
  const cohesion = found.groups.every((group) => group.cohesion !== undefined)
    ? found.groups.reduce((sum, { cohesion: own = 0, size }) => sum + own * size, 0) / traces
    : undefined;
  const space: SpaceDoc = {
    id: ctx.id(FacetSpace.prefix),
    created_at: ctx.now(),
    by: ctx.caller.name,
    evidence,
    fields: columns.map(({ field }) => field),
    seed,
    clusters: await Promise.all(found.groups.map((group) => view(ctx, evidence, group))),
    traces,
    ...(cohesion === undefined ? {} : { cohesion }),
    ...(input.as_field === undefined ? {} : { as_field: input.as_field }),
    method: found.method,
    tier: found.tier,
  };
  if (input.as_field !== undefined) await writeField(ctx, evidence, input.as_field, space, found.groups);
  await ctx.store.records.insert(FacetSpace, space);
  await auditAct(ctx, "facets_filed", { facets: space.id, evidence, clusters: space.clusters.length });
  return { ...space, org: ctx.org.tag };
}

/** A group whose measures may be missing: its traces have none of the attributes. */
type Group = Pick<Cluster, "label" | "size" | "positions"> & Partial<Cluster>;
interface Grouping {
  readonly groups: readonly Group[];
  readonly method: string;
  readonly tier: Tier;
}

async function induced(ctx: Ctx, columns: readonly Column[], seed: string, k: number | undefined): Promise<Grouping> {
  const groups = await ctx.compute.run(induceClusters, { columns, seed, k }, ctx.signal);
  const how = k === undefined ? "each of them a tenth off the spread" : `${k} asked for`;
  return {
    groups,
    method: `k-medoids over ${countOf(columns.length, "attribute")}, seed ${seed}, ${how}`,
    tier: "deterministic",
  };
}

/** The groups that were given, with their measures. A trace in two of them is a 400. */
async function given(
  ctx: Ctx,
  evidence: string,
  columns: readonly Column[],
  clusters: readonly GivenCluster[],
): Promise<Grouping> {
  const paths = clusters.flatMap(({ traces }, i) => traces.map((_, n) => `clusters.${i}.traces.${n}`));
  const places = await positionsOf(
    ctx,
    evidence,
    clusters.flatMap(({ traces }) => traces),
    (i) => paths[i]!,
  );
  const twice = places.findIndex((place, i) => places.indexOf(place) < i);
  if (twice >= 0) throw badField(paths[twice]!, "is named twice");
  let from = 0;
  const groups = clusters.map(({ label, traces }) => {
    const positions = places.slice(from, from + traces.length);
    from += traces.length;
    return { label, positions };
  });
  const measures = await ctx.compute.run(measureClusters, { columns, groups }, ctx.signal);
  return {
    groups: groups.map(({ label, positions }, i): Group => {
      const all = Int32Array.from(positions).sort();
      return { exemplars: [...all.subarray(0, 3)], ...measures[i], label, size: all.length, positions: all };
    }),
    method: `groups as given, measured over ${countOf(columns.length, "attribute")}`,
    tier: "human",
  };
}

async function view(ctx: Ctx, evidence: string, group: Group): Promise<SpaceDoc["clusters"][number]> {
  const { label, size, share, cohesion, exemplars = [], medoid = {}, describes = [] } = group;
  const ids = new Map((await ctx.store.traces.at(evidence, exemplars)).map((row) => [row.position, row.id]));
  return {
    label,
    size,
    ...(share === undefined ? {} : { share }),
    ...(cohesion === undefined ? {} : { cohesion }),
    exemplars: exemplars.flatMap((position) => (ids.has(position) ? [{ trace: ids.get(position)!, position }] : [])),
    medoid: { ...medoid },
    describes: [...describes],
  };
}

/** How many values are written at once: others write between two batches. */
const BATCH = 2000;

async function writeField(ctx: Ctx, evidence: string, field: string, { id, tier }: SpaceDoc, groups: readonly Group[]) {
  for (const { label, positions } of groups)
    for (let i = 0; i < positions.length; i += BATCH) {
      const rows = Array.from(
        positions.subarray(i, i + BATCH),
        (position): AttributeRow => ({ position, field, value: label, cite: null, tier, reader: id }),
      );
      await ctx.store.attributes.put(evidence, rows);
    }
}

/** The org's facet spaces, newest first. */
export async function listFacets(ctx: Ctx, input: PageInput & { readonly evidence?: string | undefined }) {
  const where = input.evidence === undefined ? {} : { evidence: input.evidence };
  const { items, next } = await ctx.store.records.list(FacetSpace, { limit: input.limit, cursor: input.cursor, where });
  return {
    org: ctx.org.tag,
    facets: items.map(({ clusters, ...space }) => ({
      ...space,
      clusters: clusters.map(({ label, size }) => ({ label, size })),
    })),
    ...(next === undefined ? {} : { next }),
  };
}

/** One facet space whole. */
export async function getFacets(ctx: Ctx, input: { readonly fid: string }) {
  const space = orNotFound(await ctx.store.records.get(FacetSpace, input.fid), "facet space");
  return { ...space, org: ctx.org.tag };
}
