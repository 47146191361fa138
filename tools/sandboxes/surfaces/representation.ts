import { z } from "zod";
import {
  REPRESENTATION_PARTS,
  RepresentationInput,
  surfaceRepresentation,
} from "../../../chapters/sandboxes/surfaces/representation.ts";
import { operation } from "../../kernel/operation.ts";

/** What a surface is compiled to. */
export const representation = [
  operation({
    name: "surface_representation",
    title: "Read what a surface is compiled to",
    description:
      "Answers the compiled form of a surface: how many tools, tables, behaviours, recorded exceptions and gaps it has. Name a part to read its rows by pages, such as each tool's behaviour as one line and as JSON.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/surfaces/{surface}/representation",
    input: RepresentationInput,
    output: z.object({
      surface: z.string(),
      version: z.string(),
      digest: z.string(),
      ontology_version: z
        .number()
        .int()
        .nullable()
        .describe("The newest ontology revision of this version; null where none has been compiled."),
      counts: z.record(z.string(), z.number().int()),
      tier: z.literal("deterministic"),
      part: z.enum(REPRESENTATION_PARTS).optional(),
      offset: z.number().int().optional(),
      total: z.number().int().optional(),
      rows: z.array(z.unknown()).optional(),
    }),
    handle: surfaceRepresentation,
  }),
];
