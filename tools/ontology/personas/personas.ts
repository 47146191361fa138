import { z } from "zod";
import { orgRef } from "../../../chapters/fields.ts";
import { Started } from "../../../chapters/job.ts";
import {
  DrawRequest,
  drawPersona,
  getPersonas,
  PersonaDraw,
  PostPersonasInput,
  postPersonas,
} from "../../../chapters/ontology/personas/personas.ts";
import { DimensionValue } from "../../../chapters/records/ontology/dimension.ts";
import { operation } from "../../kernel/operation.ts";

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
    route: "GET /v0/orgs/{orgtag}/dimensions/personas",
    input: z.object(orgRef),
    output: z.object({
      added: z.array(DimensionValue.schema),
      draw: z.array(PersonaDraw),
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
    input: PostPersonasInput,
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
    input: DrawRequest,
    output: Draw,
    handle: drawPersona,
  }),
];
