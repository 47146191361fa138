import { z } from "zod";
import type { Json } from "../../../worlds/json.ts";
import { loadEnvironment } from "../../blobs.ts";
import { actor, type Ctx } from "../../context.ts";
import { badField, conflict } from "../../errors.ts";
import { byField } from "../../fields.ts";
import { everyRow } from "../../page.ts";
import { type Doc, idOfValue } from "../../record.ts";
import { AnswerShape } from "../../records/sandboxes/audit.ts";
import { audited } from "../../retirement.ts";
import { type EnvironmentDoc, liveEnvironment } from "../environments/environment-records.ts";
import { envRef } from "../fields.ts";
import { environmentTasks } from "../tasks/task-records.ts";
import { checkShapes } from "./authoring-tasks.ts";
import { shapeOfExamples } from "./shape-of-answers.ts";

type ShapeDoc = Doc<typeof AnswerShape>;

/** What `environment_answer_shapes` takes. */
export const PostInput = z.object({
  ...envRef,
  shapes: z
    .array(
      z.object({
        tool: z.string().min(1).max(200),
        examples: z.array(z.unknown()).min(1).max(20).describe("Answers of the real system, as data."),
      }),
    )
    .min(1)
    .max(200)
    .describe("One entry a tool, with answers whose form is expected."),
  ...byField,
});
export type PostInput = z.output<typeof PostInput>;

/** Stores the form that answers of tools are to have, read off example answers, and tells how the environment's world keeps to it now. */
export async function postAnswerShapes(ctx: Ctx, input: PostInput) {
  const environment = await liveEnvironment(ctx, input.env_id);
  const { bundle } = await loadEnvironment(ctx, environment);
  const served = new Set(bundle.tools.map((tool) => tool.name));
  const unserved = input.shapes.findIndex(({ tool }) => !served.has(tool));
  if (unserved >= 0) throw badField(`shapes.${unserved}.tool`, "is no tool of this environment");
  const names = input.shapes.map(({ tool }) => tool);
  if (new Set(names).size < names.length) throw conflict("A tool is named twice; give its examples together.");
  const docs = input.shapes.map(
    ({ tool, examples }): ShapeDoc => ({
      id: idOfValue(AnswerShape, environment.id, tool),
      created_at: ctx.now(),
      by: actor(ctx, input.by),
      environment: environment.id,
      tool,
      paths: shapeOfExamples(examples as readonly Json[]),
      examples: examples.length,
    }),
  );
  await ctx.store.records.apply(docs.map((doc) => ({ op: "put", kind: AnswerShape, doc })));
  await audited(ctx, input, "answer_shapes_set", { environment: environment.id, tools: docs.length });
  return { environment: environment.id, ...(await checkAgainstShapes(ctx, environment)) };
}

/** How the answers of an environment's world keep to the shapes stored for it; what was never answered is not counted. */
export async function checkAgainstShapes(ctx: Ctx, environment: EnvironmentDoc) {
  const stored: ShapeDoc[] = [];
  const where = { environment: environment.id };
  for await (const row of everyRow((page) => ctx.store.records.list(AnswerShape, { ...page, where }))) stored.push(row);
  const shapes = Object.fromEntries(stored.map((row) => [row.tool, row.paths]));
  const tasks = (await environmentTasks(ctx, environment.id)).map((row) => row.task.script);
  const world = await loadEnvironment(ctx, environment);
  const found = await ctx.compute.run(checkShapes, { ...world, shapes, scripts: tasks }, ctx.signal);
  return {
    shapes: stored
      .sort((a, b) => (a.tool < b.tool ? -1 : 1))
      .map(({ tool, paths, examples, by, created_at }) => ({ tool, paths, examples, by, created_at, ...found[tool]! })),
    held: Object.values(found).every(({ answers, fit }) => answers === fit),
    tier: "deterministic" as const,
  };
}
