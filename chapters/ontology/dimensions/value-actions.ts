import { z } from "zod";
import { actor, type Ctx } from "../../context.ts";
import { type AxisDoc, changeValue, everyAxis, everyValue, findValue, type ValueDoc } from "../../dimensions/axes.ts";
import { plainSpelling } from "../../dimensions/spellings.ts";
import { badField, conflict, notFound, orNotFound } from "../../errors.ts";
import { byField, orgRef, recordId } from "../../fields.ts";
import { Evidence } from "../../records/evidence/evidence.ts";
import { type Attachment, DimensionAxis, DimensionValue, Profile } from "../../records/ontology/dimension.ts";
import { audited } from "../../retirement.ts";
import { graderFields, whyField } from "../../sandboxes/fields.ts";
import type { Tier } from "../../tier.ts";

interface Settling {
  readonly value_id: string;
  readonly by?: string | undefined;
  readonly reason?: string | undefined;
  readonly personas?: readonly string[] | undefined;
}

/** Accepts a proposed axis or value. Accepting twice keeps the first mark. */
export function acceptValue(ctx: Ctx, input: Settling) {
  return settle(ctx, input, "accepted");
}

/** Dismisses a proposed axis or value: it stays readable and is proposed no more. */
export function dismissValue(ctx: Ctx, input: Settling) {
  return settle(ctx, input, "dismissed");
}

async function settle(ctx: Ctx, input: Settling, status: "accepted" | "dismissed") {
  const mark = <T extends AxisDoc | ValueDoc>(row: T): T =>
    row.status === status && row.settled_at !== undefined
      ? row
      : {
          ...row,
          status,
          settled_by: actor(ctx, input.by),
          settled_at: ctx.now(),
          ...(input.reason === undefined ? {} : { settled_reason: input.reason }),
        };
  const act = status === "accepted" ? ("accept" as const) : ("dismiss" as const);
  if (input.value_id.startsWith(`${DimensionAxis.prefix}_`)) {
    const axis = orNotFound(await ctx.store.records.update(DimensionAxis, input.value_id, mark), "dimension");
    await audited(ctx, input, `dimension_${status}`, { target: axis.id });
    return { org: ctx.org.tag, act, axis: axis.field, target: axis };
  }
  await requirePersonas(ctx, input.personas);
  const target = await changeValue(ctx, input.value_id, (row) => ({
    ...mark(row),
    ...(input.personas === undefined ? {} : { personas: [...new Set(input.personas)] }),
  }));
  await audited(ctx, input, `dimension_value_${status}`, { target: target.id });
  return { org: ctx.org.tag, act, axis: target.field, target };
}

async function requirePersonas(ctx: Ctx, personas: readonly string[] | undefined): Promise<void> {
  if (personas === undefined) return;
  const known = new Set((await everyValue(ctx, "persona")).map(({ value }) => value));
  const unknown = personas.findIndex((name) => !known.has(name));
  if (unknown >= 0) throw badField(`personas.${unknown}`, "is no persona of the org");
}

export const Name = z.string().trim().min(1).max(200);
export const Names = z.array(Name).max(500);
export const valueRef = { ...orgRef, value_id: recordId("dimension value, `dv_…`") };

/** What `dimension_value_profile_post` takes. */
export const ProfileValueInput = z.object({
  ...valueRef,
  weight: z.number().min(0).max(1_000_000).optional().describe("Its use relative to the other values of its axis."),
  profile: Profile.optional().describe("What is known of it, by field."),
  jobs: Names.optional().describe("Use cases of this persona."),
  personas: Names.optional().describe("Personas that have this use case."),
  ...byField,
});

