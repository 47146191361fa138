import { digestOf } from "../../worlds/digest.ts";
import { diffOntologies } from "../../worlds/ontology/diff.ts";
import type { Ontology } from "../../worlds/ontology/schema.ts";
import { putJson } from "../blobs.ts";
import { actor, type Ctx } from "../context.ts";
import { loadGraph } from "../dimensions/graph.ts";
import { type Doc, idOfValue } from "../record.ts";
import { OntologyHead, OntologyRevision } from "../records/ontology/ontology.ts";
import { audited } from "../retirement.ts";

export type RevisionDoc = Doc<typeof OntologyRevision>;

/** The revision that stands for a surface, or undefined before its first compile. */
export async function currentRevision(ctx: Ctx, surface: string): Promise<RevisionDoc | undefined> {
  const head = await ctx.store.records.get(OntologyHead, idOfValue(OntologyHead, surface));
  return head && (await ctx.store.records.get(OntologyRevision, head.current));
}

/** What a new revision says of itself; the rest follows from the one before. */
export type NewRevision = Pick<
  RevisionDoc,
  "surface" | "act" | "inputs" | "evidence" | "model" | "prompt_version" | "tier" | "exposed_by"
> &
  Partial<Pick<RevisionDoc, "surface_version" | "traces" | "pin" | "reason" | "restores">> & {
    readonly by?: string | undefined;
    /** A revision that this one undoes: marked as restored in the same step. */
    readonly undoes?: RevisionDoc;
  };

/** Makes a graph the surface's next revision, as one step; another writer that was first is a conflict, and nothing is written then. */
export async function addRevision(
  ctx: Ctx,
  graph: Ontology,
  { by, undoes, ...given }: NewRevision,
): Promise<{ revision: RevisionDoc; removed: string[] }> {
  const headId = idOfValue(OntologyHead, given.surface);
  const head = await ctx.store.records.get(OntologyHead, headId);
  const before = head && (await ctx.store.records.get(OntologyRevision, head.current));
  const removed = before ? diffOntologies((await loadGraph(ctx, before.graph)).graph, graph).nodes.removed : [];
  const revision: RevisionDoc = {
    ...given,
    id: ctx.id(OntologyRevision.prefix),
    created_at: ctx.now(),
    by: actor(ctx, by),
    revision: (head?.revision ?? 0) + 1,
    graph: await putJson(ctx, graph),
    counts: { ...countsOf(graph), removed: removed.length },
    ...(before === undefined ? {} : { replaces: before.id }),
  };
  const { surface, id: current, revision: n, created_at } = revision;
  const next = { id: headId, created_at, by: revision.by, surface, current, revision: n };
  await ctx.store.records.apply([
    { op: "insert", kind: OntologyRevision, doc: revision },
    head
      ? { op: "put", kind: OntologyHead, doc: next, expect: digestOf(head) }
      : { op: "insert", kind: OntologyHead, doc: next },
    ...(undoes === undefined
      ? []
      : [
          {
            op: "put" as const,
            kind: OntologyRevision,
            doc: { ...undoes, restored_at: created_at, restored_by: revision.by },
            expect: digestOf(undoes),
          },
        ]),
  ]);
  await audited(ctx, { by }, "ontology_revised", { surface, revision: current, n, act: given.act });
  return { revision, removed };
}

/** How many nodes and edges there are of each kind. */
export function countsOf({ nodes, edges }: Ontology): Pick<RevisionDoc["counts"], "nodes" | "edges"> {
  const tally = (all: readonly { readonly kind: string }[]) => {
    const counts: Record<string, number> = {};
    for (const { kind } of all) counts[kind] = (counts[kind] ?? 0) + 1;
    return counts;
  };
  return { nodes: tally(nodes), edges: tally(edges) };
}

/** A revision as answers show it, with the route that undoes it while it stands. */
export function revisionView(ctx: Ctx, { graph: _graph, ...row }: RevisionDoc) {
  const undo =
    row.restored_at === undefined && row.replaces !== undefined
      ? `/v0/orgs/${ctx.org.tag}/ontology/revisions/${row.id}/restore`
      : null;
  return { ...row, undo };
}
