import type { Ctx } from "../../context.ts";
import { changeValue, everyAxis, everyValue, type ValueDoc, valueId } from "../../dimensions/axes.ts";
import { plainSpelling } from "../../dimensions/spellings.ts";
import { conflict, orNotFound } from "../../errors.ts";
import { everyPin } from "../../evidence/documents/extract-documents.ts";
import { Evidence } from "../../records/evidence/evidence.ts";
import { DimensionValue } from "../../records/ontology/dimension.ts";
import { DimensionReading } from "../../records/ontology/reading.ts";
import { type Tier, weakestTier } from "../../tier.ts";

/** What is kept of the reading of one source for personas. */
interface Kept {
  readonly pins: readonly string[];
  readonly model: string | null;
  readonly prompt_version: string | null;
  readonly tier: Tier;
  readonly personas: readonly { readonly value: string; readonly profile?: Record<string, string> | undefined }[];
}

/**
 * Writes the personas that a source's current pins cite, or else the last reading for dimensions shows, as accepted values of
 * the persona axis. No model is asked; a source that was never read is a conflict. Where nobody is named, the answer says so.
 */
export async function personasFromDocument(ctx: Ctx, input: { readonly source: string }) {
  const source = orNotFound(await ctx.store.records.get(Evidence, input.source), "evidence");
  const kept = [await pinned(ctx, source.id), await readFor(ctx, source.id)].filter((each) => each !== undefined);
  const from = kept.find(({ personas }) => personas.length > 0) ?? kept[0];
  if (!from)
    throw conflict("This source has not been read for personas; evidence_extract or dimensions_derive reads it first.");
  const known = new Map((await everyValue(ctx, "persona")).map((row) => [plainSpelling(row.value), row]));
  const values: ValueDoc[] = [];
  for (const { value, profile } of from.personas) {
    const id = known.get(plainSpelling(value))?.id ?? valueId("persona", value);
    await ctx.store.records.insert(DimensionValue, {
      id,
      created_at: ctx.now(),
      by: ctx.caller.name,
      field: "persona",
      value,
      origin: "document",
      cites: [source.id],
      spellings: [],
      tier: from.tier,
      status: "accepted",
    });
    values.push(
      await changeValue(ctx, id, (row) => ({
        ...row,
        cites: [...new Set([...row.cites, source.id])],
        ...(row.profile === undefined && profile !== undefined ? { profile } : {}),
        ...(row.status === "proposed"
          ? { status: "accepted" as const, settled_at: ctx.now(), settled_by: ctx.caller.name }
          : {}),
      })),
    );
  }
  const row = (await everyAxis(ctx)).find(({ field }) => field === "persona");
  if (!row) throw new Error("every org has a persona axis");
  return {
    org: ctx.org.tag,
    source: source.id,
    field: "persona" as const,
    row,
    values,
    pins: [...from.pins],
    derived_from: { reading: from.pins[0] ?? "", model: from.model, prompt_version: from.prompt_version },
    ...(values.length > 0 ? {} : { note: from.model === null ? NONE_BY_RULE : NONE_BY_MODEL }),
    tier: from.tier,
  };
}

const NONE_BY_RULE =
  "The rule reader found no persona: it takes the list under a heading Personas, and people who speak as `As a …, I`. A model reads other prose (SVC_MODELS, then evidence_re_extract).";
const NONE_BY_MODEL = "The model that read the source named no persona.";

/** The current pins of a record's documents; undefined where no document of it was read. */
async function pinned(ctx: Ctx, source: string): Promise<Kept | undefined> {
  const pins = (await everyPin(ctx, source)).filter(({ state }) => state === "current");
  const [first] = pins;
  if (!first) return undefined;
  const said = pins.flatMap(({ statements }) => statements).filter(({ field }) => field === "persona");
  const personas = [...new Map(said.map(({ value }) => [plainSpelling(value), { value }])).values()];
  const { model, prompt_version } = pins.find((pin) => pin.model !== null) ?? first;
  const tier = weakestTier(pins.map((pin) => pin.tier)) ?? first.tier;
  return { pins: pins.map(({ id }) => id), model, prompt_version, tier, personas };
}

/** The last reading of a source for dimensions that asked for personas. */
async function readFor(ctx: Ctx, source: string): Promise<Kept | undefined> {
  const { items } = await ctx.store.records.list(DimensionReading, { where: { source }, limit: 100 });
  const reading = items.find(({ axes }) => axes.includes("persona"));
  if (!reading) return undefined;
  const { id, model, prompt_version, tier, values } = reading;
  return { pins: [id], model, prompt_version, tier, personas: values.filter(({ field }) => field === "persona") };
}