/** Sets how much of the use a value has, how it is described, and which use cases and personas go with it. */
export async function profileValue(ctx: Ctx, input: z.output<typeof ProfileValueInput>) {
  const { weight, profile, jobs, personas } = input;
  await findValue(ctx, input.value_id);
  if ([weight, profile, jobs, personas].every((one) => one === undefined))
    throw badField("weight", "give a weight, a profile, jobs or personas");
  await requirePersonas(ctx, personas);
  if (jobs !== undefined) {
    const known = new Set((await everyValue(ctx, "use_case")).map(({ value }) => value));
    const unknown = jobs.findIndex((name) => !known.has(name));
    if (unknown >= 0) throw badField(`jobs.${unknown}`, "is no use case of the org");
  }
  const value = await changeValue(ctx, input.value_id, (row) => ({
    ...row,
    ...(weight === undefined ? {} : { weight }),
    ...(profile === undefined ? {} : { profile: { ...profile } }),
    ...(jobs === undefined ? {} : { jobs: [...new Set(jobs)] }),
    ...(personas === undefined ? {} : { personas: [...new Set(personas)] }),
  }));
  await audited(ctx, input, "dimension_value_profiled", { target: value.id });
  return { org: ctx.org.tag, value };
}

/** What `dimension_value_parent` takes. */
export const ParentValueInput = z.object({
  ...valueRef,
  ...graderFields,
  ...whyField,
  value: Name.describe("The parent."),
  field: z.string().min(1).max(64).optional().describe("The parent's axis; the value's own when absent."),
});

/** Puts a value under another one of the org. A circle is a conflict. */
export async function parentValue(ctx: Ctx, input: z.output<typeof ParentValueInput>) {
  const child = await findValue(ctx, input.value_id);
  const field = input.field ?? child.field;
  if (!(await everyAxis(ctx)).some((axis) => axis.field === field)) throw notFound("dimension");
  const values = new Map((await everyValue(ctx)).map((row) => [row.id, row]));
  const parent = [...values.values()].find((row) => row.field === field && row.value === input.value);
  if (!parent) throw notFound("parent value");
  for (let above: ValueDoc | undefined = parent; above; above = values.get(above.parent?.id ?? ""))
    if (above.id === child.id) throw conflict("The parent is below this value already.");
  const kind = input.grader_kind ?? "human";
  const attachment: z.infer<typeof Attachment> = {
    field,
    value: parent.value,
    id: parent.id,
    grader: actor(ctx, input.grader),
    grader_kind: kind,
    ...(input.reason === undefined ? {} : { reason: input.reason }),
    at: ctx.now(),
    tier: kind === "human" ? "human" : "llm-derived",
  };
  let replaced: z.infer<typeof Attachment> | null = null;
  const value = await changeValue(ctx, child.id, (row) => {
    replaced = row.parent ?? null;
    return { ...row, parent: attachment };
  });
  await audited(ctx, { by: input.grader }, "dimension_value_attached", { target: value.id, parent: parent.id });
  return {
    org: ctx.org.tag,
    value,
    parent,
    attachment,
    replaced,
    grader: attachment.grader,
    tier: attachment.tier as Tier,
    note: "Selections that name the parent still mean it alone; this says what it stands over.",
  };
}

/** What `dimension_value_hero` takes. */
export const HeroValueInput = z.object({
  ...valueRef,
  ...byField,
  hero: z.boolean().optional().describe("False takes the mark off."),
  cites: z.array(z.string().min(1).max(200)).max(100).optional().describe("Evidence records."),
});

/** Marks a use case as one that must never break, with the evidence that says so, or takes the mark off. */
export async function heroValue(ctx: Ctx, input: z.output<typeof HeroValueInput>) {
  const found = await findValue(ctx, input.value_id);
  if (found.field !== "use_case") throw conflict("Only a use case can be a hero.", { by: "dimensions_get" });
  const cites = [...new Set(input.cites ?? [])];
  const known = new Set((await ctx.store.records.getMany(Evidence, cites)).map(({ id }) => id));
  const unknown = cites.findIndex((id) => !known.has(id));
  if (unknown >= 0) throw badField(`cites.${unknown}`, "is no evidence of the org");
  const hero = input.hero ?? true;
  const value = await changeValue(ctx, found.id, (row) => ({
    ...row,
    hero,
    cites: [...new Set([...row.cites, ...cites])],
  }));
  await audited(ctx, input, "dimension_value_hero", { target: value.id, hero });
  return { org: ctx.org.tag, value, hero, cites: value.cites, by: actor(ctx, input.by) };
}

