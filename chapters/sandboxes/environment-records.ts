import type { Ctx } from "../context.ts";
import { AppError, notFound } from "../errors.ts";
import type { Doc } from "../record.ts";
import { Environment } from "./schema.ts";

/** A stored environment. */
export type EnvironmentDoc = Doc<typeof Environment>;

/** An environment of this org. Unknown and another org's are the same 404. */
export async function findEnvironment(ctx: Ctx, id: string): Promise<EnvironmentDoc> {
  const environment = await ctx.store.records.get(Environment, id);
  if (!environment) throw notFound("environment");
  return environment;
}

/** An environment that may be worked with: a retired one is a conflict. */
export async function liveEnvironment(ctx: Ctx, id: string): Promise<EnvironmentDoc> {
  const environment = await findEnvironment(ctx, id);
  if (environment.retired_at !== undefined)
    throw new AppError("conflict", "The environment is retired; restore it first.");
  return environment;
}
