import { Declarations } from "../../../worlds/declare.ts";
import { getJson } from "../../blobs.ts";
import type { Ctx } from "../../context.ts";
import { AppError, conflict } from "../../errors.ts";
import type { Doc } from "../../record.ts";
import type { AgentTarget } from "../../records/agents/agents.ts";
import type { BundleRecord } from "../../records/sandboxes/sandboxes.ts";
import { declareBundle } from "../../sandboxes/surfaces/declare-bundle.ts";

type SurfaceTarget = Extract<AgentTarget, { kind: "surface" }>;

/**
 * The tools of a surface agent's version over the bundle that an environment was drawn from, on the same rows: that bundle
 * itself where the version declares nothing. What was declared for other tools than the environment has is a conflict.
 */
export async function versionBundle(
  ctx: Ctx,
  target: SurfaceTarget,
  drawn: Doc<typeof BundleRecord>,
): Promise<Doc<typeof BundleRecord>> {
  if (drawn.surface !== target.surface)
    throw conflict("The environment is of another surface than the agent's.", { by: "surfaces_list" });
  if (target.declared === undefined) return drawn;
  const declared = Declarations.parse(await getJson(ctx, target.declared));
  try {
    return await declareBundle(ctx, drawn, declared);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "bad_request") throw error;
    throw conflict(
      "What this version declares does not fit the tools that the environment was drawn with; draw it again, or prepare the version again.",
      { by: "surface_world_redraw", ...(error.details.names === undefined ? {} : { names: error.details.names }) },
    );
  }
}