/** Merges spellings of one value into the first one written, with all that they had; without `apply` it only reports. */
export async function mergeSpellings(
  ctx: Ctx,
  input: {
    readonly field?: string | undefined;
    readonly apply?: boolean | undefined;
    readonly by?: string | undefined;
  },
) {
  const field = input.field ?? "use_case";
  if (!(await everyAxis(ctx)).some((axis) => axis.field === field)) throw notFound("dimension");
  const groups = new Map<string, ValueDoc[]>();
  for (const row of await everyValue(ctx, field)) {
    const key = plainSpelling(row.value);
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  const merges = [...groups.values()].flatMap(([kept, ...folded]) =>
    kept !== undefined && folded.length > 0 ? [{ kept, folded }] : [],
  );
  if (input.apply === true) {
    for (const { kept, folded } of merges) await fold(ctx, kept, folded);
    await audited(ctx, input, "dimension_spellings_merged", {
      field_values: merges.reduce((sum, { folded }) => sum + folded.length, 0),
    });
  }
  return {
    org: ctx.org.tag,
    field,
    applied: input.apply === true,
    merges: merges.map(({ kept, folded }) => ({
      kept: { id: kept.id, value: kept.value },
      folded: folded.map(({ id, value }) => ({ id, value })),
    })),
    tier: "deterministic" as const,
  };
}

async function fold(ctx: Ctx, kept: ValueDoc, folded: readonly ValueDoc[]): Promise<void> {
  const union = (of: (row: ValueDoc) => readonly string[] | undefined) => [
    ...new Set([kept, ...folded].flatMap((row) => of(row) ?? [])),
  ];
  await changeValue(ctx, kept.id, (row) => {
    const [jobs, personas] = [union((one) => one.jobs), union((one) => one.personas)];
    // The first written says what it is; a later one adds what that left open.
    const profile = Object.assign({}, ...[row, ...folded].reverse().map((one) => one.profile ?? {}));
    const weights = [kept, ...folded].flatMap(({ weight }) => weight ?? []);
    return {
      ...row,
      cites: union((one) => one.cites),
      spellings: [...new Set([...row.spellings, ...folded.flatMap((one) => [one.value, ...one.spellings])])],
      ...(jobs.length === 0 ? {} : { jobs }),
      ...(personas.length === 0 ? {} : { personas }),
      ...(Object.keys(profile).length === 0 ? {} : { profile }),
      ...(weights.length === 0 ? {} : { weight: weights.reduce((sum, weight) => sum + weight, 0) }),
      ...([kept, ...folded].some(({ hero }) => hero === true) ? { hero: true } : {}),
      ...([kept, ...folded].some(({ status }) => status === "accepted") ? { status: "accepted" as const } : {}),
    };
  });
  const gone = new Map(folded.map((row) => [row.value, row]));
  const renamed = (names: readonly string[]) => [...new Set(names.map((name) => (gone.has(name) ? kept.value : name)))];
  for (const row of await everyValue(ctx)) {
    const under = row.parent?.field === kept.field && gone.has(row.parent.value);
    const jobs = kept.field === "use_case" && row.jobs?.some((name) => gone.has(name)) === true;
    const personas = kept.field === "persona" && row.personas?.some((name) => gone.has(name)) === true;
    if (!under && !jobs && !personas) continue;
    await changeValue(ctx, row.id, (now) => ({
      ...now,
      ...(under && now.parent ? { parent: { ...now.parent, value: kept.value, id: kept.id } } : {}),
      ...(jobs ? { jobs: renamed(now.jobs ?? []) } : {}),
      ...(personas ? { personas: renamed(now.personas ?? []) } : {}),
    }));
  }
  for (const { id } of folded) await ctx.store.records.delete(DimensionValue, id);
}
