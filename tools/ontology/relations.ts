import { z } from "zod";
import { Started } from "../../chapters/job.ts";
import { startRelations } from "../../chapters/ontology/relations.ts";
import { surfaceRef } from "../../chapters/sandboxes/fields.ts";
import { operation } from "../kernel/operation.ts";

/** Relations that a document states. */
export const relations = [
  operation({
    name: "surface_relations_document",
    title: "Read relations from a document",
    description:
      "Starts reading an evidence document for the relations it states between a surface's services, operations, objects and fields, into the graph as a revision. Needs a compiled ontology.",
    scope: "push",
    effect: "start",
    route: "POST /v0/orgs/{orgtag}/surfaces/{surface}/relations/document",
    input: z.object({ ...surfaceRef, source: z.string().min(1).max(200).describe("The document's evidence id.") }),
    output: Started.extend({
      org: z.string(),
      surface: z.string(),
      evidence: z.string(),
      stages: z.array(z.string()),
      note: z.string(),
    }),
    handle: startRelations,
  }),
];
