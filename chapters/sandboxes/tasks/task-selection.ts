import { z } from "zod";
import type { Bundle } from "../../../worlds/bundle.ts";
import { Family } from "../../../worlds/tasks/schema.ts";
import { PERSONAS } from "../../../worlds/tasks/words/phrases.ts";
import { REGISTERS } from "../../../worlds/tasks/words/revoice.ts";
import type { Ctx } from "../../context.ts";
import { everyValue } from "../../dimensions/axes.ts";
import { type AppError, badRequest } from "../../errors.ts";

/** Dimension values that tasks must have: any of an axis's values, on every axis named. */
export const TaskSelection = z
  .object({ family: z.array(Family).min(1).optional() })
  .catchall(z.array(z.string().min(1).max(200)).min(1).max(50));
export type TaskSelection = z.infer<typeof TaskSelection>;

/** One cell of the dimensions: a value of each axis named. */
export const Situation = z
  .record(z.string().min(1).max(64), z.string().min(1).max(200))
  .refine((cell) => Object.keys(cell).length > 0, "names no axis");
export type Situation = z.infer<typeof Situation>;

/** So many known values are named where one is not known. */
const NAMED = 20;

/** The axes that tasks have, with their values where those are known before any task is written. */
async function knownValues(ctx: Ctx, bundle: Bundle): Promise<ReadonlyMap<string, readonly string[] | undefined>> {
  const stated = (await everyValue(ctx, "persona")).map(({ value }) => value);
  return new Map<string, readonly string[] | undefined>([
    ["family", Family.options],
    ["use_case", undefined],
    ["operation", bundle.tools.map(({ name }) => name)],
    ["object", undefined],
    ["data_condition", ["present", "absent", "partial", "contradictory"]],
    ["difficulty", ["easy", "medium", "hard"]],
    ["persona", [...new Set([...stated, ...PERSONAS])]],
    ["register", REGISTERS],
  ]);
}

/**
 * Refuses axes that no task has, and values that an axis does not have, with those that it has. What a use case or an
 * object is called shows only when tasks are written: a generation that finds none says so.
 */
export async function checkSelection(
  ctx: Ctx,
  bundle: Bundle,
  asked: Readonly<Record<string, readonly string[] | undefined>>,
  path: string,
): Promise<void> {
  const known = await knownValues(ctx, bundle);
  for (const [axis, values] of Object.entries(asked)) {
    if (!known.has(axis)) throw unknownValue(`${path}.${axis}`, "is no axis that tasks have", [...known.keys()]);
    const has = known.get(axis);
    if (has && values?.some((value) => !has.includes(value)))
      throw unknownValue(`${path}.${axis}`, "has a value that this axis does not have", has);
  }
}

function unknownValue(path: string, message: string, known: readonly string[]): AppError {
  const more = known.length > NAMED ? `; the first ${NAMED} of ${known.length} are named` : "";
  return badRequest(`A dimension value is not known; names says which are${more}.`, {
    fields: [{ path, message }],
    names: known.slice(0, NAMED),
  });
}
