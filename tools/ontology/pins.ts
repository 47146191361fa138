import { z } from "zod";
import { orgRef } from "../../chapters/fields.ts";
import { surfaceField } from "../../chapters/ontology/fields.ts";
import { listPins } from "../../chapters/ontology/pins.ts";
import { OntologyPin } from "../../chapters/records/ontology/ontology.ts";
import { operation } from "../kernel/operation.ts";

/** What was read for an ontology. */
export const pins = [
  operation({
    name: "ontology_pins",
    title: "Read what an ontology was named from",
    description:
      "Lists what readers said of a surface's graph (labels, references): which stands and which was superseded, with model, prompt version, tier and cost. Name a pin to read that one.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/ontology/pins",
    input: z.object({
      ...orgRef,
      ...surfaceField,
      pin: z.string().min(1).max(200).optional().describe("Id of one reading; all when absent."),
    }),
    output: z.object({
      org: z.string(),
      surface: z.string(),
      prompt_version: z.string().describe("The version that a reading now would have."),
      pins: z.array(OntologyPin.schema),
    }),
    handle: listPins,
  }),
];
