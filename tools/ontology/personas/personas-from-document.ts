import { z } from "zod";
import { orgRef } from "../../../chapters/fields.ts";
import { sourceField } from "../../../chapters/ontology/fields.ts";
import { personasFromDocument } from "../../../chapters/ontology/personas/personas-from-document.ts";
import { DimensionAxis, DimensionValue } from "../../../chapters/records/ontology/dimension.ts";
import { Tier } from "../../../chapters/tier.ts";
import { operation } from "../../kernel/operation.ts";

/** Personas of a document. */
export const personasFromDocumentOperations = [
  operation({
    name: "dimensions_personas_from_document",
    title: "Take personas from a document",
    description:
      "Writes the personas that a source's pins cite (evidence_extract), or that dimensions_derive read in it, as accepted personas. A conflict where neither has read the source.",
    scope: "push",
    effect: "create",
    hints: { idempotent: true },
    route: "POST /v0/orgs/{orgtag}/dimensions/personas-from-document",
    input: z.object({ ...orgRef, ...sourceField }),
    output: z.object({
      org: z.string(),
      source: z.string(),
      field: z.literal("persona"),
      row: DimensionAxis.schema,
      values: z.array(DimensionValue.schema),
      pins: z.array(z.string()).describe("The kept readings."),
      derived_from: z.object({
        reading: z.string(),
        model: z.string().nullable(),
        prompt_version: z.string().nullable(),
      }),
      note: z.string().optional().describe("Why there are no values."),
      tier: Tier,
    }),
    handle: personasFromDocument,
  }),
];
