import type { z } from "zod";
import { diffOntologies } from "../../worlds/ontology/diff.ts";
import type { NodeKind, Ontology } from "../../worlds/ontology/schema.ts";
import type { Ctx } from "../context.ts";
import { loadGraph } from "../dimensions/graph.ts";
import { AppError, badField, conflict, unprocessable } from "../errors.ts";
import { findAgent, findVersion } from "../find-agent.ts";
import { everyRow } from "../page.ts";
import { OntologyRevision } from "../records/ontology/ontology.ts";
import { BundleRecord } from "../records/sandboxes/sandboxes.ts";
import { Reply } from "../reply.ts";
import { evidenceOf } from "../sandboxes/surfaces/surface-evidence.ts";
import { findSurface, liveSurface } from "../sandboxes/surfaces/surfaces.ts";
import { compileEstimate, exposed, graphInputs, ontologyJob } from "./compile.ts";
import type { RevisionDoc } from "./revisions.ts";

/** The newest revision of each version of a surface, the newest version first. */
async function storedVersions(ctx: Ctx, surface: string): Promise<Map<string, RevisionDoc>> {
  const byVersion = new Map<string, RevisionDoc>();
  const where = { surface };
  for await (const row of everyRow((page) => ctx.store.records.list(OntologyRevision, { ...page, where }))) {
    const version = row.surface_version;
    if (version !== undefined && !byVersion.has(version)) byVersion.set(version, row);
  }
  return byVersion;
}

/** Stores the graph of the version that a surface serves now, from that version's evidence; a stored one is answered at once. */
export async function deriveOntology(
  ctx: Ctx,
  input: { readonly surface: string; readonly agent?: string | undefined; readonly agent_version?: string | undefined },
) {
  const surface = liveSurface(await findSurface(ctx, input.surface));
  const bundle = surface.bundle === undefined ? undefined : await ctx.store.records.get(BundleRecord, surface.bundle);
  if (!bundle) throw conflict("The surface serves no version yet; run its pipeline first.", { by: "pipeline_post" });
  const exposure = await exposureOf(ctx, input);
  const evidence = await evidenceOf(ctx, bundle.evidence);
  if (evidence.length === 0)
    throw unprocessable("Evidence that this version was compiled from is gone.", { by: "pipeline_post" });
  const stored = (await storedVersions(ctx, surface.id)).get(bundle.id);
  const about = { surface: surface.name, surface_version: bundle.id };
  if (stored?.inputs === graphInputs(evidence)) {
    const row = await exposed(ctx, stored, { exposure });
    const { id: ontology, counts, exposed_by, tier } = row;
    return new Reply(200, { ...about, job: null, status: "landed", ontology, counts, exposed_by, tier });
  }
  const { job, status } = await ctx.jobs.start(ontologyJob, {
    surface: surface.id,
    version: bundle.id,
    force: false,
    redraw: false,
    estimate: await compileEstimate(ctx, surface.id, graphInputs(evidence), false),
    ...(exposure === undefined ? {} : { exposure }),
  });
  const exposed_by = exposure === undefined ? [] : [exposure];
  const tier = ctx.models.offered.length > 0 ? ("llm-derived" as const) : ("deterministic" as const);
  return new Reply(202, { ...about, job, status, ontology: null, counts: null, exposed_by, tier });
}

async function exposureOf(
  ctx: Ctx,
  {
    agent,
    agent_version: version,
  }: { readonly agent?: string | undefined; readonly agent_version?: string | undefined },
) {
  if (agent === undefined) {
    if (version !== undefined) throw badField("agent", "name the agent whose version this is");
    return undefined;
  }
  const found = await findAgent(ctx, agent);
  return { agent: found.id, version: findVersion(found, version).version };
}

/** Every version of a surface whose graph is stored, with the agent versions that expose it, and the one served now. */
export async function ontologyVersions(ctx: Ctx, input: { readonly surface: string }) {
  const surface = await findSurface(ctx, input.surface);
  const stored = await storedVersions(ctx, surface.id);
  return {
    surface: surface.name,
    current: surface.bundle ?? null,
    current_stored: surface.bundle !== undefined && stored.has(surface.bundle),
    versions: [...stored].map(([version, { id, revision, counts, exposed_by, created_at, by, tier }]) => ({
      surface_version: version,
      current: version === surface.bundle,
      ontology: id,
      revision,
      counts,
      exposed_by,
      created_at,
      by,
      tier,
    })),
  };
}

/** What differs between the graphs of two stored versions of a surface; the second is the served one where none is named. */
export async function diffVersions(
  ctx: Ctx,
  input: { readonly surface: string; readonly a: string; readonly b?: string | undefined },
) {
  const surface = await findSurface(ctx, input.surface);
  const stored = await storedVersions(ctx, surface.id);
  const versionB = input.b ?? surface.bundle;
  const [a, b] = [stored.get(input.a), versionB === undefined ? undefined : stored.get(versionB)];
  if (!a || !b || versionB === undefined)
    throw new AppError("not_found", "A version to compare has no stored ontology; surface_ontology_derive stores one.");
  const [was, is] = [(await loadGraph(ctx, a.graph)).graph, (await loadGraph(ctx, b.graph)).graph];
  const { operations, objects, edges, effects } = diffOntologies(was, is);
  return {
    surface: surface.name,
    a: input.a,
    b: versionB,
    operations,
    objects,
    edges,
    effects,
    dimensions: { operation: changedValues(was, is, "operation"), object: changedValues(was, is, "object") },
    tier: a.tier === "llm-derived" || b.tier === "llm-derived" ? ("llm-derived" as const) : ("deterministic" as const),
  };
}

/** Values of an axis that the surface decides: names that came and names that went. */
function changedValues(was: Ontology, is: Ontology, kind: z.infer<typeof NodeKind>) {
  const names = (graph: Ontology) => new Set(graph.nodes.flatMap((node) => (node.kind === kind ? [node.name] : [])));
  const [before, after] = [names(was), names(is)];
  return {
    added: [...after].filter((name) => !before.has(name)),
    removed: [...before].filter((name) => !after.has(name)),
  };
}
