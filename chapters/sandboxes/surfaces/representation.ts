import { z } from "zod";
import { printLine } from "../../../worlds/behaviour/print.ts";
import { BaseState, type Bundle } from "../../../worlds/bundle.ts";
import { getJson, loadBundle } from "../../blobs.ts";
import type { Ctx } from "../../context.ts";
import { conflict, notFound } from "../../errors.ts";
import { DEFAULT_PAGE, pageInput } from "../../page.ts";
import { OntologyRevision } from "../../records/ontology/ontology.ts";
import { surfaceRef } from "../fields.ts";
import { findSurface } from "./surfaces.ts";

/** What a compiled surface is made of, by part. */
export const REPRESENTATION_PARTS = [
  "tools",
  "tables",
  "behaviours",
  "exceptions",
  "gaps",
  "fidelity",
  "evidence",
  "proposals",
] as const;
type Part = (typeof REPRESENTATION_PARTS)[number];

/** What `surface_representation` takes. */
export const RepresentationInput = z.object({
  ...surfaceRef,
  part: z.enum(REPRESENTATION_PARTS).optional().describe("Only counts when absent."),
  version: z.string().max(200).optional().describe("A bundle id; the one served now when absent."),
  count: z.boolean().optional().describe("Only the counts, whatever part is named."),
  limit: pageInput.limit,
  offset: z.number().int().min(0).optional(),
});
export type RepresentationInput = z.output<typeof RepresentationInput>;

/** A surface's compiled form: how many rows each part has, and the rows of one part by pages when it is named. */
export async function surfaceRepresentation(ctx: Ctx, input: RepresentationInput) {
  const surface = await findSurface(ctx, input.surface);
  const version = input.version ?? surface.bundle;
  if (version === undefined)
    throw conflict("The surface has not been compiled; run its pipeline first.", { by: "pipeline_post" });
  if (!surface.versions.some((row) => row.bundle === version)) throw notFound("surface version");
  const { record, bundle } = await loadBundle(ctx, version);
  const base = BaseState.parse(await getJson(ctx, record.base_blob));
  const parts: Record<Part, readonly unknown[]> = {
    tools: bundle.tools,
    tables: bundle.tables.map((table) => ({ ...table, rows: Object.keys(base.tables[table.name] ?? {}).length })),
    behaviours: behaviourRows(bundle),
    exceptions: bundle.exceptions,
    gaps: bundle.gaps,
    fidelity: Object.entries(record.fidelity?.tools ?? {}).map(([tool, counts]) => ({ tool, ...counts })),
    evidence: record.evidence,
    proposals: record.proposed === undefined ? [] : ((await getJson(ctx, record.proposed.exchanges_blob)) as unknown[]),
  };
  const counts = Object.fromEntries(REPRESENTATION_PARTS.map((part) => [part, parts[part].length]));
  const head = {
    surface: surface.name,
    version,
    digest: record.digest,
    ontology_version: await ontologyVersion(ctx, surface.id, version),
    counts,
    tier: "deterministic" as const,
  };
  if (input.part === undefined || input.count === true) return head;
  const offset = input.offset ?? 0;
  const rows = parts[input.part].slice(offset, offset + (input.limit ?? DEFAULT_PAGE));
  return { ...head, part: input.part, offset, total: parts[input.part].length, rows: [...rows] };
}

/** The newest revision of the surface's ontology that is this version's; null where none has been compiled. */
async function ontologyVersion(ctx: Ctx, surface: string, version: string): Promise<number | null> {
  const where = { surface, surface_version: version };
  const { items } = await ctx.store.records.list(OntologyRevision, { where, limit: 1 });
  return items[0]?.revision ?? null;
}

function behaviourRows(bundle: Bundle) {
  return Object.entries(bundle.behaviours)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([tool, { behaviour, ...rest }]) => ({ tool, line: printLine(behaviour), behaviour, ...rest }));
}
