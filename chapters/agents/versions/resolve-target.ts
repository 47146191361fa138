import { openRepository } from "../../code-host/repository-access.ts";
import type { Ctx } from "../../context.ts";
import { badField } from "../../errors.ts";
import { offeredModel } from "../../models/spend.ts";
import type { AgentTarget } from "../../records/agents/agents.ts";
import { findSurface, liveSurface } from "../../sandboxes/surfaces/surfaces.ts";
import type { Resolved, TargetInput } from "./new-target.ts";

/** What is stored with a target beside the input: a ref's commit, a surface's id and its model. `was` is the newest target. */
export async function resolveTarget(
  ctx: Ctx,
  kind: AgentTarget["kind"],
  input: TargetInput & { readonly model?: string | undefined },
  was?: AgentTarget,
): Promise<Resolved> {
  if (kind === "repository") {
    const before = was?.kind === "repository" ? was : undefined;
    const url = input.url ?? before?.url;
    if (url === undefined || (before && input.url === undefined && input.ref === undefined)) return {};
    const access = await openRepository(ctx, url);
    return { commit: { ...(await access.commit(input.ref ?? before?.ref)), repo: access.repo } };
  }
  if (kind !== "surface") return {};
  const before = was?.kind === "surface" ? was : undefined;
  const harness = input.harness ?? before?.harness;
  if (harness === "react" && ctx.models.offered.length === 0)
    throw badField("harness", "react needs a model, and this workspace offers none");
  const model = harness === "react" ? offeredModel(ctx, input.model ?? before?.model).model : undefined;
  const ref = input.surface ?? before?.surface;
  if (ref === undefined) return {};
  const surface = liveSurface(await findSurface(ctx, ref));
  if (surface.bundle === undefined) throw badField("surface", "has no tools yet: derive it first");
  return { surface: { id: surface.id, model } };
}
