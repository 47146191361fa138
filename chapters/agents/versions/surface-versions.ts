import type { Declarations } from "../../../worlds/declare.ts";
import { loadBundle, putJson } from "../../blobs.ts";
import type { Ctx } from "../../context.ts";
import { conflict } from "../../errors.ts";
import type { AgentDoc, VersionDoc } from "../../find-agent.ts";
import { declareBundle, declaresAnything } from "../../sandboxes/surfaces/declare-bundle.ts";
import { findSurface, liveSurface } from "../../sandboxes/surfaces/surfaces.ts";
import { changeDoc } from "../save.ts";
import { newestVersion, withVersion } from "./versions.ts";

/** What a surface agent's new version declares over the connected tools, and where that comes from. */
export interface SurfaceVersionInput {
  readonly declared: Declarations;
  readonly origin: NonNullable<VersionDoc["origin"]>;
  /** Its label; the commit's first letters or the next number when absent. */
  readonly label?: string | undefined;
  readonly notes?: string | undefined;
  readonly by?: string | undefined;
}

/**
 * Adds a version that declares tools over those its surface serves now. Everything declared is checked first: a 400 names
 * every word that is wrong and nothing is kept. The same declarations answer the version that has them (`same`), under the
 * label where one is given.
 */
export async function addSurfaceVersion(
  ctx: Ctx,
  agent: AgentDoc,
  input: SurfaceVersionInput,
): Promise<{ readonly agent: AgentDoc; readonly version: VersionDoc; readonly same: boolean }> {
  const { record } = await connectedTools(ctx, agent);
  const empty = !declaresAnything(input.declared);
  if (!empty) await declareBundle(ctx, record, input.declared);
  const declared = empty ? undefined : await putJson(ctx, input.declared);
  const known = (doc: AgentDoc) =>
    doc.versions.findLast(
      ({ target, retired_at, version }) =>
        target.kind === "surface" &&
        target.declared === declared &&
        (retired_at === undefined || empty) &&
        (input.label ?? version) === version,
    );
  let same = false;
  const { sha } = input.origin;
  const doc = await changeDoc(ctx, agent.id, (now) => {
    same = known(now) !== undefined;
    if (same) return { doc: now };
    const label = input.label ?? freeCommitLabel(now, sha);
    return withVersion(ctx, now, { notes: input.notes, by: input.by }, label, { declared }, { origin: input.origin });
  });
  const version = known(doc);
  if (!version) throw new Error("the version was not added");
  return { agent: doc, version, same };
}

/** The tools that a surface agent's surface serves now. An agent of another kind, and a retired surface, are conflicts. */
export async function connectedTools(ctx: Ctx, agent: AgentDoc) {
  const { bundle } = liveSurface(await findSurface(ctx, surfaceTarget(agent).surface));
  if (bundle === undefined)
    throw conflict("The agent's surface has no tools yet: derive it first.", { by: "surface_ontology_derive" });
  return loadBundle(ctx, bundle);
}

/** How the newest version of a surface agent is reached; other kinds are a conflict. */
export function surfaceTarget(agent: AgentDoc): Extract<VersionDoc["target"], { kind: "surface" }> {
  const { target } = newestVersion(agent);
  if (target.kind === "surface") return target;
  throw conflict("This agent is no tool server: connect its server as an agent of kind surface.", {
    by: "agents_post",
  });
}

function freeCommitLabel(agent: AgentDoc, sha: string | undefined): string | undefined {
  const wanted = sha?.slice(0, 12);
  return wanted === undefined || agent.versions.some((row) => row.version === wanted) ? undefined : wanted;
}
