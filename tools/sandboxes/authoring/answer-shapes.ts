import { z } from "zod";
import { AnswerShape } from "../../../chapters/records/sandboxes/audit.ts";
import { PostInput, postAnswerShapes } from "../../../chapters/sandboxes/authoring/answer-shapes.ts";
import { ShapeFit } from "../../../chapters/sandboxes/authoring/authoring-tasks.ts";
import { operation } from "../../kernel/operation.ts";

/** How the answers of an environment's world keep to the shapes expected of them. */
export const HeldToShapes = z.object({
  shapes: z.array(
    AnswerShape.schema
      .pick({ tool: true, paths: true, examples: true, by: true, created_at: true })
      .extend(ShapeFit.shape),
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
    input: PostInput,
    output: HeldToShapes.extend({ environment: z.string() }),
    handle: postAnswerShapes,
  }),
];
