import { z } from "zod";
import { byField, orgRef } from "../../../chapters/fields.ts";
import { Started } from "../../../chapters/job.ts";
import { surfaceField } from "../../../chapters/ontology/fields.ts";
import { drawPersona, getPersonas, postPersonas } from "../../../chapters/ontology/personas/personas.ts";
import { DimensionValue, Profile } from "../../../chapters/records/ontology/dimension.ts";
import { operation } from "../../kernel/operation.ts";

const Name = z.string().trim().min(1).max(200);
const Draw = Started.extend({
  persona: z.string(),
  surface: z.string(),
  register: z.string().describe("How its requests are put: the profile's `register`, else plain."),
  by: z.string(),
  voiced: z.boolean().optional().describe("Whether the requests are worded otherwise for this persona or register."),
  note: z.string().optional(),
});

/** Who asks. */
export const personas = [
  operation({
    name: "dimensions_personas_get",
    title: "Read the personas",
    description:
      "Answers the org's personas with where each comes from, and the draws started for them with their results.",
    scope: "read",
    effect: "read",
    route: "GET /v0/orgs/{orgtag}/dimensions/personas",
    input: z.object(orgRef),
    output: z.object({
      added: z.array(DimensionValue.schema),
      draw: z.array(z.object({ job: z.string(), status: z.string(), persona: z.string(), result: z.unknown() })),
    }),
    handle: getPersonas,
  }),
  operation({
    name: "dimensions_personas_post",
    title: "Add personas",
    description:
      "Adds personas that a person states, by name (`add`) or described (`personas`); one that is there already gets what is new. With `draw`, an environment of `n` tasks is started for each.",
    scope: "push",
    effect: "create",
    hints: { idempotent: true },
    route: "POST /v0/orgs/{orgtag}/dimensions/personas",
    input: z.object({
      ...orgRef,
      ...byField,
      ...surfaceField,
      add: z.array(Name).min(1).max(100).optional(),
      personas: z
        .array(
          z.object({
            value: Name,
            profile: Profile.optional(),
            weight: z.number().min(0).max(1_000_000).optional(),
            jobs: z.array(Name).max(500).optional(),
          }),
        )
        .min(1)
        .max(100)
        .optional(),
      cited: z.array(z.string().min(1).max(200)).max(100).optional().describe("Evidence records."),
      stated_from: z.string().min(1).max(2000).optional().describe("Where they were stated."),
      notes: z.string().min(1).max(2000).optional(),
      draw: z.boolean().optional(),
      n: z.number().int().min(1).max(200).optional().describe("Tasks a draw; 30 when absent."),
    }),
    output: z.object({ added: z.array(DimensionValue.schema), draw: z.array(Draw) }),
    handle: postPersonas,
  }),
  operation({
    name: "dimensions_persona_draw",
    title: "Draw an environment for a persona",
    description:
      "Starts drawing an environment whose tasks a persona asks, now and whatever the day's budget: rules write and review the tasks, so that nothing is spent.",
    scope: "push",
    effect: "start",
    route: "POST /v0/orgs/{orgtag}/dimensions/personas/{value}/draw",
    input: z.object({ ...orgRef, ...byField, ...surfaceField, value: Name.describe("The persona's name or id.") }),
    output: Draw,
    handle: drawPersona,
  }),
];
