import { z } from "zod";
import { byField } from "../../../chapters/fields.ts";
import { AnswerShape } from "../../../chapters/records/sandboxes/audit.ts";
import { postAnswerShapes } from "../../../chapters/sandboxes/authoring/answer-shapes.ts";
import { envRef } from "../../../chapters/sandboxes/fields.ts";
import { operation } from "../../kernel/operation.ts";

/** How the answers of an environment's world keep to the shapes expected of them. */
export const HeldToShapes = z.object({
  shapes: z.array(
    AnswerShape.schema.pick({ tool: true, paths: true, examples: true, by: true, created_at: true }).extend({
      answers: z.number().int().describe("Answers of the world that were held to it."),
      fit: z.number().int(),
      misfits: z.array(z.object({ path: z.string(), expected: z.string(), found: z.string(), n: z.number().int() })),
    }),
  ),
  held: z.boolean().describe("Whether every answer has the shape expected of it."),
  tier: z.literal("deterministic"),
});

/** Expected forms of answers. */
export const answerShapes = [
  operation({
    name: "environment_answer_shapes",
    title: "Expect answer shapes",
    description:
      "Stores the form that answers of tools are to have, read off example answers of the real system, and holds the environment's world to them: how many answers fit, and the paths that do not. environment_fidelity tells it from then on.",
    scope: "push",
    effect: "update",
    route: "POST /v0/orgs/{orgtag}/environments/{env_id}/fidelity/answer-shapes",
    input: z.object({
      ...envRef,
      shapes: z
        .array(
          z.object({
            tool: z.string().min(1).max(200),
            examples: z.array(z.unknown()).min(1).max(20).describe("Answers of the real system, as data."),
          }),
        )
        .min(1)
        .max(200),
      ...byField,
    }),
    output: HeldToShapes.extend({ environment: z.string() }),
    handle: postAnswerShapes,
  }),
];
