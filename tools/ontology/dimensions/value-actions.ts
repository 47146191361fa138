import { z } from "zod";
import { byField, orgRef, recordId } from "../../../chapters/fields.ts";
import {
  acceptValue,
  dismissValue,
  HeroValueInput,
  heroValue,
  mergeSpellings,
  Names,
  ParentValueInput,
  ProfileValueInput,
  parentValue,
  profileValue,
} from "../../../chapters/ontology/dimensions/value-actions.ts";
import { Attachment, DimensionAxis, DimensionValue } from "../../../chapters/records/ontology/dimension.ts";
import { whyField } from "../../../chapters/sandboxes/fields.ts";
import { Tier } from "../../../chapters/tier.ts";
import { operation } from "../../kernel/operation.ts";

const settleInput = {
  ...orgRef,
  value_id: recordId("dimension (`dx_…`) or value (`dv_…`)"),
  ...byField,
  ...whyField,
  personas: Names.optional().describe("Personas that have this use case."),
};

const Settled = z.object({
  org: z.string(),
  act: z.enum(["accept", "dismiss"]),
  axis: z.string(),
  target: z.union([DimensionValue.schema, DimensionAxis.schema]),
});

/** Accept, dismiss or describe a dimension or value; put a value under another; mark a hero use case; merge spellings. */
export const valueActs = [
  operation({
    name: "dimension_value_accept",
    title: "Accept a dimension or value",
    description: "Accepts a proposed axis or value, so that it counts. Accepting twice keeps the first mark.",
    scope: "push",
    effect: "update",
    route: "POST /v0/orgs/{orgtag}/dimensions/values/{value_id}/accept",
    input: z.object(settleInput),
    output: Settled,
    handle: acceptValue,
  }),
  operation({
    name: "dimension_value_dismiss",
    title: "Dismiss a dimension or value",
    description: "Dismisses an axis or value: it stays readable, and no reader proposes it again.",
    scope: "push",
    effect: "update",
    route: "POST /v0/orgs/{orgtag}/dimensions/values/{value_id}/dismiss",
    input: z.object(settleInput),
    output: Settled,
    handle: dismissValue,
  }),
  operation({
    name: "dimension_value_profile_post",
    title: "Describe a dimension's value",
    description:
      "Sets a value's weight, its profile, the use cases of a persona (`jobs`) or the personas of a use case; what is not given stays.",
    scope: "push",
    effect: "update",
    route: "POST /v0/orgs/{orgtag}/dimensions/values/{value_id}/profile",
    input: ProfileValueInput,
    output: z.object({ org: z.string(), value: DimensionValue.schema }),
    handle: profileValue,
  }),
  operation({
    name: "dimension_value_parent",
    title: "Put a value under another",
    description:
      "Says that a value stands under another, and who judged so; the parent before is answered as replaced.",
    scope: "push",
    effect: "update",
    route: "POST /v0/orgs/{orgtag}/dimensions/values/{value_id}/parent",
    input: ParentValueInput,
    output: z.object({
      org: z.string(),
      value: DimensionValue.schema,
      parent: DimensionValue.schema,
      attachment: Attachment,
      replaced: Attachment.nullable(),
      grader: z.string(),
      tier: Tier,
      note: z.string(),
    }),
    handle: parentValue,
  }),
  operation({
    name: "dimension_value_hero",
    title: "Mark a hero use case",
    description:
      "Marks a use case as one that must never break, with the evidence that says so, or takes the mark off.",
    scope: "push",
    effect: "update",
    route: "POST /v0/orgs/{orgtag}/dimensions/values/{value_id}/hero",
    input: HeroValueInput,
    output: z.object({
      org: z.string(),
      value: DimensionValue.schema,
      hero: z.boolean(),
      cites: z.array(z.string()),
      by: z.string(),
    }),
    handle: heroValue,
  }),
  operation({
    name: "dimensions_merge_spellings",
    title: "Merge spellings",
    description:
      "Finds values of an axis that are one in several spellings (case, marks, plural) and, with `apply`, folds them into the first that was written: what they had goes with them.",
    scope: "push",
    effect: "update",
    route: "POST /v0/orgs/{orgtag}/dimensions/merge-spellings",
    input: z.object({
      ...orgRef,
      ...byField,
      field: z.string().min(1).max(64).optional().describe("The axis; use_case when absent."),
      apply: z.boolean().optional().describe("Without it, it only tells."),
    }),
    output: z.object({
      org: z.string(),
      field: z.string(),
      applied: z.boolean(),
      merges: z.array(
        z.object({
          kept: z.object({ id: z.string(), value: z.string() }),
          folded: z.array(z.object({ id: z.string(), value: z.string() })),
        }),
      ),
      tier: z.literal("deterministic"),
    }),
    handle: mergeSpellings,
  }),
];
