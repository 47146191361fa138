import { z } from "zod";
import type { Ontology } from "../../worlds/ontology/schema.ts";
import type { Ctx } from "../context.ts";
import { loadGraph } from "../dimensions/graph.ts";
import { AppError, notFound } from "../errors.ts";
import { jobView } from "../job-view.ts";
import { everyRow } from "../page.ts";
import { OntologyHead, OntologyRevision } from "../records/ontology/ontology.ts";
import { Surface } from "../records/sandboxes/sandboxes.ts";
import { Worldplan } from "../records/sandboxes/worldplan.ts";
import { Reply } from "../reply.ts";
import { evidenceOf } from "../sandboxes/surfaces/surface-evidence.ts";
import { ontologyJob } from "./compile.ts";
import { currentRevision, type RevisionDoc, revisionView } from "./revisions.ts";
import { theSurface } from "./surfaces.ts";

/** The refusal of what only an org's own graph would answer. */
export function noLegacy(): AppError {
  return new AppError("not_found", "The org has no graph from before surfaces had graphs of their own.");
}

/** The revision that stands for a surface; none is a 404 that says what makes one. */
export async function standing(ctx: Ctx, surface: string): Promise<RevisionDoc> {
  const revision = await currentRevision(ctx, surface);
  if (!revision)
    throw new AppError("not_found", "No ontology of this surface has been compiled; ontology_compile makes one.");
  return revision;
}

/** A surface's current graph with its provenance; `part: head` leaves the graph out. A header says if it was cached. */
export async function getOntology(
  ctx: Ctx,
  input: {
    readonly surface?: string | undefined;
    readonly legacy?: boolean | undefined;
    readonly part?: "head" | undefined;
  },
) {
  if (input.legacy === true) throw noLegacy();
  const surface = await theSurface(ctx, input.surface);
  const revision = await standing(ctx, surface.id);
  const { graph, cache } = await loadGraph(ctx, revision.graph);
  const head = {
    org: ctx.org.tag,
    ...revisionView(ctx, revision),
    surface: surface.name,
    surface_id: surface.id,
    surfaces: await surfacesWithGraphs(ctx),
    compile: await newestCompile(ctx, surface.id),
  };
  const body =
    input.part === "head"
      ? head
      : {
          ...head,
          nodes: graph.nodes,
          edges: graph.edges,
          evidence_refs: (await evidenceOf(ctx, revision.evidence)).map(({ id, kind, format, stats }) => ({
            id,
            kind,
            format,
            traces: stats.traces,
          })),
          plans: await plansOf(ctx, surface.id),
          ontology: outline(graph),
        };
  return new Reply(200, body, { "x-svc-ontology-cache": cache });
}

async function surfacesWithGraphs(ctx: Ctx) {
  const heads: { surface: string; revision: number }[] = [];
  for await (const row of everyRow((page) => ctx.store.records.list(OntologyHead, page))) heads.push(row);
  const named = await ctx.store.records.getMany(
    Surface,
    heads.map((head) => head.surface),
  );
  const names = new Map(named.map(({ id, name }) => [id, name]));
  return heads.flatMap(({ surface, revision }) => {
    const name = names.get(surface);
    return name === undefined ? [] : [{ surface: name, surface_id: surface, revision }];
  });
}

async function newestCompile(ctx: Ctx, surface: string) {
  for await (const row of everyRow((page) => ctx.store.jobs.list({ ...page, kind: ontologyJob.kind })))
    if ((row.input as { surface?: unknown }).surface === surface) return jobView(row, ctx.org.tag);
  return null;
}

/** A plan by its name. */
export const PlanLabel = z.object({ id: z.string(), label: z.string() });

async function plansOf(ctx: Ctx, surface: string) {
  const plans: z.infer<typeof PlanLabel>[] = [];
  const where = { surface };
  for await (const { id, label } of everyRow((page) => ctx.store.records.list(Worldplan, { ...page, where })))
    plans.push({ id, label });
  return plans;
}

/** The graph in brief: services with their operations, objects with their fields. */
function outline({ nodes, edges }: Ontology) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const ends = (from: string, kind: string) =>
    edges.flatMap((edge) => (edge.from === from && edge.kind === kind ? (byId.get(edge.to) ?? []) : []));
  return {
    services: nodes
      .filter(({ kind }) => kind === "service")
      .map(({ id, name }) => ({
        name,
        operations: ends(id, "exposes").map((node) => ({ name: node.name, effect: node.effect ?? "write" })),
      })),
    objects: nodes
      .filter(({ kind }) => kind === "object")
      .map(({ id, name, key }) => ({
        name,
        key: key ?? [],
        fields: ends(id, "has")
          .filter((node) => node.kind === "field")
          .map((node) => node.name),
        holds: ends(id, "has")
          .filter((node) => node.kind === "object")
          .map((node) => node.name),
      })),
  };
}

/** One node with its edges and the evidence of both; of several surfaces' graphs the newest counts. */
export async function getNode(ctx: Ctx, input: { readonly node_id: string }) {
  const found: { surface: string; graph: Ontology; revision: RevisionDoc }[] = [];
  for await (const head of everyRow((page) => ctx.store.records.list(OntologyHead, page))) {
    const revision = await ctx.store.records.get(OntologyRevision, head.current);
    if (!revision) continue;
    const { graph } = await loadGraph(ctx, revision.graph);
    if (graph.nodes.some(({ id }) => id === input.node_id)) found.push({ surface: head.surface, graph, revision });
  }
  const [newest] = found.sort((a, b) => b.revision.created_at - a.revision.created_at);
  const node = newest?.graph.nodes.find(({ id }) => id === input.node_id);
  if (!newest || !node) throw notFound("node");
  const edges = newest.graph.edges.filter(({ from, to }) => from === node.id || to === node.id);
  const named = new Map(
    (
      await ctx.store.records.getMany(
        Surface,
        found.map(({ surface }) => surface),
      )
    ).map(({ id, name }) => [id, name]),
  );
  const ids = new Set(
    [node, ...edges].flatMap(({ evidence }) => evidence.examples.map((one) => one.split("/")[0] ?? "")),
  );
  const evidence = await evidenceOf(ctx, [...ids]);
  return {
    org: ctx.org.tag,
    surface: named.get(newest.surface) ?? newest.surface,
    surfaces: found.map(({ surface }) => named.get(surface) ?? surface),
    revision: newest.revision.revision,
    node,
    edges,
    evidence: evidence.map(({ id, kind, format, stats }) => ({ id, kind, format, traces: stats.traces })),
    tier: newest.revision.tier,
  };
}
