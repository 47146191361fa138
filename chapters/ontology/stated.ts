import type { Ontology } from "../../worlds/ontology/schema.ts";
import type { Ctx } from "../context.ts";
import { everyRow } from "../page.ts";
import type { Doc } from "../record.ts";
import { RelationReading } from "../records/ontology/reading.ts";
import type { Tier } from "../tier.ts";
import { type StatedEdge, withStated } from "./relations-pass.ts";

/** A graph with what these readings state, in turn: edges that are new, known ones that a document confirms, and what was refused. */
export function withStatedRelations(graph: Ontology, readings: readonly Doc<typeof RelationReading>[]) {
  let told = graph;
  const [added, confirmed, refused]: [string[], string[], StatedEdge[]] = [[], [], []];
  for (const { edges, source, tier } of readings) {
    const step = withStated(told, edges, source, tier === "llm-derived" ? "llm-derived" : "deterministic");
    told = step.graph;
    added.push(...step.added);
    confirmed.push(...step.confirmed);
    refused.push(...step.refused);
  }
  return { graph: told, added, confirmed, refused };
}

/** A graph with what documents of its surface were read to state. */
export async function withDocuments(
  ctx: Ctx,
  surface: string,
  graph: Ontology,
): Promise<{ graph: Ontology; tier: Tier }> {
  const readings: Doc<typeof RelationReading>[] = [];
  const where = { surface };
  for await (const row of everyRow((page) => ctx.store.records.list(RelationReading, { ...page, where })))
    readings.push(row);
  const told = withStatedRelations(graph, readings);
  const byModel = told.added.length > 0 && readings.some(({ tier }) => tier === "llm-derived");
  return { graph: told.graph, tier: byModel ? "llm-derived" : "deterministic" };
}
