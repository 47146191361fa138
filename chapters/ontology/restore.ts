import { z } from "zod";
import type { Ctx } from "../context.ts";
import { loadGraph } from "../dimensions/graph.ts";
import { conflict, notFound, orNotFound } from "../errors.ts";
import { orgRef } from "../fields.ts";
import { idOfValue } from "../record.ts";
import { OntologyRevision } from "../records/ontology/ontology.ts";
import { RelationReading } from "../records/ontology/reading.ts";
import { legacyField, surfaceField } from "./fields.ts";
import { noLegacy, standing } from "./read.ts";
import { addRevision, currentRevision, type RevisionDoc, revisionView } from "./revisions.ts";
import { theSurface } from "./surfaces.ts";

/** What `ontology_restore` takes. */
export const RestoreOntologyInput = z.object({
  ...orgRef,
  ...surfaceField,
  ...legacyField,
  revision: z.number().int().min(1).optional().describe("The revision's number."),
  expected_revision: z.number().int().min(1).optional().describe("The number that stands now."),
});

/** Makes an earlier revision's graph the surface's next one. What stood stays a revision; one that another writer passed is a conflict. */
export async function restoreOntology(ctx: Ctx, input: z.output<typeof RestoreOntologyInput>) {
  if (input.legacy === true) throw noLegacy();
  const surface = await theSurface(ctx, input.surface);
  const now = await standing(ctx, surface.id);
  if (input.expected_revision !== undefined && input.expected_revision !== now.revision)
    throw conflict("The current revision is not the expected one; read it and try again.", { by: "ontology_get" });
  const wanted = input.revision ?? now.revision - 1;
  if (wanted === now.revision) throw conflict("This revision is the current one already.", { by: "ontology_get" });
  const { items } = await ctx.store.records.list(OntologyRevision, {
    where: { surface: surface.id, revision: wanted },
    limit: 1,
  });
  if (!items[0]) throw notFound("revision");
  const revision = await putBack(ctx, items[0], { act: "restore" });
  return { ...revisionView(ctx, revision), surface: surface.name, surface_id: surface.id };
}

/** Undoes a revision: the graph that it replaced stands again, as a revision of its own. */
export async function undoRevision(
  ctx: Ctx,
  input: { readonly rev: string; readonly by?: string | undefined; readonly reason?: string | undefined },
) {
  const row = orNotFound(await ctx.store.records.get(OntologyRevision, input.rev), "revision");
  if (row.restored_at !== undefined) throw conflict("This revision has been restored already.");
  const before = row.replaces === undefined ? undefined : await ctx.store.records.get(OntologyRevision, row.replaces);
  if (!before) throw conflict("There was nothing before this revision.");
  const now = await currentRevision(ctx, row.surface);
  if (now?.id !== row.id)
    throw conflict("There is a later revision; undo that one first, or restore a revision by its number.", {
      by: "ontology_restore",
    });
  const revision = await putBack(ctx, before, { act: "undo", undoes: row, by: input.by, reason: input.reason });
  // What a document stated would come back with the next compile.
  if (row.act === "document")
    for (const source of row.evidence.filter((id) => !before.evidence.includes(id)))
      await ctx.store.records.delete(RelationReading, idOfValue(RelationReading, row.surface, source));
  return { error: null, revision: revisionView(ctx, revision) };
}

async function putBack(
  ctx: Ctx,
  target: RevisionDoc,
  how: {
    readonly act: "restore" | "undo";
    readonly undoes?: RevisionDoc;
    readonly by?: string | undefined;
    readonly reason?: string | undefined;
  },
): Promise<RevisionDoc> {
  const { surface, surface_version, inputs, evidence, traces, pin, model, prompt_version, tier, exposed_by } = target;
  const { revision } = await addRevision(ctx, (await loadGraph(ctx, target.graph)).graph, {
    surface,
    ...(surface_version === undefined ? {} : { surface_version }),
    inputs,
    evidence,
    ...(traces === undefined ? {} : { traces }),
    ...(pin === undefined ? {} : { pin }),
    model,
    prompt_version,
    tier,
    exposed_by,
    restores: target.id,
    act: how.act,
    by: how.by,
    ...(how.reason === undefined ? {} : { reason: how.reason }),
    ...(how.undoes === undefined ? {} : { undoes: how.undoes }),
  });
  return revision;
}
