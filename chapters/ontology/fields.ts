import { z } from "zod";
import { OntologyRevision } from "../records/ontology/ontology.ts";

/** Which surface's graph. */
export const surfaceField = {
  surface: z.string().min(1).max(200).optional().describe("The surface's name or id; the org's only one when absent."),
};

/** Whether the graph of all surfaces together is meant. */
export const legacyField = {
  legacy: z.boolean().optional().describe("The graph from before surfaces had their own, where the org has one."),
};

/** A revision without its blob, with the route that undoes it. */
export const RevisionView = OntologyRevision.schema.omit({ graph: true }).extend({ undo: z.string().nullable() });

/** A revision with the surface that it belongs to. */
export const OfSurface = RevisionView.extend({ surface_id: z.string() });

/** The evidence that a document is read from. */
export const sourceField = { source: z.string().min(1).max(200).describe("An evidence record's id.") };
