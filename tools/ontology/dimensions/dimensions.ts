import { z } from "zod";
import { orgRef, recordId } from "../../../chapters/fields.ts";
import {
  deleteDimension,
  getDimensions,
  PostInput,
  postDimension,
} from "../../../chapters/ontology/dimensions/dimensions.ts";
import { DimensionAxis, DimensionValue } from "../../../chapters/records/ontology/dimension.ts";
import { operation } from "../../kernel/operation.ts";

const Axis = DimensionAxis.schema.extend({
  standing: z.boolean().describe("Whether every org has it."),
  values: z.array(DimensionValue.schema),
});

/** Axes and their values. */
export const dimensions = [
  operation({
    name: "dimensions_get",
    title: "Read the dimensions",
    description:
      "Answers every axis along which use differs (use case, persona, register, operation, object, data condition, difficulty, policy and what was declared) with its values, where each comes from and its tier, and what the evidence can be narrowed by.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/dimensions",
    input: z.object(orgRef),
    output: z.object({
      org: z.string(),
      dimensions: z.array(Axis),
      facets: z.array(
        z.object({
          facet: z.string(),
          values: z.array(z.object({ value: z.string(), evidence: z.number().int(), traces: z.number().int() })),
          tier: z.literal("deterministic"),
        }),
      ),
    }),
    handle: getDimensions,
  }),
  operation({
    name: "dimensions_post",
    title: "Declare a dimension",
    description:
      "Declares an axis of the org's own with its values, adds values to any axis, or takes up a preset. What is there already is answered as such and stays as it is.",
    scope: "admin",
    effect: "create",
    hints: { idempotent: true },
    route: "POST /v0/orgs/{orgtag}/dimensions",
    input: PostInput,
    output: z.object({
      preset: z.string().nullable(),
      registered: z.array(z.string()).describe("Values that are new."),
      already: z.array(z.string()),
      dimensions: z.array(Axis),
    }),
    handle: postDimension,
  }),
  operation({
    name: "dimensions_delete",
    title: "Delete a dimension",
    description: "Takes a declared axis away with all its values. Axes that every org has stay.",
    scope: "admin",
    route: "DELETE /v0/dimensions/{did}",
    orgResolution: { from: "record", kind: DimensionAxis, param: "did" },
    input: z.object({ did: recordId("dimension") }),
    output: z.object({
      deleted: z.object({ dimension: z.string(), values: z.number().int() }),
      field: z.string(),
    }),
    handle: deleteDimension,
  }),
];
