import { REGISTERS } from "../../worlds/tasks/words/revoice.ts";
import type { Ctx } from "../context.ts";
import { notFound, orNotFound } from "../errors.ts";
import { everyRow } from "../page.ts";
import { type Doc, idOfValue } from "../record.ts";
import { DimensionAxis, DimensionValue } from "../records/ontology/dimension.ts";
import { OntologyHead, OntologyRevision } from "../records/ontology/ontology.ts";
import { loadGraph } from "./graph.ts";

export type AxisDoc = Doc<typeof DimensionAxis>;
export type ValueDoc = Doc<typeof DimensionValue>;

/** The axes that every org has, with what they tell. */
export const STANDING: Readonly<Record<string, string>> = {
  use_case: "What the user wants done.",
  persona: "Who asks.",
  register: "How they talk.",
  operation: "What the systems can be told to do.",
  object: "What the systems hold.",
  data_condition: "Whether the data that a request needs is there.",
  difficulty: "How many steps and decisions a request takes.",
  policy: "The rule that a request touches.",
};

/** Values that some standing axes have from the start. */
const GIVEN: Readonly<Record<string, readonly string[]>> = {
  data_condition: ["present", "absent", "partial", "contradictory"],
  register: REGISTERS,
};

/** The id of the one axis of that name in an org: two writers of it meet in one record. */
export function axisId(field: string): string {
  return idOfValue(DimensionAxis, field);
}

/** The id of the one value of that name on an axis. */
export function valueId(field: string, value: string): string {
  return idOfValue(DimensionValue, field, value);
}

/** Axes as stored, and the standing ones that nobody changed. */
export async function everyAxis(ctx: Ctx): Promise<AxisDoc[]> {
  const stored: AxisDoc[] = [];
  for await (const row of everyRow((page) => ctx.store.records.list(DimensionAxis, page))) stored.push(row);
  const known = new Set(stored.map(({ field }) => field));
  const standing = Object.entries(STANDING).flatMap(([field, description]): AxisDoc[] =>
    known.has(field)
      ? []
      : [
          {
            id: axisId(field),
            created_at: 0,
            by: "service",
            field,
            description,
            tier: "deterministic",
            status: "accepted",
          },
        ],
  );
  return [...standing, ...stored.sort((a, b) => a.created_at - b.created_at)];
}

/** Values as stored, those that standing axes have from the start, and those that the standing graphs show; oldest first. */
export async function everyValue(ctx: Ctx, field?: string): Promise<ValueDoc[]> {
  const stored: ValueDoc[] = [];
  const where = field === undefined ? {} : { field };
  for await (const row of everyRow((page) => ctx.store.records.list(DimensionValue, { ...page, where })))
    stored.push(row);
  const known = new Set(stored.map(({ id }) => id));
  const given = (await givenValues(ctx, field)).filter(({ id }) => !known.has(id));
  return [...given, ...stored.sort((a, b) => a.created_at - b.created_at || (a.value < b.value ? -1 : 1))];
}

async function givenValues(ctx: Ctx, field: string | undefined): Promise<ValueDoc[]> {
  const out = new Map<string, ValueDoc>();
  const wants = (axis: string) => field === undefined || field === axis;
  const add = (axis: string, value: string, more: Partial<ValueDoc>) => {
    const id = valueId(axis, value);
    const row: ValueDoc = {
      id,
      created_at: 0,
      by: "service",
      field: axis,
      value,
      origin: "declared",
      cites: [],
      spellings: [],
      tier: "deterministic",
      status: "accepted",
      ...more,
    };
    if (!out.has(id)) out.set(id, row);
  };
  for (const [axis, values] of Object.entries(GIVEN)) if (wants(axis)) for (const value of values) add(axis, value, {});
  if (!wants("operation") && !wants("object")) return [...out.values()];
  for await (const head of everyRow((page) => ctx.store.records.list(OntologyHead, page))) {
    const revision = await ctx.store.records.get(OntologyRevision, head.current);
    if (!revision) continue;
    const { created_at, by, evidence: cites } = revision;
    for (const { kind, name } of (await loadGraph(ctx, revision.graph)).graph.nodes)
      if ((kind === "operation" || kind === "object") && wants(kind))
        add(kind, name, { origin: "ontology", created_at, by, cites });
  }
  return [...out.values()];
}

/** A value by its id, stored or not yet; unknown and another org's are the same 404. */
export async function findValue(ctx: Ctx, id: string): Promise<ValueDoc> {
  const stored = await ctx.store.records.get(DimensionValue, id);
  const found = stored ?? (await givenValues(ctx, undefined)).find((row) => row.id === id);
  if (!found) throw notFound("dimension value");
  return found;
}

/** Changes a value as one step, writing it first where it was only given. */
export async function changeValue(ctx: Ctx, id: string, change: (row: ValueDoc) => ValueDoc): Promise<ValueDoc> {
  const found = await findValue(ctx, id);
  if (!(await ctx.store.records.get(DimensionValue, id))) await ctx.store.records.insert(DimensionValue, found);
  return orNotFound(await ctx.store.records.update(DimensionValue, id, change), "dimension value");
}
