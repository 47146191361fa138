import { LRUCache } from "lru-cache";
import { Ontology } from "../../worlds/ontology/schema.ts";
import { getJson } from "../blobs.ts";
import type { Ctx } from "../context.ts";

/** Graphs read most recently, by org and blob: a blob never changes. */
const graphs = new LRUCache<string, Ontology>({ max: 16 });

/** A revision's graph, and whether it was at hand. */
export async function loadGraph(ctx: Ctx, blob: string): Promise<{ graph: Ontology; cache: "hit" | "miss" }> {
  const key = `${ctx.org.id} ${blob}`;
  const held = graphs.get(key);
  if (held) return { graph: held, cache: "hit" };
  const graph = Ontology.parse(await getJson(ctx, blob));
  graphs.set(key, graph);
  return { graph, cache: "miss" };
}
